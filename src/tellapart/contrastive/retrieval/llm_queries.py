"""A language model as the writer of queries: one call a unit, for all kinds at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from pydantic import BaseModel, ConfigDict

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.retrieval.queries import KINDS, Queries, Query, asked_units, usable
from tellapart.contrastive.shown_code import LONGEST_CODE, cut
from tellapart.contrastive.summaries import leaks_name
from tellapart.embed.identifiers import split_identifiers
from tellapart.extraction.unit import Unit
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Answer, Question
from tellapart.llm.quoting import quote

LONGEST = 200
"""Characters of a query; a longer one is no search."""


class WrittenQueries(BaseModel):
    """What a model replies: a query of each kind."""

    model_config = ConfigDict(extra="forbid")

    vague: str
    wrong_terminology: str
    specific_behavior: str
    integration: str
    problem_based: str
    doc_conceptual: str
    doc_api_lookup: str
    doc_best_practice: str


@cache
def queries_prompt() -> Prompt:
    """The prompt of every unit."""
    return read_prompt("tellapart.contrastive.retrieval", "queries")


class QueryQuestions:
    """One question a target, whose id is the unit's; prompts are made while they are iterated."""

    def __init__(self, benchmark: Benchmark) -> None:
        """Ask about each target of a benchmark."""
        self.units = [benchmark.units[benchmark.position[unit]] for unit in asked_units(benchmark)]

    def __len__(self) -> int:
        """Count the questions."""
        return len(self.units)

    def __iter__(self) -> Iterator[Question[WrittenQueries]]:
        """Make the questions, unit after unit."""
        for unit in self.units:
            yield Question(unit.id, _prompt(unit), WrittenQueries, wrong_with)


def wrong_with(reply: WrittenQueries) -> str | None:
    """Say what is wrong with a reply, or None: each query has a word, and 1 to ``LONGEST`` characters."""
    for kind, text in _texts(reply).items():
        if not split_identifiers(text):
            return f"'{kind}' has no word"
        if len(text) > LONGEST:
            return f"'{kind}' has {len(text)} characters, expected at most {LONGEST}"
        if "```" in text:
            return f"'{kind}' contains code, expected what is typed into a search box"
    return None


def queries_from(benchmark: Benchmark, answers: Mapping[str, Answer[WrittenQueries]]) -> Queries:
    """The queries that a model wrote; of a unit without an answer all kinds are missing, with its cause."""
    queries: list[Query] = []
    missing: dict[tuple[str, str], str] = {}
    for unit, answer in answers.items():
        if answer.value is not None:
            queries += [Query(unit, kind, text) for kind, text in _texts(answer.value).items()]
        elif answer.failure is not None:
            missing |= {(unit, kind): answer.failure.cause for kind in KINDS}
    return usable(benchmark, queries, missing)


def names_in(benchmark: Benchmark, queries: Sequence[Query]) -> int:
    """Count the queries that contain the name of their unit, as the code spells it."""
    units = benchmark.units
    return sum(leaks_name(units[benchmark.position[query.unit]], query.text) for query in queries)


def example_characters() -> int:
    """Length of an ordinary reply, for estimates."""
    return len(WrittenQueries(**dict.fromkeys(KINDS, "x" * 60)).model_dump_json())


def _texts(reply: WrittenQueries) -> dict[str, str]:
    texts: dict[str, str] = reply.model_dump()
    return {kind: " ".join(text.split()) for kind, text in texts.items()}


def _prompt(unit: Unit) -> str:
    quoted = quote([cut(unit.content, LONGEST_CODE)])
    return queries_prompt().render(
        marker=quoted.marker,
        kind=unit.type,
        language=unit.language,
        code=quoted.texts[0],
        kinds=KINDS,
        longest=LONGEST,
        schema=schema_text(WrittenQueries),
    )
