"""A kind of probe that says no more than how it is graded."""

from tellapart.longcontext.case import CaseStep, Expected
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.grading.graders import grade_by_rules, grade_without_judge
from tellapart.longcontext.probes import ProbeKind, all_kinds, kinds, needs_of
from tellapart.longcontext.transcript import PlayedStep


class Ordering(ProbeKind):
    name = "ordering"
    precedence = 40
    failure_mode = "temporal order"

    def grade(self, question, response, expected, material):
        first, _, second = expected.answer.partition(" before ")
        right = -1 < response.find(first) < response.find(second)
        return Grade("CORRECT" if right else "HALLUCINATED", "By the order in which both are named.")


def test_it_is_graded_where_its_failure_mode_or_its_name_says_so(monkeypatch):
    known = {**all_kinds(), "ordering": Ordering()}
    monkeypatch.setattr(kinds, "all_kinds", lambda: known)
    answer = "the barn before the mill"

    def grade(response, failure_mode, **further):
        step = PlayedStep("V1-1", "verification", failure_mode, "Which came first?", response)
        return grade_by_rules(step, Expected("V1-1", answer, **further), ()).category

    assert grade("First the barn, then the mill.", "Temporal order, near") == "CORRECT"
    assert grade("First the mill, then the barn.", None, rule="ordering") == "HALLUCINATED"
    step = PlayedStep("V1-1", "verification", "Temporal order", "Which?", "The barn.")
    assert grade_without_judge(step, Expected("V1-1", answer), ()) is None
    assert grade_without_judge(step, None, ()).category == "EVAL_ERROR"


def test_its_evidence_is_that_of_its_answer(monkeypatch):
    known = {**all_kinds(), "ordering": Ordering()}
    monkeypatch.setattr(kinds, "all_kinds", lambda: known)
    probe = CaseStep("V1-1", "verification", "Which came first?", "Temporal order")
    (part,) = needs_of(probe, probe.text, Expected("V1-1", "the Torvane mill before 1912")).parts
    assert [fact.text for fact in part.facts] == ["Torvane", "1912"]
