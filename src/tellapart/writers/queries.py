"""Queries of eight kinds about units, from the code, a language model or a file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import polars as pl
from pydantic import BaseModel, ConfigDict

from tellapart.contrastive.shown_code import LONGEST_CODE, cut
from tellapart.contrastive.summaries import docstring_summary, qualified_name
from tellapart.embed.identifiers import split_identifiers
from tellapart.errors import InputError, near_match
from tellapart.extraction.unit import Unit
from tellapart.files import check_record, read_json_lines
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Answer, Question
from tellapart.llm.quoting import quote
from tellapart.writers.written import Written

KINDS = {
    "vague": "a few imprecise words of somebody who hardly remembers what it was",
    "wrong_terminology": "what it does in other words than the code has, as a newcomer would call it",
    "specific_behavior": "one particular thing that it does, such as how it treats an odd input",
    "integration": "how to use it together with something else that the code makes likely",
    "problem_based": "the problem that it solves, or the symptom that leads there, without its solution",
    "doc_conceptual": "a question to the documentation about what such a thing is, or how it works",
    "doc_api_lookup": "a question about its parameters, or what it returns or raises",
    "doc_best_practice": "a question about when to use such a thing, or the recommended way to do so",
}
"""The kinds of query, as language models are asked for them, in the order of reports."""

QUERIES = pl.Schema(dict.fromkeys(("query", "unit", "kind", "text", "missing"), pl.String))
"""One row a query, and one a unit and kind without any, which has a cause in ``missing`` and no text.

``query`` is ``KIND/UNIT``, with ``/2`` and so on for further ones. A query with the cause ``repeated`` is
left out for all writers, since it is the text of a writer's summary.
"""

REPEATED = "repeated"

LEAST_SHARED = 4
"""Words from which a query that is a part of a summary, or contains one, counts as the summary's text."""

MOST_WORDS = 20
"""Words of a query that is made from code; of longer material the first ones are taken."""

LONGEST = 200
"""Characters of a query by a language model; a longer one is no search."""

_WORD = re.compile(r"\w+")
_OPERATOR = re.compile(r"__\w+__|constructor")
_PARTS_OF_CREATION = {"init", "new", "constructor"}


class Query(NamedTuple):
    """What is typed, on one line, by somebody who looks for a unit."""

    unit: str
    kind: str
    text: str


def query_frame(
    written: Written, queries: Iterable[Query], missing: Mapping[tuple[str, str], str] | None = None
) -> pl.DataFrame:
    """Lay queries out as rows of ``QUERIES``, without those that are the text of a summary of their unit.

    Such a query would find its writer's entry by being its copy. A unit and kind of which nothing is left is
    missing, cause ``infeasible``.
    """
    given = sorted(set(queries))
    usable = [query for query in given if not _is_summary(written, query)]
    rows: list[tuple[str | None, ...]] = [
        (f"{kind}/{unit}" + (f"/{number}" if number > 1 else ""), *query, None)
        for (unit, kind), same in groupby(usable, lambda query: (query.unit, query.kind))
        for number, query in enumerate(same, start=1)
    ]
    rows += [(None, *query, REPEATED) for query in given if query not in usable]
    covered = {(query.unit, query.kind) for query in usable}
    lost = {(query.unit, query.kind): "infeasible" for query in given} | dict(missing or {})
    rows += [
        (None, unit, kind, None, cause)
        for (unit, kind), cause in sorted(lost.items())
        if (unit, kind) not in covered
    ]
    return pl.DataFrame(rows, schema=QUERIES, orient="row")


def asked(queries: pl.DataFrame) -> pl.DataFrame:
    """Give the queries that are searched with."""
    return queries.filter(pl.col("missing").is_null())


def _is_summary(written: Written, query: Query) -> bool:
    return any(
        repeats(query.text, texts[query.unit]) for texts in written.texts.values() if query.unit in texts
    )


def repeats(query: str, summary: str) -> bool:
    """Whether a query is the text of a summary.

    Spaces, punctuation and capitals do not count. A query of ``LEAST_SHARED`` words or more that is a part of
    the summary word by word, or a summary of so many that is a part of the query, is its text too.
    """
    left, right = (_WORD.findall(text.lower()) for text in (query, summary))
    shorter, longer = sorted((left, right), key=len)
    if len(shorter) < LEAST_SHARED:
        return left == right
    return f" {' '.join(shorter)} " in f" {' '.join(longer)} "


def offline_queries(written: Written) -> pl.DataFrame:
    """Make queries about the targets from what is in the code itself.

    ``vague``: the word of the unit's name that most names of the benchmark share, and the file's name.
    ``doc_conceptual``: the first paragraph of the docstring, unless docstrings are among the summaries.
    ``doc_api_lookup``: the words of the name, the parameters and the return type. The other kinds cannot be
    made from code.
    """
    shared = Counter(word for unit in written.units.values() for word in set(split_identifiers(unit.name)))
    queries, missing = [], {}
    for name in written.targets:
        unit = written.units[name]
        texts = {
            "vague": _vague(unit, shared),
            "doc_conceptual": "" if "docstring" in written.writers else docstring_summary(unit) or "",
            "doc_api_lookup": _interface(unit),
        }
        for kind in KINDS:
            if words := texts.get(kind, "").split():
                queries.append(Query(name, kind, " ".join(words[:MOST_WORDS])))
            else:
                missing[name, kind] = "infeasible"
    return query_frame(written, queries, missing)


