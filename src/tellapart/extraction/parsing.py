"""Parse a file, but not at any price: what is nested without end takes time that grows with its square."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from tellapart.extraction.languages import Language
from tellapart.extraction.reading import Unusable

if TYPE_CHECKING:
    from tree_sitter import Node, Point, Tree

HARMLESS_BYTES = 10_000
"""Shorter files are parsed in a second or two whatever is in them, and faster without a watch."""

MOST_S = 10.0
"""Of the processor for one file; 2 MB as people write them take less than one."""

MOST_STEPS = 20_000_000
"""Nodes times their mean depth, which is what some queries take; 2 MB as people write them have 4 million."""

_PIECE_BYTES = 1 << 10  # The text of a node is read in such pieces too, most of them a few bytes long.
_SAMPLED = 64


class ChangedLine(NamedTuple):
    """A line that two texts do not share: its row, where it starts in bytes, and what it says in each."""

    row: int
    start: int
    before: bytes
    after: bytes


def parsed_tree(data: bytes, language: Language, edited: Tree | None = None) -> Tree:
    """Parse a file."""
    if len(data) <= HARMLESS_BYTES:
        return language.parser.parse(data) if edited is None else language.parser.parse(data, edited)
    end = time.thread_time() + MOST_S

    def piece(start: int, _: Point) -> bytes:
        return data[start : start + _PIECE_BYTES]

    def is_late(*_: object) -> bool:
        return time.thread_time() > end

    try:
        if edited is None:
            return language.parser.parse(piece, progress_callback=is_late)
        return language.parser.parse(piece, edited, progress_callback=is_late)
    except ValueError:
        language.parser.reset()
        raise Unusable("unparsable") from None


def parsed_again(tree: Tree, before: bytes, after: bytes, language: Language) -> Tree:
    """Parse a file of which some lines have changed, in a time that grows with these lines."""
    edited = tree.copy()
    for line in changed_lines(before, after):
        end, width = line.start + len(line.before), len(line.before)
        edited.edit(line.start, end, end, (line.row, 0), (line.row, width), (line.row, width))
    return parsed_tree(after, language, edited)


def changed_lines(before: bytes, after: bytes) -> Iterator[ChangedLine]:
    """Find the lines in which two texts differ that have their line ends in the same places."""
    start = 0
    for row, (old, new) in enumerate(zip(before.split(b"\n"), after.split(b"\n"), strict=True)):
        if old != new:
            yield ChangedLine(row, start, old, new)
        start += len(old) + 1


def is_too_deep(root: Node) -> bool:
    """Say whether nodes lie so deep that a query over all of them might not come to an end.

    The mean depth is that of ``_SAMPLED`` nodes, evenly spaced in source order.
    """
    count = root.descendant_count
    if count * count <= MOST_STEPS:
        return False
    cursor = root.walk()
    depths = []
    for node in range(0, count, -(-count // _SAMPLED)):
        cursor.goto_descendant(node)
        depths.append(cursor.depth)
    return count * sum(depths) > MOST_STEPS * len(depths)
