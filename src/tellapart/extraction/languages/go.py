"""Go: a method names its owner in the receiver, which is no parameter."""

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
(function_declaration
  name: (_) @name parameters: (_) @parameters result: (_)? @return body: (_) @body) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (_) @name parameters: (_) @parameters result: (_)? @return body: (_) @body) @method
(var_spec
  name: (identifier) @name
  value: (expression_list
    (func_literal parameters: (_) @parameters result: (_)? @return body: (_) @body))) @function
(type_spec
  name: (_) @name
  type: [(struct_type (field_declaration_list) @body) (interface_type "{" @body)]) @class
(type_declaration) @wrapper
(var_declaration) @wrapper
(comment) @comment
"""
BUILT_IN = (
    "true false nil iota any bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 "
    "rune string uint uint8 uint16 uint32 uint64 uintptr"
)
NOT_NAME = re.compile(r"\[.{0,2000}\]|[*() ]")

NAMES = """
(const_spec name: (_) @defined)
(source_file (var_declaration (var_spec name: (_) @defined)))
(type_spec name: (_) @defined)
(type_alias name: (_) @defined)
(field_declaration name: (_) @defined)
(method_elem name: (_) @defined)
"""


def parameters(node: Node) -> tuple[Parameter, ...]:
    """Read a parameter list: ``a, b int`` is two parameters, and one without a name has an empty name."""
    declared: list[Parameter] = []
    for child in node.named_children:
        if child.type not in ("parameter_declaration", "variadic_parameter_declaration"):
            continue
        dots = "..." if child.type == "variadic_parameter_declaration" else ""
        written = f"{dots}{part(child, 'type')}"
        names = [text(name) for name in child.children_by_field_name("name")]
        declared += [Parameter(name, written) for name in names or [""]]
    return tuple(declared)


def split_name(name: str) -> tuple[str, ...]:
    """Take pointer and type parameters off a receiver's type."""
    return (NOT_NAME.sub("", name),)


LANGUAGES = (
    Language(
        name="go",
        extensions=(".go",),
        grammar="tree_sitter_go.language",
        query=QUERY,
        lexis=Lexis(string=f"(?:{QUOTED}|{BACKQUOTED})", words=frozenset(BUILT_IN.split())),
        parameters=parameters,
        doc_comment=re.compile(r"//(?!go:|nolint|\s*\+build|line )|/\*"),
        split_name=split_name,
        names=NAMES,
    ),
)
