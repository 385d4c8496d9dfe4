"""Queries against an index of each writer's summaries: at which rank each finds the unit it is about.

``retrieval_evidence`` is for whoever combines it with other evidence: it takes a benchmark, matchers that are
fitted on texts, and queries (such as ``offline_queries`` gives), and works in memory alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.retrieval.measures import MEASURES, expected_rank, measures, reciprocal_rank
from tellapart.contrastive.retrieval.queries import Queries, Query
from tellapart.contrastive.summaries import neutral_text
from tellapart.core.arrays import F64, I64
from tellapart.core.progress import SILENT, Progress
from tellapart.embed.protocol import Matcher
from tellapart.embed.similarity import embed
from tellapart.errors import InputError
from tellapart.extraction.unit import Unit

Fit = Callable[[Sequence[str]], Matcher]
"""Loads a matcher; the lexical ones are fitted on the texts, those of an index."""

SMALLEST_INDEX = 2
"""Summaries that an index needs, since among fewer nothing can be ranked."""

EVIDENCE_SCHEMA = pl.Schema(
    {
        "model": pl.String,
        "item": pl.String,
        "score": pl.Float64,
        "missing": pl.String,
        "cluster": pl.String,
        "target": pl.String,
        "query_kind": pl.String,
        "matcher": pl.String,
        "language": pl.String,
        "unit_type": pl.String,
        "rank": pl.Int64,
        "ties": pl.Int64,
        "expected_rank": pl.Float64,
        **dict.fromkeys(MEASURES, pl.Float64),
        "least_RR": pl.Float64,
    }
)
"""One row a writer of summaries (``model``), query and matcher; ``item`` is the last two.

``score`` is the reciprocal rank, null just where ``missing`` gives a cause; ``cluster`` is the unit's path.
``rank`` is 1 + the summaries that score above every relevant one; ``least_RR`` is what the reciprocal rank
would be if all summaries that this writer lacks, and another has, came before.
"""

_PAIRS_AT_ONCE = 1 << 21


def item_id(query: str, matcher: str) -> str:
    """Name an item: a query, and what ranks."""
    return f"{query} | {matcher}"


def retrieval_evidence(
    benchmark: Benchmark, matchers: Mapping[str, Fit], queries: Queries, *, progress: Progress = SILENT
) -> pl.DataFrame:
    """Rank each writer's summaries for each query, with each matcher."""
    check_searchable(benchmark, queries)
    parts = [
        ranked_rows(benchmark, source, name, fit, queries, progress=progress)
        for name, fit in matchers.items()
        for source in benchmark.sources
    ]
    return pl.concat(parts).sort("model", "item")


def check_searchable(benchmark: Benchmark, queries: Queries) -> None:
    """See that there is something to ask, and something to search."""
    if not queries.by_id:
        raise InputError(
            "there is no query: none could be made, or all of them are the text of a summary",
            next_step="Let a language model write them, with --queries llm:PROVIDER/MODEL, or give your own, "
            "with --queries jsonl:FILE",
        )
    if not any(len(benchmark.texts(source)) >= SMALLEST_INDEX for source in benchmark.sources):
        raise InputError(
            f"no writer has {SMALLEST_INDEX} summaries, and among fewer nothing can be ranked",
            next_step="Build the benchmark with more targets: 'tellapart contrastive build REPO --targets N'",
        )


