import re
from collections import Counter
from dataclasses import replace

import pytest

from tellapart.errors import UsageError
from tellapart.longcontext.design import tasks_of
from tellapart.longcontext.generating import Design, conversation, write_cases
from tellapart.longcontext.generating.conversations import REPLY
from tellapart.longcontext.generating.tasks import NEVER, TASKS
from tellapart.longcontext.generating.word_lists import WORD_LISTS
from tellapart.longcontext.reading import read_case
from tellapart.longcontext.reading.cases import yaml_of
from tellapart.longcontext.values import facts_of, states

ALL = (*TASKS, *WORD_LISTS)
DESIGN = Design((2000,), tasks=ALL, conversations=2)


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


def probes(task, length=2000, number=0, design=DESIGN):
    case = conversation(design, length, number, task=task)
    return case, case.probes


def strings(probe):
    return probe.expected.answer.split(", ")


@pytest.mark.parametrize("task", ALL)
def test_the_context_has_the_length_that_was_asked_for(task):
    for length in (1000, 2000, 4000, 8000, 32_000):
        # Distribution needs more room than 1,000 tokens have for five questions.
        case, asked = probes(task, length, design=replace(DESIGN, depths=(0.0, 1.0)))
        before = len(case.system) + sum(len(message.text) + len(REPLY) for message in case.messages)
        for probe in asked:
            assert (before + len(probe.text)) * 0.25 == pytest.approx(length, rel=0.02)
            assert probe.expected.intended_tokens == length


def test_every_evidence_stands_once_and_a_trap_has_none():
    for case in conversations(DESIGN):
        body = body_of(case)
        for probe in case.probes:
            assert bool(probe.expected.evidence) == (probe.failure_mode.split(" - ")[0] != "Never stated")
            assert {body.count(text) for text in probe.expected.evidence} <= {1}


def test_the_same_seed_gives_the_same_bytes_whatever_else_is_made(tmp_path):
    whole = {case.name: yaml_of(case) for case in conversations(DESIGN)}
    assert len(whole) == 2 * len(ALL)
    for task in ALL:
        alone = conversation(replace(DESIGN, tasks=(task,), lengths=(2000, 4000)), 2000, 1, task=task)
        assert yaml_of(alone) == whole[alone.name]
        other = conversation(replace(DESIGN, seed=1), 2000, 1, task=task)
        assert not {probe.text for probe in other.probes} & {probe.text for probe in alone.probes}
    written = write_cases(replace(DESIGN, conversations=1), tmp_path)
    assert [one.name for one in written][:3] == ["2K-01", "2K-multi-key-01", "2K-multi-value-01"]
    for one in written:
        path = tmp_path / f"{one.name}.yaml"
        assert path.read_text() == whole[one.name]
        read = read_case(path)
        assert [probe.expected for probe in read.probes] == [probe.expected for probe in one.probes]


@pytest.mark.parametrize(("length", "often", "seldom"), [(2000, 6, 1), (4000, 30, 3), (16_000, 30, 3)])
def test_ten_words_of_the_list_are_common(length, often, seldom):
    case, (probe,) = probes("common-words", length)
    entries = re.findall(r"(\d+)\. (\S+)", body_of(case))
    assert [int(number) for number, _ in entries] == list(range(1, len(entries) + 1))
    counts = Counter(word for _, word in entries)
    assert {word for word, count in counts.items() if count == often} == set(strings(probe))
    assert len(strings(probe)) == 10
    assert {count for word, count in counts.items() if word not in strings(probe)} == {seldom}


@pytest.mark.parametrize("length", [1000, 4000, 32_000])
def test_three_coded_words_are_more_frequent_than_all_others(length):
    case, (probe,) = probes("frequent-words", length)
    words = re.findall(r"^(?!The coded).*$", body_of(case), re.M)
    counts = Counter(" ".join(words).split())
    (dots, most), *rest = counts.most_common()
    assert dots == "..."
    assert [word for word, _ in rest[:3]] == strings(probe)
    assert rest[2][1] > rest[3][1]
    # A Zipf distribution of exponent 2: the k-th of all words has 1/k² of the first.
    for rank, (_, count) in enumerate(rest[:3], 2):
        assert count == pytest.approx(most / rank**2, rel=0.1, abs=1)


def test_a_task_that_there_is_not_is_named_before_anything_is_written(tmp_path):
    with pytest.raises(UsageError, match="there is no task 'variable'.*Did you mean 'variables'"):
        write_cases(replace(DESIGN, tasks=("needles", "variable")), tmp_path / "exp")
    assert not (tmp_path / "exp").exists()
    with pytest.raises(UsageError, match="--tasks has 'variables' twice"):
        tasks_of("variables, needles,variables")
    assert tasks_of("variables, needles") == ("variables", "needles")


def test_the_answer_is_nowhere_but_in_its_evidence():
    for case in conversations(replace(DESIGN, tasks=("needles",), distractors=5, lengths=(8000, 16_000))):
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
