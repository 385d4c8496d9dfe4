"""Prompts are files, so that they can be read, compared and hashed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from pydantic import BaseModel

from tellapart.core.fingerprint import sha256


@dataclass(frozen=True)
class Prompt:
    """A prompt file: a Jinja template, in which a line with nothing but a tag leaves no line behind."""

    name: str
    template: str

    @property
    def sha256(self) -> str:
        """SHA-256 of the text, for the run's record; how the file ends its lines makes no difference."""
        return sha256(self.template.encode())

    def render(self, **parts: Any) -> str:
        """Fill the template; what is filled in, such as code with braces, is not read as one again."""
        return _compiled(self.template).render(**parts)


def read_prompt(package: str, name: str) -> Prompt:
    """Read ``prompts/NAME.md`` of a package."""
    return Prompt(name, files(package).joinpath("prompts", f"{name}.md").read_text(encoding="utf-8"))


@cache
def schema_text(reply: type[BaseModel]) -> str:
    """The JSON schema of a reply on one line, as a prompt shows it: without titles and docstrings."""
    return json.dumps(_plain(reply.model_json_schema()), ensure_ascii=False)


def _plain(schema: Any) -> Any:
    """Leave out titles and models' docstrings; fields of such names stay, their schemas being no texts."""
    if isinstance(schema, list):
        return [_plain(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    words = {"title", "description"} if "properties" in schema else {"title"}
    return {
        key: _plain(part) for key, part in schema.items() if key not in words or not isinstance(part, str)
    }


@cache
def _compiled(template: str) -> jinja2.Template:
    # No escaping as for HTML: a prompt is plain text.
    jinja = jinja2.Environment(undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return jinja.from_string(template)
