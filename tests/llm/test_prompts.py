from hashlib import sha256
from typing import Literal

import jinja2
import pytest
from pydantic import BaseModel, Field

from tellapart.contrastive.llm_matching import Ordering
from tellapart.llm.prompts import Prompt, read_prompt, schema_text


def test_parts_are_filled_in_and_nothing_else_is():
    prompt = Prompt("p", "A {{ code }} <b>&\n")
    assert prompt.render(code="{{ x }} {% if %} <i>& {# no #}") == "A {{ x }} {% if %} <i>& {# no #} <b>&"


def test_a_part_that_is_missing_is_an_error():
    with pytest.raises(jinja2.UndefinedError, match="'code' is undefined"):
        Prompt("p", "A {{ code }}").render(cod="x")


def test_a_line_with_a_tag_alone_leaves_no_line():
    template = (
        "a\n{% for x in xs %}\n\n- {{ x }}\n  {% if x == 2 %}\n  two\n  {% endif %}\n{% endfor %}\nend\n\n"
    )
    assert Prompt("p", template).render(xs=[1, 2]) == "a\n\n- 1\n\n- 2\n  two\nend\n"


def test_line_ends_of_what_is_filled_in_stay():
    assert Prompt("p", "{{ code }}\n").render(code="a\n\n") == "a\n\n"


@pytest.mark.parametrize("package", ["tellapart.contrastive", "tellapart.llm"])
def test_prompts_are_read_from_their_package(package):
    name = {"tellapart.contrastive": "match", "tellapart.llm": "repair"}[package]
    prompt = read_prompt(package, name)
    assert prompt.name == name
    assert prompt.template.endswith("\n")
    assert not any(line != line.rstrip() for line in prompt.template.split("\n"))
    assert prompt.sha256 == sha256(prompt.template.encode()).hexdigest()


def test_how_a_file_ends_its_lines_makes_no_difference(tmp_path, monkeypatch):
    package = tmp_path / "someprompts"
    (package / "prompts").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "prompts" / "a.md").write_bytes(b"x\r\ny\r\n")
    (package / "prompts" / "b.md").write_bytes(b"x\ny\n")
    monkeypatch.syspath_prepend(tmp_path)
    one, other = read_prompt("someprompts", "a"), read_prompt("someprompts", "b")
    assert one.sha256 == other.sha256
    assert one.render() == "x\ny"


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


def test_the_schema_of_an_ordering():
    assert schema_text(Ordering) == (
        '{"additionalProperties": false, "properties": {"order": {"items": {"type": "integer"}, '
        '"type": "array"}, "selected": {"type": "integer"}, "confidence": {"maximum": 1, "minimum": 0, '
        '"type": "number"}, "reasoning": {"type": "string"}}, '
        '"required": ["order", "selected", "confidence", "reasoning"], "type": "object"}'
    )
