"""What is wrong with an eval, as a report."""

from __future__ import annotations

from collections import Counter

from tellapart import __version__
from tellapart.bundles.lint import BundleFinding, Linted
from tellapart.core.severity import SEVERITIES
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section
from tellapart.report.tables import Cell, table

_LISTED = 20
"""Findings of a check that are shown; all are in the JSON."""

_IDS = 3


def document(linted: Linted, command: str) -> Document:
    """Show how many findings there are, then the first ones of each check."""
    by_check: dict[tuple[str, str], list[BundleFinding]] = {}
    for finding in linted.findings:
        by_check.setdefault((finding.severity, finding.check), []).append(finding)
    rows: list[list[Cell | str]] = []
    for (severity, check), group in by_check.items():
        for finding in group[:_LISTED]:
            where = show.listed(finding.bundles or finding.places, most=_IDS)
            rows.append([Cell(severity, strong=severity == "error"), check, where, finding.detail])
        if len(group) > _LISTED:
            rows.append([severity, check, "", f"and {show.count(len(group) - _LISTED)} more: add --json"])
    counts = Counter(finding.severity for finding in linted.findings)
    found = ", ".join(show.plural(counts[severity], severity) for severity in SEVERITIES)
    findings = table("findings", "Findings", ["Severity", "Check", "Bundles", "What"], rows, words=4)
    return Document(
        kind="bundles lint",
        title=f"{found} in {show.plural(linted.inputs.n_rows, 'bundle')}",
        verdict=(),
        facts={"files": ", ".join(map(str, linted.inputs.files))},
        sections=(Section("findings", "Findings", tables=(findings,), in_terminal=True),),
        origin={"made by": f"tellapart {__version__}"},
        commands=(command,),
    )
