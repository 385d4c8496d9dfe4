"""Java: annotations belong to a declaration's modifiers; anonymous classes and constants have methods."""

from __future__ import annotations

import re

from tree_sitter import Node

from tellapart.extraction.languages.language import QUOTED, Language, Lexis, part, text
from tellapart.extraction.unit import Parameter

QUERY = """
(method_declaration type: (_) @return name: (_) @name parameters: (_) @parameters body: (_) @body) @method
(constructor_declaration name: (_) @name parameters: (_) @parameters body: (_) @body) @method
(compact_constructor_declaration name: (_) @name body: (_) @body) @method
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(record_declaration name: (_) @name body: (_) @body) @class
(annotation_type_declaration name: (_) @name body: (_) @body) @class
(enum_constant name: (_) @name body: (_)) @scope.class
(object_creation_expression type: (_) @name (class_body)) @scope.class
(annotation) @attribute
(marker_annotation) @attribute
(line_comment) @comment
(block_comment) @comment
"""

NAMES = """
(method_declaration name: (_) @defined)
(field_declaration declarator: (variable_declarator name: (_) @defined))
(constant_declaration declarator: (variable_declarator name: (_) @defined))
(enum_constant name: (_) @defined)
"""


def parameters(node: Node) -> tuple[Parameter, ...]:
    """Read a parameter list; dots and dimensions go with the type, modifiers are left out."""
    kinds = ("formal_parameter", "spread_parameter")
    return tuple(_parameter(child) for child in node.named_children if child.type in kinds)


def _parameter(node: Node) -> Parameter:
    if node.type == "formal_parameter":
        return Parameter(part(node, "name") or "", f"{part(node, 'type')}{part(node, 'dimensions') or ''}")
    written, declarator = (
        child for child in node.named_children if child.type not in ("modifiers", "comment")
    )
    return Parameter(text(declarator), f"{text(written)}...")


LANGUAGES = (
    Language(
        name="java",
        extensions=(".java",),
        grammar="tree_sitter_java.language",
        query=QUERY,
        lexis=Lexis(string=rf'(?:"{{3}}(?:\\.|[^\\])*?"{{3}}|{QUOTED})'),
        parameters=parameters,
        doc_comment=re.compile(r"/\*\*(?!/)"),
        names=NAMES,
    ),
)
