"""The audit that every suite's report links to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.cli.output import say

if TYPE_CHECKING:
    from tellapart.audit.options import AuditOptions


def write_linked_audit(
    report: Path | None, scores: Sequence[Path], options: AuditOptions | None = None
) -> tuple[tuple[str, str], ...]:
    """Audit the scores that a report is about, and write the audit's page beside it.

    Args:
        report: The report's page or Markdown, or None where none is written.
        scores: Its scores.
        options: As the report compares them; the defaults where None.

    Returns:
        The link to the audit, as a report's document takes it; empty without a report, and where the scores
        cannot be audited, such as those of one model; the reason is reported.
    """
    if report is None:
        return ()
    from tellapart.audit.page.sections import document
    from tellapart.audit.run import audit_files
    from tellapart.errors import InputError
    from tellapart.report.output import write

    page = report.with_name(f"{report.stem}.audit.html")
    try:
        audit = audit_files(scores, options)
    except InputError as error:
        say(f"no audit: {error}")
        return ()
    write(lambda: document(audit.findings, (("The report", report.name),)), html=page)
    say(f"wrote {page}")
    return (("The audit: what these scores can tell apart", page.name),)
