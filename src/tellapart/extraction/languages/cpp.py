"""C++: what C has, classes, templates, namespaces, names with owners (all look like methods)."""

from __future__ import annotations

import re
from dataclasses import replace

from tellapart.extraction.languages.c import (
    BUILT_IN,
    COMMENT,
    MACRO,
    NAMES,
    QUERY,
    filled,
    parameters,
    under_pointers,
)
from tellapart.extraction.languages.language import QUOTED, Language, Lexis

DECLARATOR = """(function_declarator
  declarator: (_) @name parameters: (_) @parameters (trailing_return_type (_) @return)?)"""
MORE = """
(function_definition
  !type declarator: DECLARATOR (field_initializer_list)? @stop body: (_) @body NAMED) @function
(function_definition
  declarator: (operator_cast
    type: (_) @return declarator: (abstract_function_declarator parameters: (_) @parameters)) @name
  body: (_) @body) @function
(class_specifier name: (_) @name body: (_) @body) @class
(namespace_definition name: (_) @name) @scope
(template_declaration) @wrapper
(attribute_declaration) @attribute
"""
NAMES_OF_CPP = (
    NAMES
    + """
(field_declaration declarator: (function_declarator declarator: (field_identifier) @defined))
(alias_declaration name: (_) @defined)
"""
)
CLAIM = re.compile(
    rb"^[^\S\n]*(?:class \w|namespace\b|template\s*<|using \w|(?:public|private|protected):)|\bstd::", re.M
)
OPERATOR = re.compile(r"(?<!\w)(operator(?!\w)(?:\(\)|[^(]*))")
ARGUMENTS = re.compile(r"<[^<>]*>")


def split_name(name: str) -> tuple[str, ...]:
    """Cut ``a::C<T>::f`` into ``("a", "C", "f")``; an operator keeps its signs."""
    operator = OPERATOR.search(name)
    owners = name[: operator.start()] if operator else name
    while ARGUMENTS.search(owners):
        owners = ARGUMENTS.sub("", owners)
    names = [owner.strip("() ") for owner in owners.split("::") if owner.strip("() ")]
    return (*names, operator[1].strip()) if operator else tuple(names)


CPP = Language(
    name="cpp",
    extensions=(".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".ipp", ".tpp"),
    grammar="tree_sitter_cpp.language",
    query=filled(
        QUERY + MORE, under_pointers(DECLARATOR, ("pointer_declarator declarator:", "reference_declarator"))
    ),
    lexis=Lexis(string=rf'(?:R"\(.*?\)"|{QUOTED})', words=frozenset(BUILT_IN.split())),
    parameters=parameters,
    doc_comment=COMMENT,
    split_name=split_name,
    unknown_syntax=MACRO,
    names=NAMES_OF_CPP,
)
LANGUAGES = (CPP, replace(CPP, extensions=(".h",), claim=CLAIM))
