"""Grading by code against labelled answers, all of which have been looked at since they were labelled.

What was found at the first look at each set stands in the documentation. The original sets are those of the
documented experiment. Where several categories can be defended, a label names them all.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from tellapart.longcontext.case import AnswerKey
from tellapart.longcontext.graders import decide_without_judge, grade_all
from tellapart.longcontext.grades import VALUES, Grade
from tellapart.longcontext.probes import grade_by_rules, kind_of
from tellapart.longcontext.reading.answers import read_answers
from tellapart.longcontext.reading.cases import read_case
from tellapart.longcontext.transcript import PlayedCase, PlayedStep

HERE = Path(__file__).parent
FIXTURES = HERE.parent / "fixtures"
DOCS = Path(__file__).parents[3] / "docs" / "longcontext.md"
EVERYDAY = (
    *("seen", "second", "third", "blind", "fresh", "sixth", "seventh", "eighth", "ninth", "tenth"),
    *("eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth"),
    *("eighteenth", "nineteenth"),
)
DOCUMENTED = ("seen", "held_out", "second")


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def everyday(name):
    """Row, probe, what is known of it, and material of each answer."""
    for path in sorted((HERE / "everyday" / name).glob("*.yaml")):
        case = read_case(path)
        shown = [step.text for step in case.steps if not step.is_probe]
        for row in read(path.with_suffix(".answers.jsonl")):
            yield row, case.by_id[row["step"]], case.by_id[row["step"]].expected, shown


def documented(name):
    key = read_answers(FIXTURES / "answers.txt").by_id
    first, second, third = (
        read_case(FIXTURES / f"case_{of}.txt") for of in ("1_short", "2_long", "3_overflow")
    )
    probes = {}
    for case, shown in ((first, []), (second, []), (third, [one.text for one in second.messages])):
        material = list(shown)
        for step in case.steps:
            if step.is_probe:
                probes[step.id] = (step, tuple(material))
            else:
                material.append(step.text)
    for row in read(HERE / f"labelled_answers.{name}.jsonl"):
        step, material = probes[row["step"]]
        yield row, step, key[step.id], material


def counted(answers):
    counts = Counter()
    for row, probe, expected, material in answers:
        labels = row["category"].split("|")
        if labels == ["ERROR"]:
            continue
        step = PlayedStep(probe.id, probe.type, probe.failure_mode, probe.text, row["response"])
        given = grade_by_rules(step, expected, material).category
        decidable = kind_of(probe.failure_mode, expected).decidable(probe.text, expected)
        counts["answers"] += 1
        counts["decidable"] += decidable
        counts["abstained"] += decidable and given == "EVAL_ERROR"
        if given != "EVAL_ERROR":
            assert decidable or not row["response"].strip(), row["id"]
            counts["decided"] += 1
            counts["right category"] += given in labels
            counts["right score"] += VALUES[given] in [VALUES[label] for label in labels]
            counts["CORRECT"] += given == "CORRECT"
            counts["wrongly CORRECT"] += given == "CORRECT" and given not in labels
            counts["right called wrong"] += labels == ["CORRECT"] != [given]
    return counts


COLUMNS = (
    *("answers", "decidable", "abstained", "decided", "right category", "right score", "CORRECT"),
    *("wrongly CORRECT", "right called wrong"),
)


@pytest.fixture(scope="module")
def sets():
    return {name: counted(everyday(name)) for name in EVERYDAY} | {
        f"original, {name}": counted(documented(name)) for name in DOCUMENTED
    }


def test_the_figures_are_those_of_the_documentation(sets):
    lines = DOCS.read_text(encoding="utf-8").splitlines()
    for name, counts in sets.items():
        assert f"| {' | '.join([name, *(str(counts[column]) for column in COLUMNS)])} |" in lines


def test_what_code_decides_is_right(sets):
    total = sum(sets.values(), Counter())
    assert total["wrongly CORRECT"] <= 0.01 * total["CORRECT"]
    assert total["right category"] >= 0.97 * total["decided"]
    # Not met by the later sets, whose answers are worded to be hard: see docs/longcontext.md.
    later = sum((sets[name] for name in EVERYDAY[4:15]), Counter())
    assert later["abstained"] <= 0.05 * later["decidable"]


@pytest.mark.parametrize("name", ["blind", "sixth"])
def test_with_a_judge_that_answers_by_the_label_auto_is_the_label_on_all_that_code_leaves(name):
    labels, cases, key = {}, [], {}
    for number, (row, probe, expected, material) in enumerate(everyday(name)):
        case = f"c{number}"
        labels[case], key[case, probe.id] = row["category"].split("|")[0], expected
        shown = (PlayedStep(f"M{i}", "message", None, text, "Yes.") for i, text in enumerate(material))
        asked = PlayedStep(probe.id, probe.type, probe.failure_mode, probe.text, row["response"])
        cases.append(PlayedCase(case, (*shown, asked), model="m"))

    decided = decide_without_judge(cases, AnswerKey({}, by_case=key), {}, "auto")
    left = [probe.case.name for probe, grade in decided if grade is None]
    judged = [[Grade(labels[case], "By the label.", grader="judge")] for case in left]
    graded = {one.case.name: one.grade for one in grade_all(decided, judged)}
    assert [case for case, grade in graded.items() if grade.grader == "judge"] == left != []
    assert {graded[case].category == labels[case] for case in left} == {True}
    assert all(grade.value is not None for grade in graded.values())
