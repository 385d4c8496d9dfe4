import polars as pl
import pytest
from statsmodels.api import OLS

from tellapart.core.scores import CAUSES, ScoreTable
from tellapart.errors import InputError


def rows(*values, **columns):
    names = ("model", "item", "score")
    frame = pl.DataFrame(
        list(values), schema=dict.fromkeys(names[:2], pl.String) | {"score": pl.Float64}, orient="row"
    )
    return frame.with_columns(pl.Series(name, column) for name, column in columns.items())


def table(*values, **columns):
    return ScoreTable.from_frame(rows(*values, **columns))


def test_fills_in_what_is_absent_and_sorts():
    made = table(("b", "1", 1.0), ("a", "2", 0.0), ("a", "1", 0.5))
    assert made.frame.columns == ["model", "item", "score", "missing", "replicate", "cluster"]
    assert made.frame.select("model", "item", "replicate").rows() == [
        ("a", "1", 0),
        ("a", "2", 0),
        ("b", "1", 0),
    ]
    assert made.models == ["a", "b"]
    assert made.strata == []


def test_mean_counts_and_bounds_by_hand():
    # Scored 1, 0, 1: mean 2/3. One of four is missing: worst 2/4, best 3/4.
    made = table(
        ("a", "1", 1.0),
        ("a", "2", 0.0),
        ("a", "3", 1.0),
        ("a", "4", None),
        missing=[None, None, None, "timeout"],
    )
    (summary,) = made.summarise()
    assert (summary.n, summary.missing, summary.mean) == (3, {"timeout": 1}, pytest.approx(2 / 3))
    assert summary.bounds == (0.5, 0.75)


def test_bounds_use_the_limits_of_the_table():
    frame = rows(("a", "1", 2.0), ("a", "2", None), missing=[None, "budget"])
    (summary,) = ScoreTable.from_frame(frame, limits=(-10.0, 10.0)).summarise()
    assert summary.bounds == (-4.0, 6.0)


def test_replicates_of_an_item_count_once():
    # Item 1: mean of 1 and 0; item 2: its one scored replicate.
    made = table(
        ("a", "1", 1.0), ("a", "1", 0.0), ("a", "2", 1.0), ("a", "2", None),
        replicate=[0, 1, 0, 1], missing=[None, None, None, "parse"],
    )  # fmt: skip
    (summary,) = made.summarise()
    assert (summary.n, summary.mean, summary.missing) == (2, 0.75, {"parse": 1})
    assert summary.bounds == (pytest.approx((0.5 + 0.5) / 2), pytest.approx((0.5 + 1.0) / 2))


def test_nothing_scored_is_undefined_and_not_zero():
    (summary,) = table(("a", "1", None), missing=["refusal"]).summarise()
    assert (summary.mean, summary.interval, summary.n) == (None, None, 0)
    assert summary.bounds == (0.0, 1.0)


def test_intervals_are_clustered():
    scores, clusters = [1.0, 1.0, 1.0, 0.0, 0.0, 1.0], ["x", "x", "x", "y", "y", "z"]
    made = table(*(("a", str(i), score) for i, score in enumerate(scores)), cluster=clusters)
    (summary,) = made.summarise()
    fit = OLS(scores, [1.0] * 6).fit(cov_type="cluster", cov_kwds={"groups": [0, 0, 0, 1, 1, 2]}, use_t=True)
    low, high = fit.conf_int()[0]
    assert (summary.interval.low, summary.interval.high) == (pytest.approx(low), pytest.approx(high))


def test_strata():
    made = table(("a", "1", 1.0), ("a", "2", 0.0), ("b", "1", 0.0), difficulty=["hard", "easy", "hard"])
    found = [(s.model, s.stratum, s.mean) for s in made.summarise("difficulty")]
    assert found == [("a", "easy", 0.0), ("a", "hard", 1.0), ("b", "hard", 0.0)]
    with pytest.raises(InputError, match="no stratum 'tier'; it has \\['difficulty'\\]"):
        made.summarise("tier")


