"""Kotlin: the grammar names few fields, so the query goes by neighbours."""

from __future__ import annotations

import re

from tree_sitter import Node

from tellapart.extraction.languages.language import QUOTED, Language, Lexis, text
from tellapart.extraction.unit import Parameter

TYPE = "[(user_type) (nullable_type) (function_type) (non_nullable_type) (parenthesized_type)]"
QUERY = """
(function_declaration
  TYPE? @owner . name: (_) @name (function_value_parameters) @parameters . TYPE? @return
  (function_body) @body) @function
(secondary_constructor "constructor" @name (function_value_parameters) @parameters (block) @body) @method
(class_declaration name: (_) @name [(class_body) (enum_class_body)] @body) @class
(object_declaration name: (_) @name (class_body) @body) @class
(companion_object "companion" @name (class_body) @body) @class
(annotation) @attribute
(line_comment) @comment
(block_comment) @comment
""".replace("TYPE", TYPE)
NOT_NAME = re.compile(r"<.{0,2000}>|\?")

NAMES = """
(class_declaration name: (_) @defined)
(object_declaration name: (_) @defined)
(function_declaration name: (_) @defined)
(property_declaration (variable_declaration (identifier) @defined))
(class_parameter (identifier) @defined)
(type_alias type: (_) @defined)
"""


def parameters(node: Node) -> tuple[Parameter, ...]:
    """Read a parameter list: modifiers stand before a parameter, its default after it."""
    declared: list[Parameter] = []
    modifiers = ""
    for child in node.named_children:
        if child.type == "parameter_modifiers":
            modifiers = f"{text(child)} "
        elif child.type == "parameter":
            name, *rest = child.named_children
            declared.append(Parameter(text(name), modifiers + text(rest[-1]) if rest else None))
            modifiers = ""
        elif declared and "comment" not in child.type:
            last = declared.pop()
            declared.append(Parameter(last.name, last.type, text(child)))
    return tuple(declared)


def split_name(name: str) -> tuple[str, ...]:
    """Take type parameters and the question mark off an extension's receiver."""
    return (NOT_NAME.sub("", name).strip("`"),)


LANGUAGES = (
    Language(
        name="kotlin",
        extensions=(".kt", ".kts"),
        grammar="tree_sitter_kotlin.language",
        query=QUERY,
        lexis=Lexis(string=rf'(?:"{{3}}.*?"{{3}}|{QUOTED})'),
        parameters=parameters,
        doc_comment=re.compile(r"/\*\*(?!/)"),
        split_name=split_name,
        names=NAMES,
    ),
)
