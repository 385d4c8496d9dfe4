"""Whether grades are what people say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.cli.output import print_json, show

if TYPE_CHECKING:
    from rich.table import Table

_SHOWN = 10
"""Probes of a list that are shown; all of them are in the JSON."""


def agreement(
    grades: Annotated[
        Path,
        typer.Argument(
            help="A run directory of grade, its grades.json, or what grade --json printed.",
            show_default=False,
        ),
    ],
    human: Annotated[
        Path,
        typer.Argument(
            metavar="HUMAN.csv",
            help="Scores by people: columns case, step, score, and perhaps model, epoch, rater.",
            show_default=False,
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare grades with scores that people gave: Cohen's kappa, the confusion table, flips of the judge."""
    from tellapart.longcontext.agreement import agreement_figures
    from tellapart.longcontext.reading.graded import read_grades
    from tellapart.longcontext.reading.human_scores import read_human_scores

    found = agreement_figures(read_grades(grades), read_human_scores(human))
    if as_json:
        print_json({"grades": str(grades), "human": str(human), **found})
        return
    for rater in found["raters"]:
        _show_rater(rater)
    for pair in found["between_raters"]:
        typer.echo(f"{pair['first']} and {pair['second']}: {_kappa(pair)}")
    judging = found["judging"]
    if judging["probes_repeated"]:
        typer.echo(
            f"the judge changed its mind in {judging['flip_rate']:.0%}{_range(judging['flip_ci'], '.0%')} of "
            f"{judging['probes_repeated']} probes that it was asked several times"
        )


def _show_rater(rater: Mapping[str, Any]) -> None:
    typer.echo(f"{rater['rater']} and the grades: {_kappa(rater)}")
    if rater["n"]:
        show(_confusion(rater))
    if len(rater["by_rule"]) > 1:
        for group in rater["by_rule"]:
            typer.echo(f"  {group['rule']}: {_kappa(group)}")
    for name, what in (
        ("disagreements", "disagree"),
        ("only_human", "scored, but not graded"),
        ("only_graded", "graded, but not scored"),
    ):
        if found := rater[name]:
            more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
            typer.echo(f"{len(found)} {what}: {', '.join(_place(one) for one in found[:_SHOWN])}{more}")


def _kappa(figures: Mapping[str, Any]) -> str:
    kappa = "no kappa" if figures["kappa"] is None else f"kappa {figures['kappa']:.2f}"
    reason = f" ({figures['reason']})" if figures["reason"] else ""
    agreed = "" if figures["agreement"] is None else f", the same in {figures['agreement']:.0%}"
    return f"{kappa}{_range(figures['kappa_ci'], '.2f')}{reason}{agreed} of {figures['n']} probe(s)"


def _range(ends: list[float] | None, form: str) -> str:
    return "" if ends is None else f" [{ends[0]:{form}}, {ends[1]:{form}}]"


def _confusion(rater: Mapping[str, Any]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    table = Table(f"{escape(rater['rater'])} below, grades beside", *rater["confusion"], box=None)
    for category, row in rater["confusion"].items():
        table.add_row(category, *map(str, row.values()))
    return table


def _place(one: Mapping[str, Any]) -> str:
    said = f" ({one['human']}, graded {one['graded']})" if "human" in one else ""
    return f"{one['case']}/{one['step']}{said}"
