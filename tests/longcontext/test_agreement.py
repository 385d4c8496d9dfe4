import pytest
from sklearn.metrics import cohen_kappa_score

from tellapart.errors import InputError
from tellapart.longcontext.agreement import HumanScore, agreement_record
from tellapart.longcontext.case import AnswerKey
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.grading_record import grading_record
from tellapart.longcontext.probes import Probe
from tellapart.longcontext.transcript import PlayedCase, PlayedStep


def agreement_figures(graded, human):
    record = grading_record([], graded, key=AnswerKey({}), judge="j")
    return agreement_record(record, human).model_dump(mode="json")


def graded(step, category, *, mode="Recall", question=None, model="m", epoch=0, said=()):
    played = PlayedStep(step, "verification", mode, question or f"about {step}", "a")
    grades = [Grade(one, "", grader="judge", judging=i) for i, one in enumerate(said)] or [
        Grade(category, "")
    ]
    case = PlayedCase("c", (played,), model=model, epoch=epoch)
    return Probe(case, 0, played, None, grades=tuple(grades))


def human(step, category, rater="ann", model=None, epoch=None):
    return HumanScore(rater, "c", step, category, model, epoch, f"h.csv:{step}")


def only_rater(figures):
    (rater,) = figures["raters"]
    return rater


OURS = ["CORRECT"] * 6 + ["PARTIAL"] * 3 + ["HALLUCINATED"] * 3
THEIRS = ["CORRECT"] * 5 + ["PARTIAL"] * 3 + ["CORRECT"] + ["HALLUCINATED"] * 3
STEPS = [f"V{i}" for i in range(12)]


def test_figures_by_hand():
    probes = [graded(step, category) for step, category in zip(STEPS, OURS, strict=True)]
    scores = [human(step, category) for step, category in zip(STEPS, THEIRS, strict=True)]
    found = only_rater(agreement_figures(probes, scores))
    # The same in 10 of 12; chance gives (6 x 6 + 3 x 3 + 3 x 3) / 144 = 3/8.
    assert (found["n"], found["agreement"], found["reason"]) == (12, 10 / 12, None)
    assert found["kappa"] == pytest.approx((10 / 12 - 3 / 8) / (5 / 8))
    assert found["kappa"] == pytest.approx(cohen_kappa_score(THEIRS, OURS))
    low, high = found["agreement_ci"]
    assert found["kappa_ci"] == pytest.approx([(low - 3 / 8) / (5 / 8), (high - 3 / 8) / (5 / 8)])
    assert found["confusion"] == {
        "CORRECT": {"CORRECT": 5, "PARTIAL": 1, "HALLUCINATED": 0},
        "PARTIAL": {"CORRECT": 1, "PARTIAL": 2, "HALLUCINATED": 0},
        "HALLUCINATED": {"CORRECT": 0, "PARTIAL": 0, "HALLUCINATED": 3},
    }
    assert found["disagreements"] == [
        {"model": "m", "case": "c", "epoch": 0, "step": "V5", "human": "PARTIAL", "graded": "CORRECT"},
        {"model": "m", "case": "c", "epoch": 0, "step": "V8", "human": "CORRECT", "graded": "PARTIAL"},
    ]
    assert (found["only_human"], found["only_graded"]) == ([], [])


def test_what_has_no_grade_or_no_score_is_counted_and_in_no_figure():
    probes = [
        graded("V1", "CORRECT"),
        graded("V2", "ERROR"),
        graded("V3", "EVAL_ERROR"),
        graded("V4", "PARTIAL"),
        graded("V5", "PARTIAL"),
    ]
    scores = [
        human("V1", "CORRECT"),
        human("V2", "CORRECT"),
        human("V4", None),
        human("V5", "ERROR"),
        human("V9", "PASS"),
    ]
    figures = agreement_figures(probes, scores)
    found = only_rater(figures)
    assert (figures["graded"], figures["ungraded"]) == (5, 2)
    assert found["n"] == 1
    assert [place["step"] for place in found["without_grade"]] == ["V2"]
    assert [place["step"] for place in found["only_human"]] == ["V9"]
    assert [place["step"] for place in found["only_graded"]] == ["V3"]
    assert (found["kappa"], found["kappa_ci"]) == (None, None)
    assert found["reason"] == "every item has the label 'CORRECT' by both"
    assert (found["agreement"], found["agreement_ci"]) == (1.0, None)


def test_a_sheet_of_what_had_no_grade_says_so():
    found = only_rater(agreement_figures([graded("V1", "EVAL_ERROR")], [human("V1", "CORRECT")]))
    assert (found["n"], found["reason"]) == (0, "nothing that was scored has a grade")


def test_models_and_epochs_are_told_apart():
    probes = [graded("V1", "CORRECT", model=m, epoch=e) for m in "ab" for e in (0, 1)]
    scores = [human("V1", "CORRECT", model="a", epoch=0), human("V1", "PARTIAL", model="b", epoch=1)]
    found = only_rater(agreement_figures(probes, scores))
    assert [(one["model"], one["epoch"], one["human"]) for one in found["disagreements"]] == [
        ("b", 1, "PARTIAL")
    ]
    assert [(one["model"], one["epoch"]) for one in found["only_graded"]] == [("a", 1), ("b", 0)]
    with pytest.raises(
        InputError, match=r"h.csv:V1: this score does not say of which model .* of 2: a, b. Give"
    ):
        agreement_figures(probes, [human("V1", "CORRECT", epoch=0)])
    with pytest.raises(
        InputError, match=r"does not say of which epoch it is, and there are grades of 2: 0, 1"
    ):
        agreement_figures(probes, [human("V1", "CORRECT", model="a")])
    twice = [human("V1", "CORRECT", model="a", epoch=0)] * 2
    with pytest.raises(InputError, match=r"h.csv:V1: 'ann' scores c/V1 of 'a' .epoch 0. a second time"):
        agreement_figures(probes, twice)
