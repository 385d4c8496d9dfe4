"""From the text of a reply to a value: the last JSON object in it, checked, or a typed failure."""

from __future__ import annotations

import json

from pydantic import ValidationError

from tellapart.llm.questions import Failure, Question, Reply


def parse(text: str, question: Question[Reply]) -> Reply | Failure:
    """Read a reply.

    The last JSON object at top level counts: what a model quotes from its prompt, or tries first, comes
    before it.

    Args:
        text: All of the reply.
        question: Says what form it must have.

    Returns:
        The value, or a failure with cause ``parse``.
    """
    if not text.strip():
        return Failure("parse", "empty", "the reply is empty")
    found = _last_object(text)
    if found is None:
        return Failure("parse", "not_json", f"no whole JSON object in {text[-200:]!r}")
    try:
        value = question.reply.model_validate_json(found)
    except ValidationError as error:
        first = error.errors()[0]
        return Failure("parse", "schema", f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
    wrong = question.check(value)
    return value if wrong is None else Failure("parse", "out_of_range", wrong)


def _last_object(text: str) -> str | None:
    decoder = json.JSONDecoder()
    found, at = None, text.find("{")
    while at >= 0:
        try:
            _, end = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            at = text.find("{", at + 1)
            continue
        found, at = text[at:end], text.find("{", end)
    return found
