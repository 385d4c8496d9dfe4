"""Parse a file, but not at any price: what is nested without end takes time that grows with its square."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

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


def parsed_tree(data: bytes, language: Language) -> Tree:
    """Parse a file."""
    if len(data) <= HARMLESS_BYTES:
        return language.parser.parse(data)
    end = time.thread_time() + MOST_S

    def piece(start: int, _: Point) -> bytes:
        return data[start : start + _PIECE_BYTES]

    def is_late(*_: object) -> bool:
        return time.thread_time() > end

    try:
        return language.parser.parse(piece, progress_callback=is_late)
    except ValueError:
        language.parser.reset()
        raise Unusable("unparsable") from None


def is_too_deep(root: Node) -> bool:
    """Say whether nodes lie so deep, by a sample, that a query over all might not come to an end."""
    count = root.descendant_count
    if count * count <= MOST_STEPS:
        return False
    cursor = root.walk()
    depths = []
    for node in range(0, count, -(-count // _SAMPLED)):
        cursor.goto_descendant(node)
        depths.append(cursor.depth)
    return count * sum(depths) > MOST_STEPS * len(depths)
