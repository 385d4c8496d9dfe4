"""From a syntax tree to the definitions in it, each with the names of what encloses it.

A query finds everything in one pass; which definition lies in which follows from byte ranges in source
order, because asking a tree for parents and siblings is slow and recursion would overflow on deep files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import tree_sitter

from tellapart.extraction.exceptions import text
from tellapart.extraction.languages import Language
from tellapart.extraction.unit import UnitType

if TYPE_CHECKING:
    from tree_sitter import Node

UNIT_KINDS = frozenset({"function", "method", "class"})
CLASS_LIKE = frozenset({"class", "scope.class"})
RUBBLE = 20_000
KINDS = ("unknown", "function", "method", "class", "scope", "scope.class", "scope.rest", "wrapper")

Captures = Mapping[str, "list[Node]"]


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, method or class with a body; its own name is the last.

    Its node includes the wrappers that it alone fills: export, decorators, template.
    """

    node: Node
    type: UnitType
    names: tuple[str, ...]
    captures: Captures

    def part(self, name: str) -> Node | None:
        """Return one captured part."""
        nodes = self.captures.get(name)
        return nodes[0] if nodes else None


@dataclass(frozen=True)
class Outline:
    """What the query found in one file, in source order; ``macros`` name bodies that only they explain."""

    definitions: tuple[Definition, ...] = ()
    comments: Sequence[Node] = ()
    attributes: Sequence[Node] = ()
    macros: Sequence[Sequence[Node]] = ()


@dataclass(slots=True)
class _Scope:
    """A range while it is open."""

    kind: str
    node: Node
    end: int
    names: tuple[str, ...]
    filled: bool = False


def outline(tree: tree_sitter.Tree, language: Language, data: bytes) -> Outline:
    """Find the definitions of one file."""
    if is_rubble(tree.root_node):
        return Outline()
    # By range: the outer sorts before the inner, a wrapper before what fills it.
    ranges: dict[tuple[int, int, int], Captures] = {}
    comments: list[Node] = []
    attributes: list[Node] = []
    for _, captures in tree_sitter.QueryCursor(language.compiled_query).matches(tree.root_node):
        if "comment" in captures:
            comments += captures["comment"]
        elif "attribute" in captures:
            attributes += captures["attribute"]
        else:
            kind = next(kind for kind in KINDS if kind in captures)
            node = captures[kind][0]
            ranges[node.start_byte, -node.end_byte, -KINDS.index(kind)] = captures
    macros: list[Sequence[Node]] = []
    definitions = tuple(_nest(ranges, language, data, macros))
    return Outline(definitions, comments, attributes, macros)


def is_rubble(root: Node) -> bool:
    """Say whether a file is mostly stray punctuation: a query's time grows with the square of its length."""
    if not root.has_error:
        return False
    errors = [node for node in (root, *root.children) if node.is_error and node.child_count > RUBBLE]
    return any(node.named_child_count * 100 < node.child_count for node in errors)


def _nest(
    ranges: Mapping[tuple[int, int, int], Captures],
    language: Language,
    data: bytes,
    macros: list[Sequence[Node]],
) -> Iterator[Definition]:
    """Walk over the ranges in source order with the open ones on a stack."""
    stack: list[_Scope] = []
    for start, negative_end, negative_kind in sorted(ranges):
        captures = ranges[start, negative_end, negative_kind]
        kind, end = KINDS[-negative_kind], -negative_end
        node = captures[kind][0]
        while stack and stack[-1].end <= start:
            stack.pop()
        outer = stack[-1].names if stack else ()
        if kind == "unknown":
            # A function itself lies on the stack, and statements in it are no definitions.
            if not any(scope.kind in ("function", "method") for scope in stack):
                macros.append(captures["name"])
            continue
        if kind == "wrapper":
            stack.append(_Scope(kind, node, end, outer))
            continue
        names = _own_names(captures, language)
        if kind == "scope.rest":
            stack, outer, end = [], (), len(data)
        elif kind in UNIT_KINDS:
            whole, unit_type = _wrapped(node, stack, data), _unit_type(kind, names, stack)
            yield Definition(whole, unit_type, (*outer, *names), captures)
        stack.append(_Scope(kind, node, end, (*outer, *names)))


def _own_names(captures: Captures, language: Language) -> tuple[str, ...]:
    """Return the owners that a definition names, and its own name."""
    owner, name = captures.get("owner"), captures.get("name")
    owners = language.split_name(text(owner[0])) if owner else ()
    return (*owners, *(language.split_name(text(name[0])) if name else ("default",)))


def _unit_type(kind: str, names: tuple[str, ...], stack: list[_Scope]) -> UnitType:
    """Tell methods from functions; a function that names its owner is a method."""
    if kind == "class":
        return "class"
    enclosing = next((scope.kind for scope in reversed(stack) if scope.kind != "wrapper"), "")
    return "method" if kind == "method" or len(names) > 1 or enclosing in CLASS_LIKE else "function"


def _wrapped(node: Node, stack: list[_Scope], data: bytes) -> Node:
    """Return the outermost wrapper that a definition is alone in, or its own node."""
    whole = node
    for scope in reversed(stack):
        if scope.kind != "wrapper" or scope.filled:
            break
        scope.filled = True
        if data[whole.end_byte : scope.end].strip(b"; \r\n\t"):
            break
        whole = scope.node
    return whole
