"""JavaScript and JSX; also the parts of the query and the names that TypeScript shares."""

from __future__ import annotations

import re

from tree_sitter import Node

from tellapart.extraction.languages.language import (
    BACKQUOTED,
    QUOTED,
    Language,
    Lexis,
    part,
    text,
)
from tellapart.extraction.unit import Parameter

QUERY = """
(function_declaration name: (_) @name HEAD) @function
(generator_function_declaration name: (_) @name HEAD) @function
(method_definition name: (_) @name HEAD) @method
(variable_declarator name: (identifier) @name value: FUNCTION) @function
(assignment_expression left: [(identifier) (member_expression)] @name right: FUNCTION) @function
(export_statement value: FUNCTION) @function
(pair key: (_) @name value: FUNCTION) @method
(FIELD: (_) @name value: FUNCTION) @method
(class_declaration name: (_) @name body: (_) @body) @class
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @class
(assignment_expression left: [(identifier) (member_expression)] @name right: (class body: (_) @body)) @class
(export_statement value: (class body: (_) @body)) @class
(variable_declarator name: (identifier) @name value: (object)) @scope.class
(assignment_expression left: [(identifier) (member_expression)] @name right: (object)) @scope.class
(pair key: (_) @name value: (object)) @scope.class
(export_statement value: (object)) @scope.class
(export_statement) @wrapper
(lexical_declaration) @wrapper
(variable_declaration) @wrapper
(decorator) @attribute
(comment) @comment
"""
FUNCTION = """[
  (arrow_function HEAD)
  (arrow_function parameter: (_) @parameters body: (_) @body)
  (function_expression HEAD)
  (generator_function HEAD)
]"""
LEXIS = Lexis(
    string=f"(?:{QUOTED}|{BACKQUOTED})",
    words=frozenset({"true", "false", "null", "undefined", "this", "super"}),
)
JSDOC = re.compile(r"/\*\*(?!/)")
DOTTED = re.compile(r"[\w$#]+(?:\.[\w$#]+)+")
NOT_OWNERS = {"exports", "module", "prototype", "this"}

NAMES = """
(program (lexical_declaration (variable_declarator name: (identifier) @defined)))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @defined))))
"""


def query(field: str, returns: str = "") -> str:
    """Fill in how a dialect calls a class's fields and a function's return type."""
    head = f"parameters: (_) @parameters {returns} body: (_) @body"
    return QUERY.replace("FUNCTION", FUNCTION).replace("HEAD", head).replace("FIELD", field)


def parameters(node: Node) -> tuple[Parameter, ...]:
    """Read a parameter list, or the one name in front of an arrow; a pattern's name is the pattern."""
    if node.type == "identifier":
        return (Parameter(text(node)),)
    return tuple(_parameter(child) for child in node.named_children if child.type != "comment")


def _parameter(node: Node) -> Parameter:
    return Parameter(part(node, "left") or text(node), None, part(node, "right"))


def split_name(name: str) -> tuple[str, ...]:
    """Name a function by what it is assigned to: ``X.prototype.run`` is X's, ``exports.run`` is nobody's."""
    if not DOTTED.fullmatch(name):
        return (name.strip("\"'"),)
    *owners, last = name.split(".")
    return (*(owner for owner in owners if owner not in NOT_OWNERS), last)


LANGUAGES = (
    Language(
        name="javascript",
        extensions=(".js", ".jsx", ".mjs", ".cjs"),
        grammar="tree_sitter_javascript.language",
        query=query("field_definition property"),
        lexis=LEXIS,
        parameters=parameters,
        doc_comment=JSDOC,
        split_name=split_name,
        names=NAMES,
    ),
)
