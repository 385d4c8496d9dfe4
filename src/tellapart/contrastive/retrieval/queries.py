"""Queries: what somebody types who looks for a unit, of eight kinds; and files of them."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import polars as pl
from pydantic import BaseModel, ConfigDict

from tellapart.contrastive.benchmark import Benchmark
from tellapart.errors import InputError, near_match
from tellapart.files import check_record, read_json_lines

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

LEAST_SHARED = 4
"""Words from which a query that is a part of a summary, or contains one, counts as the summary's text."""

QUERY_SCHEMA = pl.Schema(dict.fromkeys(("query", "unit", "kind", "text", "missing"), pl.String))
"""One row a query, and one a unit and kind without any: ``missing`` says why, and there is no text."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, order=True, slots=True)
class Query:
    """One query.

    Attributes:
        unit: Id of the unit that it is about.
        kind: One of ``KINDS``.
        text: What is typed, on one line.
    """

    unit: str
    kind: str
    text: str


@dataclass(frozen=True)
class Queries:
    """Queries about the targets of a benchmark.

    Attributes:
        by_id: In ascending order of unit, kind and text; an id is ``KIND/UNIT``, with ``/2`` and so on for
            further queries of that kind about that unit.
        missing: Why there is no query, by unit and kind; nothing is known of those in neither.
        repeated: Queries that were left out, since they are the text of a writer's summary.
    """

    by_id: Mapping[str, Query]
    missing: Mapping[tuple[str, str], str]
    repeated: int = 0

    def frame(self) -> pl.DataFrame:
        """All of them as a table of ``QUERY_SCHEMA``; ``repeated`` is not in it."""
        rows: list[tuple[str | None, ...]] = [
            (name, query.unit, query.kind, query.text, None) for name, query in self.by_id.items()
        ]
        rows += [(None, unit, kind, None, cause) for (unit, kind), cause in sorted(self.missing.items())]
        return pl.DataFrame(rows, schema=QUERY_SCHEMA, orient="row")

    @classmethod
    def from_frame(cls, frame: pl.DataFrame, repeated: int = 0) -> Queries:
        """What ``frame`` gave."""
        there, lacking = frame.filter(pl.col("missing").is_null()), frame.drop_nulls("missing")
        return cls(
            {name: Query(unit, kind, text) for name, unit, kind, text, _ in there.iter_rows()},
            {(unit, kind): cause for _, unit, kind, _, cause in lacking.iter_rows()},
            repeated,
        )

    def missing_by_kind(self) -> dict[str, dict[str, int]]:
        """Units without a query by kind and cause; kinds without a missing one are left out."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for (_, kind), cause in self.missing.items():
            counts[kind][cause] += 1
        return {kind: dict(sorted(counts[kind].items())) for kind in KINDS if kind in counts}


def asked_units(benchmark: Benchmark) -> list[str]:
    """Ids of the units that queries are about, the benchmark's targets, in ascending order."""
    return sorted(unit.id for unit in benchmark.targets)


def usable(
    benchmark: Benchmark, queries: Iterable[Query], missing: Mapping[tuple[str, str], str] | None = None
) -> Queries:
    """Give queries their ids, and leave out what no writer may be asked with.

    A query that is the text of any writer's summary of its unit would find that writer's entry by being its
    copy. It is left out for all writers: see ``repeats``. A unit and kind of which nothing is left is then
    missing, cause ``infeasible``.
    """
    summaries: dict[str, list[str]] = defaultdict(list)
    for summary in benchmark.summaries:
        summaries[summary.unit].append(summary.text)
    given = sorted(set(queries))
    kept = [query for query in given if not any(repeats(query.text, text) for text in summaries[query.unit])]
    by_id = {
        f"{kind}/{unit}" + (f"/{number}" if number > 1 else ""): query
        for (unit, kind), same in groupby(kept, lambda query: (query.unit, query.kind))
        for number, query in enumerate(same, start=1)
    }
    covered = {(query.unit, query.kind) for query in kept}
    lost = {(query.unit, query.kind): "infeasible" for query in given}
    lacking = {key: cause for key, cause in {**lost, **(missing or {})}.items() if key not in covered}
    return Queries(by_id, lacking, len(given) - len(kept))


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


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    unit: str
    kind: str
    query: str


def query_lines(queries: Queries) -> str:
    """The queries as JSON Lines, as ``read_queries`` reads them."""
    rows = ({"unit": query.unit, "kind": query.kind, "query": query.text} for query in queries.by_id.values())
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def read_queries(path: Path, benchmark: Benchmark) -> list[Query]:
    """Read queries that people wrote or edited."""
    targets = asked_units(benchmark)
    lines: dict[Query, int] = {}
    for number, value, _ in read_json_lines(path):
        query = _checked(value, f"{path}:{number}", targets)
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
    return list(lines)


def _checked(value: object, where: str, targets: Sequence[str]) -> Query:
    row = check_record(
        value, _Row, where, next_step="Each line has exactly the texts 'unit', 'kind' and 'query'"
    )
    if row.unit not in targets:
        path = row.unit.partition("::")[0]
        targets_there = [unit for unit in targets if unit.partition("::")[0] == path] or list(targets[:5])
        raise InputError(
            f"the benchmark has no target {row.unit!r}",
            where=where,
            next_step=near_match(row.unit, targets_there),
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
