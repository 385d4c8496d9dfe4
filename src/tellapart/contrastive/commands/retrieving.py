"""Writers of summaries compared by retrieval, and the queries that do it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.cli.dry_run import print_estimates
from tellapart.cli.llm_options import LlmOptions, check_named
from tellapart.cli.output import print_text, say
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings
from tellapart.contrastive.commands.options import MODEL, BaseUrl, Bench, Reuse
from tellapart.errors import UsageError, near_match

if TYPE_CHECKING:
    from tellapart.llm.models import LanguageModel

QuerySource = Annotated[
    str,
    typer.Option(
        "--queries",
        help="offline: made of the code's own words; llm:PROVIDER/MODEL, who writes them; or jsonl:FILE with "
        "unit, kind, query.",
    ),
]


@with_settings
def retrieve(
    bench: Bench,
    *,
    models: Annotated[list[str], MODEL],
    queries: QuerySource = "offline",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            file_okay=False,
            writable=True,
            help="Run directory; by default named after the settings.",
        ),
    ] = None,
    base_url: BaseUrl = None,
    reuse: Reuse = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a dry run as JSON.")] = False,
    asking: LlmOptions,
) -> None:
    """Compare writers of summaries by what a search over them finds.

    The same command resumes an interrupted run.
    """
    from tellapart.contrastive.retrieve_run import RetrievalSettings, estimate_query_cost
    from tellapart.contrastive.retrieve_run import retrieve as run_retrieval

    kind, rest = _source(queries)
    names = [rest] if kind == "llm" else []
    asking.check_used(names, "--queries llm:PROVIDER/MODEL", {"--reuse": reuse})
    limits = asking.limits(names)
    writer: LanguageModel | Path | None = Path(rest) if kind == "jsonl" else None
    if names:
        writers = asking.models(names)
        if len(writers) > 1:
            raise UsageError(
                f"{rest} holds the replies of {len(writers)} language models, expected one writer of queries",
                next_step="Use a recording of one model",
            )
        writer = writers[0]
        check_named(writers)
    if as_json and not asking.dry_run:
        raise UsageError("only a dry run prints JSON", next_step="Leave out --json, or add --dry-run")
    settings = RetrievalSettings(list(dict.fromkeys(models)), writer, base_url, limits, reuse)
    if asking.dry_run:
        print_estimates(estimate_query_cost(bench, settings, out), limits, as_json=as_json)
        return
    finished = run_retrieval(bench, settings, out=out, progress=reporter())
    say(f"next: tellapart contrastive report {shlex.quote(str(finished.path))} --html report.html")
    print_text(f"{finished.path}\n")


def _source(queries: str) -> tuple[str, str]:
    """What ``--queries`` names: its kind, and what follows the colon."""
    kind, _, rest = queries.partition(":")
    if (kind == "offline" and not rest) or (kind in ("llm", "jsonl") and rest):
        return kind, rest
    forms = ["offline", "llm:PROVIDER/MODEL", "jsonl:FILE"]
    raise UsageError(f"--queries is {queries!r}", next_step=near_match(queries, forms))
