"""Judges of the summaries in a benchmark."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.dry_run import print_estimates
from tellapart.cli.llm_options import QUESTION_PANEL, LlmOptions, check_named, one_of, whole
from tellapart.cli.output import print_text, say, warn
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings
from tellapart.contrastive.commands.options import Bench, Reuse
from tellapart.errors import UsageError

_METHODS = {"pointwise": ("pointwise",), "pairwise": ("pairwise",), "both": ("pointwise", "pairwise")}

Judges = Annotated[
    list[str],
    typer.Option(
        "--judge",
        help="Language model that judges: PROVIDER/MODEL, or replay:RUN for recorded verdicts; repeat for "
        "several.",
        metavar="NAME",
        show_default=False,
    ),
]
Method = Annotated[
    str,
    typer.Option(
        "--method",
        help="pointwise: scores from 1 to 5 on five criteria; pairwise: which of two is better, in both "
        "orders; or both.",
        metavar="pointwise|pairwise|both",
    ),
    one_of("--method", tuple(_METHODS)),
]
Units = Annotated[
    int | None,
    typer.Option(
        "--units",
        help="Judge the summaries of a sample of so many units, by language, type and length.",
        metavar="N",
        show_default="all targets",
    ),
    whole("--units", least=1),
]
Families = Annotated[
    list[str] | None,
    typer.Option(
        "--family",
        help="Family of a judge or writer whose name does not say it; repeat for several.",
        metavar="MODEL=NAME",
        show_default=False,
        rich_help_panel=QUESTION_PANEL,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", file_okay=False, writable=True, help="Run directory; by default named after the settings."
    ),
]


@with_settings
def judge(
    bench: Bench,
    *,
    judges: Judges,
    method: Method = "pointwise",
    units: Units = None,
    families: Families = None,
    out: Out = None,
    reuse: Reuse = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a dry run as JSON.")] = False,
    asking: LlmOptions,
) -> None:
    """Let language models judge the summaries of a benchmark.

    They do not see who wrote a summary. A judge does not count for writers of its own family.
    The same command resumes an interrupted run.
    """
    from tellapart.contrastive.benchmark import read_benchmark
    from tellapart.contrastive.judging import run as shell
    from tellapart.contrastive.judging.families import read_families
    from tellapart.contrastive.judging.request import JudgeSettings

    asking.check_used(judges, "--judge PROVIDER/MODEL", {"--reuse": reuse})
    models, limits = asking.models(judges), asking.limits(judges)
    if as_json and not asking.dry_run:
        raise UsageError("only a dry run prints JSON", next_step="Leave out --json, or add --dry-run")
    names = [model.name for model in models]
    families_by_model = read_families(families or (), [*names, *read_benchmark(bench).sources])
    settings = JudgeSettings(models, _METHODS[method], units, families_by_model, limits, reuse)
    if asking.dry_run:
        check_named(models)
        print_estimates(shell.estimate_judging_cost(bench, settings, out), limits, as_json=as_json)
        return
    finished = shell.judge(bench, settings, out=out, progress=reporter())
    warn(shell.warn_of_unusable(finished))
    say(f"next: tellapart contrastive report {shlex.quote(str(finished.path))} --html report.html")
    print_text(f"{finished.path}\n")
