"""C; also the declarators that C++ shares.

Any comment in front of a definition documents it. A return type goes from the type's name to the function's,
so it has its pointers, but not a ``const`` in front.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from tellapart.extraction.languages.language import Language, Lexis, part, text
from tellapart.extraction.unit import Parameter

QUERY = """
(function_definition type: (_) @return.to_name declarator: DECLARATOR body: (_) @body NAMED) @function
(struct_specifier name: (_) @name body: (_) @body) @class
(union_specifier name: (_) @name body: (_) @body) @class
(enum_specifier name: (_) @name body: (_) @body) @class
(type_definition
  type: [
    (struct_specifier !name body: (_) @body)
    (union_specifier !name body: (_) @body)
    (enum_specifier !name body: (_) @body)
  ]
  declarator: (type_identifier) @name) @class
(comment) @comment
(function_definition type: (_) @name declarator: (_) @name body: (_)) @unknown
(_ (expression_statement (call_expression function: (identifier) @name)) . (compound_statement) @unknown)
"""
DECLARATOR = "(function_declarator declarator: (_) @name parameters: (_) @parameters)"
STATEMENTS = '(#not-any-of? @name "if" "for" "while" "switch" "catch" "return" "else" "do" "defined")'
POINTERS = 2
BUILT_IN = (
    "true false NULL nullptr this auto bool char double float int long short signed size_t ssize_t "
    "unsigned void int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t"
)
MACRO = re.compile(
    rb"(^[ \t]*#(?:[^\n\\]|\\.)*)"
    rb"|(?<![(,<])(?<![(,<] )\b[A-Z][A-Z0-9_]{2,}\b(?:\([^()\n]*\))?(?=\s+[A-Za-z_~\[])"
    rb"|(?:(?<=\) )|(?<=\) const ))[A-Z][A-Z0-9_]{2,}\b(?=\s*\{)",
    re.MULTILINE | re.DOTALL,
)
COMMENT = re.compile(r"//|/\*")

NAMES = """
(preproc_def name: (_) @defined)
(preproc_function_def name: (_) @defined)
(declaration declarator: DECLARED)
(type_definition declarator: (type_identifier) @defined)
(field_declaration declarator: (field_identifier) @defined)
(enumerator name: (_) @defined)
""".replace(
    "DECLARED",
    "[(function_declarator declarator: (identifier) @defined) "
    "(pointer_declarator declarator: (function_declarator declarator: (identifier) @defined))]",
)


def under_pointers(declarator: str, kinds: tuple[str, ...] = ("pointer_declarator declarator:",)) -> str:
    """Match a declarator below up to two pointers; a query cannot recurse."""
    forms = [declarator]
    level = [declarator]
    for _ in range(POINTERS):
        level = [f"({kind} {inner})" for kind in kinds for inner in level]
        forms += level
    return f"[{' '.join(forms)}]"


def filled(query: str, declarators: str) -> str:
    """Put the declarators in, and leave out statements that a macro can make look like functions."""
    return query.replace("DECLARATOR", declarators).replace("NAMED", STATEMENTS)


def parameters(node: Node) -> tuple[Parameter, ...]:
    """Read a parameter list; a parameter's type is all of it but its name, and ``(void)`` is none."""
    declared = tuple(_parameter(child) for child in node.named_children if child.type != "comment")
    return () if declared == (Parameter("", "void"),) else declared


def _parameter(node: Node) -> Parameter:
    if node.type in ("identifier", "variadic_parameter"):
        return Parameter(text(node))
    name, default = _innermost(node), part(node, "default_value")
    source, start = node.text or b"", node.start_byte
    if name is None:
        return Parameter("", text(node), default)
    end = node.child_by_field_name("declarator")
    before, after = source[: name.start_byte - start], source[name.end_byte - start :]
    if end and default:
        after = source[name.end_byte - start : end.end_byte - start]
    return Parameter(text(name), " ".join((before + after).decode().split()), default)


def _innermost(node: Node) -> Node | None:
    """Climb down the declarators to the name."""
    inner = node.child_by_field_name("declarator")
    while inner and inner.type != "identifier":
        named = inner.named_children
        inner = inner.child_by_field_name("declarator") or (named[-1] if named else None)
    return inner


def split_name(name: str) -> tuple[str, ...]:
    """Take the parentheses off a name that is protected from a macro."""
    return (name.strip("() "),)


LANGUAGES = (
    Language(
        name="c",
        extensions=(".c", ".h"),
        grammar="tree_sitter_c.language",
        query=filled(QUERY, under_pointers(DECLARATOR)),
        lexis=Lexis(words=frozenset(BUILT_IN.split())),
        parameters=parameters,
        doc_comment=COMMENT,
        split_name=split_name,
        unknown_syntax=MACRO,
        names=NAMES,
    ),
)
