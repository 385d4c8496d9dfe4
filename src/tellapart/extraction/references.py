"""What one file defines, which names it uses, and what it imports."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import tree_sitter

from tellapart.extraction.cutting import parse
from tellapart.extraction.definitions import Captures, Outline, is_rubble
from tellapart.extraction.imports import Import
from tellapart.extraction.languages import Language, language_of
from tellapart.extraction.languages.language import text
from tellapart.extraction.parsing import is_too_deep
from tellapart.extraction.reading import Unusable, usable_source

if TYPE_CHECKING:
    from tree_sitter import Node, Query

LONGEST_NAME_BYTES = 200
"""Nobody writes a longer name; what is longer is a path in Kotlin's backquotes, or rubble."""
SIGILS = ":@$#`"
QUOTES = "\"'`<>"


@dataclass(frozen=True)
class References:
    """What one file defines, uses and imports.

    Attributes:
        language: Its name, as in ``Unit.language``.
        definitions: Qualified names with dots, sorted, each once: what encloses a function, method or class
            stands before its name, and the file's package before that where the language has one. Constants,
            types, attributes and declarations stand there by their name alone.
        identifiers: All identifiers, those of definitions and imports included; sorted, each once. There are
            none in strings and comments.
        imports: In the file's order.
        unusable: Why nothing is known of the file, as ``read_source`` says it, or ``unparsable`` for mere
            rubble and what is nested too deep; None where something is.
    """

    language: str
    definitions: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    imports: tuple[Import, ...] = ()
    unusable: str | None = None


def references(path: str, data: bytes) -> References | None:
    """Find what a file defines, uses and imports."""
    language = language_of(path, data)
    if language is None:
        return None
    try:
        return _read(usable_source(data, language), language)
    except Unusable as cause:
        return References(language.name, unusable=str(cause))


def _read(data: bytes, language: Language) -> References:
    parsed = parse(data, language)
    root = parsed.tree.root_node
    if is_rubble(root) or is_too_deep(root):
        raise Unusable("unparsable")
    captures = tree_sitter.QueryCursor(_query(language)).captures(root)
    package = next((tuple(text(node).split(".")) for node in captures.get("package", ())), ())
    defined = {(*package, *qualified) for qualified in _outlined(parsed.outline)}
    leaves = {qualified[-1] for qualified in defined}
    alone = (name for name in _written(captures.get("defined", ()), data) if name not in leaves)
    defined |= {(*package, name) for name in alone}
    return References(
        language.name,
        tuple(sorted({".".join(qualified) for qualified in defined})),
        tuple(sorted(_written(captures.get("identifier", ()), data))),
        tuple(_imports(captures, language)),
    )


def _outlined(outline: Outline) -> Iterable[tuple[str, ...]]:
    return (
        definition.names
        for definition in outline.definitions
        if len(".".join(definition.names)) <= LONGEST_NAME_BYTES and definition.names[-1]
    )


def _written(nodes: Iterable[Node], data: bytes) -> set[str]:
    """Return the texts of leaves, each once; decoding what is the same once is most of the speed."""
    written = {data[node.start_byte : node.end_byte] for node in nodes}
    names = (name.decode().strip(SIGILS) for name in written if len(name) <= LONGEST_NAME_BYTES)
    return {name for name in names if name}


def _imports(captures: Captures, language: Language) -> Iterable[Import]:
    """Gather the imports in the file's order, each with the names that stand in the same statement."""
    statements = sorted({(node.start_byte, node.end_byte) for node in captures.get("import", ())})
    names: dict[int, dict[int, str]] = {start: {} for start, _ in statements}
    for node in captures.get("imported", ()):
        names[_around(node, statements)][node.start_byte] = text(node)
    read = {}
    for capture in ("module", "module.beside"):
        for node in captures.get(capture, ()):
            module = "".join(text(node).split()).strip(QUOTES)
            own = names.get(_around(node, statements), {})
            imported = tuple(own[place] for place in sorted(own))
            read[node.start_byte] = [Import(module, imported, capture == "module.beside")]
    for node in captures.get("tree", ()):
        read[node.start_byte] = list(language.references.read_tree(node))
    return (captures for start in sorted(read) for captures in read[start] if captures.module)


def _around(node: Node, statements: Sequence[tuple[int, int]]) -> int:
    """Return where the statement around a node starts; -1 for a node in none."""
    at = bisect_right(statements, (node.start_byte, sys.maxsize)) - 1
    return statements[at][0] if at >= 0 and node.end_byte <= statements[at][1] else -1


@cache
def _query(language: Language) -> Query:
    """Compile everything into one query: a pass over the tree costs as much as what it finds."""
    syntax, grammar = language.references, language.parser.language
    if grammar is None:
        raise TypeError(f"the parser of {language.name} has no grammar")
    kinds = " ".join(f"({kind})" for kind in syntax.identifiers)
    return tree_sitter.Query(grammar, f"[{kinds}] @identifier {syntax.names} {syntax.imports}")
