"""Read a source file and parse it, or say why it cannot be used.

What is nested without end takes a parser a time that grows with its square, so there is a limit.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.extraction.languages import Language

if TYPE_CHECKING:
    from tree_sitter import Node, Point, Tree

MAX_BYTES = 2_000_000
MAX_LINE_BYTES = 100_000

HARMLESS_BYTES = 10_000
"""Shorter files are parsed in a second or two whatever is in them, and faster without a watch."""

MOST_S = 10.0
"""Of the processor for one file; 2 MB as people write them take less than one."""

MOST_STEPS = 20_000_000
"""Nodes times their mean depth, which is what some queries take; 2 MB as people write them have 4 million."""

_PIECE_BYTES = 1 << 10  # The text of a node is read in such pieces too, most of them a few bytes long.
_SAMPLED = 64


class Unusable(Exception):
    """Why a file gives no units; the message is the cause under which it is counted."""


def read_source(location: Path, language: Language) -> bytes:
    """Read a file as UTF-8 with Unix line ends and without a byte order mark."""
    try:
        if location.stat().st_size > MAX_BYTES:
            raise Unusable("too large")
        data = location.read_bytes()
    except OSError as error:
        raise Unusable("unreadable") from error
    return usable_source(data, language)


def usable_source(data: bytes, language: Language) -> bytes:
    """Bring a file's bytes into UTF-8 with Unix line ends and without a byte order mark."""
    if len(data) > MAX_BYTES:
        raise Unusable("too large")
    if b"\0" in data:
        raise Unusable("binary")
    data = _as_utf8(data, language).removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if len(data) > MAX_LINE_BYTES and max(map(len, data.split(b"\n"))) > MAX_LINE_BYTES:
        raise Unusable("too large")
    return data


def _as_utf8(data: bytes, language: Language) -> bytes:
    try:
        data.decode()
        return data
    except UnicodeDecodeError as error:
        if not language.declared_encoding:
            raise Unusable("undecodable") from error
    try:
        return data.decode(language.declared_encoding(data)).encode()
    except (SyntaxError, LookupError, UnicodeError) as error:
        raise Unusable("undecodable") from error


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
