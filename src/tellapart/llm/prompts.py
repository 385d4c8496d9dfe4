"""Prompts are files, so that they can be read, compared and hashed."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import jinja2

from tellapart.core.fingerprint import sha256


@dataclass(frozen=True)
class Prompt:
    """A prompt file.

    Attributes:
        name: Of the file, without its ending.
        template: Its text, a Jinja template.
    """

    name: str
    template: str

    @property
    def sha256(self) -> str:
        """SHA-256 of the file, for the run's record."""
        return sha256(self.template.encode())

    def render(self, **parts: Any) -> str:
        """Fill the template; a part that the template names must be given.

        What is filled in is not read as a template again, so that code with braces stays as it is.
        """
        text: str = jinja2.Template(self.template, undefined=jinja2.StrictUndefined).render(**parts)
        return text


def read_prompt(package: str, name: str) -> Prompt:
    """Read ``prompts/NAME.md`` of a package."""
    return Prompt(name, files(package).joinpath("prompts", f"{name}.md").read_text(encoding="utf-8"))
