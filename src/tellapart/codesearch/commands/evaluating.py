"""Search results held against two explorations."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.llm_options import QUESTION_PANEL, LlmOptions, with_llm_options
from tellapart.cli.output import say
from tellapart.cli.progress import reporter
from tellapart.codesearch.commands.options import (
    ConfigFile,
    In,
    Index,
    Iteration,
    Out,
    Repos,
    ReposPath,
    Seed,
    Strict,
    System,
    check_out,
    fail_if_doubtful,
    read,
    read_settings,
    warn_of,
    write,
)
from tellapart.codesearch.commands.settings import (
    build_settings,
    check_options_used,
    open_workspace,
    print_cost_estimate,
    replayed,
)
from tellapart.codesearch.explorer_kinds import FORMS

*_FIRST, _LAST = FORMS.values()
_EXPLORERS = f"{', '.join(_FIRST)} or {_LAST}"
ExplorerA = Annotated[
    str | None,
    typer.Option("--explorer-a", help=f"Run A's explorer: {_EXPLORERS}.", show_default="lexical"),
]
ExplorerB = Annotated[
    str | None,
    typer.Option("--explorer-b", help="Run B's explorer, the cheaper one.", show_default="symbols"),
]
Judge = Annotated[
    str | None,
    typer.Option(
        "--judge",
        help="PROVIDER/MODEL rules on the files that only the system found; none leaves them unjudged.",
        show_default="none",
    ),
]
Retest = Annotated[
    int | None,
    typer.Option(
        "--retest",
        min=0,
        help="Number of conversations to explore twice, to see whether an explorer agrees with itself.",
    ),
]
Concurrency = Annotated[
    int | None, typer.Option("--concurrency", min=1, help="Explorations at the same time.", show_default="4")
]
StateFile = Annotated[
    Path | None,
    typer.Option("--state", help="File that keeps the iterations and their calibration.", metavar="FILE"),
]
Unranked = Annotated[bool, typer.Option("--unranked", help="The system does not rank its files.")]
RunPlace = Annotated[
    Path | None, typer.Option("--run", help="Run directory; by default named after the settings.")
]
JudgeRepeats = Annotated[
    int | None,
    typer.Option(
        "--judge-repeats",
        min=1,
        help="Number of times the judge rules on each file; the majority counts.",
        show_default="1",
        rich_help_panel=QUESTION_PANEL,
    ),
]
Assess = Annotated[
    bool | None,
    typer.Option(
        "--assess/--no-assess",
        help="Have the judge also score each search as a whole.",
        show_default="assess",
        rich_help_panel=QUESTION_PANEL,
    ),
]
Turns = Annotated[
    int | None,
    typer.Option(
        "--turns",
        min=1,
        help="Most replies of an agent per issue.",
        show_default="40",
        rich_help_panel=QUESTION_PANEL,
    ),
]
ExploreTimeout = Annotated[
    float | None,
    typer.Option(
        "--explore-timeout",
        min=1,
        help="Most seconds of an agent per issue.",
        show_default="900",
        rich_help_panel=QUESTION_PANEL,
    ),
]
Reuse = Annotated[
    Path | None,
    typer.Option(
        "--reuse",
        help="Reuse what an earlier run found and judged; only what failed there is done again.",
        rich_help_panel=QUESTION_PANEL,
    ),
]


@with_llm_options
def evaluate(
    asking: LlmOptions,
    source: In = None,
    out: Out = None,
    config: ConfigFile = None,
    repos_path: ReposPath = None,
    repos: Repos = None,
    explorer_a: ExplorerA = None,
    explorer_b: ExplorerB = None,
    judge: Judge = None,
    iteration: Iteration = None,
    state: StateFile = None,
    retest: Retest = None,
    concurrency: Concurrency = None,
    system: System = None,
    unranked: Unranked = False,
    run: RunPlace = None,
    index: Index = None,
    judge_repeats: JudgeRepeats = None,
    assess: Assess = None,
    turns: Turns = None,
    explore_timeout: ExploreTimeout = None,
    reuse: Reuse = None,
    seed: Seed = None,
    strict: Strict = False,
) -> None:
    """Evaluate search results against two blind explorations.

    The same command resumes an interrupted evaluation.
    """
    from tellapart.codesearch.iteration import evaluate_results, failed_on_the_way

    chosen = read_settings(
        config,
        repos_path,
        retest=retest,
        concurrency=concurrency,
        judge_repeats=judge_repeats,
        assess=assess,
        seed=seed,
        state=state,
    )
    names = explorer_a or chosen.explorer_names[0], explorer_b or chosen.explorer_names[1]
    judge = judge or chosen.judge_name
    check_options_used(
        names,
        judge,
        {"--turns": turns, "--explore-timeout": explore_timeout},
        {"--judge-repeats": judge_repeats, "--assess": assess},
    )
    settings = build_settings(
        chosen,
        names,
        judge,
        asking,
        turns=turns,
        explore_seconds=explore_timeout,
        system=system,
        unranked=unranked,
        reuse=reuse,
    )
    around = open_workspace(chosen, repos_path, repos, index)
    check_out(out, source, chosen.state, *replayed(names), apart=around.repositories)
    content, where = read(source, "search_results.json")
    if asking.dry_run:
        print_cost_estimate(content, where, settings, around, run)
        return
    evaluated = evaluate_results(
        content, settings, around, where=where, iteration=iteration, out=run, progress=reporter()
    )
    write(out, evaluated.text)
    warn_of(evaluated.record)
    if failed_on_the_way(evaluated.record):
        say(f"to ask again for what failed: the same command with --reuse {evaluated.run}")
    say(f"next: tellapart codesearch report {shlex.quote(str(evaluated.run))} --html report.html")
    fail_if_doubtful(evaluated.record, strict=strict)
