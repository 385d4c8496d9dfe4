"""Ruby: comments document, modules and singleton classes make methods."""

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
(method name: (_) @name parameters: (_)? @parameters body: (_) @body) @function
(singleton_method object: (_) @owner name: (_) @name parameters: (_)? @parameters body: (_) @body) @method
(class name: (_) @name body: (_) @body) @class
(module name: (_) @name) @scope.class
(singleton_class value: (_) @name) @scope.class
(assignment left: (constant) @name right: (call block: (do_block))) @scope.class
(comment) @comment
"""

NAMES = """
(method name: (_) @defined)
(class name: (constant) @defined)
(assignment left: (constant) @defined)
(call
  !receiver method: (identifier) @call arguments: (argument_list (simple_symbol) @defined)
  (#any-of? @call
    "attr_reader" "attr_accessor" "attr_writer" "scope" "has_many" "has_one" "belongs_to" "define_method"))
"""


def parameters(node: Node) -> tuple[Parameter, ...]:
    """Read a parameter list; stars and ampersands stay with the name."""
    return tuple(_parameter(child) for child in node.named_children if child.type != "comment")


def _parameter(node: Node) -> Parameter:
    named = node.type in ("optional_parameter", "keyword_parameter")
    return Parameter((part(node, "name") if named else None) or text(node), None, part(node, "value"))


def split_name(name: str) -> tuple[str, ...]:
    """Cut ``A::B`` in two; ``self`` is the class around it and adds nothing."""
    return tuple(piece for piece in name.split("::") if piece not in ("self", ""))


LANGUAGES = (
    Language(
        name="ruby",
        extensions=(".rb", ".rake"),
        grammar="tree_sitter_ruby.language",
        query=QUERY,
        lexis=Lexis(
            string=f"(?:{QUOTED}|{BACKQUOTED})",
            comment=r"#[^\n]*|(?<![^\n])=begin\b.*?\n=end\b",
            words=frozenset({"true", "false", "nil", "self", "super"}),
        ),
        parameters=parameters,
        doc_comment=re.compile(
            r"#(?!!| *(?:rubocop:|frozen_string_literal:|encoding:|typed:|:nodoc:))|=begin"
        ),
        split_name=split_name,
        names=NAMES,
    ),
)
