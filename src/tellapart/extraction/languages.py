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
    "comment_marks": r"/\*[*!]*|//[/!]*|#+",
    "words": "true false null this super",
    "receivers": "",
}


@dataclass(frozen=True, eq=False)
class Language:
    """One language, or one dialect of it with a grammar of its own; ``languages.toml`` says what is what."""

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
    comment_marks: re.Pattern[str]
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
    shapes = entry.get("parameters")
    if not shapes and name not in exceptions.PARAMETERS:
        raise ValueError(f"[{name}] of languages.toml has no 'parameters', and exceptions.PARAMETERS no row")
    doc_comment = _joined(entry.get("doc_comment", ""))
    rules = {key: _joined(entry.get(key, "")) for key in ("claim", "unknown_syntax", "missing_separator")}
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
        doc_comment=re.compile(doc_comment) if doc_comment else None,
        comment_marks=re.compile(entry["comment_marks"]),
        parameters=partial(exceptions.parameters_by_shape, shapes) if shapes else exceptions.PARAMETERS[name],
        split_name=exceptions.SPLIT_NAME.get(name, exceptions.whole_name),
        plain_doc=exceptions.PLAIN_DOC.get(name, str),
        docstring=exceptions.DOCSTRING.get(name),
        declared_encoding=exceptions.DECLARED_ENCODING.get(name),
        **{key: re.compile(rule.encode()) if rule else None for key, rule in rules.items()},
    )


def _joined(written: str | list[str]) -> str:
    return written if isinstance(written, str) else "|".join(written)


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
