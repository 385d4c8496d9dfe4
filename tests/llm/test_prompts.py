from hashlib import sha256
from typing import Literal

import jinja2
import pytest
from pydantic import BaseModel, Field

from tellapart.llm.prompts import Prompt, read_prompt, schema_text


def test_parts_are_filled_in_and_nothing_else_is():
    prompt = Prompt("p", "A {{ code }} <b>&\n")
    assert prompt.render(code="{{ x }} {% if %} <i>& {# no #}") == "A {{ x }} {% if %} <i>& {# no #} <b>&"


def test_a_part_that_is_missing_is_an_error():
    with pytest.raises(jinja2.UndefinedError, match="'code' is undefined"):
        Prompt("p", "A {{ code }}").render(cod="x")


@pytest.mark.parametrize("package", ["tellapart.contrastive", "tellapart.llm"])
def test_prompts_are_read_from_their_package(package):
    name = {"tellapart.contrastive": "match", "tellapart.llm": "repair"}[package]
    prompt = read_prompt(package, name)
    assert prompt.name == name
    assert prompt.template.endswith("\n")
    assert not any(line != line.rstrip() for line in prompt.template.split("\n"))
    assert prompt.sha256 == sha256(prompt.template.encode()).hexdigest()


class Inner(BaseModel):
    """Words for programmers."""

    title: str = Field(description="of the file")


class Judgement(BaseModel):
    """Words for programmers."""

    inner: Inner
    sure: Literal["yes", "no"]


def test_a_schema_is_shown_without_what_only_programmers_need():
    assert schema_text(Judgement) == (
        '{"$defs": {"Inner": {"properties": {"title": {"description": "of the file", "type": "string"}}, '
        '"required": ["title"], "type": "object"}}, "properties": {"inner": {"$ref": "#/$defs/Inner"}, '
        '"sure": {"enum": ["yes", "no"], "type": "string"}}, "required": ["inner", "sure"], "type": "object"}'
    )
