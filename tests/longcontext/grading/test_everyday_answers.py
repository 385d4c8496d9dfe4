"""The rules against 1,032 labelled answers on everyday matters, in four sets.

``seen``, ``second`` and ``third`` were looked at while the rules were written, the last two after a look at
their counts. ``blind`` was written and labelled by somebody who had not seen the rules, and nobody who writes
rules has looked into it: what is asserted is how they do on answers that they were not made for. Leave it so.
"""

import json
from collections import Counter
from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score

from tellapart.longcontext.grading.graders import grade_by_rules
from tellapart.longcontext.reading.cases import read_case
from tellapart.longcontext.transcript import PlayedStep

SETS = Path(__file__).parent / "everyday"
DOCS = Path(__file__).parents[3] / "docs" / "longcontext.md"


def graded(folder):
    """By domain the label and the category of each answer."""
    by_domain = {}
    for path in sorted(folder.glob("*.yaml")):
        case = read_case(path)
        shown = [step.text for step in case.steps if not step.is_probe]
        probes = {step.id: step for step in case.steps if step.is_probe}
        pairs = by_domain.setdefault(path.stem, [])
        for line in path.with_suffix(".answers.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            probe = probes[row["step"]]
            step = PlayedStep(probe.id, probe.type, probe.failure_mode, probe.text, row["response"])
            pairs.append((row["category"], grade_by_rules(step, probe.expected, shown).category))
    return by_domain


def outcome(label, given):
    if given == label:
        return "agree"
    if given == "EVAL_ERROR":
        return "not told"
    return "false CORRECT" if given == "CORRECT" else "false wrong" if label == "CORRECT" else "other"


def row(name, domain, pairs):
    """As the documentation has it; kappa of those that are graded."""
    counts = Counter(outcome(label, given) for label, given in pairs)
    told = [pair for pair in pairs if pair[1] != "EVAL_ERROR"]
    kappa = cohen_kappa_score(*zip(*told, strict=True))
    figures = [counts[what] for what in ("agree", "not told", "false CORRECT", "false wrong", "other")]
    cells = [name, domain.replace("_", " "), len(pairs), *figures, f"{kappa:.2f}"]
    return f"| {' | '.join(map(str, cells))} |"


@pytest.mark.parametrize("name", ["seen", "second", "third", "blind"])
def test_agreement_is_what_is_documented(name):
    documented = DOCS.read_text(encoding="utf-8").splitlines()
    by_domain = graded(SETS / name)
    everything = [pair for pairs in by_domain.values() for pair in pairs]
    for domain, pairs in (*by_domain.items(), ("all", everything)):
        assert row(name, domain, pairs) in documented


def test_on_answers_that_nobody_has_looked_at():
    pairs = [pair for pairs in graded(SETS / "blind").values() for pair in pairs]
    counts = Counter(outcome(label, given) for label, given in pairs)
    assert len(pairs) == 256
    assert counts["false CORRECT"] / 256 <= 0.01
    assert (counts["agree"] + counts["not told"]) / 256 >= 0.85
    assert counts["agree"] / (256 - counts["not told"]) >= 0.85