def ranked_rows(
    benchmark: Benchmark,
    source: str,
    matcher_name: str,
    fit: Fit,
    queries: Queries,
    *,
    progress: Progress = SILENT,
) -> pl.DataFrame:
    """Rank the summaries of one source for each query with one matcher; rows of ``EVIDENCE_SCHEMA``.

    The index has one entry a unit that the source has summarised. Relevant are the unit that the query is
    about, and units that nobody could tell from it by their documentation: those with the same
    ``neutral_text``. Units that contain it or lie in it are not ranked for its queries, being neither right
    nor wrong. A query about a unit without an entry is missing, with the cause why there is no summary.
    """
    index = _Index.of(benchmark, benchmark.texts(source))
    usable = len(index.units) >= SMALLEST_INDEX
    searched = [(name, query) for name, query in queries.by_id.items() if usable and query.unit in index.row]
    ranked: dict[str, dict[str, float]] = {}
    if searched:
        with progress.step(
            f"{matcher_name} searches the summaries by {source}", len(searched), unit="queries"
        ) as step:
            matcher = fit(index.texts)
            texts = list(dict.fromkeys(query.text for _, query in searched))
            similarity = embed(matcher, texts, index.texts).similarity
            number = {text: i for i, text in enumerate(texts)}
            at_once = max(1, _PAIRS_AT_ONCE // len(index.texts))
            for start in range(0, len(searched), at_once):
                block = searched[start : start + at_once]
                rows = np.array([number[query.text] for _, query in block], dtype=np.int64)
                n = len(index.texts)
                scores = similarity(np.repeat(rows, n), np.tile(np.arange(n), len(rows)))
                ranked |= _ranked(index, block, scores.reshape(len(rows), n))
                step.update(len(ranked))
    why = benchmark.summary_missing(source)
    facts = {unit.id: unit for unit in benchmark.units}
    rows_out = []
    for name, query in queries.by_id.items():
        unit = facts[query.unit]
        figures = ranked.get(name, {})
        rows_out.append(
            {
                "model": source,
                "item": item_id(name, matcher_name),
                "score": figures.get("RR"),
                "missing": None if figures else why.get(query.unit, "infeasible"),
                "cluster": unit.path,
                "target": query.unit,
                "query_kind": query.kind,
                "matcher": matcher_name,
                "language": unit.language,
                "unit_type": unit.type,
                **figures,
            }
        )
    return pl.DataFrame(rows_out, schema=EVIDENCE_SCHEMA)


@dataclass(frozen=True)
class _Index:
    """One source's summaries, by unit.

    Attributes:
        benchmark: Of all units.
        units: Ids of those with a summary, ascending.
        lacking: Units that another source has summarised and this one has not.
    """

    benchmark: Benchmark
    units: tuple[str, ...]
    texts: tuple[str, ...]
    lacking: int

    @classmethod
    def of(cls, benchmark: Benchmark, texts: Mapping[str, str]) -> _Index:
        texts = dict(sorted(texts.items()))
        everybody = {summary.unit for summary in benchmark.summaries}
        return cls(benchmark, tuple(texts), tuple(texts.values()), len(everybody - texts.keys()))

    @cached_property
    def row(self) -> dict[str, int]:
        return {unit: i for i, unit in enumerate(self.units)}

    @cached_property
    def _alike(self) -> dict[str, list[int]]:
        """Rows by the text that stands for their unit."""
        rows: dict[str, list[int]] = defaultdict(list)
        for row, unit in enumerate(self.units):
            rows[self._neutral(unit)].append(row)
        return rows

    @cached_property
    def _in_file(self) -> dict[str, list[int]]:
        rows: dict[str, list[int]] = defaultdict(list)
        for row, unit in enumerate(self.units):
            rows[self._unit(unit).path].append(row)
        return rows

    def relevant(self, unit: str) -> list[int]:
        """Rows of the unit and of those like it that are ranked."""
        apart = set(self.overlapping(unit))
        return [row for row in self._alike[self._neutral(unit)] if row not in apart]

    def overlapping(self, unit: str) -> list[int]:
        """Rows of the units that contain one or lie in it, itself left out."""
        inner = self._unit(unit)
        others = ((row, self._unit(self.units[row])) for row in self._in_file[inner.path])
        return [
            row
            for row, other in others
            if other.id != unit and other.start_line <= inner.end_line and inner.start_line <= other.end_line
        ]

    def _unit(self, unit: str) -> Unit:
        return self.benchmark.units[self.benchmark.position[unit]]

    def _neutral(self, unit: str) -> str:
        return neutral_text(self._unit(unit))


def _ranked(index: _Index, block: Sequence[tuple[str, Query]], scores: F64) -> dict[str, dict[str, float]]:
    """Figures by query; ``scores`` has the shape (queries, entries)."""
    figures = {}
    for (name, query), row in zip(block, scores, strict=True):
        ranked = np.delete(row, index.overlapping(query.unit))
        right = row[index.relevant(query.unit)][:, None]
        above, level = (ranked > right).sum(axis=1), (ranked == right).sum(axis=1)
        figures[name] = _figures(above, level, index.lacking)
    return figures


def _figures(above: I64, level: I64, lacking: int) -> dict[str, float]:
    """Columns of ``EVIDENCE_SCHEMA`` of one ranking; see ``measures``."""
    first = int(above.argmin())
    start, tied = int(above[first]), int(level[first])
    together = int((above == start).sum())
    return {
        **measures(above, level),
        "rank": start + 1,
        "ties": tied - together,
        "expected_rank": expected_rank(start, tied, together),
        "least_RR": reciprocal_rank(start + lacking, tied, together),
    }
