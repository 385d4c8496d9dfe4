"""Canaries held to a floor, in a terminal, as Markdown and as a test of a CI system."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from tellapart.bundles.results import CanaryRecord
from tellapart.bundles.tier_names import OVERALL
from tellapart.core.comparison import GateOutcome
from tellapart.report import numbers as show
from tellapart.report.comparison import sentence, words
from tellapart.report.gates import ENDED, GateCase, counts_as
from tellapart.report.markdown import escape, markdown_table
from tellapart.report.tables import Cell, Table, table
from tellapart.report.terminal import fitted_table, rich_list

MOST_FAILED = 20
"""So many canaries that fail are listed; JSON has all."""


def headline(found: CanaryRecord) -> str:
    """Say how the gate ended, and on what grounds."""
    lead = ENDED[found.gate]
    if found.value is None:
        return f"{lead}: there are no canaries in {words(found.tier)}."
    on = "" if found.tier == OVERALL else f" of {words(found.tier)}"
    span = f" (95 % interval {show.rate_range(found.ci)})" if found.ci else " (no interval)"
    rate = f"{found.model} passes {show.percent(found.value)} of {show.plural(found.n, 'bundle')}{on}{span}"
    where = {
        GateOutcome.PASSED: "above the floor of",
        GateOutcome.FAILED: "below the floor of",
        GateOutcome.UNCLEAR: "and the floor is",
    }[found.gate]
    line = f"{lead}: {rate}, {where} {show.percent(found.floor)}."
    if found.gate is GateOutcome.UNCLEAR:
        if not found.can_pass and found.reason:
            line += f" {show.capital(sentence(found.reason))}."
        if found.items_to_settle:
            line += (
                f" {show.items(found.items_to_settle)} bundles would settle it if the observed rate holds."
            )
    return line


def terminal(found: CanaryRecord, command: str = "") -> list[RenderableType]:
    """Show the gate, what to beware of, and the canaries that fail."""
    remarks = _remarks(found)
    return [
        Text(headline(found), style="bold"),
        *([rich_list(remarks)] if remarks else []),
        *([fitted_table(failed_table(found, command))] if found.failed else []),
    ]


def markdown(found: CanaryRecord, command: str = "") -> str:
    """Give the same as Markdown, for a comment on a pull request."""
    parts = [
        f"**{escape(headline(found))}**",
        "\n".join(f"- {escape(line)}" for line in _remarks(found)),
        markdown_table(failed_table(found, command)) if found.failed else "",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def gate_case(found: CanaryRecord) -> GateCase:
    """Give the gate as a test."""
    return GateCase(f"--floor {found.floor:g} on {words(found.tier)}", found.gate, headline(found))


def failed_table(found: CanaryRecord, command: str = "") -> Table:
    """The canaries that fail, the most clearly failed first."""
    rows: list[list[Cell | str]] = [
        [Cell(one.item, one.anchor or ""), one.tier or show.DASH, _margin(one.margin)]
        for one in found.failed[:MOST_FAILED]
    ]
    hidden = len(found.failed) - MOST_FAILED
    note = f"{show.count(hidden)} more{f'; to list all: {command}' if command else ''}" if hidden > 0 else ""
    title = f"Canaries that {found.model} fails: {show.count(len(found.failed))}"
    return table("failed", title, ["Bundle", "Tier", "Margin"], rows, words=2, note=note)


def _margin(margin: float) -> str:
    return show.any_size(margin) if margin else "0 (tie)"


def _remarks(found: CanaryRecord) -> list[str]:
    unclear = counts_as([found.gate], found.on_unclear)
    return [*(f"{show.capital(sentence(one))}." for one in found.cautions), *([unclear] if unclear else [])]
