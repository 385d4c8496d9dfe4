"""Doc comments and attributes in front of a definition, and comments inside its header."""

from __future__ import annotations

import inspect
import re
from bisect import bisect_left
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tellapart.contrastive.definitions import Outline
from tellapart.contrastive.languages import Language

if TYPE_CHECKING:
    from tree_sitter import Node

MARKS = re.compile(r"^(?:/\*[*!]*|//[/!]*|#+|=begin\b)|\s*(?:\*+/|=end)\s*$")
STAR = re.compile(r"^[ \t]*\*(?:[ \t]|$)?", re.MULTILINE)


class Mark(NamedTuple):
    """A comment or attribute: its bytes, the row it starts on, and its text if it is a comment."""

    start: int
    end: int
    row: int
    comment: str | None


class Lead(NamedTuple):
    """What stands in front of a definition: where its first attribute starts, and the doc comment."""

    start: int
    row: int
    docstring: str | None


class Marks:
    """The comments and attributes of one file, looked up by position."""

    def __init__(self, found: Outline, data: bytes) -> None:
        self._found = found
        self._data = data

    @cached_property
    def _by_last_row(self) -> dict[int, Mark]:
        marks: dict[int, Mark] = {}
        found = [(node, (node.text or b"").decode()) for node in self._found.comments]
        both = [*found, *((node, None) for node in self._found.attributes)]
        for node, comment in sorted(both, key=lambda pair: pair[0].start_byte):
            last = node.end_point
            # Rust's doc comments own their line's end.
            row = last.row if last.column else last.row - 1
            marks[row] = Mark(node.start_byte, node.end_byte, node.start_point.row, comment)
        return marks

    @cached_property
    def _cuts(self) -> list[tuple[int, int]]:
        found = (*self._found.comments, *self._found.attributes)
        return sorted((node.start_byte, node.end_byte) for node in found)

    def without(self, start: int, end: int) -> bytes:
        """Return the file's bytes from ``start`` to ``end`` without comments and attributes."""
        kept, cuts = [], self._cuts
        for index in range(bisect_left(cuts, (start, start)), len(cuts)):
            first, last = cuts[index]
            if first >= end:
                break
            kept.append(self._data[start:first])
            start = max(start, last)
        return b" ".join([*kept, self._data[start:end]])

    def before(self, node: Node, language: Language) -> Lead:
        """Climb from a definition over the comments and attributes that touch it.

        Args:
            node: The definition.
            language: Says which comments document, and how.

        Returns:
            Where the definition starts with its attributes, and the nearest block or run of lines that
            documents it, with comment marks and common indent removed (None if there is none).
        """
        row, edge = node.start_point.row, node.start_byte
        lead = Lead(edge, row, None)
        lines: list[str] = []
        documents = language.doc_comment.match if language.doc_comment else str
        while mark := self._touching(row, edge):
            row, edge = mark.row, mark.start
            if mark.comment is None:
                lead = Lead(mark.start, mark.row, None)
            elif documents(mark.comment) and not (lines and mark.comment.startswith("/*")):
                lines.insert(0, mark.comment)
                if mark.comment.startswith("/*"):
                    break
        return lead._replace(docstring=clean(lines, language.plain_doc))

    def _touching(self, row: int, edge: int) -> Mark | None:
        """Return the mark that ends on this row or the one above with only white space up to ``edge``."""
        for candidate in (row, row - 1):
            mark = self._by_last_row.get(candidate)
            if mark and mark.end <= edge and not self._data[mark.end : edge].strip():
                line_start = self._data.rfind(b"\n", 0, mark.start) + 1
                trails = mark.comment is not None and self._data[line_start : mark.start].strip()
                return None if trails else mark
        return None


def clean(comments: list[str], plain: Callable[[str], str] = str) -> str | None:
    """Remove comment marks, leading stars and common indent.

    Args:
        comments: One block comment, or line comments in order.
        plain: Takes out the markup that is left.

    Returns:
        The text, or None when nothing is left.
    """
    if not comments:
        return None
    bare = [MARKS.sub("", comment.rstrip()) for comment in comments]
    if comments[0].startswith("/*"):
        bare = [STAR.sub("", bare[0])]
    return inspect.cleandoc(plain(inspect.cleandoc("\n".join(bare)))).strip() or None
