"""PHP: a namespace without braces holds for the rest of the file."""

from __future__ import annotations

import re

from tellapart.extraction.languages.language import (
    BACKQUOTED,
    QUOTED,
    Language,
    Lexis,
    Shape,
    parameters_by_shape,
)

QUERY = """
(function_definition
  name: (_) @name parameters: (_) @parameters return_type: (_)? @return body: (_) @body) @function
(method_declaration
  name: (_) @name parameters: (_) @parameters return_type: (_)? @return body: (_) @body) @method
(assignment_expression
  left: (variable_name) @name
  right: (anonymous_function parameters: (_) @parameters return_type: (_)? @return body: (_) @body)) @function
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @class
(trait_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(namespace_definition name: (_) @name body: (_)) @scope
(namespace_definition name: (_) @name !body) @scope.rest
(attribute_list) @attribute
(comment) @comment
"""
BUILT_IN = (
    "true false null TRUE FALSE NULL this self parent static array bool callable float int iterable mixed "
    "never object string void"
)
PARAMETER = Shape(name="name", type="type", default="default_value")

NAMES = """
(method_declaration name: (_) @defined)
(const_element (name) @defined)
(property_element name: (variable_name (name) @defined))
(enum_case name: (_) @defined)
"""


def split_name(name: str) -> tuple[str, ...]:
    r"""Cut ``A\B`` in two, and take the dollar off a variable."""
    return tuple(name.removeprefix("$").split("\\"))


LANGUAGES = (
    Language(
        name="php",
        extensions=(".php", ".phtml"),
        grammar="tree_sitter_php.language_php",
        query=QUERY,
        lexis=Lexis(
            string=f"(?:{QUOTED}|{BACKQUOTED})",
            comment=r"//[^\n]*|#(?!\[)[^\n]*|/\*.*?\*/",
            words=frozenset(BUILT_IN.split()),
        ),
        parameters=parameters_by_shape(
            {
                "simple_parameter": PARAMETER,
                "property_promotion_parameter": PARAMETER,
                "variadic_parameter": PARAMETER,
            }
        ),
        doc_comment=re.compile(r"/\*\*(?!/)"),
        split_name=split_name,
        names=NAMES,
    ),
)
