"""A report in files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart import report
from tellapart.core.progress import SILENT, Progress
from tellapart.files import write_text

if TYPE_CHECKING:
    from tellapart.report.document import Document


def write(
    arrange: Callable[[], Document],
    *,
    html: Path | None = None,
    markdown: Path | None = None,
    progress: Progress = SILENT,
) -> list[Path]:
    """Write a report where it is wanted, each file whole or not at all."""
    forms = ((html, "html_document"), (markdown, "markdown_document"))
    wanted = [(path, form) for path, form in forms if path]
    if not wanted:
        return []
    with progress.step(f"writing {wanted[0][0].name}", None):
        document = arrange()
        # What a form needs is imported where it is wanted.
        for path, text in [(path, getattr(report, form)(document)) for path, form in wanted]:
            write_text(path, text)
    return [path for path, _ in wanted]