def test_pairs_line_up_on_items():
    made = table(
        ("a", "2", 0.5),
        ("a", "1", 1.0),
        ("b", "1", None),
        ("b", "3", 0.0),
        missing=[None, None, "judge", None],
    )
    paired = made.paired("a", "b")
    assert paired.items == ["1", "2", "3"]
    assert paired.a.tolist()[:2] == [1.0, 0.5]
    assert [str(x) for x in paired.b.tolist()] == ["nan", "nan", "0.0"]
    assert paired.clusters.tolist() == ["1", "2", "3"]
    with pytest.raises(InputError, match="no model 'c'"):
        made.paired("a", "c")


@pytest.mark.parametrize(("gap_items", "certain"), [(1, False), (3, True)])
def test_missing_scores_can_make_an_order_uncertain(gap_items, certain):
    # a is right on `gap_items` of 4 more than b, which has two missing of 4.
    a = [("a", str(i), float(i < gap_items)) for i in range(4)]
    b = [("b", str(i), 0.0 if i < 2 else None) for i in range(4)]
    made = table(*a, *b, missing=[None] * 6 + ["provider"] * 2)
    assert made.order_is_certain("a", "b") is certain
    assert made.order_is_certain("b", "a") is certain


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        (rows(("a", "1", 1.0)).drop("score"), "no column 'score'"),
        (rows(("a", "1", float("nan"))), "not finite"),
        (rows(("a", "1", float("inf"))), "not finite"),
        (rows(("a", "1", 1.5)), r"outside \[0, 1\]"),
        (rows(("a", "1", None)), "neither a score nor a cause"),
        (rows(("a", "1", 1.0), missing=["parse"]), "both a score and a cause"),
        (rows(("a", "1", None), missing=["lost"]), "unknown cause; known are parse, refusal"),
        (rows(("a", "1", 1.0), ("a", "1", 0.0)), r"occurs twice.*2 row\(s\) like it"),
        (rows(("a", "1", 1.0), ("b", "1", 0.0), cluster=["x", "y"]), "two clusters"),
        (rows((None, "1", 1.0)), "no model or no item"),
        (rows(("a", "1", 1.0)).with_columns(score=pl.lit("high")), "wrong type"),
    ],
)
def test_what_cannot_be_used_is_named(frame, complaint):
    with pytest.raises(InputError, match=complaint):
        ScoreTable.from_frame(frame)


@pytest.mark.parametrize("cause", CAUSES)
def test_every_documented_cause_is_accepted(cause):
    assert table(("a", "1", None), missing=[cause]).summarise()[0].missing == {cause: 1}


def test_an_empty_table_has_no_summaries():
    assert table().summarise() == []


def test_a_suites_own_figures_are_no_strata():
    frame = rows(("a", "1", 1.0), ("a", "2", 0.0), tier=["x", "y"], margin=[0.1, -0.2], rank=[1, 2])
    kinds = frame.with_columns(pl.col("tier").cast(pl.Categorical).alias("kind"), seen=pl.lit(True))
    made = ScoreTable.from_frame(kinds)
    assert made.strata == ["tier", "kind"]
    assert made.frame.schema["kind"] == pl.String
    assert [s.stratum for s in made.summarise("tier")] == ["x", "y"]


def test_means_and_bounds_are_rounded_once():
    # Added up in floats from either end, ten times .1 is .9999999999999999; 1e-17 beside 1 is lost.
    made = table(
        *(("a", str(i), 0.1) for i in range(10)),
        *(("b", "1", score) for score in (1.0, 1e-17, 1e-17, 0.0)),
        replicate=[*[0] * 10, 0, 1, 2, 3],
    )
    first, second = made.summarise()
    assert first.bounds == (0.1, 0.1)
    assert second.mean == second.bounds[0] == (1.0 + 2e-17) / 4
