"""Doc comments and attributes in front of a definition, and comments inside its header."""

from __future__ import annotations

import inspect
import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tellapart.extraction.definitions import Outline
from tellapart.extraction.languages import Language

if TYPE_CHECKING:
    from tree_sitter import Node

STAR = re.compile(r"^[ \t]*\*", re.MULTILINE)


class Mark(NamedTuple):
    """A comment or attribute: its bytes and the row it starts on."""

    start: int
    end: int
    row: int
    is_comment: bool


class Lead(NamedTuple):
    """What stands in front of a definition: where its first attribute starts, and its doc comments."""

    start: int
    row: int
    comments: tuple[tuple[int, int], ...] = ()


class Marks:
    """The comments and attributes of one file, looked up by position."""

    def __init__(self, outline: Outline, data: bytes, parsed: bytes) -> None:
        """Take what was found in a file, its bytes, and these as they were parsed, perhaps partly blank."""
        self._outline = outline
        self._data = data
        self._parsed = parsed

    def before(self, node: Node, language: Language) -> Lead:
        """Climb from a definition over the comments and attributes that touch it."""
        start, row = edge, edge_row = node.start_byte, node.start_point.row
        comments: list[tuple[int, int]] = []
        while mark := self._touching(edge, edge_row):
            edge, edge_row = mark.start, mark.row
            if not mark.is_comment:
                start, row = edge, edge_row
                continue
            comment = self._data[mark.start : mark.end].decode()
            is_block = comment.startswith(("/*", "=begin"))
            if language.doc_comment and language.doc_comment.match(comment) and not (comments and is_block):
                comments.insert(0, (mark.start, mark.end))
            if comments and is_block:
                break
        return Lead(start, row, tuple(comments))

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

    def _touching(self, edge: int, row: int) -> Mark | None:
        """Return the mark that ends on this row or the one above, with only white space up to ``edge``."""
        for candidate in (row, row - 1):
            for node, is_comment in self._by_last_row.get(candidate, ()):
                end = node.end_byte
                if end <= edge and not self._parsed[end:edge].strip():
                    mark = Mark(node.start_byte, end, node.start_point.row, is_comment)
                    return None if self._trails(mark) else mark
        return None

    def _trails(self, mark: Mark) -> bool:
        """Say whether a comment stands behind code, and so is about that code."""
        if not mark.is_comment:
            return False
        line_start = self._data.rfind(b"\n", 0, mark.start) + 1
        code = self._data[line_start : mark.start].rstrip()
        return bool(code) and line_start + len(code) not in self._attribute_ends

    @cached_property
    def _by_last_row(self) -> dict[int, list[tuple[Node, bool]]]:
        """Comments and attributes by the row they end on; true for comments."""
        rows: dict[int, list[tuple[Node, bool]]] = {}
        for nodes, is_comment in ((self._outline.comments, True), (self._outline.attributes, False)):
            for node in nodes:
                row, column = node.end_point
                # Rust's doc comments own their line's end.
                rows.setdefault(row if column else row - 1, []).append((node, is_comment))
        return rows

    @cached_property
    def _attribute_ends(self) -> frozenset[int]:
        return frozenset(node.end_byte for node in self._outline.attributes)

    @cached_property
    def _cuts(self) -> list[tuple[int, int]]:
        nodes = (*self._outline.comments, *self._outline.attributes)
        return sorted((node.start_byte, node.end_byte) for node in nodes)


def documentation(comments: Sequence[str], language: Language) -> str | None:
    """Remove comment marks, leading stars, common indent and the language's markup."""
    bare = "\n".join(_without_marks(comment, language) for comment in comments)
    return language.plain_doc(inspect.cleandoc(bare)).strip() or None


def _without_marks(comment: str, language: Language) -> str:
    opening = language.comment_marks.match(comment)
    inside = comment[opening.end() :] if opening else comment
    if comment.startswith("/*"):
        return STAR.sub("", inside.rstrip().removesuffix("/").rstrip("*"))
    return inside.rstrip().removesuffix("=end")
