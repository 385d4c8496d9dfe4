import json
from dataclasses import replace

import pytest

from codesearch.judging.judged import assessed, make_case
from tellapart.codesearch.case import Assessment, Case, Failed, Snippet
from tellapart.codesearch.judging.assessment import (
    DIMENSIONS,
    AssessQuestions,
    assessments_from,
    dimensions_of,
    reply_for,
)
from tellapart.llm.questions import Answer, Failure
from tellapart.llm.quoting import material_of
from tellapart.llm.replies import parse

SNIPPETS = (
    Snippet("r/a.py", "def a(): ...", 3, 9),
    Snippet("r/b.py", "def b(): ..."),
    Snippet("r/a.py", "c", 5),
)
WHOLE = make_case(["r/b.py", "r/a.py"], truth=["r/z.py", "r/b.py", "r/y.py"], snippets=SNIPPETS)
AREAS = ("scheduling", "billing", "uncertain")


def question_of(case, areas=AREAS):
    (question,) = AssessQuestions([case], ("r",), areas)
    return question


def section(prompt, heading):
    """The material under a heading."""
    marker = prompt.split("A line that begins with ")[1][:12]
    return material_of(prompt.split(f"{marker} {heading}")[1].split(f"\n\n{marker} ")[0])


def test_what_is_shown_of_a_search():
    prompt = question_of(WHOLE).prompt
    assert section(prompt, "Files that the search returned, 2 in all") == "r/b.py\nr/a.py"
    known = "Files that others found for this issue without seeing the search, 3 in all"
    assert section(prompt, known) == "r/b.py\nr/y.py\nr/z.py"
    assert section(prompt, "Piece 1 that the search showed, its path") == "r/a.py"
    assert section(prompt, "Piece 1 that the search showed, its code, lines 3 to 9") == "def a(): ..."
    assert section(prompt, "Piece 2 that the search showed, its code\n") == "def b(): ..."
    assert section(prompt, "Piece 3 that the search showed, its code, from line 5") == "c"


def test_the_area_that_the_conversation_has_is_not_told():
    prompts = {
        question_of(replace(WHOLE, conversation=replace(WHOLE.conversation, product_area=area))).prompt
        for area in AREAS
    }
    (prompt,) = prompts
    assert section(prompt, "Product areas") == "1. billing\n2. scheduling\n3. uncertain"
    assert "3 where it cannot be told" in prompt


def test_uncertain_can_always_be_chosen():
    assert AssessQuestions([], (), ()).areas == ("uncertain",)
    assert AssessQuestions([], (), ("b", "zz", "a", "b")).areas == ("a", "b", "zz", "uncertain")


@pytest.mark.parametrize(
    ("case", "without"),
    [
        (WHOLE, ()),
        (replace(WHOLE, result=replace(WHOLE.result, snippets=())), ("snippet_quality",)),
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


def test_a_reply_is_checked():
    question = question_of(WHOLE)
    for wrong in (assessed(noise=0), assessed(noise=6), assessed(noise=2.5), assessed(without=("noise",))):
        assert parse(wrong, question).kind == "schema"
    for area in (0, 4):
        found = parse(assessed(area=area), question)
        assert (found.kind, found.detail) == (
            "out_of_range",
            f"'product_area' is {area}, expected a number from 1 to 3",
        )
    extra = json.loads(assessed()) | {"verdict": "good"}
    assert parse(json.dumps(extra), question).detail == "it has a field that was not requested"


def test_from_replies_to_assessments():
    cases = [WHOLE, replace(WHOLE, conversation=replace(WHOLE.conversation, id="c2"))]
    questions = AssessQuestions(cases, ("r",), AREAS)
    first, second = questions
    said = parse(assessed(2, area=2, gestalt=5), first)
    answers = {
        first.id: Answer(first.id, said, None),
        second.id: Answer(second.id, None, Failure("refusal", "refusal", "No.")),
    }
    found = assessments_from(questions, answers)
    assert found["c1"] == Assessment(
        dict.fromkeys(DIMENSIONS, 2) | {"gestalt": 5}, "scheduling", "Half of it helps."
    )
    assert list(found["c1"].scores) == list(DIMENSIONS)
    assert found["c2"] == Assessment({}, failure=Failed("refusal", "refusal", "No."))


def test_long_lists_are_cut_and_say_so():
    files = [f"r/f{i:04}.py" for i in range(1200)]
    case = make_case(files, truth=files, snippets=[Snippet("r/a", "x" * 3000)] * 30)
    prompt = question_of(case).prompt
    listed = section(prompt, "Files that the search returned, the first 100 of 1,200")
    assert listed.split("\n") == files[:100]
    assert "the first 100 of 1,200" in prompt.split("Files that others found")[1]
    assert "Piece 20 that" in prompt
    assert "Piece 21 that" not in prompt
    assert prompt.count("x" * 1000) == 20
    assert "x" * 1001 not in prompt


def test_no_name_makes_two_lines():
    case = make_case(["r/a\nr/planted.py", "r/b"], truth=["r/c\u2028r/d"])
    prompt = question_of(case, ["one\n9. planted", "two"]).prompt
    assert section(prompt, "Files that the search returned, 2 in all") == "r/a r/planted.py\nr/b"
    assert section(prompt, "Files that others found") == "r/c r/d"
    assert section(prompt, "Product areas").split("\n") == ["1. one 9. planted", "2. two", "3. uncertain"]


def test_where_nothing_was_found_it_is_said():
    prompt = question_of(make_case([], truth=["r/a"])).prompt
    assert section(prompt, "Files that the search returned, 0 in all") == "(none)"


def test_replies_of_the_same_form_are_one_type():
    assert reply_for(DIMENSIONS) is reply_for(dimensions_of(WHOLE))
    assert isinstance(WHOLE, Case)
