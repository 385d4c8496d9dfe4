"""The rules against answers that were labelled by hand before there were rules.

The ``seen`` half was looked at while the rules were written; the ``held_out`` half once, afterwards, and no
rule was changed for it. One person wrote answers and rules, so agreement on these is an upper bound. The
``second`` set was written and labelled by somebody who knew no rule. At the first look the rules agreed with
116 of its 129 (kappa .878, of facts alone .843). Four misses were plain errors and are mended since (a list
read as a range, ``43-patient``, numbers taken back), and what is asserted is what holds now.
"""

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score

from tellapart.core.stats.agreement import cohen_kappa_of
from tellapart.longcontext.grades import VALUES
from tellapart.longcontext.grading.graders import grade_by_rules
from tellapart.longcontext.reading.answers import read_answers
from tellapart.longcontext.reading.cases import read_case
from tellapart.longcontext.transcript import PlayedStep

HERE = Path(__file__).parent
FIXTURES = HERE.parent / "fixtures"


def probes():
    first, second, third = (
        read_case(FIXTURES / f"{name}.txt") for name in ("case_1_short", "case_2_long", "case_3_overflow")
    )
    found = {}
    for case, shown in ((first, []), (second, []), (third, [one.text for one in second.messages])):
        material = list(shown)
        for step in case.steps:
            if step.is_probe:
                found[step.id] = (step, tuple(material))
            else:
                material.append(step.text)
    return found


def rows(half):
    text = (HERE / f"labelled_answers.{half}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def graded():
    key, steps = read_answers(FIXTURES / "answers.txt"), probes()

    def of(half):
        pairs = []
        for row in rows(half):
            step, material = steps[row["step"]]
            played = PlayedStep(step.id, step.type, step.failure_mode, step.text, row["response"])
            pairs.append((row["id"], row["category"], grade_by_rules(played, key.by_id[step.id], material)))
        return pairs

    return of


def test_halves_are_split_by_the_hash_of_the_id_and_hold_every_probe_and_category():
    both = {half: rows(half) for half in ("seen", "held_out")}
    assert {half: len(of) for half, of in both.items()} == {"seen": 107, "held_out": 131}
    for half, of in both.items():
        for row in of:
            odd = hashlib.sha256(row["id"].encode()).digest()[0] % 2
            assert odd == (half == "held_out")
    every = [*both["seen"], *both["held_out"]]
    assert {row["step"] for row in every} == set(probes())
    assert {row["category"] for row in every} == set(VALUES) - {"EVAL_ERROR"}


@pytest.mark.parametrize(
    ("half", "kappa"),
    [("seen", 0.9779744750926307), ("held_out", 0.9722339974565494), ("second", 0.9065285124266358)],
)
def test_agreement_is_exactly_what_is_documented(graded, half, kappa):
    pairs = graded(half)
    people, rules = [one[1] for one in pairs], [one[2].category for one in pairs]
    assert cohen_kappa_of(people, rules) == pytest.approx(kappa, abs=1e-12)
    assert cohen_kappa_score(people, rules) == pytest.approx(kappa, abs=1e-12)


def test_misses_of_the_first_two_sets(graded):
    def off(half):
        return {id_: (a, g.category) for id_, a, g in graded(half) if a != g.category}

    # Half of what was asked for is right, the other half another entry's: the labels say CONFUSED, as a later
    # reader did not; the rules say PARTIAL unless what is right is the smaller part.
    assert off("seen") == {id_: ("CONFUSED", "PARTIAL") for id_ in ("V1-2/6", "C3-2/5")}
    assert off("held_out") == {
        # Another figure of the same article.
        "V1-1/9": ("PARTIAL", "CONFUSED"),
        "V1-3/6": ("PARTIAL", "EVAL_ERROR"),
        # Study 10 had not been shown yet, so its author is from nowhere; people know it from the key.
        "C2-2/3": ("CONFUSED", "HALLUCINATED"),
    }


def test_the_second_set_covers_every_probe_and_its_lists_are_counted(graded):
    labels = {row["id"]: row for row in rows("second")}
    assert len(labels) == 129
    assert {row["step"] for row in labels.values()} == set(probes())
    counts = {id_: grade.correct for id_, _, grade in graded("second") if grade.of}
    assert counts == {id_: labels[id_]["correct"] for id_ in counts}
    assert sorted(counts.values()) == [0, 0, 9, 15, 17, 25]


def test_misses_of_the_second_set(graded):
    missed = Counter(
        (people, grade.category) for _, people, grade in graded("second") if people != grade.category
    )
    assert missed == {
        ("PARTIAL", "EVAL_ERROR"): 3,
        ("CONFUSED", "EVAL_ERROR"): 1,
        ("PARTIAL", "CORRECT"): 1,
        ("CONFUSED", "PARTIAL"): 1,
        ("REFUSED", "PARTIAL"): 1,
        ("RECENCY_BIAS_DETECTED", "NO_BIAS"): 1,
        ("CORRECT", "PARTIAL"): 2,
    }


@pytest.mark.parametrize(
    ("id_", "response", "category"),
    [
        ("V3-5", "There was a small, non-significant decline in REM percentage.", "CORRECT"),
        # It neither denies the comparison nor affirms one.
        ("V2-1", "Lindberg's study was on quality of life, with AAQoL rising 23.7%.", "EVAL_ERROR"),
        # The same number stands in other studies, as something else.
        ("V2-2", "18.7% dropped out; the threshold was 5x the upper limit of normal.", "PARTIAL"),
        ("V2-2", "triple the upper limit of normal; dropout 18.7%", "CORRECT"),
        ("V3-1", "rs78423156 on 6q14.1 (OR=2.34) and rs61942927 on 16p13.3 (OR=1.78).", "PARTIAL"),
        ("V1-3", "requires baseline ALT and AST testing before starting", "CORRECT"),
    ],
)
def test_answers_that_careful_readers_disputed(id_, response, category):
    key, (step, material) = read_answers(FIXTURES / "answers.txt"), probes()[id_]
    played = PlayedStep(step.id, step.type, step.failure_mode, step.text, response)
    assert grade_by_rules(played, key.by_id[id_], material).category == category


def test_every_grade_says_why_and_scores_what_it_should(graded):
    for _, _, grade in graded("seen"):
        assert grade.reason and grade.grader == "rules"
        assert (grade.missing is None) == (grade.value is not None)
