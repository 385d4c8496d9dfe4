import re
from dataclasses import replace

import pytest

from tellapart.core.randomness import generator
from tellapart.longcontext.generating import Design, conversation, conversations
from tellapart.longcontext.generating.filler import sentences
from tellapart.longcontext.generating.names import Unused
from tellapart.longcontext.generating.needles import NEVER, needle, trap
from tellapart.longcontext.generating.tasks import TASKS
from tellapart.longcontext.reading.yaml_cases import yaml_of
from tellapart.longcontext.values import facts_of, states

DESIGN = Design((2000, 4000, 8000), distractors=2, conversations=6)


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


@pytest.mark.slow
def test_filler_has_no_word_of_a_fact_no_name_and_no_number_that_is_asked_for():
    rng = generator(0, "words")
    said = set()
    for number in range(10):
        for make in (needle, trap):
            one = make(number, 4, Unused(rng), rng)
            said |= words_of(" ".join((one.question, one.answer, one.sentence or "", *one.distractors)))
    lines = sentences(generator(1, "filler"))
    text = " ".join(next(lines) for _ in range(2000))
    assert said & words_of(text) == {"the", "of", "what", "did"}
    # What a seed makes stays the same: two words that rules read as facts, and no task asks for.
    assert {fact.text.casefold() for fact in facts_of(text)} == {"midnight", "twice"}
    wanted = conversations(Design((4000,), tasks=tuple(TASKS), conversations=4))
    answers = [f"{probe.text}\n{probe.expected.answer}" for case in wanted for probe in case.probes]
    assert not {fact.normal for fact in facts_of(text)} & {
        fact.normal for answer in answers for fact in facts_of(answer)
    }
    assert not re.search(r"\d|\s[A-Z](?<!\. [A-Z])|  |\ba [aeiou]", text)
    assert len({line for line in text.split(". ")}) > 1990


def test_the_same_seed_gives_the_same_bytes_whatever_else_is_made():
    whole = {case.name: yaml_of(case) for case in conversations(DESIGN)}
    assert list(whole) == [f"{length}-0{i}" for length in ("2K", "4K", "8K") for i in range(1, 7)]
    alone = conversation(replace(DESIGN, lengths=(4000,), conversations=1), 4000, 4)
    assert yaml_of(alone) == whole["4K-05"]
    other = conversation(replace(DESIGN, seed=1), 4000, 4)
    assert yaml_of(other) != whole["4K-05"]
    assert not set(p.text for p in other.probes) & set(p.text for p in alone.probes)


def test_probes_come_last_in_an_order_that_does_not_follow_depth():
    orders = []
    for case in conversations(DESIGN):
        assert [step.type for step in case.steps] == ["message"] * len(case.messages) + ["verification"] * 6
        body = body_of(case)
        orders.append([body.index(p.expected.evidence[0]) for p in case.probes if p.expected.evidence])
    assert any(order != sorted(order) for order in orders)
    assert len({tuple(sorted(order).index(at) for at in order) for order in orders}) > 10
