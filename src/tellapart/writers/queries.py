"""Search queries about units: of three kinds from the code, of eight from a language model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import PurePosixPath

import polars as pl
from pydantic import BaseModel, ConfigDict, create_model

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.llm_matching import LONGEST_CODE, cut
from tellapart.contrastive.summaries import docstring_summary
from tellapart.embed.identifiers import split_identifiers
from tellapart.extraction.unit import Unit
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Answer, Question
from tellapart.llm.quoting import quote

QUERY_KINDS = {
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

REPEATED = "repeated"
"""The cause of a query that is the text of a summary: it would find its writer's entry by being its copy."""

LEAST_SHARED = 4
"""Words from which a query that is a part of a summary, or contains one, counts as the summary's text."""

MOST_WORDS = 20
"""Words of a query that is made from code; of longer material the first ones are taken."""

LONGEST = 200
"""Characters of a query by a language model; a longer one is no search."""

WrittenQueries: type[BaseModel] = create_model(
    "WrittenQueries", __config__=ConfigDict(extra="forbid"), **{kind: (str, ...) for kind in QUERY_KINDS}
)  # type: ignore[call-overload]
"""What a language model replies: a query of each kind."""

EXAMPLE = WrittenQueries(**dict.fromkeys(QUERY_KINDS, "x" * 60))
"""An ordinary reply, for estimates."""


def query_frame(
    benchmark: Benchmark, texts: Mapping[str, Mapping[str, str]], causes: Mapping[str, str]
) -> pl.DataFrame:
    """Lay out queries by target and kind, with a cause in ``missing`` for each that nobody searches with."""
    rows = []
    for unit in (target.id for target in benchmark.targets):
        summaries = [by_unit[unit] for by_unit in benchmark.texts.values() if unit in by_unit]
        for kind in QUERY_KINDS:
            text = " ".join(texts.get(unit, {}).get(kind, "").split()) or None
            cause = causes.get(unit, "infeasible") if text is None else None
            if text and any(repeats(text, summary) for summary in summaries):
                cause = REPEATED
            rows.append((unit, kind, text, cause))
    columns = dict.fromkeys(("unit", "kind", "text", "missing"), pl.String)
    return pl.DataFrame(rows, schema=columns, orient="row")


def repeats(query: str, summary: str) -> bool:
    """Whether a query is the text of a summary, or a part of it of ``LEAST_SHARED`` words, or contains it."""
    words = (re.findall(r"\w+", text.lower()) for text in (query, summary))
    shorter, longer = sorted(words, key=len)
    if len(shorter) < LEAST_SHARED:
        return shorter == longer
    return f" {' '.join(shorter)} " in f" {' '.join(longer)} "


def offline_queries(benchmark: Benchmark) -> pl.DataFrame:
    """Make queries of three kinds from the code.

    ``vague``: the word of the unit's name that most names of the benchmark share, and the file's name.
    ``doc_conceptual``: the first paragraph of the docstring, unless docstrings are among the summaries.
    ``doc_api_lookup``: the words of the name, the parameters and the return type.
    """
    shared = Counter(word for unit in benchmark.units for word in {*split_identifiers(unit.name)})
    texts = {}
    for unit in benchmark.targets:
        name = split_identifiers(unit.name)
        common = sorted(name, key=lambda word: (-shared[word], word))[:1]
        file = split_identifiers(PurePosixPath(unit.path).stem) if name else []
        parameters = " ".join(parameter.name for parameter in unit.parameters)
        interface = split_identifiers(f"{parameters} {unit.return_type or ''}")
        docstring = None if "docstring" in benchmark.texts else docstring_summary(unit)
        words = {
            "vague": list(dict.fromkeys([*common, *file])),
            "doc_conceptual": (docstring or "").split(),
            "doc_api_lookup": [*name, *interface] if interface else [],
        }
        texts[unit.id] = {kind: " ".join(typed[:MOST_WORDS]) for kind, typed in words.items()}
    return query_frame(benchmark, texts, {})


@cache
def queries_prompt() -> Prompt:
    """The prompt of every unit."""
    return read_prompt("tellapart.writers", "queries")


def query_questions(benchmark: Benchmark) -> list[Question[BaseModel]]:
    """Ask about each target for queries of all kinds; the id of a question is the unit's."""
    return [_question(unit) for unit in benchmark.targets]


def _question(unit: Unit) -> Question[BaseModel]:
    quoted = quote([cut(unit.content, LONGEST_CODE)])
    prompt = queries_prompt().render(
        marker=quoted.marker,
        kind=unit.type,
        language=unit.language,
        code=quoted.texts[0],
        kinds=QUERY_KINDS,
        longest=LONGEST,
        schema=schema_text(WrittenQueries),
    )
    return Question(unit.id, prompt, WrittenQueries, wrong_with)


def wrong_with(reply: BaseModel) -> str | None:
    """Say what is wrong with a reply, or None."""
    for kind, text in reply.model_dump().items():
        typed = " ".join(text.split())
        if not split_identifiers(typed):
            return f"'{kind}' has no word"
        if len(typed) > LONGEST:
            return f"'{kind}' has {len(typed)} characters, expected at most {LONGEST}"
        if "```" in typed:
            return f"'{kind}' contains code, expected what is typed into a search box"
    return None


def queries_from(benchmark: Benchmark, answers: Mapping[str, Answer[BaseModel]]) -> pl.DataFrame:
    """Lay out the queries that a model wrote; without an answer all kinds are missing, with its cause."""
    texts = {unit: answer.value.model_dump() for unit, answer in answers.items() if answer.value}
    causes = {unit: answer.failure.cause for unit, answer in answers.items() if answer.failure}
    return query_frame(benchmark, texts, causes)
