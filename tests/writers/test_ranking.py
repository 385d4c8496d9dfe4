"""Writers of planted quality are ranked as they were planted, and what that rests on."""

import numpy as np
import polars as pl
import pytest

from tellapart import writers
from tellapart.llm.models import LanguageModel
from tellapart.writers.evidence import EVIDENCE, combine, matcher_units, source_means, writer_mean
from tellapart.writers.weights import least_shift

EARLIER = {
    writer: dict(zip(("retrieval", "contrastive", "judge", "combined"), figures, strict=True))
    for writer, figures in {
        "names": (0.875, 1.0, 0.9625, 0.934375),
        "some": (0.5956673040435855, 0.68125, 0.7, 0.6474252868196134),
        "vague": (0.1069635759734094, 0.15, 0.2625, 0.15875860918803422),
    }.items()
}
"""By source of evidence, as ranked before the suite was written again."""


def test_writers_of_planted_quality_are_ranked_as_planted_by_each_source_and_by_all(
    shop_bench, shop_run, tmp_path
):
    pytest.importorskip("inspect_ai")
    searched = writers.retrieve(
        shop_bench, writers.RetrievalSettings(["bm25", "tfidf"]), out=tmp_path / "search"
    )
    judges = writers.JudgeSettings([LanguageModel("offline/honest-judge")])
    judged = writers.judge(shop_bench, judges, out=tmp_path / "judge")
    figures = writers.rank([shop_run, searched.path, judged.path]).figures
    assert [writer.name for writer in figures.writers] == ["names", "some", "vague"]
    assert [pair.is_separated for pair in figures.comparison.primary.pairs] == [True] * 3
    detail = {(pair.stratum, pair.a, pair.b): pair.difference for pair in figures.comparison.secondary.pairs}
    assert len(detail) == 9 and detail["judge", "names", "some"] == pytest.approx(0.9625 - 0.7)
    for writer in figures.writers:
        values = {source: getattr(writer, source).value for source in EARLIER[writer.name]}
        assert values == pytest.approx(EARLIER[writer.name], abs=1e-9)
    for source in ("retrieval", "contrastive", "judge"):
        values = [getattr(writer, source).value for writer in figures.writers]
        assert values == sorted(values, reverse=True) and len({*values}) == 3
    # Given a summary without names both matchers score all options alike: 1 of 5 and 1 of 10, each time.
    assert figures.writers[2].contrastive.value == pytest.approx(0.15)
    assert figures.writers[2].contrastive.reason == "the values do not vary"
    fair = figures.writers[1].combined
    assert fair.n == figures.units == 40 and 0 <= fair.low < fair.value < fair.high <= 1


def test_weights_go_to_the_evidence_that_there_is(shop_run):
    alone = writers.rank(shop_run).figures
    assert (alone.weights.effective, alone.queries) == ({"contrastive": 1.0}, None)
    assert list(alone.weights.absent) == ["retrieval", "judge"]
    assert "tellapart writers judge BENCH" in alone.writers[0].judge.reason
    assert [writer.combined for writer in alone.writers] == [writer.contrastive for writer in alone.writers]


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
    rows = (
        ("a", "u", "easy", "bm25", 1.0),
        # Two replicates of one matcher count once: the mean of 0 and 1.
        ("a", "u", "easy", "llm", 0.0),
        ("a", "u", "easy", "llm", 1.0),
        ("a", "u", "hard", "bm25", 1.0),
        ("a", "u", "hard", "llm", None),
    )
    # Of "hard" one of two matchers is right, the other unknown: .5 to 1; of "easy" it is .75.
    (unit,) = matcher_units(answers(*rows)).iter_rows(named=True)
    assert (unit["score"], unit["low"], unit["high"], unit["missing"]) == (0.75, 0.625, 0.875, None)
    (hard,) = matcher_units(answers(*rows[3:])).iter_rows(named=True)
    assert (hard["score"], hard["low"], hard["high"], hard["missing"]) == (None, 0.5, 1.0, "timeout")


def units(scores):
    """Evidence from {writer: scores of units 0, 1, …}, each unit in a file of its own."""
    rows = [
        (writer, f"u{i}", f"{i}.py", score, score or 0.0, 1.0 if score is None else score)
        + (None if score is not None else "judge",)
        for writer, values in scores.items()
        for i, score in enumerate(values)
    ]
    return pl.DataFrame(rows, schema=[*EVIDENCE], orient="row")


def test_the_combined_score_is_the_weighted_mean_unit_by_unit_and_missing_evidence_is_bounded():
    parts = {
        "retrieval": units({"a": [1.0, 0.5, 0.2], "b": [0.0, None, 1]}),
        "judge": units({"a": [0, 1, None], "b": [1, 1, 1]}),
    }
    combined = combine(parts, {"retrieval": 0.7, "judge": 0.3})
    rows = {(row["writer"], row["unit"]): row for row in combined.iter_rows(named=True)}
    assert rows["a", "u0"]["score"] == pytest.approx(0.7 * 1 + 0.3 * 0)
    lacking = rows["a", "u2"]
    assert (lacking["score"], lacking["missing"]) == (None, "judge")
    # .7 * .2 is known, the .3 of the judge is not.
    assert (lacking["low"], lacking["high"]) == pytest.approx((0.14, 0.44))
    # Of a the third unit is missing, of b the second; the combined mean is the weighted sum of the means.
    means = source_means(combined, ["retrieval", "judge"])
    assert means == {"a": {"retrieval": 0.75, "judge": 0.5}, "b": {"retrieval": 0.5, "judge": 1.0}}
    assert writer_mean(combined, "a", "").value == pytest.approx(0.7 * 0.75 + 0.3 * 0.5)


def test_the_least_change_of_the_weights():
    weights = {"retrieval": 0.45, "contrastive": 0.3, "judge": 0.25}

    def shift(*leads):
        return least_shift(weights, dict(zip(weights, leads, strict=True)))

    # Ahead by .2 and behind by .2: each share moved from the first to the last takes .4 off the lead.
    moved, then = shift(0.2, 0.1, -0.2)
    lead = 0.45 * 0.2 + 0.3 * 0.1 - 0.25 * 0.2
    assert moved == pytest.approx(lead / 0.4) and sum(then.values()) == pytest.approx(1)
    assert np.dot(list(then.values()), [0.2, 0.1, -0.2]) == pytest.approx(0)
    only = {"retrieval": 0.0, "contrastive": 0.0, "judge": 1.0}
    assert shift(0.2, 0.1, 0.0) == (pytest.approx(0.75), pytest.approx(only))
    assert shift(0.0, 0.0, 0.0) == (0.0, weights)
    assert shift(0.2, 0.1, 0.1) is None
