"""What is wrong with an eval, as a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tellapart import __version__
from tellapart.bundles.lint import BundleFinding, Linted
from tellapart.core.severity import SEVERITIES
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section
from tellapart.report.tables import Cell, Table, table

_LISTED = 20
"""Findings of a check that are shown; all are in the JSON."""

_IDS = 3


def headline(linted: Linted) -> str:
    """``2 errors, 1 warning, 0 infos in 40 bundles``."""
    counts = Counter(finding.severity for finding in linted.findings)
    found = ", ".join(show.plural(counts[severity], severity) for severity in SEVERITIES)
    return f"{found} in {show.plural(linted.inputs.n_rows, 'bundle')}"


def document(linted: Linted, command: str) -> Document:
    """Show how many findings there are, then the first ones of each check."""
    return Document(
        kind="bundles lint",
        title=headline(linted),
        verdict=(),
        facts={"files": ", ".join(map(str, linted.inputs.files))},
        sections=(Section("findings", "Findings", tables=(_findings(linted.findings),)),),
        origin={"made by": f"tellapart {__version__}"},
        commands=(command,),
    )


def _findings(records: Sequence[BundleFinding]) -> Table:
    by_check: dict[tuple[str, str], list[BundleFinding]] = {}
    for record in records:
        by_check.setdefault((record.severity, record.check), []).append(record)
    rows: list[list[Cell | str]] = []
    for (severity, check), group in by_check.items():
        for i, record in enumerate(group[:_LISTED]):
            name = Cell(severity, strong=severity == "error") if i == 0 else ""
            rows.append([name, check if i == 0 else "", _where(record), record.detail])
        if len(group) > _LISTED:
            rows.append(["", "", "", f"and {show.count(len(group) - _LISTED)} more"])
    return table(
        "findings",
        "Findings",
        ["Severity", "Check", "Bundles", "What"],
        rows,
        words=4,
        note="--json lists all of them." if any(len(group) > _LISTED for group in by_check.values()) else "",
    )


def _where(record: BundleFinding) -> str:
    if not record.bundles:
        return show.listed(record.places) if record.places else "–"
    shown = ", ".join(record.bundles[:_IDS])
    others = len(record.bundles) - _IDS
    return f"{shown} and {show.count(others)} more" if others > 0 else shown