def _vague(unit: Unit, shared: Counter[str]) -> str:
    name = _name_words(unit)
    if not name:
        return ""
    commonest = min(name, key=lambda word: (-shared[word], word))
    return " ".join(dict.fromkeys([commonest, *split_identifiers(PurePosixPath(unit.path).stem)]))


def _interface(unit: Unit) -> str:
    parameters = [parameter.name for parameter in unit.parameters]
    interface = split_identifiers(" ".join([*parameters, unit.return_type or ""]))
    return " ".join([*_name_words(unit), *interface]) if interface else ""


def _name_words(unit: Unit) -> list[str]:
    """The words of the name; of a constructor or an operator those of what it belongs to, too."""
    if not _OPERATOR.fullmatch(unit.name):
        return split_identifiers(unit.name)
    words = split_identifiers(" ".join(qualified_name(unit).split(".")[-2:]))
    return [word for word in words if word not in _PARTS_OF_CREATION]


class WrittenQueries(BaseModel):
    """What a language model replies: a query of each kind."""

    model_config = ConfigDict(extra="forbid")

    vague: str
    wrong_terminology: str
    specific_behavior: str
    integration: str
    problem_based: str
    doc_conceptual: str
    doc_api_lookup: str
    doc_best_practice: str

    def texts(self) -> dict[str, str]:
        """Give the queries by kind, each on one line."""
        return {kind: " ".join(text.split()) for kind, text in self.model_dump().items()}


EXAMPLE = WrittenQueries(**dict.fromkeys(KINDS, "x" * 60))
"""An ordinary reply, for estimates."""


@cache
def queries_prompt() -> Prompt:
    """The prompt of every unit."""
    return read_prompt("tellapart.writers", "queries")


def query_questions(written: Written) -> list[Question[WrittenQueries]]:
    """Ask about each target for queries of all kinds; the id of a question is the unit's."""
    questions = []
    for unit in map(written.units.__getitem__, written.targets):
        quoted = quote([cut(unit.content, LONGEST_CODE)])
        prompt = queries_prompt().render(
            marker=quoted.marker,
            kind=unit.type,
            language=unit.language,
            code=quoted.texts[0],
            kinds=KINDS,
            longest=LONGEST,
            schema=schema_text(WrittenQueries),
        )
        questions.append(Question(unit.id, prompt, WrittenQueries, wrong_with))
    return questions


def wrong_with(reply: WrittenQueries) -> str | None:
    """Say what is wrong with a reply, or None."""
    for kind, text in reply.texts().items():
        if not split_identifiers(text):
            return f"'{kind}' has no word"
        if len(text) > LONGEST:
            return f"'{kind}' has {len(text)} characters, expected at most {LONGEST}"
        if "```" in text:
            return f"'{kind}' contains code, expected what is typed into a search box"
    return None


def queries_from(written: Written, answers: Mapping[str, Answer[WrittenQueries]]) -> pl.DataFrame:
    """Lay out the queries that a model wrote; without an answer all kinds are missing, with its cause."""
    queries: list[Query] = []
    missing: dict[tuple[str, str], str] = {}
    for unit, answer in answers.items():
        if answer.value is not None:
            queries += [Query(unit, kind, text) for kind, text in answer.value.texts().items()]
        elif answer.failure is not None:
            missing |= {(unit, kind): answer.failure.cause for kind in KINDS}
    return query_frame(written, queries, missing)


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    unit: str
    kind: str
    query: str


def read_queries(path: Path, written: Written) -> pl.DataFrame:
    """Read queries that people wrote or edited."""
    lines: dict[Query, int] = {}
    for number, value, _ in read_json_lines(path):
        query = _checked(value, f"{path}:{number}", written)
        if query in lines:
            raise InputError(
                f"the {query.kind} query {query.text!r} of {query.unit!r} is there twice, "
                f"first on line {lines[query]}",
                where=f"{path}:{number}",
                next_step="Leave out one of the two lines",
            )
        lines[query] = number
    if not lines:
        raise InputError("there is no query in the file", where=path)
    return query_frame(written, lines)


def _checked(value: object, where: str, written: Written) -> Query:
    row = check_record(
        value, _Row, where, next_step="Each line has exactly the texts 'unit', 'kind' and 'query'"
    )
    if row.unit not in written.targets:
        path = row.unit.partition("::")[0]
        near = [target for target in written.targets if target.startswith(f"{path}::")]
        raise InputError(
            f"the benchmark has no target {row.unit!r}",
            where=where,
            next_step=near_match(row.unit, near or list(written.targets[:5])),
        )
    if row.kind not in KINDS:
        raise InputError(
            f"there is no kind of query {row.kind!r}",
            where=where,
            next_step=near_match(row.kind, list(KINDS)),
        )
    text = " ".join(row.query.split())
    if not _WORD.search(text):
        raise InputError(f"the query {row.query!r} has no word", where=where)
    return Query(row.unit, row.kind, text)
