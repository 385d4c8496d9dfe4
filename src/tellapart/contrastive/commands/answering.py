"""Models that answer a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.cli.dry_run import print_estimates
from tellapart.cli.llm_options import LlmOptions, check_named, with_llm_options
from tellapart.cli.llm_values import whole
from tellapart.cli.output import say, warn
from tellapart.contrastive.commands.options import MODEL, BaseUrl, Bench, Primary, Reuse
from tellapart.errors import UsageError

if TYPE_CHECKING:
    from tellapart.contrastive.llm.matching import Plan

_LLM = typer.Option(
    "--llm",
    help="PROVIDER/MODEL orders the options too, or replay:RUN as it did before; repeat for several.",
    metavar="NAME",
    show_default=False,
)
_PANEL = "Language models: what is asked"
Llms = Annotated[list[str] | None, _LLM]
Out = Annotated[
    Path | None, typer.Option("--out", help="Run directory; by default named after the question.")
]
Orders = Annotated[
    str | None,
    typer.Option(
        "--orders",
        help="Ask each item in so many orders of its options.",
        metavar="K",
        show_default="1",
        rich_help_panel=_PANEL,
    ),
]
Repeats = Annotated[
    str | None,
    typer.Option(
        "--repeats",
        help="Ask each so many times, to see whether it is answered alike.",
        metavar="R",
        show_default="1",
        rich_help_panel=_PANEL,
    ),
]


@with_llm_options
def run(
    bench: Bench,
    asking: LlmOptions,
    models: Annotated[list[str] | None, MODEL] = None,
    llms: Llms = None,
    out: Out = None,
    base_url: BaseUrl = None,
    orders: Orders = None,
    repeats: Repeats = None,
    reuse: Reuse = None,
    primary: Primary = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a dry run as JSON.")] = False,
) -> None:
    """Let models answer a benchmark; an interrupted run goes on where it stopped."""
    from tellapart.contrastive import run as suite
    from tellapart.contrastive.benchmark import read_benchmark
    from tellapart.contrastive.llm.dry_run import foresee_run, slots_again
    from tellapart.contrastive.llm.run import unusable
    from tellapart.core.comparison import parse_primary

    names, plan = list(dict.fromkeys(models or ())), _plan(orders, repeats)
    only_llms = {"--orders": orders, "--repeats": repeats, "--reuse": reuse}
    asking.check_used(llms or (), "--llm PROVIDER/MODEL", only_llms)
    asked, limits = asking.models(llms or ()), asking.limits(llms or ())
    if not names and not asked:
        raise UsageError("no model is asked", next_step="Give --model NAME or --llm PROVIDER/MODEL")
    if as_json and not asking.dry_run:
        raise UsageError("only a dry run prints JSON", next_step="Leave out --json, or add --dry-run")
    warn(filter(None, [slots_again(read_benchmark(bench), plan.orders)]))
    run_of: dict[str, Any] = {
        "llms": asked,
        "plan": plan,
        "limits": limits,
        "reuse": reuse,
        "out": out,
        "base_url": base_url,
        "primary": None if primary is None else parse_primary(primary),
    }
    if asking.dry_run:
        check_named(asked)
        print_estimates(foresee_run(bench, names, **run_of), limits, as_json=as_json)
        return
    finished = suite.run(bench, names, **run_of, progress=say)
    warn(unusable(finished))
    say(f"next: tellapart contrastive report {finished.path}")
    typer.echo(finished.path)


def _plan(orders: str | None, repeats: str | None) -> Plan:
    from tellapart.contrastive.llm.matching import Plan

    return Plan(whole("--orders", orders, least=1) or 1, whole("--repeats", repeats, least=1) or 1)
