"""Python: the docstring is in the body, decorators wrap the definition."""

from __future__ import annotations

import ast
import inspect
import re
import tokenize
import warnings
from io import BytesIO

from tree_sitter import Node

from tellapart.extraction.languages.language import QUOTED, Language, Lexis, part, text
from tellapart.extraction.unit import Parameter

QUERY = """
(function_definition
  name: (_) @name parameters: (_) @parameters return_type: (_)? @return body: (_) @body) @function
(class_definition name: (_) @name body: (_) @body) @class
(decorated_definition) @wrapper
(decorator) @attribute
(comment) @comment
"""

TRIPLE_QUOTED = r"""(?:"{3}(?:\\.|[^\\])*?"{3}|'{3}(?:\\.|[^\\])*?'{3})"""
LEXIS = Lexis(
    string=rf"(?:[rbfuRBFU]{{1,2}}(?=[\"']))?(?:{TRIPLE_QUOTED}|{QUOTED})",
    comment=r"#[^\n]*",
    words=frozenset({"True", "False", "None"}),
)
PLAIN = re.compile(r"""[rRuU]?(\"{3}|'{3}|["'])((?:(?!\1)[^\\])*)\1""")
NOT_PARAMETERS = {"comment", "keyword_separator", "positional_separator"}

NAMES = """
(module (expression_statement (assignment left: (identifier) @defined)))
(class_definition body: (block (expression_statement (assignment left: (identifier) @defined))))
"""


def parameters(node: Node) -> tuple[Parameter, ...]:
    """Read a parameter list; stars stay with the name, ``*`` and ``/`` alone are no parameters."""
    return tuple(_parameter(child) for child in node.named_children if child.type not in NOT_PARAMETERS)


def _parameter(node: Node) -> Parameter:
    if node.type == "typed_parameter":
        named = node.named_child(0)
        return Parameter(text(named) if named else text(node), part(node, "type"))
    return Parameter(part(node, "name") or text(node), part(node, "type"), part(node, "value"))


def declared_encoding(data: bytes) -> str:
    """Read the encoding cookie in the first two lines."""
    return tokenize.detect_encoding(BytesIO(data).readline)[0]


def docstring(body: Node) -> tuple[Node, str | None] | None:
    """Find the docstring of a function or class."""
    statement = next((child for child in body.named_children if child.type != "comment"), None)
    if statement is None or statement.type != "expression_statement" or statement.named_child_count != 1:
        return None
    string = statement.named_child(0)
    if string is None or string.type not in ("string", "concatenated_string"):
        return None
    value = _value((string.text or b"").decode())
    return None if value is None else (statement, inspect.cleandoc(value).strip() or None)


def _value(literal: str) -> str | None:
    """Evaluate a string literal; None for bytes and f-strings, which are no docstrings."""
    if plain := PLAIN.fullmatch(literal):
        return plain[2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = ast.literal_eval(literal)
        except (SyntaxError, ValueError):
            return None
    return value if isinstance(value, str) else None


LANGUAGES = (
    Language(
        name="python",
        extensions=(".py", ".pyw"),
        grammar="tree_sitter_python.language",
        query=QUERY,
        lexis=LEXIS,
        parameters=parameters,
        receivers=frozenset({"self", "cls"}),
        docstring=docstring,
        declared_encoding=declared_encoding,
        names=NAMES,
    ),
)
