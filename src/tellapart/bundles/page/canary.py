"""Canaries held to a floor, in a terminal, as Markdown and as a test of a CI system."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from tellapart.bundles.canary import CanaryRecord
from tellapart.bundles.tier_names import OVERALL
from tellapart.core.comparison import GateOutcome
from tellapart.report import numbers as show
from tellapart.report.comparison import sentence, words
from tellapart.report.gates import ENDED, GateCase
from tellapart.report.markdown import escape, markdown_table
from tellapart.report.tables import Cell, Table, table
from tellapart.report.terminal import fitted_table, rich_list

MOST_FAILED = 20
"""So many canaries that fail are listed; JSON has all."""


def headline(record: CanaryRecord) -> str:
    """Say how the gate ended, and on what grounds."""
    lead = f"{ENDED[record.outcome]}."
    if record.value is None:
        return f"{lead} There are no canaries in {words(record.tier)}."
    on = "" if record.tier == OVERALL else f" of {words(record.tier)}"
    span = f" (95 % interval {show.rate_range(record.ci)})" if record.ci else " (no interval)"
    rate = (
        f"{record.model} passes {show.percent(record.value)} of {show.plural(record.n, 'bundle')}{on}{span}"
    )
    where = {
        GateOutcome.PASSED: "above the floor of",
        GateOutcome.FAILED: "below the floor of",
        GateOutcome.UNCLEAR: "and the floor is",
    }[record.outcome]
    line = f"{lead} {rate}, {where} {show.percent(record.floor)}."
    if record.outcome is GateOutcome.UNCLEAR and not record.can_pass and record.reason:
        line += f" {show.capital(sentence(record.reason))}."
    return line


def terminal(record: CanaryRecord, command: str = "") -> list[RenderableType]:
    """Show the gate, what to beware of, and the canaries that fail."""
    remarks = _remarks(record)
    return [
        Text(headline(record), style="bold"),
        *([rich_list(remarks)] if remarks else []),
        *([fitted_table(failed_table(record, command))] if record.failed else []),
    ]


def markdown(record: CanaryRecord, command: str = "") -> str:
    """Give the same as Markdown, for a comment on a pull request."""
    parts = [
        f"**{escape(headline(record))}**",
        "\n".join(f"- {escape(line)}" for line in _remarks(record)),
        markdown_table(failed_table(record, command)) if record.failed else "",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def gate_case(record: CanaryRecord) -> GateCase:
    """Give the gate as a test."""
    return GateCase(f"--floor {record.floor:g} on {words(record.tier)}", record.outcome, headline(record))


def failed_table(record: CanaryRecord, command: str = "") -> Table:
    """The canaries that fail, the most clearly failed first."""
    rows: list[list[Cell | str]] = [
        [Cell(failed.item, failed.anchor or ""), failed.tier or show.DASH, _margin(failed.margin)]
        for failed in record.failed[:MOST_FAILED]
    ]
    hidden = len(record.failed) - MOST_FAILED
    note = f"{show.count(hidden)} more{f'; to list all: {command}' if command else ''}" if hidden > 0 else ""
    title = f"Canaries that {record.model} fails: {show.count(len(record.failed))}"
    return table("failed", title, ["Bundle", "Tier", "Margin"], rows, words=2, note=note)


def _margin(margin: float) -> str:
    return show.any_size(margin) if margin else "0 (tie)"


def _remarks(record: CanaryRecord) -> list[str]:
    return [f"{show.capital(sentence(caution))}." for caution in record.cautions]
