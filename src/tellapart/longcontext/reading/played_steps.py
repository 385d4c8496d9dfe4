"""The steps of a case of results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tellapart.core.scores import CAUSES
from tellapart.longcontext.case import CaseStep, StepType
from tellapart.longcontext.played import REPEAT, PlayedStep, Usage
from tellapart.longcontext.reading.fields import Fields, Notes

_TYPES: dict[str, StepType] = {"M": "message", "C": "checkpoint", "V": "verification"}


def played_steps(data: Any, case: str, notes: Notes) -> tuple[PlayedStep, ...]:
    """Read the steps of a case, in their order.

    A step without an id is left out. Of several with the same id, a repeat (``REPEAT: …``) of ``M3`` becomes
    ``M3-R1``, any other of ``V1-1`` becomes ``V1-1 (2)``, so that both stay in the conversation.

    Args:
        data: What stands under ``steps``.
        case: Its name.
        notes: Takes what could not be used.
    """
    if not isinstance(data, list):
        notes.add("'steps' is no list", case)
        return ()
    steps: dict[str, PlayedStep] = {}
    for place, one in enumerate(data, 1):
        id_ = Fields.get(one, "stepId") if isinstance(one, Mapping) else None
        if not isinstance(id_, str) or not id_.strip():
            notes.add("left out, as it has no 'stepId'", f"step #{place} of {case}")
            continue
        message = Fields.get(one, "userMessage")
        own = _distinct(id_.strip(), message, steps)
        if own != id_.strip():
            notes.add(
                f"there are several steps of this id, which one after another are {own!r}", f"{case}/{id_}"
            )
        steps[own] = _step(one, own, f"{case}/{own}", notes)
    return tuple(steps.values())


def not_asked_steps(data: Any, case: str, notes: Notes) -> tuple[CaseStep, ...]:
    """Read what was not reached, in its order, each id once: ids alone, or steps with what they would say.

    Args:
        data: What stands under ``notAsked``; None where nothing does.
        case: Its name.
        notes: Takes what could not be used.
    """
    if not isinstance(data, list | None):
        notes.add("'notAsked' is no list, and was left out", case)
    found: dict[str, CaseStep] = {}
    for place, one in enumerate(data if isinstance(data, list) else (), 1):
        given = one if isinstance(one, Mapping) else {"stepId": one}
        id_ = Fields.get(given, "stepId")
        if not isinstance(id_, str) or not id_.strip():
            notes.add("left out, as it has no 'stepId'", f"step #{place} of 'notAsked' of {case}")
            continue
        own = id_.strip()
        fields = Fields(given, f"{case}/{own}", notes)
        type_ = _type(fields, own, f"{case}/{own}", notes)
        text, mode = fields.text("userMessage") or "", fields.text("failureMode") or None
        found.setdefault(own, CaseStep(own, type_, text, mode))
    return tuple(found.values())


def _distinct(id_: str, message: Any, steps: Mapping[str, PlayedStep]) -> str:
    if id_ not in steps:
        return id_
    repeats = isinstance(message, str) and message.startswith(REPEAT.strip())
    number = 1 if repeats else 2
    form = "{}-R{}" if repeats else "{} ({})"
    while form.format(id_, number) in steps:
        number += 1
    return form.format(id_, number)


def _step(data: Mapping[str, Any], id_: str, place: str, notes: Notes) -> PlayedStep:
    fields = Fields(data, place, notes)
    message = fields.text("userMessage")
    if message is None:
        notes.add("it has no 'userMessage'", place)
    return PlayedStep(
        id_,
        _type(fields, id_, place, notes),
        fields.text("failureMode") or None,
        message or "",
        fields.text("assistantResponse"),
        _usage(Fields.get(data, "usage"), place, notes),
        fields.number("httpStatus"),
        fields.text("errorMessage"),
        fields.number("conversationLength"),
        fields.number("timestamp"),
        fields.flag("forked"),
        fields.one_of("cause", CAUSES),
    )


def type_by_id(id_: str) -> StepType | None:
    """What the letter that an id begins with says; None where it says nothing."""
    return _TYPES.get(id_[:1].upper())


def _type(fields: Fields, id_: str, place: str, notes: Notes) -> StepType:
    """What the step says it is, else what its id begins with; a message where neither says it."""
    given = fields.one_of("stepType", tuple(_TYPES.values()))
    found = type_by_id(id_)
    if given is not None:
        return given  # type: ignore[return-value]
    if found is None:
        notes.add("nobody says whether it is a message or a probe; taken for a message", place)
    return found or "message"


def _usage(data: Any, place: str, notes: Notes) -> Usage | None:
    """Tokens; None where none at all is there."""
    if not isinstance(data, Mapping):
        if data is not None:
            notes.add("'usage' is no object, and was left out", place)
        return None
    fields = Fields(data, place, notes)
    usage = Usage(
        fields.number("promptTokens"),
        fields.number("completionTokens"),
        fields.number("totalTokens"),
        fields.number("promptCacheHitTokens"),
        fields.number("promptCacheMissTokens"),
    )
    return None if usage == Usage() else usage
