"""The rules against 792 labelled answers on everyday matters, in three sets of four domains.

``seen`` and ``second`` were looked at while the rules were written, ``second`` only after a first look at its
counts. ``blind`` was written and labelled by somebody who had not seen the rules, and nobody who writes rules
has looked into it: what is asserted is how the rules do on answers that they were not made for. Leave it so.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from tellapart.longcontext.grading.graders import grade_by_rules
from tellapart.longcontext.reading.cases import read_case
from tellapart.longcontext.transcript import PlayedStep

SETS = Path(__file__).parent / "everyday"


def outcomes(folder):
    """By domain how many answers have their label, are not told, are CORRECT wrongly, or else are wrong."""
    by_domain = {}
    for path in sorted(folder.glob("*.yaml")):
        case = read_case(path)
        shown = [step.text for step in case.steps if not step.is_probe]
        probes = {step.id: step for step in case.steps if step.is_probe}
        counts = by_domain.setdefault(path.stem, Counter())
        for line in path.with_suffix(".answers.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            probe = probes[row["step"]]
            step = PlayedStep(probe.id, probe.type, probe.failure_mode, probe.text, row["response"])
            grade = grade_by_rules(step, probe.expected, shown)
            counts[outcome(grade.category, row["category"])] += 1
    return by_domain


def outcome(given, label):
    if given == label:
        return "agree"
    if given == "EVAL_ERROR":
        return "not told"
    return "false CORRECT" if given == "CORRECT" else "false wrong" if label == "CORRECT" else "other"


@pytest.mark.parametrize("name", ["seen", "second", "blind"])
def test_agreement_is_exactly_what_is_documented(name):
    documented = json.loads((SETS / "agreement.json").read_text(encoding="utf-8"))
    assert {
        domain: dict(sorted(counts.items())) for domain, counts in outcomes(SETS / name).items()
    } == documented[name]


def test_on_answers_that_nobody_has_looked_at():
    counts = sum(outcomes(SETS / "blind").values(), Counter())
    n = counts.total()
    assert n == 256
    assert counts["false CORRECT"] / n <= 0.01
    assert (counts["agree"] + counts["not told"]) / n >= 0.85
    assert counts["agree"] / (n - counts["not told"]) >= 0.85
