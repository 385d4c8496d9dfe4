"""Rust: attributes are siblings in front of an item, an impl block makes methods of a type elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tellapart.extraction.imports import Import, ReferenceSyntax, Targets, files
from tellapart.extraction.languages.language import Language, Lexis, Shape, parameters_by_shape, text

if TYPE_CHECKING:
    from tree_sitter import Node

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
IMPORTS = """
(mod_item name: (_) @module.beside !body)
(extern_crate_declaration name: (_) @module)
(use_declaration argument: (_) @tree)
"""
IDENTIFIERS = ("identifier", "field_identifier", "type_identifier", "shorthand_field_identifier")


def grammar() -> object:
    """Load the grammar."""
    import tree_sitter_rust

    return tree_sitter_rust.language()


def split_name(name: str) -> tuple[str, ...]:
    """Cut ``a::S<T>`` into ``("a", "S")``: type parameters, references and lifetimes are dropped."""
    return tuple(NOT_NAME.sub("", name).split("::"))


def read_use(tree: Node) -> Iterable[Import]:
    """Read ``a::{b, c::{d as e, f::*}}`` as what is imported from ``a``, ``a::c`` and ``a::c::f``."""
    todo: list[tuple[str, Node]] = [("", tree)]
    while todo:
        before, node = todo.pop()
        if node.type == "use_as_clause":
            todo.append((before, node.child_by_field_name("path") or node.named_children[0]))
        elif node.type in ("scoped_use_list", "use_list"):
            path = node.child_by_field_name("path")
            inside = node.child_by_field_name("list") or node
            start = before + (f"{text(path)}::" if path else "")
            todo += [(start, child) for child in reversed(inside.named_children) if child.type != "comment"]
        else:
            written = before + text(node).replace(" ", "")
            module, _, name = written.rpartition("::")
            yield Import(module or name, (name,) if module else ())


def targets(imported: Import) -> Targets:
    """Look for a module's file: in this crate's ``src``, beside the file, or in a crate of the workspace."""
    if imported.beside:
        here = imported.module
        yield files(f"./{here}.rs", f"./{here}/mod.rs", f"./{{stem}}/{here}.rs", f"./{{stem}}/{here}/mod.rs")
        return
    first, *rest = [
        *imported.module.split("::"),
        *(name for name in imported.names if name not in ("*", "self")),
    ]
    starts = {"crate": ("src",), "self": (".", "./{stem}"), "super": ("..", ".")}.get(first)
    starts = starts or (f"{first}/src", f"{first.replace('_', '-')}/src", f"./{first}", f"./{{stem}}/{first}")
    ends = [rest[:length] for length in range(len(rest), -1, -1)]
    paths = ["/".join([start, *end]) for end in ends for start in starts]
    yield files(*(place for path in paths for place in (f"{path}.rs", f"{path}/mod.rs", f"{path}/lib.rs")))


LANGUAGES = (
    Language(
        name="rust",
        extensions=(".rs",),
        grammar=grammar,
        query=QUERY,
        lexis=Lexis(string=LITERALS, words=frozenset(BUILT_IN.split())),
        parameters=parameters_by_shape(
            {"parameter": Shape(name="pattern", type="type"), "variadic_parameter": Shape()}
        ),
        receivers=frozenset({"self"}),
        doc_comment=re.compile(r"///(?!/)|/\*\*(?![*/])"),
        split_name=split_name,
        references=ReferenceSyntax(IDENTIFIERS, NAMES, IMPORTS, read_use, targets),
    ),
)
