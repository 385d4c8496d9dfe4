from dataclasses import replace

import pytest

from codesearch.judging.judged import assessed, make_case
from tellapart.codesearch.judging.assessment import DIMENSIONS, assess_questions, assessment_of, dimensions_of
from tellapart.codesearch.model import Assessment, Failed, Snippet
from tellapart.llm.questions import Answer, Failure
from tellapart.llm.replies import parse

SNIPPETS = (
    Snippet("r/a.py", "def a(): ...", 3, 9),
    Snippet("r/b.py", "def b(): ..."),
    Snippet("r/a.py", "c", 5),
)
WHOLE = make_case(["r/b.py", "r/a.py"], truth=["r/z.py", "r/b.py", "r/y.py"], snippets=SNIPPETS)
AREAS = ("scheduling", "billing", "uncertain")


def question_of(case, areas=AREAS):
    (question,) = assess_questions([case], ("r",), areas)
    return question


@pytest.mark.parametrize(
    ("case", "without"),
    [
        (WHOLE, ()),
        (replace(WHOLE, snippets=()), ("snippet_quality",)),
        (replace(WHOLE, run_a=replace(WHOLE.run_a, files=())), ("coverage",)),
        (make_case([], truth=["r/a"]), ("file_relevance", "snippet_quality", "service_accuracy", "noise")),
    ],
)
def test_what_is_undefined_is_not_asked(case, without):
    assert dimensions_of(case) == tuple(name for name in DIMENSIONS if name not in without)
    question = question_of(case)
    for name in DIMENSIONS:
        assert (f'- "{name}":' in question.prompt) == (name not in without)
        assert (f'"{name}": {{"maximum": 5' in question.prompt) == (name not in without)
    assert parse(assessed(without=without), question).gestalt == 3
    if without:
        assert parse(assessed(), question).kind == "schema"


def test_from_replies_to_assessments():
    cases = [WHOLE, replace(WHOLE, id="c2")]
    first, second = assess_questions(cases, ("r",), AREAS)
    said = parse(assessed(2, area=2, gestalt=5), first)
    found = assessment_of(Answer(first.id, said, None), AREAS)
    assert found == Assessment(
        dict.fromkeys(DIMENSIONS, 2) | {"gestalt": 5}, "scheduling", "Half of it helps."
    )
    assert list(found.scores) == list(DIMENSIONS)
    refused = Answer(second.id, None, Failure("refusal", "refusal", "No."))
    assert assessment_of(refused, AREAS) == Assessment({}, failure=Failed("refusal", "refusal", "No."))
