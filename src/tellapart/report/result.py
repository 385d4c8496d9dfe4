"""What every result in Python can do: be printed, shown in a notebook, saved, and given as frames."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from html import escape
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tellapart.errors import UsageError
from tellapart.files import write_text
from tellapart.report.document import Document
from tellapart.report.page import html_document

_COLUMNS = 100
_FRAME = (
    '<iframe title="{title}" srcdoc="{page}" style="width: 100%; height: 640px; border: 1px solid #8884" '
    'sandbox="allow-scripts allow-downloads"></iframe>'
)


class Result(ABC):
    """A result that people look at in Python.

    ``print`` gives the verdict and the pairs, a notebook shows the page, and ``pairs`` is a frame.
    """

    @property
    @abstractmethod
    def pairs(self) -> pl.DataFrame:
        """The pairs of models, one row each."""

    @abstractmethod
    def document(self) -> Document:
        """Arrange the page."""

    if TYPE_CHECKING:

        @property
        def notes(self) -> tuple[str, ...]:
            """What reading the scores made necessary; sentences."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Give everything as the command prints it with ``--json``."""

    def to_pandas(self) -> Any:
        """Give ``pairs`` as a pandas frame.

        Raises:
            UsageError: pandas is not installed.
        """
        try:
            import pandas  # type: ignore[import-untyped,unused-ignore]
        except ModuleNotFoundError:
            raise UsageError("pandas is not installed", next_step="pip install pandas") from None
        return pandas.DataFrame(self.pairs.to_dict(as_series=False))

    def save(self, path: str | Path) -> Path:
        """Write the result where it is wanted, whole or not at all.

        Args:
            path: Ends in ``.html`` for the page, ``.md`` for Markdown, or ``.json`` for everything.

        Returns:
            The path.

        Raises:
            UsageError: It ends in something else.
            StorageError: It cannot be written.
        """
        from tellapart.report.markdown import markdown_document

        forms: dict[str, Callable[[], str]] = {
            ".html": lambda: html_document(self.document()),
            ".md": lambda: markdown_document(self.document()),
            ".json": lambda: json.dumps(self.to_dict(), indent=2, allow_nan=False) + "\n",
        }
        path = Path(path)
        if path.suffix.lower() not in forms:
            raise UsageError(
                f"a file cannot be {path.suffix or 'without an ending'!r}",
                where=path,
                next_step=f"Give it one of: {', '.join(forms)}",
            )
        write_text(path, forms[path.suffix.lower()]())
        return path

    def _repr_html_(self) -> str:
        """Show the page in a notebook, in a frame of its own so that neither styles the other."""
        document = self.document()
        return _FRAME.format(title=escape(document.title), page=escape(html_document(document)))

    def __str__(self) -> str:
        from rich.console import Console
        from rich.text import Text

        from tellapart.report.terminal import terminal

        out = StringIO()
        # In a notebook rich would show the text itself, and write nothing.
        console = Console(file=out, width=_COLUMNS, highlight=False, color_system=None, force_jupyter=False)
        notes = [Text(f"note: {note}") for note in self.notes]
        for part in [*terminal(self.document()), *notes]:
            console.print(part)
        return "\n".join(line.rstrip() for line in out.getvalue().splitlines())

    __repr__ = __str__
