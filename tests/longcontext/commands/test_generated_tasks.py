"""Generated tasks by the commands alone: right answers get 1, wrong ones 0, and a bag of answers never 1."""

import json

import pytest

from tellapart.longcontext.reading import read_cases


@pytest.fixture
def made(tellapart, tmp_path):
    """Grade an answer to each probe of a task."""

    def graded(answer, task):
        folder, results = tmp_path / task, tmp_path / "results.json"
        words = ("--lengths", "2K", "--conversations", "2", "--tasks", task, "--seed", "4")
        done = tellapart("longcontext", "generate", "--out", folder, *words)
        assert done.code == 0, done.err
        found = json.loads(tellapart("longcontext", "lint", folder, "--json").out)
        assert not [one for one in found if one.get("severity") in ("error", "warning")]
        assert all(one["decidable"] for one in found if "decidable" in one)
        played = [
            {
                "caseName": case.name,
                "steps": [
                    {"stepId": step.id, "stepType": step.type, "userMessage": step.text,
                     "assistantResponse": "Read." if step.expected is None else answer(step)}
                    for step in case.steps
                ],
            }
            for case in read_cases([folder])
        ]  # fmt: skip
        results.write_text(json.dumps({"cases": played}), encoding="utf-8")
        run = tmp_path / f"graded-{len(list(tmp_path.iterdir()))}"
        how = ("--cases", folder, "--grader", "rules", "--name", "m", "--run", run, "--json")
        done = tellapart("longcontext", "grade", results, *how)
        assert done.code == 0, done.err
        return [grade["value"] for of in json.loads(done.out)["cases"].values() for grade in of]

    return graded


def right(probe):
    return f"{probe.expected.answer}."


def other(probe):
    """A wrong answer: what was said before, or another number."""
    return f"It is {probe.expected.early or int(probe.expected.answer) + 1}."


def bag(probe):
    """Every answer that there can be."""
    numbers = [*map(str, range(1, 10))] if probe.expected.early is None else [probe.expected.early]
    return " or ".join([*numbers, probe.expected.answer])


@pytest.mark.parametrize("task", ["contradiction", "event-order", "distribution"])
def test_right_answers_get_1_and_others_0(made, task):
    assert {*made(right, task)} == {1.0}
    assert {*made(other, task)} == {0.0}
    assert 1.0 not in made(bag, task)
