"""Whether the models of a grading differ, by what the audit of its scores says too."""

import polars as pl
import pytest

from longcontext.page.graded_record import record, typed
from tellapart.core.scores import ScoreTable
from tellapart.longcontext.score_table import comparison_of, score_notes

RECORD = typed(record([], []))


def rows(right, lengths=("1,000", "2,000"), **columns):
    return pl.DataFrame(
        [
            {
                "model": model,
                "item": f"c{i}/V1",
                "score": None if share is None else float(i < share),
                "missing": "judge" if share is None else None,
                "cluster": f"c{i}",
                "length": lengths[i % len(lengths)],
                "case": f"c{i}",
                "failure_mode": ("Recall", "Trap")[i % 2],
                "rule": "facts",
            }
            | columns
            for model, share in right.items()
            for i in range(20)
        ]
    )


def table(frame, notes=None):
    return ScoreTable.from_frame(frame, notes=notes)


@pytest.mark.parametrize(
    ("changes", "by"),
    [({}, "length"), ({"lengths": ["1,000"]}, "failure_mode"), ({"lengths": [None]}, "failure_mode")],
)
def test_the_secondary_family_is_the_length_or_the_kind_of_probe(changes, by):
    frame = rows({"a": 20, "b": 5}, **changes)
    assert score_notes(frame, RECORD).by == by
    found = comparison_of(table(frame, score_notes(frame, RECORD)))
    assert (found.secondary.by, len(found.secondary.pairs)) == (by, 2)


@pytest.mark.parametrize("right", [{"a": 20}, {"a": 20, "b": None}, {"a": None, "b": None}])
def test_fewer_than_two_models_with_scores_are_not_compared(right):
    frame = rows(right)
    assert comparison_of(table(frame, score_notes(frame, RECORD))) is None
