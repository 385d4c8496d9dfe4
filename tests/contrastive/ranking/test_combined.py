import polars as pl
import pytest

from tellapart.contrastive.crossing import by_unit, cross_matchers
from tellapart.contrastive.ranking.combined import (
    UNIT_SCHEMA,
    Combined,
    Evidence,
    mean_estimate,
    source_agreement,
    source_means,
)
from tellapart.core.comparison import ComparisonSettings


def answers(*rows):
    """Rows of (writer, unit, part, matcher, score); a score of None is missing by a time out."""
    columns = ("writer", "unit", "part", "matcher", "score")
    frame = pl.DataFrame([dict(zip(columns, row, strict=True)) for row in rows])
    return frame.with_columns(
        pl.lit("a.py").alias("path"),
        pl.when(pl.col("score").is_null()).then(pl.lit("timeout")).alias("missing"),
        pl.col("score").cast(pl.Float64),
    )


def test_an_item_counts_only_with_all_matchers_and_what_is_missing_keeps_bounds():
    parts = cross_matchers(
        answers(
            ("a", "u", "easy", "bm25", 1.0),
            # Two replicates of one matcher count once: the mean of 0 and 1.
            ("a", "u", "easy", "llm", 0.0),
            ("a", "u", "easy", "llm", 1.0),
            ("a", "u", "hard", "bm25", 1.0),
            ("a", "u", "hard", "llm", None),
        )
    )
    rows = {row["part"]: row for row in parts.iter_rows(named=True)}
    assert rows["easy"]["score"] == 0.75
    assert (rows["hard"]["score"], rows["hard"]["missing"]) == (None, "timeout")
    # Of "hard" one of two matchers is right, the other unknown: .5 to 1.
    assert (rows["hard"]["low"], rows["hard"]["high"]) == (0.5, 1.0)
    (unit,) = by_unit(parts).iter_rows(named=True)
    assert (unit["score"], unit["low"], unit["high"]) == (0.75, 0.625, 0.875)


def units(scores, source="x"):
    """Evidence from {writer: scores of units 0, 1, …}, each unit in a file of its own."""
    rows = [
        (writer, f"u{i}", f"{i}.py", score, score or 0.0, 1.0 if score is None else score, None)
        for writer, values in scores.items()
        for i, score in enumerate(values)
    ]
    frame = pl.DataFrame(rows, schema=UNIT_SCHEMA, orient="row")
    cause = pl.when(pl.col("score").is_null()).then(pl.lit("judge"))
    return Evidence(frame.with_columns(cause.alias("missing")), source)


def test_the_combined_score_is_the_weighted_mean_unit_by_unit_and_missing_evidence_is_bounded():
    combined = Combined(
        {
            "retrieval": units({"a": [1.0, 0.5], "b": [0.0, 0.5]}),
            "judge": units({"a": [0.5, None], "b": [0.5, 1.0]}),
        },
        {"retrieval": 0.6, "judge": 0.4},
    )
    rows = {(row["writer"], row["unit"]): row for row in combined.units.iter_rows(named=True)}
    assert rows["a", "u0"]["score"] == pytest.approx(0.6 * 1 + 0.4 * 0.5)
    lacking = rows["a", "u1"]
    assert (lacking["score"], lacking["missing"]) == (None, "judge")
    # .6 * .5 is known, the .4 of the judge is not.
    assert (lacking["low"], lacking["high"]) == pytest.approx((0.3, 0.7))
    assert combined.grid.low[0].tolist() == pytest.approx([0.8, 0.3])


def test_writers_are_compared_by_the_combined_score_and_each_source_is_detail():
    scores = {"good": [1.0] * 30, "bad": [0.0, 0.2] * 15}
    combined = Combined({"retrieval": units(scores), "contrastive": units(scores)}, {"retrieval": 1.0})
    comparison = combined.compared(ComparisonSettings())
    (pair,) = comparison.primary.pairs
    assert (pair.ahead, pair.is_separated, pair.n) == ("good", True, 30)
    assert pair.difference == pytest.approx(-0.9)
    assert comparison.secondary is not None
    assert [one.stratum for one in comparison.secondary.pairs] == ["contrastive", "retrieval"]
    # Both sources are the same numbers, so each alone has the difference of the headline.
    assert [one.difference for one in comparison.secondary.pairs] == pytest.approx([-0.9, -0.9])


def test_the_combined_mean_is_the_weighted_sum_of_the_means_of_the_sources():
    combined = Combined(
        {
            "retrieval": units({"a": [1.0, 0.5, 0.2], "b": [0.0, None, 1]}),
            "judge": units({"a": [0, 1, None], "b": [1, 1, 1]}),
        },
        {"retrieval": 0.7, "judge": 0.3},
    )
    # Of a the third unit is missing, of b the second.
    assert source_means(combined).tolist() == [[0.75, 0.5], [0.5, 1.0]]
    assert mean_estimate(combined.units, "a", "").value == pytest.approx(0.7 * 0.75 + 0.3 * 0.5)


def test_sources_agree_where_the_same_summaries_are_ahead_on_their_unit():
    hard = units({"a": [0.9, 0.1], "b": [0.5, 0.2], "c": [0.1, 0.6]})
    # The same scores in points of another scale: a line through all of them.
    same = units({"a": [0.45, 0.05], "b": [0.25, 0.1], "c": [0.05, 0.3]})
    (one,) = source_agreement(Combined({"retrieval": hard, "judge": same}, {"judge": 1.0}))
    assert (one.tau, one.writers, one.units) == (1.0, 3, 2)
    assert one.correlation == pytest.approx(1.0)
    two = source_agreement(
        Combined({"retrieval": units({"a": [1], "b": [0]}), "judge": units({"a": [1], "b": [0]})}, {})
    )
    assert two[0].tau is None
