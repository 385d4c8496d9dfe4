import re
from dataclasses import replace

import pytest

from tellapart.longcontext.generating import Design, conversation
from tellapart.longcontext.generating.tasks import NEVER
from tellapart.longcontext.values import facts_of, states

DESIGN = Design((2000, 4000, 8000), distractors=2, conversations=6)


def conversations(design):
    """All of them, by task, length and number."""
    return [
        conversation(design, length, number, task)
        for task in design.tasks
        for length in design.lengths
        for number in range(design.conversations)
    ]


def words_of(text):
    return set(re.findall(r"[^\W_]+", text.casefold()))


def body_of(case):
    return "\n".join(message.text for message in case.messages)


def test_evidence_stands_once_at_its_depth_and_never_twice():
    for case in conversations(DESIGN):
        body = body_of(case)
        depths = []
        for probe in case.probes:
            for text in probe.expected.evidence:
                assert body.count(text) == 1
                # Where it ends, as distances are counted.
                depths.append((body.index(text) + len(text)) / len(body))
        assert sorted(depths) == pytest.approx([0, 0.25, 0.5, 0.75, 1], abs=0.03)


def test_the_answer_is_nowhere_but_in_its_evidence():
    for case in conversations(replace(DESIGN, distractors=5, lengths=(8000, 16_000), conversations=2)):
        body = body_of(case) + case.system
        for probe in case.probes:
            facts = facts_of(probe.expected.answer)
            if not probe.expected.evidence:
                assert (probe.expected.answer, facts) == (NEVER, ())
                continue
            (evidence,) = probe.expected.evidence
            assert len(facts) == 1
            assert states(evidence, facts[0])
            assert not states(body.replace(evidence, ""), facts[0])
            assert not states(probe.text, facts[0])
