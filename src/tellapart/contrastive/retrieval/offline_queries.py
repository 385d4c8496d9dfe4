"""Queries without a language model: from names, signatures, comments, messages, call sites and docstrings.

Each is a line of plain words, as people type them into a search box, and nothing is put between them that is
not in the material.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.retrieval.queries import KINDS, Queries, Query, asked_units, usable
from tellapart.contrastive.summaries import docstring_summary, qualified_name
from tellapart.embed.identifiers import split_identifiers
from tellapart.extraction.languages import all_languages
from tellapart.extraction.unit import Unit

MOST_WORDS = 20
"""Words of a query; of longer material the first ones are taken."""

LEAST_WORDS = 3
"""Words that a comment or a message needs to say something."""

SYNONYMS = (
    "get fetch, find locate, remove delete, create make, build construct, add append, set assign, read "
    "load, write save, parse interpret, format render, check verify, validate ensure, convert transform, "
    "encode serialize, decode deserialize, start launch, stop halt, open access, close shut, send "
    "transmit, receive accept, update modify, copy duplicate, merge combine, split divide, join "
    "concatenate, sort order, filter select, count tally, compute calculate, run execute, call invoke, "
    "handle process, print display, show present, hide conceal, list enumerate, iter loop, map apply, "
    "init setup, reset clear, match compare, replace substitute, register subscribe, log record, raise "
    "throw, error failure, exception fault, path location, file document, dir folder, directory folder, "
    "name label, key identifier, value content, item element, user account, message note, request query, "
    "response reply, string text, str text, number amount, int integer, config settings, options "
    "preferences, args arguments, params arguments, size length, index position, node vertex, line row, "
    "type kind, class category, method function, time moment, date day, max largest, min smallest, "
    "default fallback, cache store, buffer storage, thread worker, lock mutex, url address, header "
    "heading, body payload, token credential, auth login"
)
"""Words of code and what somebody might call the same thing who has not seen it."""

_SYNONYM = {word: other for pair in SYNONYMS.split(", ") for word, other in [pair.split()]}

_CALL = re.compile(r"(?:((?<!\w)[^\W\d]\w*+|[)\]])\s*+(?:\.|::|->)\s*+)?\b([^\W\d]\w*+)\s*+\(")
"""What is called, and in front of it what it is called on, as far as that is one word."""
_OPERATOR = re.compile(r"__\w+__|constructor")
_PARTS_OF_CREATION = {"init", "new", "constructor"}
_FAILS = re.compile(
    r"\b(?:raise|throw|panic|fatal|abort|fail\w*|reject|warn\w*|die|bail|ensure|expect)\b|Err(?:or)?\b|Error|"
    r"Exception|Warning"
)
_PLACEHOLDER = re.compile(r"%[-+#0 ]*\d*(?:\.\d+)?[a-zA-Z]|\$?\{[^{}]*\}|\\[nrt\"'\\]|\\x[0-9a-f]{2}")
_QUOTES = re.compile(r"^[rbfuRBFU]{0,2}[\"'`]+|(?<![\"'`])[\"'`]+$")
_DIRECTIVE = re.compile(
    r"noqa|pragma|type:|pylint|eslint|fmt:|@ts-|tslint|prettier|nolint|rubocop|istanbul|c8 |coverage|clang-",
    re.IGNORECASE,
)
_CODE = re.compile(r"[(){}\[\];=<>]|->|::")
_PLAIN_WORD = re.compile(r"[^\W\d_]{2,}")
_BEFORE = 120
"""Characters before a literal in which a word must stand that says it is a message of a failure."""


def offline_queries(benchmark: Benchmark) -> Queries:
    """Make queries about the targets of a benchmark from what is in the code itself.

    ``vague``: the word of the unit's name that most names of the benchmark share, and the file's name.
    ``wrong_terminology``: the words of the name, each that ``SYNONYMS`` has exchanged. ``specific_behavior``:
    the first comment of the body that is prose. ``integration``: the words of the unit's name, and those of a
    unit that calls it. ``problem_based``: the first message of a failure in the code. ``doc_conceptual``: the
    first paragraph of the docstring, unless docstrings are among the summaries. ``doc_api_lookup``: the words
    of the name, the parameters and the return type. ``doc_best_practice`` cannot be made from code.
    """
    maker = _Maker(benchmark)
    queries, missing = [], {}
    for unit_id in asked_units(benchmark):
        texts = maker.texts(benchmark.units[benchmark.position[unit_id]])
        for kind in KINDS:
            words = texts.get(kind, "").split()
            if words:
                queries.append(Query(unit_id, kind, " ".join(words[:MOST_WORDS])))
            else:
                missing[unit_id, kind] = "infeasible"
    return usable(benchmark, queries, missing)


class _Maker:
    """What the texts of one unit need to know of the others."""

    def __init__(self, benchmark: Benchmark) -> None:
        self._documented = "docstring" not in benchmark.sources
        words_of = [set(split_identifiers(unit.name)) for unit in benchmark.units]
        self._shared = Counter(word for words in words_of for word in words)
        self._named = Counter(unit.name for unit in benchmark.units)
        self._callers: dict[str, list[tuple[Unit, str]]] = defaultdict(list)
        for unit in benchmark.units:
            for owner, name in dict.fromkeys(_CALL.findall(unit.content)):
                if self._named[name] == 1:
                    self._callers[name].append((unit, owner))

    def texts(self, unit: Unit) -> dict[str, str]:
        """Words of each kind that can be made."""
        name = _name_words(unit)
        exchanged = [_SYNONYM.get(word, word) for word in name]
        caller = self._caller(unit)
        parameters = [parameter.name for parameter in unit.parameters]
        interface = split_identifiers(" ".join([*parameters, unit.return_type or ""]))
        return {
            "vague": self._vague(unit, name),
            "wrong_terminology": " ".join(exchanged) if exchanged != name else "",
            "specific_behavior": next(_comments(unit), ""),
            "integration": " ".join([*name, *split_identifiers(qualified_name(caller))]) if caller else "",
            "problem_based": next(_messages(unit), ""),
            "doc_conceptual": (docstring_summary(unit) or "") if self._documented else "",
            "doc_api_lookup": " ".join([*name, *interface]) if interface else "",
        }

    def _vague(self, unit: Unit, name: list[str]) -> str:
        if not name:
            return ""
        commonest = min(name, key=lambda word: (-self._shared[word], word))
        file = split_identifiers(PurePosixPath(unit.path).stem)
        return " ".join(dict.fromkeys([commonest, *file]))

    def _caller(self, unit: Unit) -> Unit | None:
        """The first other unit that calls this one; None where the name is that of several, or an operator.

        A method is called on something, a function or class on nothing or on its module.
        """
        if self._named[unit.name] > 1 or _OPERATOR.fullmatch(unit.name):
            return None
        place = PurePosixPath(unit.path)
        modules = {"", place.stem, place.parent.name}
        callers = (
            other
            for other, owner in self._callers[unit.name]
            if (bool(owner) if unit.type == "method" else owner in modules) and not _overlap(unit, other)
        )
        return next(callers, None)


def _name_words(unit: Unit) -> list[str]:
    """The words of the name; of a constructor or an operator those of what it belongs to, too."""
    if not _OPERATOR.fullmatch(unit.name):
        return split_identifiers(unit.name)
    words = split_identifiers(" ".join(qualified_name(unit).split(".")[-2:]))
    return [word for word in words if word not in _PARTS_OF_CREATION]


def _overlap(unit: Unit, other: Unit) -> bool:
    return other.path == unit.path and other.start_line <= unit.end_line and unit.start_line <= other.end_line


def _comments(unit: Unit) -> Iterator[str]:
    """Comments of the body that are prose, in order; lines that follow one another are one comment."""
    together: list[str] = []
    end = None
    for match in _tokens(unit.language).finditer(unit.content):
        if match["comment"] is None or _DIRECTIVE.search(match["comment"]):
            continue
        text = match["comment"].strip().strip("/*#!-=<> \t")
        if end is None or unit.content[end : match.start()].strip():
            yield from _prose(together)
            together = []
        together.append(text)
        end = match.end()
    yield from _prose(together)


def _prose(lines: list[str]) -> Iterator[str]:
    text = " ".join(" ".join(line.strip(" \t*") for line in comment.splitlines()) for comment in lines)
    if len(_PLAIN_WORD.findall(text)) >= LEAST_WORDS and not _CODE.search(text):
        yield text


def _messages(unit: Unit) -> Iterator[str]:
    """Literals that a failure is reported with, in order, without what is filled in."""
    for match in _tokens(unit.language).finditer(unit.content):
        literal = match["string"]
        if literal is None or not _FAILS.search(_statement(unit.content, match.start())):
            continue
        text = " ".join(_PLACEHOLDER.sub(" ", _QUOTES.sub("", literal)).split())
        if len(_PLAIN_WORD.findall(text)) >= LEAST_WORDS:
            yield text


def _statement(code: str, at: int) -> str:
    """What stands before a literal on its line, and on the line above where that is open."""
    before = code[max(0, at - _BEFORE) : at]
    lines = before.splitlines() or [""]
    is_open = len(lines) > 1 and lines[-2].rstrip().endswith(("(", ",", "\\", "+"))
    return "\n".join(lines[-2:] if is_open else lines[-1:])


@cache
def _tokens(name: str) -> re.Pattern[str]:
    """Find the comments and the literals of a language."""
    lexis = next(language for language in all_languages() if language.name == name).lexis
    return re.compile(rf"(?P<comment>(?s:{lexis.comment}))|(?P<string>(?s:{lexis.string}))")
