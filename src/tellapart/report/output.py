"""A report in files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tellapart.core.progress import SILENT, Progress
from tellapart.files import write_text
from tellapart.report.document import Document
from tellapart.report.markdown import markdown_document
from tellapart.report.page import html_document


def write(
    arrange: Callable[[], Document],
    *,
    html: Path | None = None,
    markdown: Path | None = None,
    progress: Progress = SILENT,
) -> list[Path]:
    """Write a report where it is wanted, each file whole or not at all.

    Args:
        arrange: Gives the report; not called where no file is wanted.
        html: Where the page goes, if one is wanted.
        markdown: Where the Markdown goes, if it is wanted.
        progress: Receives what is being done.

    Returns:
        What was written.

    Raises:
        StorageError: A place cannot be written.
    """
    wanted = [(path, form) for path, form in ((html, html_document), (markdown, markdown_document)) if path]
    if not wanted:
        return []
    with progress.step(f"writing {wanted[0][0].name}", None):
        document = arrange()
        for path, text in [(path, form(document)) for path, form in wanted]:
            write_text(path, text)
    return [path for path, _ in wanted]
