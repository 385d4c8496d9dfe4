"""A gate on two evals, in a terminal and as Markdown: the verdict on both, each gate, and what flipped."""

from __future__ import annotations

from dataclasses import replace

from rich.console import RenderableType
from rich.text import Text

from tellapart.bundles.page.comparison import FEW_FLIPS, flipped, gate_cases, gate_lines, notes, pass_rates
from tellapart.bundles.page.verdict import STAMP
from tellapart.bundles.tier_names import OVERALL
from tellapart.bundles.two_evals import TwoEvals
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.gates import ENDED, MOST_FLIPS, GateCase
from tellapart.report.markdown import escape, markdown_table
from tellapart.report.tables import Table
from tellapart.report.terminal import fitted_table, rich_list


def terminal(shown: TwoEvals, command: str = "") -> list[RenderableType]:
    """Show the verdict on both, then each gate, what it is worth, and for each eval rates and flips."""
    return [
        Text(headline(shown), style="bold"),
        rich_list(lines(shown)),
        *map(fitted_table, tables(shown, FEW_FLIPS, command)),
    ]


def markdown(shown: TwoEvals, command: str = "") -> str:
    """Give the same as Markdown, for a comment on a pull request."""
    parts = [
        f"**{escape(headline(shown))}**",
        "\n".join(f"- {escape(line)}" for line in lines(shown)),
        *map(markdown_table, tables(shown, MOST_FLIPS, command)),
    ]
    return "\n\n".join(parts) + "\n"


def headline(shown: TwoEvals) -> str:
    """Give the first line: how both gates end together, and each of them."""
    record, parts = shown.record, []
    for name, comparison in shown.evals.items():
        (judged,) = comparison.gates
        on = name if judged.tier == OVERALL else f"{name} {block.words(judged.tier)}"
        drop = judged.gate.drop
        gap = "" if drop is None else f" ({show.points(0.0 - drop)} points)"
        parts.append(f"{on} {judged.gate.outcome}{gap}")
    limit = block.Scale().size(record.max_drop)
    stamp = STAMP if record.exploratory else ""
    return (
        f"{stamp}{ENDED[shown.outcome]}. {record.candidate} against {record.baseline}: "
        f"{' and '.join(parts)}. Neither may fall by more than {limit}."
    )


def lines(shown: TwoEvals) -> list[str]:
    """Say how each gate ended and on what grounds, and what to beware of."""
    sentences = [
        f"{_named(name)}. {line}"
        for name, comparison in shown.evals.items()
        for line in gate_lines(comparison)
    ]
    for name, compared in shown.evals.items():
        about = [f"{block.sentence(caution)}." for caution in compared.comparison.cautions]
        sentences += [f"{_named(name)}. {show.capital(line)}" for line in [*about, *notes(compared.record)]]
    return sentences


def tables(shown: TwoEvals, flips: int, command: str) -> list[Table]:
    """For each eval the bundles that flipped, and the pass rates by tier."""
    every = [
        (name, one_table)
        for name, comparison in shown.evals.items()
        for one_table in (flipped(comparison, flips, command), pass_rates(comparison))
        if one_table is not None
    ]
    return [
        replace(shown_table, name=f"{name}-{shown_table.name}", title=f"{_named(name)}: {shown_table.title}")
        for name, shown_table in every
    ]


def cases(shown: TwoEvals, command: str = "") -> list[GateCase]:
    """Give both gates as tests; ``command`` prints all that flipped."""
    return [
        replace(case, name=f"{name}: {case.name}", line=f"{_named(name)}. {case.line}")
        for name, comparison in shown.evals.items()
        for case in gate_cases(comparison, command)
    ]


def _named(name: str) -> str:
    return show.capital(name)
