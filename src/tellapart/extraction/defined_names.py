"""The names that one file defines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import tree_sitter

from tellapart.extraction.cutting import parse
from tellapart.extraction.definitions import is_rubble
from tellapart.extraction.languages import language_of
from tellapart.extraction.reading import Unusable, is_too_deep, usable_source

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST_NAME_BYTES = 200
"""Nobody writes a longer name; what is longer is a path in Kotlin's backquotes, or rubble."""
SIGILS = ":@$#`"


def defined_names(path: str, data: bytes) -> tuple[str, ...]:
    """Names that a file defines, sorted, each once; none of one that cannot be read or parsed."""
    language = language_of(path, data)
    if language is None:
        return ()
    try:
        source = usable_source(data, language)
        parsed = parse(source, language)
    except Unusable:
        return ()
    root = parsed.tree.root_node
    if is_rubble(root) or is_too_deep(root):
        return ()
    captures = tree_sitter.QueryCursor(language.compiled_names).captures(root)
    names = {definition.names[-1] for definition in parsed.outline.definitions}
    names |= set(_written(captures.get("defined", ()), source))
    return tuple(sorted(name for name in names if name and len(name) <= LONGEST_NAME_BYTES))


def _written(nodes: Iterable[Node], data: bytes) -> Iterable[str]:
    written = {data[node.start_byte : node.end_byte] for node in nodes}
    return (name.decode().strip(SIGILS) for name in written if len(name) <= LONGEST_NAME_BYTES)
