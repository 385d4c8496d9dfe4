"""Grading by rules, reading and linting, beside the least that anything of the kind does.

1,000 probes graded in under 5 s, and a file of 300 steps read and linted in under 1 s, are what was asked
for on two cores. There is no peer that grades like this: looking for the words of the expected answer in the
response, and in all that was said before, is what any grader does at least; parsing JSON is the limit of
reading.

Usage: python benchmarks/longcontext.py [PROBES]
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from tellapart.longcontext.graders import decide_without_judge, grade_all
from tellapart.longcontext.lint import lint, lint_inputs
from tellapart.longcontext.reading import read_answers, read_case, read_results
from tellapart.longcontext.transcript import PlayedCase, PlayedStep, Usage

PROBES, STEPS = 1_000, 300
GRADED_S, LINTED_S = 5.0, 1.0
ROUNDS = 3
FIXTURES = Path(__file__).parents[1] / "tests" / "longcontext"
CASES = ("case_2_long", "case_3_overflow")


def answers() -> list[dict[str, Any]]:
    """Labelled answers to the documented probes."""
    lines = (FIXTURES / "grading" / "labelled_answers.seen.jsonl").read_text(encoding="utf-8").splitlines()
    return [one for one in map(json.loads, lines) if one["response"] and one["step"][1] in "23"]


def conversation(probes: int) -> PlayedCase:
    """The documented studies, and then so many probes, asked from a snapshot."""
    cases = [read_case(FIXTURES / "fixtures" / f"{name}.txt") for name in CASES]
    asked = {step.id: step for case in cases for step in case.probes}
    steps, tokens = [], 100
    for message in (message for case in cases for message in case.messages):
        tokens += len(message.text) // 4 + 10
        usage = Usage(tokens, 10, tokens + 10)
        steps.append(PlayedStep(message.id, "message", None, message.text, "Noted.", usage, 200))
    known = answers()
    for number in range(probes):
        one = known[number % len(known)]
        step = asked[one["step"]]
        now = tokens + len(step.text) // 4 + 20
        usage = Usage(now, 30, now + 30)
        steps.append(
            PlayedStep(
                step.id, step.type, step.failure_mode, step.text, one["response"], usage, 200, forked=True
            )
        )
    return PlayedCase("case_3_overflow", tuple(steps), cases[0].system, "m")


def fastest(work: Callable[[], Any]) -> tuple[float, float]:
    """Seconds of the first round, and of the fastest."""
    seconds = []
    for _ in range(ROUNDS):
        start = perf_counter()
        work()
        seconds.append(perf_counter() - start)
    return seconds[0], min(seconds)


def look_for(case: PlayedCase) -> int:
    """The least: look for the words of the expected answer in the response, and in all that was said."""
    key, found = read_answers(FIXTURES / "fixtures" / "answers.txt"), 0
    material = " ".join(step.user_message for step in case.steps if not step.is_probe)
    for step in case.probes:
        expected = key.expected(case.name, step.id)
        for word in (expected.answer or "").split() if expected else ():
            found += (word in (step.response or "")) + (word in material)
    return found


def grading(probes: int) -> None:
    case, key = conversation(probes), read_answers(FIXTURES / "fixtures" / "answers.txt")
    first, best = fastest(lambda: grade_all(decide_without_judge([case], key, {}, "rules")))
    _, least = fastest(lambda: look_for(case))
    print(f"grading {probes:,} probes by rules: {first:.2f} s, again {best:.2f} s; {GRADED_S:g} s asked for")
    print(f"  looking for words alone {least:.2f} s: {best / least:.1f} times that")


def record(case: PlayedCase) -> dict[str, Any]:
    """The conversation as another program may have recorded it; what is asked again has an id of its own."""
    again: Counter[str] = Counter()
    steps = []
    for step in case.steps:
        times, again[step.id] = again[step.id], again[step.id] + 1
        names = {"id": f"{step.id}-R{times}" if times else step.id}
        played = {**asdict(step), **names}
        steps.append(
            {"step_id": played["id"], "step_type": step.type, "assistant_response": step.response, **played}
        )
    return {"cases": [{"case_name": case.name, "system_prompt": case.system, "steps": steps}]}


def linting(place: Path) -> None:
    (place / "results.json").write_text(json.dumps(record(conversation(STEPS - 25))), encoding="utf-8")
    key = read_answers(FIXTURES / "fixtures" / "answers.txt")
    first, best = fastest(lambda: lint(lint_inputs([], [read_results(place / "results.json")], key)))
    _, least = fastest(lambda: json.loads((place / "results.json").read_text(encoding="utf-8")))
    print(f"reading and linting {STEPS} steps: {first:.2f} s, again {best:.2f} s; {LINTED_S:g} s asked for")
    print(f"  parsing the JSON alone {least:.3f} s")


if __name__ == "__main__":
    grading(int(sys.argv[1]) if len(sys.argv) > 1 else PROBES)
    with TemporaryDirectory() as place:
        linting(Path(place))
