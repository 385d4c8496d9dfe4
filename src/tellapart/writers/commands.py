"""``tellapart writers``: which model writes the best summaries of code."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tellapart.cli.dry_run import print_estimates
from tellapart.cli.inputs import existing_run
from tellapart.cli.llm_options import QUESTION_PANEL, LlmOptions, check_named
from tellapart.cli.output import Json, Markdown, print_json, print_text, say, show, warn
from tellapart.cli.progress import reporter
from tellapart.cli.settings import Parsed, with_settings
from tellapart.contrastive.commands.options import MODEL, BaseUrl, Bench, DryJson, Out, Reuse
from tellapart.errors import UsageError, near_match
from tellapart.writers.weights import parse_weights, write_weights

if TYPE_CHECKING:
    from tellapart.llm.models import LanguageModel
    from tellapart.store import RunDirectory

app = typer.Typer(help="Which model writes the best summaries of code?", no_args_is_help=True)

_METHODS = {"pointwise": ("pointwise",), "pairwise": ("pairwise",), "both": ("pointwise", "pairwise")}
_JUDGE = typer.Option(
    "--judge",
    help="Language model that judges: PROVIDER/MODEL, or replay:RUN for recorded verdicts; repeat for "
    "several.",
    metavar="NAME",
    show_default=False,
)
_METHOD = typer.Option(
    "--method",
    help="pointwise: scores from 1 to 5 on five criteria; pairwise: which of two is better, in both "
    "orders; or both.",
    metavar="pointwise|pairwise|both",
)
_UNITS = typer.Option(
    "--units",
    min=1,
    help="Judge the summaries of a sample of so many units, by language, type and length.",
    metavar="N",
    show_default="all targets",
)
_FAMILY = typer.Option(
    "--family",
    help="Family of a judge or writer whose name does not say it; repeat for several.",
    metavar="MODEL=NAME",
    show_default=False,
    rich_help_panel=QUESTION_PANEL,
)
_QUERIES = typer.Option(
    "--queries", help="offline: made of the code's own words; or llm:PROVIDER/MODEL, who writes them."
)
_RUNS = typer.Argument(
    help="Runs over one benchmark: of 'contrastive run', 'writers retrieve' and 'writers judge'.",
    show_default=False,
    callback=existing_run,
)
_WEIGHTS = typer.Option(
    "--weights",
    metavar="SOURCE=NUMBER,…",
    help="Weight of each source of evidence; one that is not named weighs nothing.",
    show_default="retrieval=.45,contrastive=.3,judge=.25",
)
_BASELINE = typer.Option("--baseline", help="Compare each other writer with this one.", show_default=False)
_HTML = typer.Option("--html", writable=True, help="Write a page with charts.")


def _models(
    asking: LlmOptions, names: Sequence[str], option: str, reuse: Path | None, as_json: bool
) -> list[LanguageModel]:
    """Language models by name, after a check of the options that only they need."""
    asking.check_used(names, f"{option}PROVIDER/MODEL", {"--reuse": reuse})
    if as_json and not asking.dry_run:
        raise UsageError("only a dry run prints JSON", next_step="Leave out --json, or add --dry-run")
    models = asking.models(names)
    if asking.dry_run:
        check_named(models)
    return models


def _name_next(run: RunDirectory, *, several: bool = True) -> None:
    if several:
        say(f"next: tellapart writers rank {shlex.quote(str(run.path))} --html writers.html")
    print_text(f"{run.path}\n")


def _families(texts: Sequence[str], models: Sequence[str]) -> dict[str, str]:
    """Read ``MODEL=NAME`` as a user typed it."""
    families: dict[str, str] = {}
    for text in texts:
        model, _, family = text.rpartition("=")
        if model not in models or not family.strip() or model in families:
            raise UsageError(
                f"--family is {text!r}, expected MODEL=NAME, each judge or writer once",
                next_step=near_match(model, models),
            )
        families[model] = family.strip().casefold()
    return families


@app.command()
@with_settings
def judge(
    bench: Bench,
    *,
    judges: Annotated[list[str], _JUDGE],
    method: Annotated[Literal["pointwise", "pairwise", "both"], _METHOD] = "pointwise",
    units: Annotated[int | None, _UNITS] = None,
    families: Annotated[list[str] | None, _FAMILY] = None,
    out: Out = None,
    reuse: Reuse = None,
    as_json: DryJson = False,
    asking: LlmOptions,
) -> None:
    """Let language models judge the summaries of a benchmark.

    They do not see who wrote a summary. A judge is not asked about writers of its own family.
    The same command resumes an interrupted run.
    """
    from tellapart.contrastive.benchmark import read_benchmark
    from tellapart.writers import judging

    models = _models(asking, judges, "--judge ", reuse, as_json)
    writers = read_benchmark(bench).sources
    names = [*(model.name for model in models), *writers]
    by_model, limits = _families(families or (), names), asking.limits(judges)
    settings = judging.JudgeSettings(models, _METHODS[method], units, by_model, limits, reuse)
    if asking.dry_run:
        print_estimates(judging.estimate_judging_cost(bench, settings, out), limits, as_json=as_json)
    else:
        judged = judging.judge(bench, settings, out=out, progress=reporter())
        _name_next(judged, several=len(writers) > 1)
        warn(judging.warnings_of_unusable(judged))


@app.command()
@with_settings
def retrieve(
    bench: Bench,
    *,
    models: Annotated[list[str], MODEL],
    queries: Annotated[str, _QUERIES] = "offline",
    out: Out = None,
    base_url: BaseUrl = None,
    reuse: Reuse = None,
    as_json: DryJson = False,
    asking: LlmOptions,
) -> None:
    """Compare writers of summaries by what a search over them finds.

    The same command resumes an interrupted run.
    """
    from tellapart.writers import retrieval

    kind, _, name = queries.partition(":")
    if (kind, bool(name)) not in (("offline", False), ("llm", True)):
        forms = ["offline", "llm:PROVIDER/MODEL"]
        raise UsageError(f"--queries is {queries!r}", next_step=near_match(queries, forms))
    names = [name] if name else []
    authors = _models(asking, names, "--queries llm:", reuse, as_json)
    if len(authors) > 1:
        raise UsageError(
            f"{name} holds the replies of {len(authors)} language models, expected one writer of queries",
            next_step="Use a recording of one model",
        )
    limits = asking.limits(names)
    settings = retrieval.RetrievalSettings(models, authors[0] if authors else None, base_url, limits, reuse)
    if asking.dry_run:
        print_estimates(retrieval.estimate_query_cost(bench, settings, out), limits, as_json=as_json)
    else:
        _name_next(retrieval.retrieve(bench, settings, out=out, progress=reporter()))


@app.command()
@with_settings
def rank(
    runs: Annotated[list[Path], _RUNS],
    *,
    weights: Annotated[Mapping[str, float] | None, _WEIGHTS, Parsed(parse_weights, write_weights)] = None,
    baseline: Annotated[str | None, _BASELINE] = None,
    html: Annotated[Path | None, _HTML] = None,
    markdown: Markdown = None,
    as_json: Json = False,
) -> None:
    """Rank the writers of summaries, with intervals and costs.

    Also writes the ranking as a page or as Markdown.
    """
    from tellapart.report.output import write
    from tellapart.report.terminal import terminal
    from tellapart.writers import ranking as ranked

    ranking = ranked.rank(runs, weights=weights, baseline=baseline, progress=reporter())
    if as_json:
        print_json(ranking.to_dict())
    else:
        show(*terminal(ranking.document()))
    for path in write(ranking.document, html=html, markdown=markdown, progress=reporter(lines=False)):
        say(f"wrote {path}")
