"""``tellapart writers``: which model writes the best summaries of code."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.cli.dry_run import print_estimates
from tellapart.cli.inputs import existing, existing_run, known_models
from tellapart.cli.llm_options import QUESTION_PANEL, LlmOptions, check_named, one_of, whole
from tellapart.cli.output import Json, Markdown, print_json, print_text, say, show, warn
from tellapart.cli.progress import reporter
from tellapart.cli.settings import Parsed, with_settings
from tellapart.errors import UsageError, near_match
from tellapart.writers.sources import parse_weights, write_weights

if TYPE_CHECKING:
    from tellapart.llm.models import LanguageModel
    from tellapart.store import RunDirectory

app = typer.Typer(help="Which model writes the best summaries of code?", no_args_is_help=True)

_METHODS = {"pointwise": ("pointwise",), "pairwise": ("pairwise",), "both": ("pointwise", "pairwise")}


Bench = Annotated[
    Path,
    typer.Argument(
        help="A benchmark made by 'contrastive build'.",
        show_default=False,
        callback=existing(
            "there is no benchmark here: benchmark.json is missing",
            next_step="Make one with 'tellapart contrastive build REPO --out BENCH'",
            within="benchmark.json",
        ),
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", file_okay=False, writable=True, help="Run directory; by default named after the settings."
    ),
]
Reuse = Annotated[
    Path | None,
    typer.Option(
        "--reuse",
        help="Reuse the answers of an earlier run; ask only the rest.",
        rich_help_panel=QUESTION_PANEL,
    ),
]
DryJson = Annotated[bool, typer.Option("--json", help="Print a dry run as JSON.")]


def _done(run: RunDirectory) -> None:
    say(f"next: tellapart writers rank {shlex.quote(str(run.path))} --html writers.html")
    print_text(f"{run.path}\n")


def _check_json(as_json: bool, asking: LlmOptions) -> None:
    if as_json and not asking.dry_run:
        raise UsageError("only a dry run prints JSON", next_step="Leave out --json, or add --dry-run")


@app.command()
@with_settings
def judge(
    bench: Bench,
    *,
    judges: Annotated[
        list[str],
        typer.Option(
            "--judge",
            help="Language model that judges: PROVIDER/MODEL, or replay:RUN for recorded verdicts; repeat "
            "for several.",
            metavar="NAME",
            show_default=False,
        ),
    ],
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="pointwise: scores from 1 to 5 on five criteria; pairwise: which of two is better, in both "
            "orders; or both.",
            metavar="pointwise|pairwise|both",
        ),
        one_of("--method", tuple(_METHODS)),
    ] = "pointwise",
    units: Annotated[
        int | None,
        typer.Option(
            "--units",
            help="Judge the summaries of a sample of so many units, by language, type and length.",
            metavar="N",
            show_default="all targets",
        ),
        whole("--units", least=1),
    ] = None,
    families: Annotated[
        list[str] | None,
        typer.Option(
            "--family",
            help="Family of a judge or writer whose name does not say it; repeat for several.",
            metavar="MODEL=NAME",
            show_default=False,
            rich_help_panel=QUESTION_PANEL,
        ),
    ] = None,
    out: Out = None,
    reuse: Reuse = None,
    as_json: DryJson = False,
    asking: LlmOptions,
) -> None:
    """Let language models judge the summaries of a benchmark.

    They do not see who wrote a summary. A judge is not asked about writers of its own family.
    The same command resumes an interrupted run.
    """
    from tellapart.writers import judging
    from tellapart.writers.families import read_families
    from tellapart.writers.written import read_written

    asking.check_used(judges, "--judge PROVIDER/MODEL", {"--reuse": reuse})
    models, limits = asking.models(judges), asking.limits(judges)
    _check_json(as_json, asking)
    names = [*(model.name for model in models), *read_written(bench).writers]
    by_model = read_families(families or (), names)
    settings = judging.JudgeSettings(models, _METHODS[method], units, by_model, limits, reuse)
    if asking.dry_run:
        check_named(models)
        print_estimates(judging.estimate_judging_cost(bench, settings, out), limits, as_json=as_json)
        return
    finished = judging.judge(bench, settings, out=out, progress=reporter())
    warn(judging.warn_of_unusable(finished))
    _done(finished)


@app.command()
@with_settings
def retrieve(
    bench: Bench,
    *,
    models: Annotated[
        list[str],
        typer.Option(
            "--model",
            help="bm25, tfidf, lsa, minilm; st:, ce:, sparse: or multivector:PATH_OR_ID; openai:MODEL. "
            "Repeat for several.",
            callback=known_models,
        ),
    ],
    queries: Annotated[
        str,
        typer.Option(
            "--queries",
            help="offline: made of the code's own words; llm:PROVIDER/MODEL, who writes them; or jsonl:FILE "
            "with unit, kind, query.",
        ),
    ] = "offline",
    out: Out = None,
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", help="URL of an OpenAI-compatible server of embedding models."),
    ] = None,
    reuse: Reuse = None,
    as_json: DryJson = False,
    asking: LlmOptions,
) -> None:
    """Compare writers of summaries by what a search over them finds.

    The same command resumes an interrupted run.
    """
    from tellapart.writers import retrieval

    kind, rest = _query_source(queries)
    names = [rest] if kind == "llm" else []
    asking.check_used(names, "--queries llm:PROVIDER/MODEL", {"--reuse": reuse})
    limits = asking.limits(names)
    source: LanguageModel | Path | None = Path(rest) if kind == "jsonl" else None
    if names:
        authors = asking.models(names)
        if len(authors) > 1:
            raise UsageError(
                f"{rest} holds the replies of {len(authors)} language models, expected one writer of queries",
                next_step="Use a recording of one model",
            )
        source = authors[0]
        check_named(authors)
    _check_json(as_json, asking)
    settings = retrieval.RetrievalSettings(list(dict.fromkeys(models)), source, base_url, limits, reuse)
    if asking.dry_run:
        print_estimates(retrieval.estimate_query_cost(bench, settings, out), limits, as_json=as_json)
        return
    _done(retrieval.retrieve(bench, settings, out=out, progress=reporter()))


def _query_source(queries: str) -> tuple[str, str]:
    """Split what ``--queries`` names into its kind and what follows the colon."""
    kind, _, rest = queries.partition(":")
    if (kind == "offline" and not rest) or (kind in ("llm", "jsonl") and rest):
        return kind, rest
    forms = ["offline", "llm:PROVIDER/MODEL", "jsonl:FILE"]
    raise UsageError(f"--queries is {queries!r}", next_step=near_match(queries, forms))


@app.command()
@with_settings
def rank(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="Runs over one benchmark: of 'contrastive run', 'writers retrieve' and 'writers judge'.",
            show_default=False,
            callback=existing_run,
        ),
    ],
    *,
    weights: Annotated[
        Mapping[str, float] | None,
        typer.Option(
            "--weights",
            metavar="SOURCE=NUMBER,…",
            help="Weight of each source of evidence; one that is not named weighs nothing.",
            show_default="retrieval=.45,contrastive=.3,judge=.25",
        ),
        Parsed(parse_weights, write_weights),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", help="Compare each other writer with this one.", show_default=False),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", writable=True, help="Write a page with charts.")
    ] = None,
    markdown: Markdown = None,
    as_json: Json = False,
) -> None:
    """Rank the writers of summaries, with intervals and costs.

    Also writes the ranking as a page or as Markdown.
    """
    from tellapart.report.output import write
    from tellapart.writers import ranking_run

    ranking = ranking_run.rank(runs, weights=weights, baseline=baseline, progress=reporter())
    if as_json:
        print_json(ranking.to_dict())
    else:
        show(*ranking.shown())
    for path in write(ranking.document, html=html, markdown=markdown, progress=reporter(lines=False)):
        say(f"wrote {path}")
