"""The results of a retrieval run as records: what ``report`` prints as JSON, and its page shows."""

from __future__ import annotations

from typing import Literal

from tellapart.core.estimate import Estimate
from tellapart.core.record import Record


class RetrievalFigures(Record):
    """One writer's summaries as an index, over some queries and matchers.

    Attributes:
        n: Pairs of query and matcher with a rank.
        missing: Those without, because the writer has no summary of the unit.
        measures: By the names of ir_measures (``RR`` is MRR, ``Success`` hit rate), each in
            [0, 1] with a 95 % interval clustered by file.
        mrr_bounds: MRR if each missing summary were found last and every one that this writer lacks came
            before those that it has, and if each were found first.
        mean_rank: Mean expected rank of the first relevant summary, from 1.
    """

    n: int
    missing: int
    missing_by_cause: dict[str, int]
    measures: dict[str, Estimate]
    mrr_bounds: tuple[float, float] | None
    mean_rank: float | None


class QueryCounts(Record):
    """What was asked.

    Attributes:
        source: ``offline``, ``jsonl``, or the language model that wrote the queries.
        missing: Units without a query, by kind and cause.
        repeated: Queries left out, since they are the text of a writer's summary.
        names_leaked: Queries that contain the name of their unit, as the code spells it.
    """

    source: str
    by_kind: dict[str, int]
    missing: dict[str, dict[str, int]]
    repeated: int
    names_leaked: int


class RetrievalReport(Record):
    """``artifacts/report.json`` of a retrieval run: all but the comparison, which is made from the scores.

    Attributes:
        evidence: Says what the run is about.
        index: Summaries in each writer's index.
        by_kind: By kind of query, then writer.
        by_matcher: By matcher, then writer.
    """

    evidence: Literal["retrieval"] = "retrieval"
    fingerprint: str
    queries: QueryCounts
    index: dict[str, int]
    overall: dict[str, RetrievalFigures]
    by_kind: dict[str, dict[str, RetrievalFigures]]
    by_matcher: dict[str, dict[str, RetrievalFigures]]
