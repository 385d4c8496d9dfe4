"""Cut the units out of one file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tellapart.contrastive.comments import Lead, Marks
from tellapart.contrastive.definitions import Definition, outline
from tellapart.contrastive.languages import Language
from tellapart.contrastive.languages.language import text
from tellapart.contrastive.reading import Unusable
from tellapart.contrastive.skipped import Tally
from tellapart.contrastive.unit import Parameter, Unit

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_DEPTH = 50
HEADER_END = re.compile(r"\s*(?::|=>|=|,)?$")
REST_OF_LINE = re.compile(rb"[ \t]*(?:#[^\n]*)?(?:\n|$)")
NEXT_STATEMENT = re.compile(rb"[ \t]*;?[ \t]*")


class Cutter:
    """One file, while its definitions are made into units."""

    def __init__(self, path: str, data: bytes, language: Language, tally: Tally) -> None:
        self._path = path
        self._data = data
        self._language = language
        self._tally = tally
        self._tree = language.parser.parse(data)
        self._found = outline(self._tree, language, data)
        self._marks = Marks(self._found, data)

    def units(self, min_lines: int, max_lines: int) -> Iterator[Unit]:
        """Yield the units in source order and count what is left out.

        Raises:
            Unusable: The file does not parse and no definition in it is whole.
        """
        intact = 0
        for definition in self._found.definitions:
            if definition.node.has_error:
                self._skip("syntax error", definition)
                continue
            intact += 1
            lead = self._lead(definition.node)
            lines = definition.node.end_point.row - lead.row + 1
            if lines < min_lines:
                self._skip("too short", definition)
            elif lines > max_lines:
                self._skip("too long", definition)
            elif len(definition.names) > MAX_DEPTH:
                self._skip("too deep", definition)
            elif unit := self._unit(definition, lead):
                yield unit
            else:
                self._skip("no body", definition)
        if not intact and self._tree.root_node.has_error:
            raise Unusable("unparsable")

    def _skip(self, cause: str, definition: Definition) -> None:
        self._tally.add(cause, f"{self._path}:{definition.node.start_point.row + 1}")

    def _lead(self, node: Node) -> Lead:
        if self._language.doc_comment:
            return self._marks.before(node, self._language)
        return Lead(node.start_byte, node.start_point.row, None)

    def _unit(self, definition: Definition, lead: Lead) -> Unit | None:
        """Cut one unit out; None if its body is nothing but a docstring."""
        body, end = definition.part("body"), definition.node.end_byte
        source, docstring = self._data[lead.start : end], lead.docstring
        if body and self._language.docstring and (found := self._language.docstring(body)):
            statement, docstring = found
            if _is_alone(statement, body):
                return None
            first, last = self._lines_of(statement)
            source = self._data[lead.start : first] + self._data[last:end]
        content = self._moved_left(source, lead.start)
        names = ".".join(definition.names)
        return Unit(
            id=f"{self._path}::{names}#{hashlib.sha256(content.encode()).hexdigest()[:8]}",
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

    def _lines_of(self, statement: Node) -> tuple[int, int]:
        """Return the range to remove with a statement: its lines, or itself where it shares them."""
        line_start = self._data.rfind(b"\n", 0, statement.start_byte) + 1
        rest = REST_OF_LINE.match(self._data, statement.end_byte)
        if rest and not self._data[line_start : statement.start_byte].strip():
            return line_start, rest.end()
        following = NEXT_STATEMENT.match(self._data, statement.end_byte)
        return statement.start_byte, following.end() if following else statement.end_byte

    def _moved_left(self, source: bytes, start: int) -> str:
        """Take the first line's indent from every line that has it."""
        margin = self._data[self._data.rfind(b"\n", 0, start) + 1 : start]
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
            return text(declared).removeprefix(":").strip()
        start, name = definition.part("return.to_name"), definition.part("name")
        if start and name:
            return " ".join(self._data[start.start_byte : name.start_byte].decode().split())
        return None


def _is_alone(statement: Node, body: Node) -> bool:
    """Say whether a body holds nothing but the statement and comments."""
    return all(child.id == statement.id or child.type == "comment" for child in body.named_children)
