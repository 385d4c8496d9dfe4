"""The whole loop: search, evaluate, learn, and again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.llm_options import LlmOptions, with_llm_options
from tellapart.cli.output import print_json, say, warn
from tellapart.codesearch.commands.asked import made, surroundings
from tellapart.codesearch.commands.evaluating import System
from tellapart.codesearch.commands.options import ConfigFile, Index, Repos, ReposPath, read_settings
from tellapart.codesearch.commands.searching import searcher
from tellapart.codesearch.commands.streams import In, as_json, read

Directory = Annotated[
    Path, typer.Option("--dir", help="Where each iteration lies, and the trend in history.json.")
]


@with_llm_options
def loop(
    asking: LlmOptions,
    source: In = None,
    config: ConfigFile = None,
    repos_path: ReposPath = None,
    repos: Repos = None,
    directory: Directory = Path("loop"),
    only_next: Annotated[
        bool, typer.Option("--next", help="Only the next iteration, whatever speaks for stopping.")
    ] = False,
    system: System = None,
    index: Index = None,
    as_json_: Annotated[bool, typer.Option("--json", help="Print the trend as JSON.")] = False,
) -> None:
    """Iterate until targets are reached, nothing changes any more, or an area gets worse."""
    from tellapart.codesearch.apart import check_apart
    from tellapart.codesearch.iteration import evaluate_results
    from tellapart.codesearch.learning.learnings import learnings
    from tellapart.codesearch.looping import Iteration, Steps, run_loop
    from tellapart.codesearch.reading import read_conversations, read_evaluation
    from tellapart.codesearch.searching import search

    chosen = read_settings(config, repos_path)
    settings = made(chosen, chosen.explorer_names, chosen.judge_name, asking, system=system)
    around = surroundings(chosen, repos_path, repos, index)
    check_apart(around.repositories, {"--dir": directory})
    if chosen.state:
        warn([f"{chosen.state}, the config's 'state', is not used: a loop keeps {directory / 'state.json'}"])
    content, where = read(source, "conversations.json")
    conversations = read_conversations(content, where=where)

    def searched(one: Iteration) -> str:
        before = directory / f"iteration-{one.number - 1}" / one.learnings.name
        searching = searcher(
            chosen,
            around.repositories,
            index,
            iteration=one.number,
            learnings=before if chosen.search.command and before.exists() else None,
        )
        found = search(conversations, searching, around.repositories, iteration=one.number)
        warn(f"conversation {left.conversation!r} is left out: {left.why}" for left in found.unusable)
        return as_json(found.record)

    def evaluated(one: Iteration, text: str) -> str:
        again = one.earlier_run.exists()
        return evaluate_results(
            text.encode(),
            replace(
                settings,
                explorers=one.explorers,
                reuse=one.earlier_run if again else None,
                again=again,
            ),
            replace(around, state=one.state),
            where=str(one.search),
            out=one.run,
            progress=say,
        ).text

    def learned(one: Iteration, text: str) -> str:
        return as_json(learnings(read_evaluation(text, where=str(one.evaluation)), seed=settings.seed))

    found = run_loop(chosen, Steps(searched, evaluated, learned), directory, only_next=only_next, tell=say)
    if as_json_:
        print_json(found.history)
    else:
        for line in found.lines():
            typer.echo(line)
    if found.outcome.exit_code:
        raise typer.Exit(found.outcome.exit_code)
