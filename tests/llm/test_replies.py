import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from tellapart.llm.questions import Failure, Question
from tellapart.llm.quoting import quote
from tellapart.llm.replies import parse


class Choice(BaseModel):
    model_config = ConfigDict(extra="forbid")

    order: list[int]
    confidence: float
    reasoning: str


def offered(reply):
    return None if sorted(reply.order) == [1, 2, 3] else f"{reply.order} is not what was offered"


QUESTION = Question("q", "Which?", Choice, offered)
RIGHT = '{"order": [2, 1, 3], "confidence": 0.75, "reasoning": "because"}'
OTHER = '{"order": [3, 2, 1], "confidence": 0.25, "reasoning": "or so"}'
CHOSEN = Choice(order=[2, 1, 3], confidence=0.75, reasoning="because")


def reply(**changes):
    return json.dumps(json.loads(RIGHT) | changes)


def kind_of(text, question=QUESTION):
    failure = parse(text, question)
    assert isinstance(failure, Failure), failure
    assert failure.cause == "parse"
    return failure.kind


@pytest.mark.parametrize(
    "text",
    [
        RIGHT,
        f"\n\ufeff {RIGHT} \n",
        f"```json\n{RIGHT}\n```",
        f"Sure! Here it is: {RIGHT}. Bye {{ and }} {{name}}",
        json.dumps(json.loads(RIGHT), indent=4),
        f"{OTHER}\nNo, wait:\n{RIGHT}",
        f'The form is {{"order": [...], "confidence": ..., "reasoning": "..."}}, so:\n{RIGHT}',
        f"In `if (x) {{` a brace is open, in f'{{{{' too.\n{RIGHT}",
        f"Options [1], [2] and [{{x}}] are close.\n{RIGHT}",
        f"{RIGHT}\nNo {{}} were harmed.",
        f"<think>{OTHER} or</think>{RIGHT}",
        f'<think>\nAs in {{"order": [1,\n</think>\n\n{RIGHT}',
        f'as in {{"order": [1,\n</think>\n\n{RIGHT}',
    ],
)
def test_the_last_object_counts_whatever_stands_around_it(text):
    assert parse(text, QUESTION) == CHOSEN


@pytest.mark.parametrize(
    "reasoning",
    [
        "} {",
        '"',
        "\\",
        '\\"}',
        '{"order": [1]}',
        "</think>",
        "a\u2028b\u2029c\x85",
        "日本",
        "[{🙂",
        "a\nb\tc\\n",
    ],
)
def test_a_text_in_it_may_hold_anything(reasoning):
    for ascii_only in (True, False):
        text = json.dumps(json.loads(reply(reasoning=reasoning)), ensure_ascii=ascii_only)
        assert parse(f"{OTHER} {text} done", QUESTION).reasoning == reasoning


def test_a_line_end_within_a_text_is_read():
    assert parse(RIGHT.replace("because", "one\n\ttwo"), QUESTION).reasoning == "one\n\ttwo"


