"""What judges said as tables: every judgement, and the scores of those that count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

import polars as pl

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.judging.criteria import PAIRWISE, POINTWISE, WEIGHTS, as_share, weighted
from tellapart.contrastive.judging.families import is_same_family
from tellapart.contrastive.judging.questions import JudgeQuestions, Showing
from tellapart.contrastive.shown_code import cut
from tellapart.core.stats import mean_once
from tellapart.llm.questions import Answer
from tellapart.llm.quoting import visible

COUNTS, SAME_FAMILY = "yes", "no: same family"
"""Values of the column ``counted``."""

JUDGEMENTS = pl.Schema(
    {
        "judge": pl.String,
        "method": pl.String,
        "target": pl.String,
        "path": pl.String,
        "writer": pl.String,
        "opponent": pl.String,
        **dict.fromkeys(WEIGHTS, pl.Int64),
        "score": pl.Float64,
        "reasoning": pl.String,
        "missing": pl.String,
        "failure": pl.String,
        "repaired": pl.Boolean,
        "counted": pl.String,
    }
)
"""One row a judge and showing, see ``questions.Showing``; ``score`` is null just where ``missing`` says why.

The score is pointwise the weighted one of the five criteria, from 1 to 5; pairwise what ``writer``, whose
summary stood first, gets against ``opponent``: 1 for a win, 0.5 for a tie, 0 for a loss.
"""

_SCORES = pl.Schema(
    {
        **dict.fromkeys(("model", "item"), pl.String),
        "score": pl.Float64,
        **dict.fromkeys(("missing", "cluster", "target", "judge", "method"), pl.String),
    }
)

_POINTS = {"first": 1.0, "tie": 0.5, "second": 0.0}
_SAME_TEXT = "Both summaries are the same to the letter, so nobody was asked."


def judgement_rows(
    benchmark: Benchmark,
    judge: str,
    questions: JudgeQuestions,
    answers: Mapping[str, Answer[Any]],
    families: Mapping[str, str],
) -> pl.DataFrame:
    """Lay out what one judge said."""
    rows = []
    for showing in questions.showings:
        id_ = questions.id_of(showing)
        is_own = any(
            is_same_family(judge, name, families) for name in (showing.writer, showing.opponent) if name
        )
        rows.append(
            {
                "judge": judge,
                "method": showing.method,
                "target": showing.target,
                "path": benchmark.units[benchmark.position[showing.target]].path,
                "writer": showing.writer,
                "opponent": showing.opponent,
                **(_same_text() if id_ is None else _verdict(showing, answers[id_])),
                "counted": SAME_FAMILY if is_own else COUNTS,
            }
        )
    return pl.DataFrame(rows, schema=JUDGEMENTS)


def _same_text() -> dict[str, Any]:
    return {"score": _POINTS["tie"], "reasoning": _SAME_TEXT, "repaired": False}


def _verdict(showing: Showing, answer: Answer[Any]) -> dict[str, Any]:
    if answer.value is None:
        failure = answer.failure
        assert failure is not None
        return {"missing": failure.cause, "failure": failure.kind, "repaired": answer.repaired}
    reply = answer.value.model_dump()
    reasoning = visible(" ".join(reply.pop("reasoning").split()))
    facts = {"reasoning": reasoning, "repaired": answer.repaired}
    if showing.method == PAIRWISE:
        return {**facts, "score": _POINTS[reply["better"]]}
    return {**facts, **reply, "score": weighted(reply)}


def counted_scores(
    benchmark: Benchmark, judgements: pl.DataFrame, targets: Sequence[str], families: Mapping[str, str]
) -> pl.DataFrame:
    """Give the scores that count, as a score table has them."""
    absent = [
        (target, source, benchmark.summary_missing(source).get(target, "infeasible"))
        for source in benchmark.sources
        for target in targets
        if target not in benchmark.texts(source)
    ]
    rows: list[dict[str, Any]] = []
    for (judge, method), group in judgements.group_by("judge", "method", maintain_order=True):
        counted = group.filter(counted=COUNTS)
        scores = _pointwise(counted) if method == POINTWISE else _shares(counted)
        scores |= {
            (target, writer): (None, why)
            for target, writer, why in absent
            if not is_same_family(str(judge), writer, families)
        }
        rows += [
            {
                "model": writer,
                "item": item_id(target, str(judge), str(method)),
                "score": score,
                "missing": why,
                "cluster": benchmark.units[benchmark.position[target]].path,
                "target": target,
                "judge": judge,
                "method": method,
            }
            for (target, writer), (score, why) in sorted(scores.items())
        ]
    return pl.DataFrame(rows, schema=_SCORES)


def item_texts(benchmark: Benchmark, judgements: pl.DataFrame) -> pl.DataFrame:
    """What each pointwise item shows and what the judge says of it, as pages read the texts of items."""
    texts = {source: benchmark.texts(source) for source in benchmark.sources}
    rows = [
        {
            "model": row["writer"],
            "item": item_id(row["target"], row["judge"], POINTWISE),
            "question": cut(benchmark.units[benchmark.position[row["target"]]].content),
            "response": f"{texts[row['writer']][row['target']]}\n\n{row['judge']}: {row['score']:g} of 5. "
            f"{row['reasoning']}",
        }
        for row in judgements.filter(method=POINTWISE, counted=COUNTS).iter_rows(named=True)
        if row["score"] is not None
    ]
    return pl.DataFrame(rows, schema=dict.fromkeys(("model", "item", "question", "response"), pl.String))


def item_id(target: str, judge: str, method: str) -> str:
    """Name what a score is about: the unit and the judge, and the method where it is not ``pointwise``."""
    return f"{target} | {judge}" if method == POINTWISE else f"{target} | {judge} | {method}"


_Scores = dict[tuple[str, str], tuple[float | None, str | None]]
"""By unit and writer a score in [0, 1], or why there is none."""


def _pointwise(rows: pl.DataFrame) -> _Scores:
    columns = rows.select("target", "writer", "score", "missing").iter_rows()
    return {
        (target, writer): (None if score is None else as_share(score), why)
        for target, writer, score, why in columns
    }


def both_orders(rows: pl.DataFrame) -> pl.DataFrame:
    """Join the two orders of each pair."""
    first = rows.filter(pl.col("writer") < pl.col("opponent"))
    second = rows.filter(pl.col("writer") > pl.col("opponent"))
    joined = first.join(
        second.select("judge", "target", "writer", "opponent", "score", "missing"),
        left_on=["judge", "target", "writer", "opponent"],
        right_on=["judge", "target", "opponent", "writer"],
        how="left",
        maintain_order="left",
        suffix="_second",
    )
    return joined.select(
        "judge",
        "target",
        "path",
        "counted",
        a=pl.col("writer"),
        b=pl.col("opponent"),
        a_first=pl.col("score"),
        a_second=1 - pl.col("score_second"),
        missing=pl.coalesce("missing", "missing_second"),
    )


def _shares(rows: pl.DataFrame) -> _Scores:
    points: dict[tuple[str, str], list[float]] = {}
    causes: dict[tuple[str, str], str] = {}
    for row in both_orders(rows).iter_rows(named=True):
        for writer in (row["a"], row["b"]):
            key = row["target"], writer
            if row["missing"] is not None:
                causes.setdefault(key, row["missing"])
                continue
            of_a = fsum((row["a_first"], row["a_second"])) / 2
            points.setdefault(key, []).append(of_a if writer == row["a"] else 1 - of_a)
    scored: _Scores = {key: (mean_once(shares), None) for key, shares in points.items()}
    return {key: (None, why) for key, why in causes.items()} | scored
