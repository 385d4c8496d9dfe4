import polars as pl
import pytest

from tellapart.core.score_notes import Looks, ScoreNotes
from tellapart.core.scores import ScoreTable
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
    assert made.frame.columns == ["model", "item", "score", "missing", "replicate", "grading", "cluster"]
    keys = made.frame.select("model", "item", "replicate").rows()
    assert keys == [("a", "1", 0), ("a", "2", 0), ("b", "1", 0)]
    assert made.models == ["a", "b"]
    assert made.strata == []


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        (rows(("a", "1", 1.0)).drop("score"), "no column 'score'; it has \\['model', 'item'\\]"),
        (rows(("a", "1", float("nan"))), "row 1 of the score table: model 'a', item '1', score nan has a"),
        (rows(("a", "1", 1.0), ("a", "2", -0.1)), r"row 2.*score -0.1 has a score outside \[0, 1\]"),
        (rows(("a", "1", None)), "neither a score nor a cause in 'missing', which is one of parse, refusal"),
        (rows(("a", "1", 1.0), missing=["parse"]), "both a score and a cause"),
        (rows(("a", "1", None), missing=["time-out"]), "unknown cause.*Did you mean 'timeout'"),
        (rows(("a", "1", None), ("a", "1", None), missing=["x", "y"]), "'x' has an unknown.*2 rows in all"),
        (rows((None, "1", 1.0)), "model '', item '1', score 1.0 has no model or no item"),
        (rows(("a", "1", 1.0)).with_columns(score=pl.lit("high")), "row 1.*'high'.*expected a number"),
        (rows(("a", "1", 1.0)).with_columns(replicate=0.5), "'replicate' is 0.5.*expected a whole number"),
        (rows(("a", "1", 1.0)).with_columns(score=pl.lit([1, 2])), r"is \[1, 2\], .*of the wrong type"),
        # Polars would cast each field of an object.
        (pl.DataFrame({"model": ["a"], "item": ["1"], "score": [{"value": 1}]}), "expected a number"),
    ],
)
def test_what_cannot_be_used_is_named(frame, complaint):
    with pytest.raises(InputError, match=complaint):
        ScoreTable.from_frame(frame)


def test_every_kind_of_fault_is_told_with_its_first_row_and_count():
    made = rows(("a", "1", 2.0), ("a", "2", None), ("b", "1", 3.0), ("b", "2", float("nan")))
    with pytest.raises(InputError) as caught:
        ScoreTable.from_frame(made, locate=lambda row: f"f.csv, row {row + 1}")
    message = str(caught.value)
    assert "f.csv, row 4: model 'b', item '2', score nan has a score that is not finite. " in message
    assert "f.csv, row 1: model 'a', item '1', score 2.0 has a score outside [0, 1]; 2 rows in all" in message
    with pytest.raises(InputError, match="score 1e-300 has a score nearer to 0 than 1e-100"):
        ScoreTable.from_frame(rows(("a", "1", 1e-300), ("b", "1", 0.0)))
    assert "f.csv, row 2: model 'a', item '2', score None has neither a score nor a cause" in message


def test_a_row_that_occurs_twice_is_told_with_where_it_was_first():
    made = rows(("a", "1", 0.0), ("b", "1", 1.0), ("a", "2", 0.0), ("b", "1", 0.5), ("a", "1", 0.0))
    complaint = (
        "row 4 of the score table: model 'b', item '1', replicate 0, grading 0 occurs twice, "
        "first at row 2 of the score table; 2 rows in all have this fault"
    )
    with pytest.raises(InputError, match=complaint):
        ScoreTable.from_frame(made)
    with pytest.raises(InputError, match="row 3.*item '2', replicate 0, grading 0 occurs twice.*row 2"):
        table(("a", "1", 0.0), ("a", "2", 1.0), ("a", "2", 0.0))


def test_replicates_and_gradings_are_no_repetition():
    order = [(1, 1), (0, 0), (1, 0), (0, 1), (-(2**62), 0), (2**62, 0)]
    made = table(
        *(("a", "1", 1.0) for _ in order), replicate=[r for r, _ in order], grading=[g for _, g in order]
    )
    assert made.frame.select("replicate", "grading").rows() == sorted(order)
    with pytest.raises(InputError, match="replicate 1, grading 1 occurs twice"):
        table(*(("a", "1", 1.0) for _ in range(3)), replicate=[1, 0, 1], grading=[1, 1, 1])


def test_an_item_belongs_to_one_cluster():
    values = (("a", "1", 1.0), ("a", "2", 0.0), ("b", "1", 0.0), ("b", "2", 0.0))
    with pytest.raises(InputError, match="row 3.*item '1' is in cluster 'y', but in 'x' at row 1") as caught:
        table(*values, ("c", "1", 1.0), cluster=["x", "z", "y", "z", "y"])
    assert "items in all have this fault" not in str(caught.value)
    with pytest.raises(InputError, match="in cluster None, but in 'x' at row 1.*; 2 items in all"):
        table(*values, cluster=["x", "z", None, "y"])
    assert table(*values, cluster=["x", None, "x", None]).frame["cluster"].to_list() == ["x", None, "x", None]


def test_a_suites_own_figures_are_no_strata():
    frame = rows(("a", "1", 1.0), ("a", "2", 0.0), tier=["x", "y"], margin=[0.1, -0.2], rank=[1, 2])
    kinds = frame.with_columns(pl.col("tier").cast(pl.Categorical).alias("kind"), seen=pl.lit(True))
    made = ScoreTable.from_frame(kinds)
    assert made.strata == ["tier", "kind"]
    assert made.frame.schema["kind"] == pl.String


def test_notes_of_several_files_are_joined_and_of_two_runs_that_stopped_no_looks_are_left():
    stopped = [ScoreNotes(looks=Looks(max_items=9, order=(item,)), cautions=("same",)) for item in "ab"]
    joined = ScoreNotes.together(stopped)
    assert (joined.looks, joined.cautions[1:]) == (None, ("same",))
    assert joined.cautions[0].startswith("These runs each stopped")
    assert ScoreNotes.together(stopped[:1] * 2).looks == stopped[0].looks
    of_one = ScoreNotes(by="kind", withheld={"m": "it wrote them"})
    together = ScoreNotes.together([of_one, ScoreNotes()])
    assert (together.by, together.withheld) == (None, {"m": "it wrote them"})


def test_numbers_and_truth_are_taken_as_what_the_column_holds():
    made = pl.DataFrame({"model": ["a", "a"], "item": [10, 9], "score": [True, False], "replicate": 0.0})
    assert ScoreTable.from_frame(made).frame.select("item", "score").rows() == [("10", 1.0), ("9", 0.0)]
