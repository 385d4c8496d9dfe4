"""What is wrong with an eval: in a terminal, in Markdown and on a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from tellapart import __version__
from tellapart.bundles.quarantine import Linted
from tellapart.bundles.results import LintFindingRecord, QuarantineRecord
from tellapart.core.gate_outcome import GateOutcome
from tellapart.core.severity import SEVERITIES
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section
from tellapart.report.tables import Cell, Table, table
from tellapart.report.terminal import fitted_table

_SHOWN, _LISTED = 2, 20
"""Findings of a check that a terminal shows, and a page; all are in the JSON."""

_IDS = 3


def gate_line(record: QuarantineRecord) -> str:
    """``FAILED: 31 of 120 bundles (25.8 %) have an error, above the limit of 20.0 %.``."""
    share = (
        f"{show.count(record.bad)} of {show.plural(record.bundles, 'bundle')} ({show.percent(record.share)})"
    )
    if record.outcome is None or record.limit is None:
        return f"{share} would be quarantined"
    side = "above" if record.outcome is GateOutcome.FAILED else "within"
    return (
        f"{record.outcome.value.upper()}: {share} would be quarantined, {side} the limit of "
        f"{show.percent(record.limit)}"
    )


def headline(records: Sequence[LintFindingRecord]) -> str:
    """``2 errors, 1 warning, 0 infos``."""
    counts = Counter(record.severity for record in records)
    return ", ".join(show.plural(counts[severity], severity) for severity in SEVERITIES)


def terminal(linted: Linted, record: QuarantineRecord) -> list[RenderableType]:
    """Show the gate first, then how many findings there are, then the first ones of each check."""
    records = linted.records()
    lines = [f"{headline(records)}; {gate_line(record)}."]
    if record.outcome is not None:
        lines = [f"{gate_line(record)}.", f"{headline(records)}."]
    shown: list[RenderableType] = [Text(line, style="bold") for line in lines]
    return [*shown, fitted_table(_findings(records, _SHOWN))] if records else shown


def arrange(linted: Linted, record: QuarantineRecord, commands: tuple[str, ...]) -> Document:
    """Arrange the findings as a report."""
    records = linted.records()
    return Document(
        kind="bundles lint",
        title=f"{headline(records)} in {show.plural(record.bundles, 'bundle')}",
        verdict=(f"{gate_line(record)}.",),
        facts={"files": ", ".join(map(str, linted.inputs.files))},
        sections=(Section("findings", "Findings", tables=(_findings(records, _LISTED),)),),
        origin={"made by": f"tellapart {__version__}"},
        commands=commands,
    )


def _findings(records: Sequence[LintFindingRecord], most: int) -> Table:
    by_check: dict[tuple[str, str], list[LintFindingRecord]] = {}
    for record in records:
        by_check.setdefault((record.severity, record.check), []).append(record)
    rows: list[list[Cell | str]] = []
    for (severity, check), group in by_check.items():
        for i, record in enumerate(group[:most]):
            name = Cell(severity, strong=severity == "error") if i == 0 else ""
            rows.append([name, check if i == 0 else "", _where(record), record.detail])
        if len(group) > most:
            rows.append(["", "", "", f"and {show.count(len(group) - most)} more"])
    return table(
        "findings",
        "Findings",
        ["Severity", "Check", "Bundles", "What"],
        rows,
        words=4,
        note="--json lists all of them." if any(len(group) > most for group in by_check.values()) else "",
    )


def _where(record: LintFindingRecord) -> str:
    if not record.bundles:
        return show.listed(record.places) if record.places else "–"
    shown = ", ".join(record.bundles[:_IDS])
    others = len(record.bundles) - _IDS
    return f"{shown} and {show.count(others)} more" if others > 0 else shown
