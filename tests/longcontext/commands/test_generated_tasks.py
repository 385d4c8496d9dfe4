"""Generated tasks by the commands alone: right answers get 1, wrong ones 0, and a bag of answers never 1."""

import json

import pytest

from tellapart.longcontext.generating.distribution import WARES
from tellapart.longcontext.reading import read_cases


@pytest.fixture
def made(tellapart, tmp_path):
    """The cases of a task, and a function that grades an answer to each of their probes."""

    def make(task, tokens="2K"):
        folder = tmp_path / task
        words = ("--lengths", tokens, "--conversations", "2", "--tasks", task, "--seed", "4")
        done = tellapart("longcontext", "generate", "--out", folder, *words)
        assert done.code == 0, done.err
        found = json.loads(tellapart("longcontext", "lint", folder, "--json").out)
        assert not [one for one in found if one.get("severity") in ("error", "warning")]
        assert all(one["decidable"] for one in found if "decidable" in one)
        cases = read_cases([folder])

        def graded(answer):
            played = [
                {
                    "caseName": case.name,
                    "steps": [
                        {"stepId": step.id, "stepType": step.type, "userMessage": step.text,
                         "assistantResponse": "Read." if step.expected is None else answer(step)}
                        for step in case.steps
                    ],
                }
                for case in cases
            ]  # fmt: skip
            path = tmp_path / "results.json"
            path.write_text(json.dumps({"cases": played}), encoding="utf-8")
            run = tmp_path / f"graded-{len(list(tmp_path.iterdir()))}"
            done = tellapart("longcontext", "grade", path, "--cases", folder, "--grader", "rules", "--json",
                             "--name", "m", "--run", run)  # fmt: skip
            assert done.code == 0, done.err
            grades = [grade for of in json.loads(done.out)["cases"].values() for grade in of]
            assert len(grades) == sum(len(case.probes) for case in cases)
            return [grade["value"] for grade in grades]

        return cases, graded

    return make


def test_of_two_statements_the_later_one_is_right(made):
    cases, graded = made("contradiction")
    for probe in (probe for case in cases for probe in case.probes):
        body = "\n".join(message.text for message in case_of(cases, probe).messages)
        early, late = probe.expected.evidence
        assert body.index(early) < body.index(late) and probe.expected.answer in late
    assert {*graded(lambda probe: f"{probe.expected.answer}.")} == {1.0}
    assert {*graded(lambda probe: f"It is {probe.expected.early}.")} == {0.0}
    assert 1.0 not in graded(lambda probe: f"{probe.expected.early} and {probe.expected.answer}")


def case_of(cases, probe):
    return next(case for case in cases if probe in case.probes)


def test_events_come_in_the_order_in_which_they_were_told(made):
    cases, graded = made("event-order")
    for case in cases:
        body = "\n".join(message.text for message in case.messages)
        for probe in case.probes:
            at = {
                text.removeprefix("A storm struck ")[:-1]: body.index(text)
                for text in probe.expected.evidence
            }
            last = probe.text.removesuffix("?").split()[-1]
            assert probe.expected.answer == str(sum(other < at[last] for other in at.values()))
    assert {*graded(lambda probe: f"{probe.expected.answer}.")} == {1.0}
    assert {*graded(lambda probe: f"It was {other_of(probe)}.")} == {0.0}
    assert 1.0 not in graded(bag)


def other_of(probe):
    """A wrong answer: another number."""
    return str(int(probe.expected.answer) + 1)


def bag(probe):
    """Every answer that there can be."""
    return " or ".join(str(number) for number in range(1, 10))


def test_entries_are_counted_over_the_whole_conversation(made):
    cases, graded = made("distribution")
    for case in cases:
        body = "\n".join(message.text for message in case.messages)
        counts = {ware: body.count(f" brought {ware} to ") for ware in WARES}
        number = {probe.text.split()[4]: probe.expected.answer for probe in case.probes}
        assert number == {ware: str(count) for ware, count in counts.items()}
    assert {*graded(lambda probe: f"{probe.expected.answer}.")} == {1.0}
    assert {*graded(lambda probe: f"{other_of(probe)}.")} == {0.0}
    assert 1.0 not in graded(bag)
