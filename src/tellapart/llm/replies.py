"""From the text of a reply to a value: the last JSON object that is not quoted, checked, or a typed failure.

Strict beats guessing, since one more attempt is asked for where a reply cannot be used, and a guess would be
counted as the model's answer. So these are failures: a trailing comma, a comment, single quotes; NaN and
Infinity; a field given twice; an array around the object; an object that never ends, whatever stands within
it. Three things are read, because they cannot mean anything else: a number in quotes where a number belongs,
3.0 where 3 does, and a line end within a text.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import ValidationError

from tellapart.llm.prompts import Prompt, read_prompt
from tellapart.llm.questions import Failure, Kind, Question, Reply
from tellapart.llm.quoting import material_of, visible
from tellapart.llm.reasoning import without_reasoning

LONGEST_REPLY = 2000
"""Characters of a reply that are sent back: about what 500 tokens hold."""

LONGEST_REASON = 200
"""Characters of what was wrong with it."""

JSON_AGAIN = "the one JSON object that was asked for"
"""What most questions are to be answered with."""


@cache
def repair_prompt() -> Prompt:
    """The prompt of the second attempt, the same for all questions."""
    return read_prompt("tellapart.llm", "repair")


def repair_turns(reply: str, failure: Failure, again: str = JSON_AGAIN) -> list[dict[str, str]]:
    """What follows the question's prompt: the model's own reply as its turn, and what was wrong with it.

    What the model repeated from the material so stays in the model's mouth. Both are short, and not empty.
    """
    reason = visible(" ".join(failure.detail.split()))[:LONGEST_REASON].rstrip(". ")
    return [
        {"role": "assistant", "content": _shortened(visible(reply)).strip() or "(no text)"},
        {"role": "user", "content": repair_prompt().render(reason=reason, again=again)},
    ]


def _shortened(reply: str) -> str:
    if len(reply) <= LONGEST_REPLY:
        return reply
    half = LONGEST_REPLY // 2
    return f"{reply[:half]}\n… (cut)\n{reply[-half:]}"


# A brace that no name in quotes follows is prose or code. An array counts where objects are in it.
_START = re.compile(r'\{(?=\s*")|\[(?=\s*\{\s*")')
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
_WITHIN = {
    "{": re.compile(rf"{_STRING}|[{{}}]", re.DOTALL),
    "[": re.compile(rf"{_STRING}|[\[\]]", re.DOTALL),
}
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?(?:[eE][+-]?[0-9]{1,2})?")
# What a model may leave out or add when it copies: escapes, quotes, spaces, comment signs, unseen characters.
_NOISE = re.compile(r"<U\+[0-9A-F]{4,6}[^<>\n]*>|\\+[nrt]?|[^\w{}\[\]:,.\\<]+|<")


class _Unusable(ValueError):
    """What Python's reader would take, though it is no JSON or has no one meaning."""


@dataclass(frozen=True)
class _Piece:
    text: str
    ended: bool


def parse(text: str, question: Question[Reply]) -> Reply | Failure:
    """Read a reply.

    The last JSON object at top level counts: what a model tries first comes before it. An object that stands
    in the material of the prompt (but for spaces, quotes, escapes, comment signs and characters that cannot
    be seen) is a quotation and never the answer, wherever the reply has it. So reply models should have a
    field of free text: without one, an honest reply could be foreseen, planted, and be taken for a quotation.

    A reply in another form than JSON is read as the question says.
    """
    spoken = without_reasoning(text)
    if not spoken.strip():
        return _failure("empty", "the reply is empty")
    if question.form is not None:
        value = question.form.read(spoken, material_of(question.prompt))
        return value if isinstance(value, Failure) else _checked(value, question)
    pieces = list(_pieces(spoken))
    if not pieces:
        return _failure("not_json", "there is no JSON object in it")
    material = _skeleton(material_of(question.prompt))
    answer = next((piece for piece in reversed(pieces) if _skeleton(piece.text) not in material), None)
    if answer is None:
        return _failure("quoted", "the JSON in it only repeats what stands in the material")
    return _read(answer, question)


def _read(piece: _Piece, question: Question[Reply]) -> Reply | Failure:
    if not piece.ended:
        return _failure("not_json", "its last JSON object breaks off")
    try:
        parsed = json.loads(
            piece.text,
            strict=False,
            object_pairs_hook=_fields,
            parse_constant=_no_number,
            parse_float=_finite,
        )
    except json.JSONDecodeError as error:
        return _failure("not_json", f"its last JSON object is not valid: {error.msg}")
    except _Unusable as error:
        return _failure("not_json", f"its last JSON object is not valid: {error}")
    except (ValueError, RecursionError):
        return _failure("not_json", "its last JSON object is too deep, or has a number of too many digits")
    if not isinstance(parsed, dict):
        return _failure("schema", "it ends in an array, where one JSON object was requested")
    try:
        value = _validated(question.reply, parsed)
    except ValidationError as error:
        return _failure("schema", _first_problem(error))
    return _checked(value, question)


def _checked(value: Reply, question: Question[Reply]) -> Reply | Failure:
    wrong = question.check(value)
    return value if wrong is None else _failure("out_of_range", wrong)


def _failure(kind: Kind, detail: str) -> Failure:
    return Failure("parse", kind, detail[:500])


def _pieces(text: str) -> Iterator[_Piece]:
    """What looks like JSON at top level, in order; one that never ends goes on to the end of the text."""
    at = 0
    while start := _START.search(text, at):
        end = _end(text, start.start())
        at = end or len(text)
        yield _Piece(text[start.start() : at], end is not None)


def _end(text: str, start: int) -> int | None:
    opening, depth = text[start], 0
    for part in _WITHIN[opening].finditer(text, start):
        if part[0][0] != '"':
            depth += 1 if part[0] == opening else -1
            if depth == 0:
                return part.end()
    return None


def _skeleton(text: str) -> str:
    return _NOISE.sub("", visible(text)).casefold()


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise _Unusable("a field is given twice")
    return fields


def _no_number(_: str) -> float:
    raise _Unusable("NaN and Infinity are not numbers")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _Unusable("a number is too large")
    return number


def _validated(reply: type[Reply], fields: dict[str, Any]) -> Reply:
    """Validate as strictly as JSON is, but for a number in quotes and 3.0 where 3 belongs."""
    try:
        return reply.model_validate_json(json.dumps(fields), strict=True)
    except ValidationError as strictly:
        wrong = strictly.errors(include_url=False, include_context=False)
        if any(
            one["type"] not in ("int_type", "float_type") or not _is_number(one["input"]) for one in wrong
        ):
            raise
    return reply.model_validate_json(json.dumps(fields))


def _is_number(given: object) -> bool:
    return isinstance(given, float) or isinstance(given, str) and _NUMBER.fullmatch(given) is not None


def _first_problem(error: ValidationError) -> str:
    """Say in a clause what is wrong first."""
    problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
    path = problem["loc"]
    if problem["type"] == "extra_forbidden":
        return f"{'.'.join(map(str, path[:-1])) or 'it'} has a field that was not requested"
    return f"{'.'.join(map(str, path)) or 'it'}: {problem['msg']}"
