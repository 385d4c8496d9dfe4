"""What extraction needs to know of a language; every module beside this one describes one.

A description names its languages in ``LANGUAGES``. Its query captures, once for each definition:

    @function @method @class    the definition itself; a @function inside a class-like scope is a method
    @scope @scope.class         something that only lends its name (a namespace), or makes methods (an impl)
    @scope.rest                 the same, for all that follows in the file
    @name @parameters @body     parts of the definition; one without a name is called "default"
    @return @return.to_name     the return type; the second runs on to the name, as in C
    @stop                       where the header ends, if before the body
    @owner                      a type named outside the definition's own scope, as Go's receivers
    @wrapper                    what belongs to the definition that fills it: export, const, template
    @attribute @comment         decorators and annotations; comments
    @unknown                    a body with a macro for a header, counted outside functions by its @name
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module

import tree_sitter
from tree_sitter import Node

from tellapart.extraction.unit import Parameter


def whole_name(name: str) -> tuple[str, ...]:
    """Take a name as it is."""
    return (name,)


SLASH_COMMENTS = r"//[^\n]*|/\*.*?\*/"
QUOTED = r"""(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
BACKQUOTED = r"`(?:\\.|[^`\\])*`"


@dataclass(frozen=True)
class Lexis:
    """The tokens in which languages differ, for finding copies.

    Attributes:
        string: Regular expression of a string or character literal; ``.`` matches line ends.
        comment: Regular expression of a comment.
        words: Reserved words that the grammar has no token of its own for: constants, built-in types.
    """

    string: str = QUOTED
    comment: str = SLASH_COMMENTS
    words: frozenset[str] = frozenset({"true", "false", "null", "this", "super"})


@dataclass(frozen=True, eq=False)
class Language:
    """One language, or one dialect of it with a grammar of its own.

    Attributes:
        name: What ``Unit.language`` says.
        extensions: File name endings, dot included, lower case.
        grammar: Module and function of the grammar; imported only when a file needs it.
        query: tree-sitter query with the captures listed above.
        lexis: Its comments, literals and reserved words.
        parameters: Reads the ``@parameters`` node, receivers included.
        receivers: Names of a first parameter that stands for the object itself; it is left out.
        doc_comment: What a comment in front of a definition starts with to document it; None if none does.
        plain_doc: Takes the markup out of a doc comment.
        docstring: Finds the docstring statement in a ``@body``, and its text; None if the language has none.
        split_name: Cuts a written name into its owners and itself: ``A::f`` into ``("A", "f")``.
        claim: Where several languages share an extension: the file is this language's only if this is found.
        unknown_syntax: What the grammar does not know; a file that does not parse is parsed again with this
            blanked out (except its first group), and the better of the two parses counts.
        missing_separator: A blank before what the grammar wrongly takes for a continuation of the line above;
            the first group stands before it. A file that does not parse is tried with a semicolon there.
        declared_encoding: Reads the encoding that a file which is not UTF-8 declares (PEP 263), or raises
            SyntaxError.
        names: tree-sitter query of names (``@defined``) that are defined without being units: constants,
            types, attributes, declarations.
    """

    name: str
    extensions: tuple[str, ...]
    grammar: str
    query: str
    lexis: Lexis
    parameters: Callable[[Node], tuple[Parameter, ...]]
    receivers: frozenset[str] = frozenset()
    doc_comment: re.Pattern[str] | None = None
    plain_doc: Callable[[str], str] = str
    docstring: Callable[[Node], tuple[Node, str | None] | None] | None = None
    split_name: Callable[[str], tuple[str, ...]] = whole_name
    claim: re.Pattern[bytes] | None = None
    unknown_syntax: re.Pattern[bytes] | None = None
    missing_separator: re.Pattern[bytes] | None = None
    declared_encoding: Callable[[bytes], str] | None = None
    names: str = ""

    @cached_property
    def parser(self) -> tree_sitter.Parser:
        """The parser, made at first use."""
        return tree_sitter.Parser(self.loaded)

    @cached_property
    def compiled_query(self) -> tree_sitter.Query:
        """The query, compiled at first use."""
        return tree_sitter.Query(self.loaded, self.query)

    @cached_property
    def reserved_words(self) -> frozenset[str]:
        """Words that are no identifiers: the grammar's own, and those of the lexis."""
        grammar = self.loaded
        literal = (
            grammar.node_kind_for_id(kind)
            for kind in range(1, grammar.node_kind_count)
            if grammar.node_kind_is_visible(kind) and not grammar.node_kind_is_named(kind)
        )
        return self.lexis.words | {word for word in literal if word and word.isalpha()}

    @cached_property
    def loaded(self) -> tree_sitter.Language:
        """The grammar, loaded at first use."""
        module, _, function = self.grammar.rpartition(".")
        return tree_sitter.Language(getattr(import_module(module), function)())


def text(node: Node) -> str:
    """Return a node's source on one line, runs of white space made one space."""
    return " ".join((node.text or b"").decode().split())


def part(node: Node, field: str | None) -> str | None:
    """Return the text of a node's field, or None where it has none."""
    child = node.child_by_field_name(field) if field else None
    return text(child) if child else None


@dataclass(frozen=True)
class Shape:
    """The fields in which one kind of parameter keeps its parts; without a name field it is all name."""

    name: str | None = None
    type: str | None = None
    default: str | None = None

    def read(self, node: Node) -> Parameter:
        """Read one parameter."""
        return Parameter(part(node, self.name) or text(node), part(node, self.type), part(node, self.default))


def parameters_by_shape(shapes: Mapping[str, Shape]) -> Callable[[Node], tuple[Parameter, ...]]:
    """Make a reader of parameter lists from the kinds of node that are parameters."""

    def read(node: Node) -> tuple[Parameter, ...]:
        children = [(shapes.get(child.type), child) for child in node.named_children]
        return tuple(shape.read(child) for shape, child in children if shape)

    return read
