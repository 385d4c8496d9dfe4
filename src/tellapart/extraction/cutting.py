"""Cut the units out of one file, and list the names that it defines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import tree_sitter

from tellapart.core.fingerprint import sha256
from tellapart.extraction.comments import Lead, Marks, documentation
from tellapart.extraction.definitions import Definition, Outline, is_rubble, outline
from tellapart.extraction.exceptions import text, without_colon
from tellapart.extraction.languages import Language, language_of
from tellapart.extraction.reading import Unusable, is_too_deep, parsed_tree, usable_source
from tellapart.extraction.sources import Tally
from tellapart.extraction.unit import Parameter, Unit

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

MAX_DEPTH = 50
NOT_LINE_END = re.compile(rb"[^\n]")
HEADER_END = re.compile(r" ?(?::|=>|=|,)?$")
REST_OF_LINE = re.compile(rb"[ \t]*(?:#[^\n]*)?(?:\n|$)")
SPACE = re.compile(rb"\s*")
NEXT_STATEMENT = re.compile(rb"[ \t]*;?[ \t]*")

LONGEST_NAME_BYTES = 200
"""Nobody writes a longer name; what is longer is a path in Kotlin's backquotes, or rubble."""
SIGILS = ":@$#`"


class Cutter:
    """One file, while its definitions are made into units."""

    def __init__(self, path: str, data: bytes, language: Language, tally: Tally) -> None:
        self._path = path
        self._data = data
        self._language = language
        self._tally = tally
        self._parse = parse(data, language)
        self._marks = Marks(self._parse.outline, data, self._parse.data)

    def units(self, min_lines: int, max_lines: int) -> Iterator[Unit]:
        """Yield the units in source order and count what is left out."""
        for definition in self._parse.outline.definitions:
            unit = self._unit_or_cause(definition, min_lines, max_lines)
            if isinstance(unit, Unit):
                yield unit
            else:
                line = definition.node.start_point.row + 1
                self._tally.add(unit, self._path, ".".join(definition.names), line)
        for name in self._parse.outline.macros:
            self._tally.add("macro", self._path, " ".join(map(text, name)), name[0].start_point.row + 1)
        if self._parse.tree.root_node.has_error and not self._parse.intact():
            raise Unusable("unparsable")

    def _unit_or_cause(self, definition: Definition, min_lines: int, max_lines: int) -> Unit | str:
        """Cut one unit out, or say why it is left out; lines are counted without the documentation."""
        node = definition.node
        parameters = definition.part("parameters")
        taken = {child.type for child in parameters.named_children} if parameters else set()
        if node.has_error or taken & self._language.not_parameters:
            return "syntax error"
        if len(definition.names) > MAX_DEPTH:
            return "too deep"
        # Only an attribute in front can make a definition longer than its node.
        if not self._parse.outline.attributes and node.end_point.row - node.start_point.row + 1 < min_lines:
            return "too short"
        lead = self._lead(node)
        if node.end_point.row - lead.row + 1 < min_lines:
            return "too short"
        unit = self._unit(definition, lead)
        if unit is None:
            return "no body"
        lines = unit.content.count("\n") + 1
        if min_lines <= lines <= max_lines:
            return unit
        return "too short" if lines < min_lines else "too long"

    def _lead(self, node: Node) -> Lead:
        if self._language.doc_comment:
            return self._marks.before(node, self._language)
        return Lead(node.start_byte, node.start_point.row)

    def _unit(self, definition: Definition, lead: Lead) -> Unit | None:
        """Cut one unit out; None if its body is nothing but a docstring."""
        documented = self._documentation(definition, lead)
        if documented is None:
            return None
        docstring, ranges = documented
        content = self._without(ranges, lead.start, definition.node.end_byte)
        names = ".".join(definition.names)
        return Unit(
            id=f"{self._path}::{names}#{sha256(content.encode())[:8]}",
            path=self._path,
            name=definition.names[-1],
            type=definition.type,
            language=self._language.name,
            content=content,
            signature=self._signature(definition),
            parameters=self._parameters(definition),
            return_type=self._return_type(definition),
            docstring=docstring,
            start_line=lead.row + 1,
            end_line=definition.node.end_point.row + 1,
        )

    def _documentation(
        self, definition: Definition, lead: Lead
    ) -> tuple[str | None, list[tuple[int, int]]] | None:
        """Return the documentation and the ranges it is cut from, or None where it is the whole body."""
        body = definition.part("body")
        if body and self._language.docstring and (text := self._language.docstring(body)):
            statement, docstring = text
            return None if _is_alone(statement, body) else (docstring, [self._lines_of(statement)])
        comments = [self._data[first:last].decode() for first, last in lead.comments]
        # A doc comment may also stand between an attribute and what both are about.
        inside = [(first, self._skip_space(last)) for first, last in lead.comments if first > lead.start]
        return documentation(comments, self._language), inside

    def _lines_of(self, statement: Node) -> tuple[int, int]:
        """Return the range to remove with a statement: its lines, or itself where it shares them."""
        line_start = self._data.rfind(b"\n", 0, statement.start_byte) + 1
        rest = REST_OF_LINE.match(self._data, statement.end_byte)
        if rest and not self._data[line_start : statement.start_byte].strip():
            return line_start, rest.end()
        following = NEXT_STATEMENT.match(self._data, statement.end_byte)
        return statement.start_byte, following.end() if following else statement.end_byte

    def _skip_space(self, start: int) -> int:
        space = SPACE.match(self._data, start)
        return space.end() if space else start

    def _without(self, ranges: list[tuple[int, int]], start: int, end: int) -> str:
        """Return the source without the ranges, every line moved left by the first one's indent."""
        kept = []
        margin = self._data[self._data.rfind(b"\n", 0, start) + 1 : start]
        for first, last in ranges:
            kept.append(self._data[start:first])
            start = last
        source = b"".join([*kept, self._data[start:end]])
        indent = margin[: len(margin) - len(margin.lstrip(b" \t"))]
        return (source.replace(b"\n" + indent, b"\n") if indent else source).decode()

    def _signature(self, definition: Definition) -> str:
        stop = definition.part("stop") or definition.part("body")
        header = self._marks.without(definition.node.start_byte, stop.start_byte) if stop else b""
        line = " ".join(header.decode().split())
        return HEADER_END.sub("", line.replace("( ", "(").replace(", )", ")").replace(" )", ")"))

    def _parameters(self, definition: Definition) -> tuple[Parameter, ...]:
        node = definition.part("parameters")
        if node is None:
            return ()
        parameters = self._language.parameters(node)
        if parameters and parameters[0].name in self._language.receivers:
            return parameters[1:]
        return parameters

    def _return_type(self, definition: Definition) -> str | None:
        if declared := definition.part("return"):
            return without_colon(text(declared))
        start, name = definition.part("return.to_name"), definition.part("name")
        if start and name:
            return " ".join(self._data[start.start_byte : name.start_byte].decode().split())
        return None


