"""Models that answer a benchmark, and the report of a run."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.dry_run import print_estimates
from tellapart.cli.inputs import existing_run
from tellapart.cli.llm_options import QUESTION_PANEL, LlmOptions, check_named
from tellapart.cli.output import Json, Markdown, MetricsJson, print_json, print_text, say, show, write_tracked
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings
from tellapart.contrastive.commands.options import (
    MODEL,
    BaseUrl,
    Bench,
    DryJson,
    Exclude,
    Out,
    Primary,
    Reuse,
)
from tellapart.engines import EngineOptions
from tellapart.errors import UsageError

_LLM = typer.Option(
    "--llm",
    help="Language model that orders the options too: PROVIDER/MODEL, or replay:RUN for recorded answers; "
    "repeat for several.",
    metavar="NAME",
    show_default=False,
)
Llms = Annotated[list[str] | None, _LLM]
Orders = Annotated[
    int | None,
    typer.Option(
        "--orders",
        min=1,
        help="Number of orders of the options in which each item is asked.",
        metavar="K",
        show_default="1",
        rich_help_panel=QUESTION_PANEL,
    ),
]
Repeats = Annotated[
    int | None,
    typer.Option(
        "--repeats",
        min=1,
        help="Number of times each item is asked, to see whether the answer changes.",
        metavar="R",
        show_default="1",
        rich_help_panel=QUESTION_PANEL,
    ),
]


@with_settings
def run(
    bench: Bench,
    *,
    models: Annotated[list[str] | None, MODEL] = None,
    llms: Llms = None,
    out: Out = None,
    base_url: BaseUrl = None,
    orders: Orders = None,
    repeats: Repeats = None,
    reuse: Reuse = None,
    primary: Primary = None,
    until_separated: Annotated[
        bool,
        typer.Option(
            "--until-separated",
            help="Ask items in random order, and stop when the models are told apart.",
            rich_help_panel=QUESTION_PANEL,
        ),
    ] = False,
    metrics_json: MetricsJson = None,
    as_json: DryJson = False,
    asking: LlmOptions,
    engine: EngineOptions,
) -> None:
    """Let models answer a benchmark.

    The same command resumes an interrupted run.
    """
    from tellapart.contrastive import running
    from tellapart.contrastive.llm_matching import OrderPlan
    from tellapart.contrastive.models import Models
    from tellapart.contrastive.page.report import tracked_figures
    from tellapart.contrastive.page.view import load
    from tellapart.parallel import named_spread

    names, plan = list(dict.fromkeys(models or ())), OrderPlan(orders or 1, repeats or 1)
    only_llms = {"--orders": orders, "--repeats": repeats, "--reuse": reuse}
    only_llms["--until-separated"] = until_separated or None
    asking.check_used(llms or (), "--llm PROVIDER/MODEL", only_llms)
    language_models, limits = asking.models(llms or ()), asking.limits(llms or ())
    if not names and not language_models:
        raise UsageError("no model is given", next_step="Give --model NAME or --llm PROVIDER/MODEL")
    if as_json and not asking.dry_run:
        raise UsageError("only a dry run prints JSON", next_step="Leave out --json, or add --dry-run")
    settings = running.RunSettings(
        names, base_url, language_models, plan, primary, until_separated, limits, reuse
    )
    if asking.dry_run:
        check_named(language_models)
        print_estimates(running.estimate_run_cost(bench, settings, out), limits, as_json=as_json)
        if until_separated:
            say("note: with --until-separated this is the most; the run may stop before")
        return
    progress = reporter()
    with named_spread(engine) as spread, Models(base_url, progress, spread) as loaded:
        finished = running.run(bench, **vars(settings), out=out, loaded=loaded, progress=progress)
    if until_separated:
        say(f"{finished.record.counts['items']:,} items were asked")
    write_tracked(metrics_json, lambda: tracked_figures(load(finished)))
    say(f"next: tellapart contrastive report {shlex.quote(str(finished.path))} --html report.html")
    print_text(f"{finished.path}\n")


@with_settings
def report(
    run: Annotated[Path, typer.Argument(help="A run directory.", show_default=False, callback=existing_run)],
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            writable=True,
            help="Write a page with charts and every item, and NAME.audit.html, an audit of the scores.",
        ),
    ] = None,
    markdown: Markdown = None,
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", help="Compare each other model with this one.", show_default=False),
    ] = None,
    primary: Primary = None,
    exclude: Exclude = None,
    metrics_json: MetricsJson = None,
    as_json: Json = False,
) -> None:
    """Show the figures of a run.

    Also writes them as a page or as Markdown.
    """
    from tellapart.audit.linked_audit import write_linked_audit
    from tellapart.audit.options import AuditOptions
    from tellapart.contrastive import page as pages
    from tellapart.contrastive.page.browser import item_texts
    from tellapart.contrastive.page.report import tracked_figures
    from tellapart.core.comparison import ComparisonSettings
    from tellapart.readers import Reading
    from tellapart.report.output import write
    from tellapart.report.terminal import terminal
    from tellapart.store import RunDirectory

    progress = reporter(lines=False)
    settings = ComparisonSettings(by="difficulty", baseline=baseline, primary=primary)
    view = pages.load(RunDirectory.open(run), settings, exclude)
    if as_json:
        print_json(pages.json_figures(view))
    else:
        show(*terminal(pages.document(view)))
    write_tracked(metrics_json, lambda: tracked_figures(view))
    options = AuditOptions(baseline=baseline, primary=primary)
    scores = Reading(view.scores, {str(run): "run"}) if exclude else [run]
    links = write_linked_audit(html or markdown, scores, options, item_texts(view))
    for path in write(lambda: pages.document(view, links), html=html, markdown=markdown, progress=progress):
        say(f"wrote {path}")
