"""From files to findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.audit.analysis import analyse
from tellapart.audit.options import AuditOptions
from tellapart.audit.results import Findings
from tellapart.cli.settings import words
from tellapart.core.progress import SILENT, Progress
from tellapart.errors import placed
from tellapart.readers import Reading, Source, read_scores
from tellapart.readers.settings import ReadingSettings


@dataclass(frozen=True)
class Audit:
    """An audit of files.

    Attributes:
        findings: What was found, with its ``sources``, how they were read (``read_as``, words of the command
            line) and ``notes``.
    """

    reading: Reading
    findings: Findings


def audit_files(
    paths: Sequence[Source],
    options: AuditOptions | None = None,
    reading: ReadingSettings | None = None,
    *,
    progress: Progress = SILENT,
) -> Audit:
    """Read scores and audit them."""
    reading = reading or ReadingSettings()
    scores = read_scores(paths, reading, progress=progress)
    return Audit(scores, audit_reading(scores, options, words(reading), progress=progress))


def audit_reading(
    reading: Reading,
    options: AuditOptions | None = None,
    read_as: Sequence[str] = (),
    *,
    progress: Progress = SILENT,
) -> Findings:
    """Audit scores as they were read."""
    with placed(reading.where):
        findings = analyse(reading.table, options, progress=progress)
    notes = (*findings.notes, *reading.notes)
    return findings.model_copy(update={"sources": reading.forms, "read_as": tuple(read_as), "notes": notes})