@dataclass(frozen=True)
class Parse:
    """A tree, and the bytes that were parsed, perhaps partly blank."""

    tree: Tree
    language: Language
    data: bytes

    @cached_property
    def outline(self) -> Outline:
        """What is defined in the tree."""
        return outline(self.tree, self.language, self.data)

    @property
    def has_error(self) -> bool:
        """Whether some of the file is not understood."""
        return self.tree.root_node.has_error

    def intact(self) -> int:
        """Count the definitions without a syntax error."""
        return sum(not definition.node.has_error for definition in self.outline.definitions)


def parse(data: bytes, language: Language) -> Parse:
    """Parse a file; where that fails, again without what the grammar does not know, and take the better."""
    best = Parse(parsed_tree(data, language), language, data)
    for adapt in (_without_unknown, _with_separators):
        if best.has_error and (adapted := adapt(best.data, language)) != best.data:
            again = Parse(parsed_tree(adapted, language), language, adapted)
            best = max(best, again, key=Parse.intact) if again.has_error else again
    return best


def _without_unknown(data: bytes, language: Language) -> bytes:
    return language.unknown_syntax.sub(_blank, data) if language.unknown_syntax else data


def _with_separators(data: bytes, language: Language) -> bytes:
    return language.missing_separator.sub(rb"\1;", data) if language.missing_separator else data


def _blank(unknown: re.Match[bytes]) -> bytes:
    kept = unknown[1] or b""
    return kept + NOT_LINE_END.sub(b" ", unknown[0][len(kept) :])


def _is_alone(statement: Node, body: Node) -> bool:
    """Say whether a body holds nothing but the statement and comments."""
    return all(child.id == statement.id or child.type == "comment" for child in body.named_children)


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
