"""Reports in files."""

from pathlib import Path

import pytest

from tellapart.errors import StorageError
from tellapart.report import html_document, markdown_document
from tellapart.report.document import Document, Section
from tellapart.report.output import write

REPORT = Document("kind", "Title", ("A is better.",), {}, (Section("s", "Figures", "Of all."),))


def test_only_what_is_asked_for_is_written(tmp_path):
    html, markdown = tmp_path / "new" / "report.html", tmp_path / "new" / "report.md"
    assert write(lambda: REPORT, markdown=markdown) == [markdown]
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["report.md"]
    assert write(lambda: REPORT, html=html, markdown=markdown) == [html, markdown]
    assert html.read_text(encoding="utf-8") == html_document(REPORT)
    assert markdown.read_text(encoding="utf-8") == markdown_document(REPORT)


def test_a_report_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    page = tmp_path / "report.html"
    page.write_text("old", encoding="utf-8")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(StorageError, match="the disk is full"):
        write(lambda: REPORT, html=page)
    assert page.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["report.html"]
