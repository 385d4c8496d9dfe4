"""Typed questions, and what becomes of them: a value, or a failure with its cause."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

Reply = TypeVar("Reply", bound=BaseModel)

Cause = Literal["parse", "refusal", "provider", "timeout", "budget", "truncated"]
"""Why there is no value, in the words of a score table's ``missing``."""

Kind = Literal[
    "rate_limit", "overloaded", "server_error", "connection", "exited", "raised", "reported", "too_long",
    "bad_request", "not_recorded", "timeout", "empty", "not_json", "quoted", "schema", "out_of_range",
    "unusable", "refusal", "max_tokens", "context_length", "max_cost", "turns", "tokens",
]  # fmt: skip
"""What happened exactly; each is of one cause."""


def _anything(_: BaseModel) -> None:
    return None


@dataclass(frozen=True)
class TextForm(Generic[Reply]):
    """A reply that is not JSON, such as three lines, and what a second attempt should be.

    ``read`` makes of the reply and the prompt's ``quoting.material_of`` a value, or a failure to be repaired.
    """

    read: Callable[[str, str], Reply | Failure]
    again: str


@dataclass(frozen=True)
class Question(Generic[Reply]):
    """One question to a model.

    Attributes:
        id: Unique among the questions of one call of ``OpenCalls.ask``; for people and for the journal.
        prompt: The whole user message, rendered; texts by others in it as ``quoting.quote`` gives them.
        reply: What the reply must be, in the types of JSON; unknown fields should be forbidden, and one field
            should be free text, see ``replies.parse``.
        check: Says what is wrong with a reply that has the right form, such as a choice that was not offered;
            None when nothing is.
        replica: Which of several askings of the same; 0 for the first.
        form: How the reply is read that is no JSON; None for JSON. Then no schema is sent, and ``reply`` may
            be any model.
    """

    id: str
    prompt: str
    reply: type[Reply]
    check: Callable[[Reply], str | None] = _anything
    replica: int = 0
    form: TextForm[Reply] | None = None


class Questions(Protocol[Reply]):
    """What one model is asked: a list, or anything that makes the same questions each time it is iterated."""

    def __len__(self) -> int: ...  # noqa: D105
    def __iter__(self) -> Iterator[Question[Reply]]: ...  # noqa: D105


@dataclass(frozen=True)
class Failure:
    """Why a question has no value; ``detail`` is in the words of the provider, or of the failed check."""

    cause: Cause
    kind: Kind
    detail: str


NOT_RECORDED = Failure("provider", "not_recorded", "no such call is in the recording")


@dataclass(frozen=True)
class Answer(Generic[Reply]):
    """What became of a question: a value or a failure, and whether it took a second attempt."""

    id: str
    value: Reply | None
    failure: Failure | None
    repaired: bool = False
