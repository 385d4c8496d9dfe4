"""A script that reads the conversations does every task, or fails the one that it is to fail alone."""

import pytest

from support.scripted_tasks import answer_tasks
from tellapart.longcontext.generating import Design, conversation
from tellapart.longcontext.generating.tasks import TASKS
from tellapart.longcontext.generating.word_lists import WORD_LISTS
from tellapart.longcontext.probes import grade_by_rules
from tellapart.longcontext.transcript import PlayedStep
from tellapart.offline.longcontext import READ

ALL = (*TASKS, *WORD_LISTS)
DESIGN = Design((2000, 4000), traps=0)


def grades(case, failing):
    material = [message.text for message in case.messages]
    turns = [("system", case.system), *(("user", text) for text in material)]
    for probe in case.probes:
        said = answer_tasks([*turns, ("user", probe.text)], failing)
        step = PlayedStep(probe.id, probe.type, probe.failure_mode, probe.text, said)
        yield grade_by_rules(step, probe.expected, material)


@pytest.mark.parametrize("task", ALL)
def test_a_task_is_failed_alone(task):
    for length in DESIGN.lengths:
        for number in range(2):
            case = conversation(DESIGN, length, number, task=task)
            for failing in (None, *ALL):
                values = [grade.value for grade in grades(case, failing)]
                if failing == task:
                    assert max(values) <= 0.25
                else:
                    assert set(values) == {1.0}


def test_it_fails_as_language_models_do():
    wrong = {
        "multi-key": ("HALLUCINATED", 0.0),
        "multi-value": ("PARTIAL", 0.25),
        "multi-query": ("PARTIAL", 0.25),
        "variables": ("PARTIAL", 0.2),
        "contradiction": ("CONFUSED", 0.0),
        "needles": ("REFUSED", 0.0),
    }
    for task, expected in wrong.items():
        case = conversation(DESIGN, 2000, 0, task=task)
        assert {(grade.category, grade.value) for grade in grades(case, task)} == {expected}


def test_what_asks_for_nothing_is_read():
    assert answer_tasks([("user", "A storm struck Kint.")], "event-order") == READ


def test_text_before_the_question_is_read_too():
    question = "How many carriers brought salt to Kint?"
    said = answer_tasks([("user", f"The carrier Tosk brought salt to Kint.\n\nQuestion: {question}")])
    assert said == "1"
