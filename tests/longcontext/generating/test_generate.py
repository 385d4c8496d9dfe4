from dataclasses import replace

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


def body_of(case):
    return "\n".join(message.text for message in case.messages)


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
