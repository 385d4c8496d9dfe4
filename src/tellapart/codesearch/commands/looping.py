"""What an evaluation teaches, and the whole loop: search, evaluate, learn, and again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.cli.dry_run import print_estimates
from tellapart.cli.output import print_json, print_line, say, show, warn
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings
from tellapart.codesearch.commands.evaluating import (
    EvaluationOptions,
    Reuse,
    build_settings,
    open_gold,
    open_workspace,
)
from tellapart.codesearch.commands.options import (
    AskingOptions,
    AtBase,
    ConfigOptions,
    GoldFile,
    In,
    Out,
    as_json,
    check_out,
    read,
    read_recorded,
    write,
)
from tellapart.codesearch.commands.searching import (
    SearchedBy,
    SystemOptions,
    search_issues,
    system_request,
    warn_of_search,
)
from tellapart.codesearch.kinds import load

if TYPE_CHECKING:
    from tellapart.codesearch.evaluation import Evaluation


@with_settings
def learn(
    *,
    source: In = None,
    out: Out = None,
    llm: Annotated[
        str | None,
        typer.Option(
            "--llm",
            help="Also have PROVIDER/MODEL word the tables.",
            metavar="MODEL",
            show_default="no model",
        ),
    ] = None,
    asking: AskingOptions,
) -> None:
    """Tabulate what led to noise and what was missed."""
    from tellapart.codesearch.learn import learnings, summary

    check_out(out, source)
    names = [llm] if llm else []
    asking.check_used(names, "--llm PROVIDER/MODEL")
    models, limits = asking.models(names), asking.limits(names)
    evaluation = read_recorded(source)
    with reporter(lines=False).step("learning", None):
        learnt = learnings(evaluation)
    for model in models:
        from tellapart.codesearch import wording
        from tellapart.codesearch.index import index_directory

        directory = index_directory() / "learn"
        if asking.dry_run:
            print_estimates(
                wording.estimate_cost(learnt, model, directory, limits=limits), limits, as_json=False
            )
            return
        learnt = wording.put_in_words(learnt, model, directory, limits=limits, progress=reporter())
    write(out, learnt.to_json())
    warn(learnt.notes)
    if learnt.wording and learnt.wording.failed:
        warn([f"{learnt.wording.model} gave no words ({learnt.wording.failed}); the tables do not need them"])
    for line in summary(learnt):
        say(line)


Directory = Annotated[
    Path,
    typer.Option(
        "--dir",
        file_okay=False,
        writable=True,
        help="Where each iteration lies, and the trend in history.json.",
    ),
]


@with_settings
def loop(
    *,
    source: In = None,
    configured: ConfigOptions,
    directory: Directory = Path("loop"),
    only_next: Annotated[
        bool, typer.Option("--next", help="Run one more iteration, even if there is a reason to stop.")
    ] = False,
    system: SearchedBy = None,
    reuse: Reuse = None,
    gold_file: GoldFile = None,
    at_base: AtBase = False,
    as_json_: Annotated[bool, typer.Option("--json", help="Print the trend as JSON.")] = False,
    asking: AskingOptions,
) -> None:
    """Search, evaluate and learn until targets are reached.

    It also stops where nothing changes any more, or an area gets worse.
    """
    from tellapart.codesearch.explorers.journal import left, spent_in
    from tellapart.codesearch.gold.placing import read_issues
    from tellapart.codesearch.learn import learnings
    from tellapart.codesearch.looping.run import Iteration, Steps, evaluation_runs, run_loop
    from tellapart.codesearch.page.compared import sections
    from tellapart.codesearch.repositories import check_outside_repositories
    from tellapart.codesearch.request import request_evaluation
    from tellapart.codesearch.run import evaluate
    from tellapart.llm.budget import dollars
    from tellapart.report.terminal import fitted_table

    config = configured.read()
    settings = build_settings(config, EvaluationOptions(reuse=reuse), asking)
    around = open_workspace(configured, config, settings)
    check_outside_repositories(around.repositories, {"--dir": directory})
    if config.state:
        warn([f"{config.state}, the config's 'state', is not used: a loop keeps {directory / 'state.json'}"])
    content, where = read(source, "conversations.json")
    conversations = read_issues(content, around.repositories, where=where)
    requested = system_request(config, around.repositories, None, SystemOptions(system=system))
    # Made before anything else, so that a system that cannot be is refused even if nothing is left to do.
    load("systems", replace(requested, at_base=at_base))
    gold = open_gold(gold_file, around.repositories)

    def searched(iteration: Iteration) -> str:
        before = directory / f"iteration-{iteration.number - 1}" / iteration.learnings.name
        request = replace(
            requested, iteration=iteration.number, learnings=before if before.exists() else None
        )
        searched_for = search_issues(conversations, request, at_base=at_base)
        if searched_for.end:
            raise searched_for.end
        warn_of_search(searched_for)
        return as_json(searched_for.record)

    def evaluated(iteration: Iteration, text: str) -> Evaluation:
        # Newest first, so that what was asked again after a failure goes before it.
        # Its own is there if the loop was killed just before the evaluation was written; it is used as it is.
        runs = [run for run in evaluation_runs(directory) if run != iteration.run]
        limits = settings.limits
        if limits.max_cost is not None:
            before = sum(spent_in(run, limits) for run in runs)
            amounts = f"{dollars(before)} of {dollars(limits.max_cost)} US dollars"
            reporter()(f"iteration-{iteration.number}: {amounts} are spent")
            limits = left(limits, before)
        request = request_evaluation(
            text.encode(),
            replace(
                settings,
                explorers=iteration.explorers,
                reuse=(*runs, *settings.reuse),
                limits=limits,
                agents=replace(settings.agents, limits=limits),
            ),
            replace(around, state=iteration.state),
            where=str(iteration.search),
            gold=gold,
            progress=reporter(),
        )
        return evaluate(request, out=iteration.run, progress=reporter()).evaluation

    def learned(_: Iteration, evaluation: Evaluation) -> str:
        return as_json(learnings(evaluation).to_json())

    steps = Steps(searched, evaluated, learned)
    history, sentences = run_loop(config, steps, directory, only_next=only_next, progress=reporter())
    if as_json_:
        print_json(history.to_json())
    else:
        for sentence in sentences:
            print_line(sentence)
        show(*(fitted_table(table) for part in sections(history) for table in part.tables))
    if code := history.outcome.exit_code():
        raise typer.Exit(code)
