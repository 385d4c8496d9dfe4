"""Rows that sum the others up are no items."""

import polars as pl
import pytest

from tellapart.audit.reading import Choices, plain_table


@pytest.fixture
def read(tmp_path):
    def give(text):
        path = tmp_path / "f.csv"
        path.write_text(text)
        return plain_table.read(path, Choices())

    return give


SCORES = "question,gpt,llama\na,1,0\nb,0,0\nc,1,1\nd,1,1\n"


@pytest.mark.parametrize(
    ("row", "note"),
    [
        ("Average,0.75,0.5\n", "a row that holds the means of the others is left out: 'average'."),
        ("mean,.75,.50\n", "a row that holds the means of the others is left out: 'mean'."),
        (",0.75,0.5\n", "a row that holds the means of the others is left out: one without a name."),
    ],
)
def test_means_at_the_foot_are_left_out(read, row, note):
    scores = read(SCORES + row)
    assert scores.frame["item"].unique().sort().to_list() == ["a", "b", "c", "d"]
    assert scores.notes[-1] == f"f.csv: {note}"


def test_sums_are_left_out_too():
    frame = pl.DataFrame(
        {
            "model": ["m"] * 4 + ["n"] * 4,
            "item": ["a", "b", "c", "total"] * 2,
            "score": [1, 0, 1, 2, 0, 0, 1, 1],
        }
    )
    scores = plain_table.scores_of_frame(frame, Choices(), "f")
    assert scores.frame["item"].unique().sort().to_list() == ["a", "b", "c"]
    assert scores.notes == ("f: a row that holds the sums of the others is left out: 'total'.",)


@pytest.mark.parametrize("row", ["mean,1,0\n", "all,1,1\n", "average,0.75,0\n"])
def test_an_item_that_is_called_so_stays(read, row):
    scores = read(SCORES + row)
    assert scores.frame["item"].n_unique() == 5
    assert not any("left out" in note for note in scores.notes)
