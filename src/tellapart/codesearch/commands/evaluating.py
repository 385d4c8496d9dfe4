"""Search results held against two explorations."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from tellapart.cli.llm_options import LlmOptions
from tellapart.cli.output import MetricsJson, say, write_tracked
from tellapart.cli.progress import reporter
from tellapart.cli.settings import replaced, with_settings
from tellapart.codesearch.commands.options import (
    ConfigOptions,
    In,
    Out,
    Strict,
    as_json,
    check_out,
    fail_if_doubtful,
    read,
    warn_of,
    write,
)
from tellapart.codesearch.commands.settings import (
    EvaluationOptions,
    build_settings,
    open_gold,
    open_workspace,
    print_cost_estimate,
    replayed,
)


@with_settings
def evaluate(
    *,
    source: In = None,
    out: Out = None,
    configured: ConfigOptions,
    options: EvaluationOptions,
    strict: Strict = False,
    metrics_json: MetricsJson = None,
    as_json_: Annotated[
        bool, typer.Option("--json", help="Print the evaluation as JSON, even if --out is given.")
    ] = False,
    asking: LlmOptions,
) -> None:
    """Evaluate search results against two blind explorations.

    The same command resumes an interrupted evaluation.
    """
    from tellapart.codesearch.iteration import evaluate_results, failed_on_the_way, request_evaluation
    from tellapart.codesearch.page.verdict import headline
    from tellapart.codesearch.page.view import View
    from tellapart.codesearch.tracked import tracked_evaluation

    config = replaced(configured.read(), options)
    settings = build_settings(config, options, asking)
    with configured.named():
        around = open_workspace(config, settings)
    check_out(out, source, config.state, options.gold, *replayed(settings), apart=around.repositories)
    gold = open_gold(options.gold, around.repositories)
    content, where = read(source, "search_results.json")
    if asking.dry_run:
        request, settings = request_evaluation(
            content, settings, around, where=where, iteration=options.iteration, gold=gold
        )
        print_cost_estimate(request, settings, options.run)
        return
    evaluated = evaluate_results(
        content,
        settings,
        around,
        where=where,
        iteration=options.iteration,
        gold=gold,
        out=options.run,
        progress=reporter(),
    )
    evaluation = evaluated.evaluation
    text = as_json(evaluation.to_json())
    write(out, text)
    if as_json_ and out is not None:
        write(None, text)
    write_tracked(metrics_json, lambda: tracked_evaluation(evaluation))
    warn_of(evaluation)
    say(headline(View(evaluation)))
    if failed_on_the_way(evaluation):
        say(f"to ask again for what failed: the same command with --reuse {shlex.quote(str(evaluated.run))}")
    say(f"next: tellapart codesearch report {shlex.quote(str(evaluated.run))} --html report.html")
    fail_if_doubtful(evaluation, strict=strict)
