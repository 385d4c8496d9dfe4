"""Rows that sum the others up are no items."""

import polars as pl
import pytest

from tellapart.readers import table as plain_table
from tellapart.readers.settings import ReadingSettings


@pytest.fixture
def read(tmp_path):
    def give(text):
        path = tmp_path / "f.csv"
        path.write_text(text)
        return plain_table.read(path, ReadingSettings())

    return give


SCORES = "question,gpt,llama\na,1,0\nb,0,0\nc,1,1\nd,1,1\n"


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        ("Average,0.75,0.5\n", "a row that sums the others up is left out: 'average'."),
        (",0.75,0.5\n", "a row that sums the others up is left out: one without a name."),
        # Rounded to one digit, it is no mean of the others, but no score of 0 or 1 either.
        ("mean,.8,.5\n", "a row that sums the others up is left out: 'mean'."),
        ("mean,.75,.5\nstd,.43,.5\n", "rows that sum others up are left out: 'mean', 'std'."),
        ("math avg,.5,.5\nTotal,3,2\n", "rows that sum others up are left out: 'math avg', 'total'."),
    ],
)
def test_what_can_be_nothing_but_a_summary_is_left_out(read, rows, note):
    scores = read(SCORES + rows)
    assert scores.frame["item"].unique().sort().to_list() == ["a", "b", "c", "d"]
    assert scores.notes[-1] == f"f.csv: {note}"


def test_one_models_table_has_them_too(read):
    scores = read("model,item,score\nm,a,1\nm,b,0\nm,c,1\nm,d,1\nm,mean,0.75\n")
    assert scores.frame["item"].to_list() == ["a", "b", "c", "d"]


def test_sums_of_graded_scores_are_left_out():
    frame = pl.DataFrame(
        {"model": ["m"] * 4, "item": ["a", "b", "c", "total"], "score": [2.5, 3.0, 1.0, 6.5]}
    )
    scores = plain_table.scores_of_frame(frame, ReadingSettings(), "f")
    assert scores.frame["item"].to_list() == ["a", "b", "c"]


@pytest.mark.parametrize(
    "text",
    [
        SCORES + "mean,1,0\n",
        SCORES + "all,1,1\n",
        # Of questions that all are right, one is about the mean.
        "question,gpt,llama\nmean,1,1\nmode,1,1\nmedian,1,1\n",
        "question,gpt,llama\na,2.5,1\nb,3,2\nmean of two,1.5,3\n",
    ],
)
def test_an_item_that_is_called_so_stays(read, text):
    scores = read(text)
    assert scores.frame["item"].n_unique() == text.count("\n") - 1
    assert not any("left out" in note for note in scores.notes)
