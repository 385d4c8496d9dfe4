"""The audit that every suite's report links to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.cli.output import say

if TYPE_CHECKING:
    from tellapart.audit.options import AuditOptions
    from tellapart.report.comparison import PairLink
    from tellapart.store import ItemText

_SUFFIX = ".audit.html"


def write_linked_audit(
    report: Path | None,
    scores: Sequence[Path],
    options: AuditOptions | None = None,
    texts: Mapping[str, tuple[ItemText, ...]] | None = None,
) -> tuple[tuple[str, str], ...]:
    """Audit the scores that a report is about, and write the audit's page beside it.

    Args:
        report: The report's page or Markdown, or None where none is written.
        scores: Its scores.
        options: As the report compares them; the defaults where None.
        texts: What items ask, by item; None for what the runs keep beside their scores.

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
    from tellapart.store import read_item_texts

    page = report.with_name(f"{report.stem}{_SUFFIX}")
    try:
        audit = audit_files(scores, options)
    except InputError as error:
        say(f"no audit: {error}")
        return ()
    shown = read_item_texts(scores) if texts is None else texts
    write(lambda: document(audit.findings, (("The report", report.name),), shown), html=page)
    say(f"wrote {page}")
    return (("Audit: which models these scores separate", page.name),)


def items_of_pairs(links: Sequence[tuple[str, str]]) -> PairLink | None:
    """Give where the linked audit lists the items of a pair of models; None without a linked audit.

    Args:
        links: Of the report, as `write_linked_audit` gives them.
    """
    from tellapart.report.browser import pair_address
    from tellapart.report.document import relative

    page = next((relative(place) for _, place in links if place.endswith(_SUFFIX)), None)
    return None if page is None else lambda a, b: f"{page}{pair_address(a, b)}"
