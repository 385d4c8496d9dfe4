"""Graded probes as rows of a score table."""

import pytest

from tellapart.core.scores import CAUSES, ScoreTable
from tellapart.errors import InputError
from tellapart.longcontext.case import AnswerKey, Expected
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.probes import Probe
from tellapart.longcontext.score_table import score_rows as rows_of
from tellapart.longcontext.transcript import PlayedCase, PlayedStep


def graded(id_, *grades, model="m", case="c", epoch=0, mode="Dilution", expected=None):
    step = PlayedStep(id_, "verification", mode, "q", "a")
    played = PlayedCase(case, (step,), model=model, epoch=epoch)
    return Probe(played, 0, step, expected, grades=grades)


def score_rows(probes, key=None):
    return rows_of(probes, key or AnswerKey({}))


def grade(category, **further):
    return Grade(category, "", **further)


def test_probes_are_sorted_by_the_length_that_was_meant():
    of_probe = Expected("V1-2", "x", intended_tokens=1_500)
    probes = [
        graded("V1-1", grade("CORRECT")),
        graded("V1-2", grade("CORRECT"), expected=of_probe),
        graded("V1-1", grade("CORRECT"), case="d"),
    ]
    rows = score_rows(probes, AnswerKey({}, cases={"c": 16_000}))
    assert rows["length"].to_list() == ["16,000", "1,500", None]


def test_a_score_that_is_missing_has_its_cause():
    causes = {f"V{i}": cause for i, cause in enumerate(CAUSES)}
    probes = [graded(id_, grade("ERROR", missing=cause)) for id_, cause in causes.items()]
    probes += [graded("C1", grade("EVAL_ERROR")), graded("C2", grade("ERROR"))]
    # A score is a score, whatever its grade notes beside it.
    probes += [graded("C3", grade("REFUSED", missing="refusal"))]
    rows = score_rows(probes)
    assert rows["missing"].to_list() == [*CAUSES, "judge", "provider", None]
    assert rows["score"].to_list() == [None] * (len(CAUSES) + 2) + [0.0]
    assert ScoreTable.from_frame(rows).frame["missing"].null_count() == 1


def test_askings_of_the_judge_are_gradings_and_what_the_rules_say_beside_it_is_no_row():
    said = [grade(c, grader="judge", judging=i) for c, i in (("PARTIAL", 1), ("CORRECT", 0), ("PARTIAL", 2))]
    rows = score_rows([graded("V1", *said, grade("CONFUSED")), graded("V2", grade("PASS"))])
    assert rows.select("item", "grading", "score").rows() == [
        ("c/V1", 1, 0.5),
        ("c/V1", 0, 1.0),
        ("c/V1", 2, 0.5),
        ("c/V2", 0, 1.0),
    ]
    with pytest.raises(InputError, match="occurs twice"):
        ScoreTable.from_frame(score_rows([graded("V1", grade("PASS")), graded("V1", grade("PASS"))]))
