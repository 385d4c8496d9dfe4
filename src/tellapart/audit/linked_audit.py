"""The audit that every suite's report links to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.cli.output import say
from tellapart.cli.progress import reporter

if TYPE_CHECKING:
    from tellapart.audit.options import AuditOptions
    from tellapart.readers import Reading
    from tellapart.store import ItemText

_SUFFIX = ".audit.html"


def write_linked_audit(
    report: Path | None,
    scores: Sequence[Path] | Reading,
    options: AuditOptions | None = None,
    texts: Mapping[str, tuple[ItemText, ...]] | None = None,
    human: Path | None = None,
) -> tuple[tuple[str, str], ...]:
    """Audit the scores that a report is about, by people's labels too, and write the page beside it."""
    if report is None:
        return ()
    from tellapart.audit.analysis import audit_files, audit_reading
    from tellapart.audit.page.sections import document
    from tellapart.errors import InputError
    from tellapart.readers import Reading, ReadingSettings, item_texts
    from tellapart.report.output import write

    page = report.with_name(f"{report.stem}{_SUFFIX}")
    progress = reporter(lines=False)
    try:
        if isinstance(scores, Reading):
            findings = audit_reading(scores, options, progress=progress)
            kept: Mapping[str, tuple[ItemText, ...]] = {}
        else:
            audited = audit_files(scores, options, ReadingSettings(human=human), progress=progress)
            findings, models = audited.findings, audited.reading.models
            kept = item_texts(scores, models=models) if texts is None else {}
    except InputError as error:
        say(f"no audit: {error}")
        return ()
    shown = kept if texts is None else texts
    write(lambda: document(findings, (("The report", report.name),), shown), html=page, progress=progress)
    say(f"wrote {page}")
    return (("Audit: which models these scores separate", page.name),)
