import numpy as np
import polars as pl
import pytest

from tellapart.readers import scores_of_frame
from tellapart.readers import table as plain_table
from tellapart.readers.settings import ReadingSettings, parse_columns

RNG = np.random.default_rng(5)
N = 40
GRADED = RNG.random((3, N)).round(3)
BINARY = (GRADED > 0.4).astype(float)
GROUP = np.where(RNG.random(N) > 0.5, "x", "y")


def wide(scores, **columns):
    models = {f"m{i}": row for i, row in enumerate(scores)}
    return pl.DataFrame({"item": [f"q{i}" for i in range(scores.shape[1])], **models, **columns})


def grouped_by(frame, columns=None):
    read = scores_of_frame(frame, ReadingSettings(columns=columns), "f.csv")
    return [name for name in read.frame.columns if name not in ("model", "item", "score", "missing")], [
        note for note in read.notes if "not grouped" in note
    ]


@pytest.mark.parametrize(
    ("scores", "values", "reason"),
    [
        (GRADED, [f"M{i}" for i in GRADED.argmax(0)], "its values name models"),
        (BINARY[:2], np.where(BINARY[0] > BINARY[1], "m0", "tie"), "its values name models"),
        # Coded winners, one model's result, a pattern of several, difficulty by steps of the mean.
        (GRADED, np.array(["A", "B", "C"])[GRADED.argmax(0)], "it follows from the scores"),
        (BINARY, np.where(BINARY[1] > 0, "right", "wrong"), "it follows from the scores"),
        (BINARY, np.where((BINARY[0] > 0) & (BINARY[2] < 1), "odd", "even"), "it follows from the scores"),
        (GRADED, np.array(["low", "mid", "high"])[(GRADED.mean(0) * 2.99).astype(int)], "it follows from"),
    ],
)
def test_an_outcome_is_no_stratum_until_it_is_named(scores, values, reason):
    frame = wide(scores, group=GROUP, outcome=values)
    strata, notes = grouped_by(frame)
    assert strata == ["group"]
    assert len(notes) == 1
    assert f"'outcome', because {reason}" in notes[0]
    assert notes[0].endswith("--columns outcome.")
    assert grouped_by(frame, parse_columns("outcome")) == (["group", "outcome"], [])


@pytest.mark.parametrize(
    ("scores", "values"),
    [
        (GRADED, GROUP),
        # One exception, few items, and a kind that fits by its own making of items that all differ.
        (
            BINARY,
            np.where((BINARY[1] > 0) & (np.arange(N) > 0) | (BINARY[1] < 1) & (np.arange(N) == 0), "r", "w"),
        ),
        (np.array([[1, 1, 0, 0], [1, 1, 1, 0]]), np.array(["easy", "easy", "hard", "hard"])),
        (GRADED, np.array([f"t{i}" for i in range(N)])),
    ],
)
def test_what_may_fit_by_accident_stays(scores, values):
    assert grouped_by(wide(scores, kind=values)) == (["kind"], [])


def test_a_table_with_one_row_a_score_is_treated_alike(tmp_path):
    rows = [f"m{m},q{i},{BINARY[m, i]:g},m{BINARY[:2, i].argmax()}" for m in (0, 1) for i in range(N)]
    path = tmp_path / "f.csv"
    path.write_text("\n".join(["model,item,score,winner", *rows]))
    assert "winner" not in plain_table.read(path, ReadingSettings()).frame.columns
    assert "winner" in plain_table.read(path, ReadingSettings(columns={"winner": "winner"})).frame.columns
