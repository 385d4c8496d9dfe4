"""What ``lint`` found: errors and warnings, and what is for information."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.core.severity import SEVERITIES
from tellapart.longcontext.lint.findings import Group, counts, grouped
from tellapart.longcontext.page.view import View
from tellapart.report import numbers as show
from tellapart.report.document import Section
from tellapart.report.tables import Cell, Table, table


def section(view: View) -> Section | None:
    """Errors and warnings."""
    groups = grave(view)
    shown = (findings_table(groups),)
    return Section("findings", "Findings", f"{counted(view)}.", tables=shown) if groups else None


def information_section(view: View) -> Section | None:
    """Further findings."""
    groups = information(view)
    folded = (findings_table(groups, "information", "For information"),)
    return Section("information", "For information", folded=folded) if groups else None


def grave(view: View) -> list[Group]:
    """Errors, then warnings."""
    groups = [group for group in grouped(view.record.findings) if group.finding.severity != "info"]
    return sorted(groups, key=lambda group: SEVERITIES.index(group.finding.severity))


def information(view: View) -> list[Group]:
    """Findings that are no reason for doubt; of many cases without the distance of each probe."""
    return [
        group
        for group in grouped(view.record.findings)
        if group.finding.severity == "info"
        and not (view.many_cases and group.finding.check == "distance" and group.finding.step)
    ]


def counted(view: View) -> str:
    """``7 errors and 2 warnings``."""
    numbers = counts(view.record.findings)
    return show.listed([show.plural(n, name) for name, n in numbers.items() if n and name != "info"])


def findings_table(
    groups: Sequence[Group], name: str = "findings", title: str = "Findings, errors first"
) -> Table:
    """A row for each finding."""
    rows: list[list[Cell | str]] = []
    for group in groups:
        severity = Cell(group.finding.severity, strong=group.finding.severity == "error")
        rows.append([severity, group.finding.check, group.cases, group.steps, group.message])
    any_error = any(group.finding.severity == "error" for group in groups)
    note = "An error means that the figures do not measure what they claim." if any_error else ""
    return table(name, title, ["Severity", "Check", "Case", "Step", "Finding"], rows, note=note, words=5)
