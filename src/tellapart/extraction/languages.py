"""What extraction needs to know of a language: a table in ``languages.toml``, and its exceptions."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib import import_module
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any

import tree_sitter
from tree_sitter import Node

from tellapart.extraction import exceptions
from tellapart.extraction.unit import Parameter

QUOTED = r"""(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
BACKQUOTED = r"`(?:\\.|[^`\\])*`"
_SHARED = {
    "string": QUOTED,
    "comment": r"//[^\n]*|/\*.*?\*/",
    "words": "true false null this super",
    "receivers": "",
}


@dataclass(frozen=True, eq=False)
class Language:
    """One language, or one dialect of it with a grammar of its own.

    Attributes:
        name: What ``Unit.language`` says.
        extensions: File name endings, dot included, lower case.
        grammar: Module and function of the grammar; imported only when a file needs it.
        query: tree-sitter query with the captures that ``languages.toml`` lists.
        names: tree-sitter query of names (``@defined``) that are defined without being units: constants,
            types, attributes, declarations.
        string: Regular expression of a string or character literal; ``.`` matches line ends.
        comment: Regular expression of a comment.
        words: Reserved words that the grammar has no token of its own for: constants, built-in types.
        receivers: Names of a first parameter that stands for the object itself; it is left out.
        doc_comment: What a comment in front of a definition starts with to document it; None if none does.
        claim: Where several languages share an extension: the file is this language's only if this is found.
        unknown_syntax: What the grammar does not know; a file that does not parse is parsed again with this
            blanked out (except its first group), and the better of the two parses counts.
        missing_separator: A blank before what the grammar wrongly takes for a continuation of the line above;
            the first group stands before it. A file that does not parse is tried with a semicolon there.
        not_parameters: Kinds of nodes that the grammar, but not the language, takes for parameters.
        parameters: Reads the ``@parameters`` node, receivers included.
        split_name: Cuts a written name into its owners and itself: ``A::f`` into ``("A", "f")``.
        plain_doc: Takes the markup out of a doc comment.
        docstring: Finds the docstring statement in a ``@body``, and its text; None if the language has none.
        declared_encoding: Reads the encoding that a file which is not UTF-8 declares (PEP 263), or raises
            SyntaxError.
    """

    name: str
    extensions: tuple[str, ...]
    grammar: str
    query: str
    names: str
    string: str
    comment: str
    words: frozenset[str]
    receivers: frozenset[str]
    doc_comment: re.Pattern[str] | None
    claim: re.Pattern[bytes] | None
    unknown_syntax: re.Pattern[bytes] | None
    missing_separator: re.Pattern[bytes] | None
    not_parameters: frozenset[str]
    parameters: Callable[[Node], tuple[Parameter, ...]]
    split_name: Callable[[str], tuple[str, ...]]
    plain_doc: Callable[[str], str]
    docstring: Callable[[Node], tuple[Node, str | None] | None] | None
    declared_encoding: Callable[[bytes], str] | None

    @cached_property
    def loaded(self) -> tree_sitter.Language:
        """The grammar, loaded at first use."""
        module, _, function = self.grammar.rpartition(".")
        return tree_sitter.Language(getattr(import_module(module), function)())

    @cached_property
    def parser(self) -> tree_sitter.Parser:
        """The parser, made at first use."""
        return tree_sitter.Parser(self.loaded)

    @cached_property
    def compiled_query(self) -> tree_sitter.Query:
        """The query, compiled at first use."""
        return tree_sitter.Query(self.loaded, self.query)

    @cached_property
    def compiled_names(self) -> tree_sitter.Query:
        """The query of names, compiled at first use."""
        return tree_sitter.Query(self.loaded, self.names)

    @cached_property
    def reserved_words(self) -> frozenset[str]:
        """Words that are no identifiers: the grammar's own, and those of the table."""
        grammar = self.loaded
        literal = (
            grammar.node_kind_for_id(kind)
            for kind in range(1, grammar.node_kind_count)
            if grammar.node_kind_is_visible(kind) and not grammar.node_kind_is_named(kind)
        )
        return self.words | {word for word in literal if word and word.isalpha()}


@cache
def all_languages() -> tuple[Language, ...]:
    """Return every language and dialect, in the order of the table."""
    tables = tomllib.loads(
        files("tellapart.extraction").joinpath("languages.toml").read_text(encoding="utf-8")
    )
    entries: dict[str, dict[str, Any]] = {}
    for key, table in tables.items():
        base = entries.get(table.get("extends", ""), {})
        longer = {name: base.get(name, "") + table.get(name, "") for name in ("query", "names")}
        parts = {**base.get("parts", {}), **table.get("parts", {})}
        entries[key] = {**_SHARED, **base, "name": key, **table, **longer, "parts": parts}
    return tuple(_language(**entry) for entry in entries.values())


def _language(name: str, query: str, parts: Mapping[str, str], **entry: Any) -> Language:
    while (filled := re.sub(r"\b[A-Z]{3,}\b", lambda word: parts.get(word[0], word[0]), query)) != query:
        query = filled
    patterns = {
        key: entry.get(key, ()) for key in ("doc_comment", "claim", "unknown_syntax", "missing_separator")
    }
    joined = {key: value if isinstance(value, str) else "|".join(value) for key, value in patterns.items()}
    shapes = entry.get("parameters")
    return Language(
        name=name,
        extensions=tuple(entry["extensions"]),
        grammar=entry["grammar"],
        query=query,
        names=entry["names"],
        string=entry["string"].replace("BACKQUOTED", BACKQUOTED).replace("QUOTED", QUOTED),
        comment=entry["comment"],
        words=frozenset(entry["words"].split()),
        receivers=frozenset(entry["receivers"].split()),
        not_parameters=frozenset(entry.get("not_parameters", "").split()),
        doc_comment=re.compile(joined["doc_comment"]) if joined["doc_comment"] else None,
        parameters=partial(exceptions.parameters_by_shape, shapes) if shapes else exceptions.PARAMETERS[name],
        split_name=exceptions.SPLIT_NAME.get(name, exceptions.whole_name),
        plain_doc=exceptions.PLAIN_DOC.get(name, str),
        docstring=exceptions.DOCSTRING.get(name),
        declared_encoding=exceptions.DECLARED_ENCODING.get(name),
        **{
            key: re.compile(joined[key].encode()) if joined[key] else None
            for key in ("claim", "unknown_syntax", "missing_separator")
        },
    )


@cache
def _by_extension() -> dict[str, tuple[Language, ...]]:
    table: dict[str, tuple[Language, ...]] = {}
    for language in sorted(all_languages(), key=lambda language: language.claim is None):
        for extension in language.extensions:
            table[extension] = (*table.get(extension, ()), language)
    return table


def candidates(path: str) -> tuple[Language, ...]:
    """Return the languages that use the file's extension (any case), those with a claim to prove first."""
    return _by_extension().get(PurePosixPath(path).suffix.lower(), ())


def language_of(path: str, data: bytes = b"") -> Language | None:
    """Say which language a file is written in."""
    for language in candidates(path):
        if language.claim is None or language.claim.search(data):
            return language
    return None
