"""Rust: attributes are siblings in front of an item, an impl block makes methods of a type elsewhere."""

from __future__ import annotations

import re

from tellapart.extraction.languages.language import Language, Lexis, Shape, parameters_by_shape

QUERY = """
(function_item
  name: (_) @name parameters: (_) @parameters return_type: (_)? @return body: (_) @body) @function
(struct_item name: (_) @name body: (_) @body) @class
(enum_item name: (_) @name body: (_) @body) @class
(union_item name: (_) @name body: (_) @body) @class
(trait_item name: (_) @name body: (_) @body) @class
(impl_item type: (_) @name) @scope.class
(mod_item name: (_) @name body: (_)) @scope
(attribute_item) @attribute
(line_comment) @comment
(block_comment) @comment
"""
BUILT_IN = (
    "true false self Self super crate bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize "
    "f32 f64"
)
LITERALS = r"""(?:b?r\#".*?"\#|b?r".*?"|b?"(?:\\.|[^"\\])*"|b?'(?:\\[^']+|[^'\\])')"""
NOT_NAME = re.compile(r"<.{0,2000}>|&|'\w+ |\b(?:dyn|mut) ")

NAMES = """
(const_item name: (_) @defined)
(static_item name: (_) @defined)
(type_item name: (_) @defined)
(struct_item name: (_) @defined)
(macro_definition name: (_) @defined)
(function_signature_item name: (_) @defined)
(field_declaration name: (_) @defined)
(enum_variant name: (_) @defined)
"""


def split_name(name: str) -> tuple[str, ...]:
    """Cut ``a::S<T>`` into ``("a", "S")``: type parameters, references and lifetimes are dropped."""
    return tuple(NOT_NAME.sub("", name).split("::"))


LANGUAGES = (
    Language(
        name="rust",
        extensions=(".rs",),
        grammar="tree_sitter_rust.language",
        query=QUERY,
        lexis=Lexis(string=LITERALS, words=frozenset(BUILT_IN.split())),
        parameters=parameters_by_shape(
            {"parameter": Shape(name="pattern", type="type"), "variadic_parameter": Shape()}
        ),
        receivers=frozenset({"self"}),
        doc_comment=re.compile(r"///(?!/)|/\*\*(?![*/])"),
        split_name=split_name,
        names=NAMES,
    ),
)
