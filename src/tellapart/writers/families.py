"""Who made a model, by its name: a judge is not asked about writers of its own family."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from tellapart.errors import UsageError, near_match


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files("tellapart.writers").joinpath("families.toml").read_text(encoding="utf-8"))


def families_of(name: str, named: Mapping[str, str]) -> set[str]:
    """List the families of a model; a distilled one may have two.

    The words of the model's own name decide, and only without one the path before it: ``openai/llama-3``, a
    model behind a server of OpenAI's kind, is Meta's.
    """
    if name in named:
        return {named[name]}
    path = name.casefold().split("/")
    if len(path) > 1 and path[0] in _table()["servers"]:
        path = path[1:]
    return _families_in(path[-1]) or _families_in(" ".join(path[:-1]))


def _families_in(text: str) -> set[str]:
    # "qwen2" and "gpt4o" are words with a number behind; "c4ai" and "o3" have one within.
    words = {*re.findall(r"[a-z]+", text), *re.findall(r"[a-z0-9]+", text)}
    return {family for family, marks in _table()["families"].items() if words & {*marks}}


def is_same_family(judge: str, writer: str, named: Mapping[str, str]) -> bool:
    """Whether a judge would judge its own kind: itself, or a model that shares a family with it."""
    return judge == writer or bool(families_of(judge, named) & families_of(writer, named))


def read_families(texts: Sequence[str], models: Sequence[str]) -> dict[str, str]:
    """Read ``MODEL=NAME`` as a user typed it."""
    families: dict[str, str] = {}
    for text in texts:
        model, _, family = text.rpartition("=")
        if not model or not family.strip():
            raise UsageError(
                f"--family is {text!r}, expected MODEL=NAME",
                next_step="Write for instance --family openai-api/lab/m7=lab",
            )
        if model not in models:
            raise UsageError(
                f"--family names {model!r}, which is neither a judge nor a writer",
                next_step=near_match(model, models),
            )
        if model in families:
            raise UsageError(f"--family is given twice for {model!r}")
        families[model] = family.strip().casefold()
    return families
