"""What is wrong with a record, in words that name the field."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tellapart.errors import InputError
from tellapart.files import Words, check_record, first_fault


class Step(BaseModel):
    model_config = ConfigDict(extra="forbid")
    text: str = Field(min_length=1)
    weight: float | None = None


class Case(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    steps: list[Step]
    tokens: int = 1


def refusal(value, **options):
    with pytest.raises(InputError) as raised:
        check_record(value, Case, "f.json", **options)
    return str(raised.value)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ([], "f.json: found [], expected an object."),
        ({"name": "n"}, "f.json: 'steps' is missing."),
        ({"name": 3, "steps": []}, "f.json: 'name' is 3, expected a text."),
        ({"name": "n", "steps": None}, "f.json: 'steps' is null, expected a list."),
        ({"name": "n", "steps": [{"text": ""}]}, "f.json: 'steps[0].text' is '', expected a text that"),
        ({"name": "n", "steps": [], "tokens": 1.5}, "f.json: 'tokens' is 1.5, expected a whole number."),
        (
            {"name": "n", "steps": [{"text": "x", "wieght": 1}]},
            "f.json: the key 'steps[0].wieght' is not known. Did you mean 'weight'? There are: text, weight.",
        ),
        ({"nam": "n", "steps": []}, "f.json: 2 fields are wrong\n'name' is missing.\nthe key 'nam' is not"),
        ({"name": "n", "steps": ["x" * 99]}, f"f.json: 'steps[0]' is '{'x' * 59}…, expected an object."),
    ],
)
def test_each_fault_names_the_field_the_value_and_what_was_expected(value, complaint):
    assert refusal(value).startswith(complaint)


class Ends(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)
    above: Annotated[float, Field(gt=0)] = 1
    least: Annotated[float, Field(ge=0.5)] = 1
    below: Annotated[int, Field(lt=5)] = 1
    most: Annotated[int, Field(le=1_000_000)] = 1
    step: Annotated[int, Field(multiple_of=2)] = 2
    code: Annotated[str, Field(min_length=2, max_length=3, pattern="^a{1}")] = "ab"
    pair: Annotated[list[int], Field(min_length=2, max_length=3)] = [1, 2]
    filled: Annotated[list[int], Field(min_length=1)] = [1]
    names: frozenset[str] = frozenset()
    order: Literal["first", "last"] = "last"
    on: bool = True
    file: Path = Path()


def test_the_ends_of_a_field_are_named_in_words():
    for field, value, expected in (
        ("above", 0, "a number above 0"),
        ("above", math.inf, "a number that is not infinite or NaN"),
        ("above", "x", "a number"),
        ("least", 0.25, "a number of 0.5 or more"),
        ("below", 5, "a number below 5"),
        ("below", "x", "a whole number"),
        ("most", 2_000_000, "a number of 1000000 or less"),
        ("step", 3, "a multiple of 2"),
        ("code", "a", "a text of at least 2 characters"),
        ("code", "aaaa", "a text of at most 3 characters"),
        ("code", "ba", "a text that matches ^a{1}"),
        ("pair", [1], "at least 2 entries"),
        ("pair", [1, 2, 3, 4], "at most 3 entries"),
        ("filled", [], "something in it"),
        ("names", 3, "a list"),
        ("order", "next", "'first' or 'last'"),
        ("on", "maybe", "true or false"),
        ("file", 3, "a path"),
    ):
        with pytest.raises(InputError) as raised:
            check_record({field: value}, Ends, "f")
        assert str(raised.value) == f"f: {field!r} is {value!r}, expected {expected}."


def test_all_faults_come_together_up_to_a_limit():
    value = {"name": 1, "steps": [{"text": i} for i in range(25)]}
    lines = refusal(value, what="case").splitlines()
    assert lines[0] == "f.json: not a valid case: 26 fields are wrong"
    assert lines[1] == "'name' is 1, expected a text."
    assert lines[20] == "'steps[18].text' is 18, expected a text."
    assert lines[21:] == ["and 6 more."]


def test_in_the_middle_of_a_sentence_the_first_fault_stands_for_all():
    for value, text in (
        ({"name": 1, "steps": []}, "'name' is 1, expected a text"),
        ({"name": 1, "steps": 2, "x": 3}, "'name' is 1, expected a text (and 2 more)"),
    ):
        with pytest.raises(ValidationError) as raised:
            Case.model_validate(value)
        assert first_fault(raised.value, Case) == text


def test_places_and_words_of_the_reader():
    text = refusal(
        {"name": 1, "steps": [], "x": 2},
        locate=lambda location: f"f.yaml:{len(location)}",
        words={"string_type": Words("a name", "Put quotes around it")},
    )
    assert text.splitlines() == [
        "f.json: 2 fields are wrong",
        "f.yaml:1: 'name' is 1, expected a name. Put quotes around it",
        "f.yaml:1: the key 'x' is not known. There are: name, steps, tokens.",
    ]
    assert refusal({"name": 1, "steps": []}, words={"string_type": Words("a name", "Put quotes")}) == (
        "f.json: 'name' is 1, expected a name. Put quotes."
    )


def test_strict_takes_no_text_for_a_number():
    value = {"name": "n", "steps": [], "tokens": "2"}
    assert check_record(value, Case, "f.json").tokens == 2
    assert refusal(value, strict=True) == "f.json: 'tokens' is '2', expected a whole number."


@dataclass(frozen=True)
class Limits:
    most: int
    share: float = 0.5


@dataclass(frozen=True)
class Settings:
    limits: Limits
    names: tuple[str, ...] = ()


def test_a_dataclass_is_a_form_too():
    value = {"limits": {"most": 3}, "names": ["a"]}
    assert check_record(value, Settings, "f", strict=True) == Settings(Limits(3), ("a",))
    for wrong, complaint in (
        ({"limits": []}, "f: 'limits' is \\[\\], expected an object"),
        ({"limits": {"most": "3"}}, "f: 'limits.most' is '3', expected a whole number"),
        ({"limits": {"mots": 3}}, "f: 'limits.most' is missing"),
    ):
        with pytest.raises(InputError, match=complaint):
            check_record(wrong, Settings, "f", strict=True)
