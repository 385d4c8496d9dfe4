"""From files to findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.audit.analysis import analyse
from tellapart.audit.options import AuditOptions
from tellapart.audit.reading import Choices, Reading, Source, read_scores
from tellapart.audit.results import Findings
from tellapart.core.progress import SILENT, Progress


@dataclass(frozen=True)
class Audit:
    """An audit of files.

    Attributes:
        reading: What was read.
        findings: What was found, with its ``sources``, how they were read (``read_as``, words of the command
            line) and ``notes``.
    """

    reading: Reading
    findings: Findings


def audit_files(
    paths: Sequence[Source],
    options: AuditOptions | None = None,
    choices: Choices | None = None,
    *,
    models: Sequence[str] = (),
    limits: tuple[float, float] | None = None,
    replicates: bool = False,
    lower_is_better: bool = False,
    progress: Progress = SILENT,
) -> Audit:
    """Read scores and audit them.

    Args:
        paths: Score tables, run directories or logs; several are read as one table.
        options: Settings; the defaults where None.
        choices: What the forms of the files leave open.
        models: Model names, for forms that do not contain one: one name, or one per path.
        limits: Lowest and highest possible score; None for what the files record, else [0, 1].
        replicates: Whether files that hold the same model on the same items repeat each other.
        lower_is_better: Whether less is better; the scores are negated.
        progress: Receives what is being done.

    Raises:
        InputError: A file cannot be read, or its scores cannot be audited.
        UsageError: A choice does not fit a file.
        MissingExtra: A form needs an optional dependency.
    """
    reading = read_scores(
        paths,
        choices,
        models=models,
        limits=limits,
        replicates=replicates,
        lower_is_better=lower_is_better,
        progress=progress,
    )
    read_as = _read_as(choices or Choices(), models, limits, replicates)
    read_as += ["--lower-is-better"] * lower_is_better
    return Audit(reading, audit_reading(reading, options, read_as, progress=progress))


def audit_reading(
    reading: Reading,
    options: AuditOptions | None = None,
    read_as: Sequence[str] = (),
    *,
    progress: Progress = SILENT,
) -> Findings:
    """Audit scores as they were read.

    Args:
        reading: The scores, and where they came from.
        options: Settings; the defaults where None.
        read_as: The options of ``tellapart audit`` that read the files in the same way.
        progress: Receives what is being done.

    Raises:
        InputError: The scores cannot be audited.
    """
    origin = {"sources": reading.forms, "read_as": tuple(read_as), "notes": reading.notes}
    return analyse(reading.table, options, progress=progress).model_copy(update=origin)


def _read_as(
    choices: Choices, models: Sequence[str], limits: tuple[float, float] | None, replicates: bool
) -> list[str]:
    """The options of ``tellapart audit`` that read the files in the same way."""
    columns = ",".join(f"{ours}={theirs}" for ours, theirs in (choices.columns or {}).items())
    values = {
        "--columns": columns,
        "--wide": choices.wide and str(choices.wide),
        "--metric": choices.metric,
        "--qrels": choices.qrels,
        "--measure": choices.measure,
        "--limits": limits and f"{limits[0]:g},{limits[1]:g}",
    }
    words = [word for name, value in values.items() if value for word in (name, str(value))]
    words += ["--complete"] * bool(choices.complete) + ["--replicates"] * replicates
    return words + [word for model in models for word in ("--model", model)]
