"""TypeScript, and TSX, which needs a grammar of its own: there ``<T>x`` is an element, not a cast."""

from __future__ import annotations

import re

from tree_sitter import Node

from tellapart.extraction.languages.javascript import (
    JSDOC,
    LEXIS,
    NAMES,
    query,
    split_name,
)
from tellapart.extraction.languages.language import Language, part, text
from tellapart.extraction.unit import Parameter

UNKNOWN = re.compile(
    rb"([<,]\s*+(?>/\*(?s:.{0,2000}?)\*/\s*+|//[^\n]*+\s++)*+)(?:in out|in|out)(?=\s+\w+\s*(?:[,>=]|extends))"
    rb"|\bimport\(\s*[\"'][^\"'\n]*[\"']\s*\)\.(?=[\w$.]+\[)"
)
SIGNATURE = re.compile(
    rb"([\w>\]})\"'](?>\s*+(?:/\*(?s:.{0,2000}?)\*/|//[^\n]{0,2000}\n)){0,8}\s*\n[ \t]*)[ \t](?=[<(])"
)
TYPED_QUERY = (
    query("public_field_definition name", "return_type: (_)? @return")
    + """
(abstract_class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(internal_module name: (_) @name body: (_)) @scope
(module name: (_) @name body: (_)) @scope
"""
)
TYPED_NAMES = (
    NAMES
    + """
(type_alias_declaration name: (_) @defined)
(function_signature name: (_) @defined)
(method_signature name: (_) @defined)
(abstract_method_signature name: (_) @defined)
(property_signature name: (property_identifier) @defined)
(public_field_definition name: (property_identifier) @defined)
"""
)


def parameters(node: Node) -> tuple[Parameter, ...]:
    """Read a parameter list, or the one name in front of an arrow; a pattern's name is the pattern."""
    if node.type == "identifier":
        return (Parameter(text(node)),)
    return tuple(_parameter(child) for child in node.named_children if child.type != "comment")


def _parameter(node: Node) -> Parameter:
    annotation = part(node, "type")
    return Parameter(
        name=part(node, "pattern") or text(node),
        type=annotation.removeprefix(":").strip() if annotation else None,
        default=part(node, "value"),
    )


LANGUAGES = tuple(
    Language(
        name="typescript",
        extensions=extensions,
        grammar=f"tree_sitter_typescript.language_{dialect}",
        query=TYPED_QUERY,
        lexis=LEXIS,
        parameters=parameters,
        receivers=frozenset({"this"}),
        doc_comment=JSDOC,
        split_name=split_name,
        unknown_syntax=UNKNOWN,
        missing_separator=SIGNATURE,
        names=TYPED_NAMES,
    )
    for extensions, dialect in (((".ts", ".mts", ".cts"), "typescript"), ((".tsx",), "tsx"))
)