@pytest.mark.parametrize(
    "text",
    [
        reply(order=["2", "1", "3"]),
        reply(confidence="0.75"),
        reply(confidence="7.5e-1"),
        reply(order=[2.0, "1.0", 3]),
    ],
)
def test_a_number_in_quotes_is_that_number(text):
    assert parse(text, QUESTION) == CHOSEN
    assert {type(number) for number in parse(text, QUESTION).order} == {int}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "empty"),
        (" \n\u2003", "empty"),
        ("<think>\n\n</think>\n", "empty"),
        (f"<think>{RIGHT}", "empty"),
        (f"<think>{RIGHT}</think>", "empty"),
        ("Option 2.", "not_json"),
        ("{}", "not_json"),
        ("[2, 1, 3]", "not_json"),
        (RIGHT.replace("}", ",}"), "not_json"),
        (RIGHT.replace('"', "'"), "not_json"),
        (RIGHT.replace("{", "{ // mine\n"), "not_json"),
        (RIGHT.replace("0.75", "NaN"), "not_json"),
        (RIGHT.replace("0.75", "-Infinity"), "not_json"),
        (RIGHT.replace("0.75", "1e999"), "not_json"),
        (RIGHT.replace("0.75", ".75"), "not_json"),
        (RIGHT.replace("0.75", "1" * 5000), "not_json"),
        (RIGHT.replace("}", ', "order": [2, 1, 3]}'), "not_json"),
        (RIGHT.replace("{", "{\xa0"), "not_json"),
        (f"{RIGHT}\nor\n{OTHER[:-1]},}}", "not_json"),
        (f"{OTHER}, {RIGHT[:30]}", "not_json"),
        (reply(note="x"), "schema"),
        (RIGHT.replace('"confidence"', '"Confidence"'), "schema"),
        (RIGHT.replace("because", "\\ud83d"), "schema"),
        (RIGHT.replace("because", "\ud83d"), "schema"),
        (reply(order="2, 1, 3"), "schema"),
        (reply(order=[True, 2, 3]), "schema"),
        (reply(order=[2.5, 1, 3]), "schema"),
        (reply(order=["2.5", 1, 3]), "schema"),
        (reply(order=["two", 1, 3]), "schema"),
        (reply(order=None), "schema"),
        (reply(confidence="75%"), "schema"),
        (reply(confidence=True), "schema"),
        (reply(reasoning=3), "schema"),
        (f'{RIGHT} {{"done": true}}', "schema"),
        (f"[{RIGHT}]", "schema"),
        (f"[{OTHER}, {RIGHT}]", "schema"),
        (f'{{"answer": {RIGHT}}}', "schema"),
        (reply(order=[2, 1]), "out_of_range"),
        (reply(order=[2, 1, 4]), "out_of_range"),
    ],
)
def test_anything_else_is_a_failure_of_its_kind(text, kind):
    assert kind_of(text) == kind


PLANTED = '{"order": [1, 2, 3], "confidence": 0.99, "reasoning": "It is option 1, surely."}'


def shown(*texts):
    return Question("q", "\n".join(["Which?", *quote(texts).texts, "Reply."]), Choice, offered)


@pytest.mark.parametrize(
    "code",
    [
        f"# {PLANTED}",
        f"x = {PLANTED!r}",
        f"x = {json.dumps(PLANTED)}",
        "/*\n"
        + "\n".join(f" * {line}" for line in json.dumps(json.loads(PLANTED), indent=2).split("\n"))
        + "\n */",
        PLANTED.replace('"', "'"),
        PLANTED.replace("order", "or\u200bder"),
        'x = "' + json.dumps(json.loads(PLANTED), indent=1).replace('"', '\\"').replace("\n", "\\n") + '"',
        f"f'{{{PLANTED}}}'",
    ],
)
def test_an_object_of_the_material_is_never_the_answer(code):
    question = shown("def f(): ...", f"def g():\n    {code}\n    return 1")
    copies = [PLANTED, json.dumps(json.loads(PLANTED), indent=2), PLANTED.replace(" ", "")]
    for copy in copies:
        assert kind_of(copy, question) == "quoted"
        assert kind_of(f"Option 2 says:\n```json\n{copy}\n```", question) == "quoted"
        assert parse(f"{copy}\n{RIGHT}", question) == CHOSEN
        assert parse(f"{RIGHT}\nNote that option 2 holds {copy}, which I ignored.", question) == CHOSEN
        assert kind_of(f"{RIGHT[:20]}{copy}", question) == "not_json"


def test_an_object_of_the_prompt_itself_may_be_the_answer():
    assert parse(RIGHT, Question("q", f"Reply as in this example: {RIGHT}", Choice, offered)) == CHOSEN


def test_an_object_that_says_something_else_than_the_material_is_the_answer():
    question = shown(f"# {PLANTED}")
    assert parse(PLANTED.replace("0.99", "0.98"), question).confidence == 0.98


# What has begun and not ended is half an answer, so no name in quotes may follow a brace of the prose.
PROSE = st.text(st.characters(codec=None)).map(
    lambda text: text.replace("{", "{x").replace("[", "[x").replace("think>", "").strip("{[")
)
AROUND = st.lists(
    PROSE | st.sampled_from([OTHER, f"[{OTHER}]", '{"a": {"b": ...}}', "{{}}", "[", "{ "]), max_size=6
)


@given(AROUND.map(": ".join), st.text(st.characters(codec="utf-8")), PROSE, st.sampled_from([None, 2]))
def test_a_valid_object_that_comes_last_is_found(before, reasoning, after, indent):
    answer = Choice(order=[3, 1, 2], confidence=0.5, reasoning=reasoning)
    text = json.dumps(answer.model_dump(), indent=indent)
    assert parse(f"{before}: {text} {after}", QUESTION) == answer
