"""From files to findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tellapart.audit.analysis import analyse
from tellapart.audit.figures import Figures, figures
from tellapart.audit.findings import Findings
from tellapart.audit.options import AuditOptions
from tellapart.audit.reading import Choices, Reading, read_scores


@dataclass(frozen=True)
class Audit:
    """An audit of files.

    Attributes:
        reading: What was read.
        findings: What was found.
        figures: The same as JSON can say it, with ``sources`` and ``notes``.
    """

    reading: Reading
    findings: Findings
    figures: Figures


def audit_files(
    paths: Sequence[Path],
    options: AuditOptions | None = None,
    choices: Choices | None = None,
    *,
    models: Sequence[str] = (),
    limits: tuple[float, float] | None = None,
) -> Audit:
    """Read scores and audit them.

    Args:
        paths: Score tables, run directories or logs; several are read as one table.
        options: Settings; the defaults where None.
        choices: What the forms of the files leave open.
        models: Whose scores the files hold, for forms that do not say: one name, or one a path.
        limits: Lowest and highest possible score; None for what the files say, else [0, 1].

    Raises:
        InputError: A file cannot be read, or its scores cannot be audited.
        UsageError: A choice does not fit a file.
        MissingExtra: A form needs an optional dependency.
    """
    options = options or AuditOptions()
    reading = read_scores(paths, choices, models=models, limits=limits)
    findings = analyse(reading.table, options)
    shown = {"sources": reading.forms, "notes": list(reading.notes), **figures(findings, options)}
    return Audit(reading, findings, shown)
