"""Grades beside people's labels."""

import polars as pl
import pytest
from sklearn.metrics import cohen_kappa_score

from tellapart.longcontext.case import AnswerKey
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.grading_record import agreement_record, grading_record
from tellapart.longcontext.probes import Probe
from tellapart.longcontext.transcript import PlayedCase, PlayedStep


def graded(step, category, *, model="m", epoch=0, missing=None):
    played = PlayedStep(step, "verification", "Recall", f"about {step}", "a")
    case = PlayedCase("c", (played,), model=model, epoch=epoch)
    return Probe(case, 0, played, None, grades=(Grade(category, "", missing=missing),))


@pytest.fixture
def agreement(tmp_path):
    def record(probes, rows):
        path = tmp_path / "h.csv"
        pl.DataFrame(rows).write_csv(path)
        return agreement_record(grading_record([], probes, key=AnswerKey({}), judge="j"), path)

    return record


def label(step, human, **more):
    return {"model": "m", "item": f"c/{step}", "human": human, **more}


STEPS = [f"V{i}" for i in range(12)]


def test_figures_by_hand(agreement):
    grades = ["CORRECT"] * 6 + ["PARTIAL"] * 3 + ["HALLUCINATED", "CONFUSED", "REFUSED"]
    labels = [1] * 5 + [0.5] * 3 + [1, 0, 0, 0]
    found = agreement(list(map(graded, STEPS, grades)), list(map(label, STEPS, labels)))
    # The same in 10 of 12; chance gives (6 x 6 + 3 x 3 + 3 x 3) / 144 = 3/8.
    assert (found.n, found.agreement, found.reason) == (12, 10 / 12, None)
    assert found.kappa == pytest.approx((10 / 12 - 3 / 8) / (5 / 8))
    scores = [2] * 6 + [1] * 3 + [0] * 3
    assert found.kappa == pytest.approx(cohen_kappa_score([2 * label for label in labels], scores))
    low, high = found.agreement_ci
    assert found.kappa_ci == pytest.approx(((low - 3 / 8) / (5 / 8), (high - 3 / 8) / (5 / 8)))
    assert {(*of,) for of in (found.confusion, *found.confusion.values())} == {("1", "0.5", "0")}
    assert [[*row.values()] for row in found.confusion.values()] == [[5, 1, 0], [1, 2, 0], [0, 0, 3]]


def test_what_has_no_grade_or_no_label_is_counted_and_in_no_figure(agreement):
    probes = [graded("V1", "CORRECT"), graded("V2", "EVAL_ERROR"), graded("V3", "PARTIAL")]
    found = agreement(probes, [label("V1", 1), label("V2", 1), label("V3", None)])
    assert (found.n, found.without_grade) == (1, 1)
    assert (found.kappa, found.agreement) == (None, 1.0)
    assert found.reason == "every item has the label '1' by both"
