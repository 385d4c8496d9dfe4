"""What is around the conversations of a file: iteration, time, and whether it is the right file at all."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from tellapart.codesearch.case import Unusable
from tellapart.codesearch.reading.forms import ConversationForm, Head
from tellapart.errors import InputError, close_match, quoted
from tellapart.files import Fault, JsonError, check_record, first_fault, parse_json

Kind = Literal["search results", "conversations", "an evaluation"]

UNUSABLE = "unusable_conversations"
"""Where files of ours say which conversations were left out, and why."""

_KNOWN = ("iteration_number", "timestamp", "conversations")
_COMMAND = "tellapart codesearch"
REPOSITORIES = "--repos-path DIR --repo NAME"
"""Stands in next steps for how the repositories are named."""

_NEXT_STEP = {
    Fault.EMPTY: f"Pipe a file in, '{_COMMAND} … < FILE', or name one with --in FILE",
    Fault.CUT_OFF: "It breaks off: let the step before come to its end, or copy the file whole",
    Fault.SECOND_OBJECT: "Put them together with: jq -s '{conversations: .}' FILE",
}

_INSTEAD: dict[tuple[Kind, Kind], str] = {
    ("search results", "an evaluation"): f"For its figures once more: {_COMMAND} rescore --in {{file}}",
    (
        "search results",
        "conversations",
    ): f"Search first: {_COMMAND} search --in {{file}} {REPOSITORIES} --out search_results.json",
    (
        "an evaluation",
        "search results",
    ): f"Evaluate first: {_COMMAND} evaluate --in {{file}} {REPOSITORIES}{{iteration}} --out evaluation.json",
    (
        "an evaluation",
        "conversations",
    ): f"Search and evaluate first: {_COMMAND} search --in {{file}} {REPOSITORIES}{{iteration}} | "
    f"{_COMMAND} evaluate {REPOSITORIES}",
}

Form = TypeVar("Form", bound=ConversationForm)
Built = TypeVar("Built")


@dataclass(frozen=True)
class Envelope:
    """A file, taken apart as far as the list of conversations.

    Attributes:
        iteration: From 1; None where the file does not say.
        timestamp: As it was written; None where there is none.
        conversations: Of any type, as they were.
        further: The other fields.
        kind: What file this looks like.
    """

    iteration: int | None
    timestamp: str | None
    conversations: list[Any]
    further: dict[str, Any]
    kind: Kind


def open_envelope(text: str | bytes, where: str, *, bare_list: bool = False) -> Envelope:
    """Read a file as far as the list of conversations."""
    try:
        data = parse_json(text, where, finite=True)
    except JsonError as error:
        raise InputError(
            error.what, where=error.where, next_step=_NEXT_STEP.get(error.fault, error.next_step)
        ) from None
    if isinstance(data, list) and bare_list:
        data = {"conversations": data}
    if not isinstance(data, dict):
        wrap = "Put it there: {'conversations': […]}" if isinstance(data, list) else None
        raise InputError(
            f"found {quoted(data)}, expected an object with 'conversations'", where=where, next_step=wrap
        )
    conversations = _conversations(data, where)
    head = check_record(data, Head, where)
    further = {name: value for name, value in data.items() if name not in _KNOWN}
    timestamp = None if head.timestamp is None else str(head.timestamp)
    return Envelope(head.iteration_number, timestamp, conversations, further, _kind(data))


def expect(kind: Kind, envelope: Envelope, where: str) -> None:
    """See that it is the right file."""
    if envelope.kind != kind:
        file = shlex.quote(where) if Path(where).is_file() else "FILE"
        raise InputError(
            f"these are {envelope.kind}, expected {kind}".replace("these are an", "this is an"),
            where=where,
            next_step=_INSTEAD[kind, envelope.kind].format(
                file=file, iteration="" if envelope.iteration else " --iteration 1"
            ),
        )


def read_each(
    conversations: Iterable[Any],
    form: type[Form],
    build: Callable[[Form], tuple[Built, list[str]]],
    where: str,
) -> tuple[list[Built], list[Unusable], list[str]]:
    """Read every conversation; a bad one is left out and the rest go on."""
    built: list[Built] = []
    unusable: list[Unusable] = []
    notes: list[str] = []
    seen: dict[str, int] = {}
    for number, given in enumerate(conversations, start=1):
        name = f"#{number}"
        try:
            if not isinstance(given, dict):
                raise InputError(f"it is {quoted(given)}, expected an object")
            name = _name(given, name)
            checked = form.model_validate(given)
            if seen.setdefault(checked.conversation_id, number) != number:
                raise InputError(f"conversation #{seen[checked.conversation_id]} has the same id")
            result, item_notes = build(checked)
        except ValidationError as error:
            unusable.append(Unusable(name, first_fault(error, form)))
        except InputError as error:
            unusable.append(Unusable(name, str(error).removesuffix(".")))
        else:
            built.append(result)
            notes += [f"conversation {name!r}: {note}" for note in item_notes]
    if not built:
        first = unusable[0]
        raise InputError(
            f"none of {len(unusable)} conversation(s) can be used; {first.conversation!r}: {first.why}",
            where=where,
        )
    return built, unusable, notes


def left_out_before(envelope: Envelope) -> list[Unusable]:
    """Conversations that an earlier step left out, in the file's order; those without an id are not named."""
    records = envelope.further.get(UNUSABLE)
    return [
        Unusable(str(record["conversation_id"]), str(record.get("why", "")))
        for record in (records if isinstance(records, list) else [])
        if isinstance(record, dict) and "conversation_id" in record
    ]


def _name(given: dict[str, Any], otherwise: str) -> str:
    id_ = given.get("conversation_id")
    usable = isinstance(id_, str | int) and not isinstance(id_, bool) and str(id_).strip()
    return str(id_) if usable else otherwise


def _conversations(data: dict[str, Any], where: str) -> list[Any]:
    if "conversations" not in data:
        if "conversation_id" in data:
            step = "This looks like one conversation alone: put it into {'conversations': […]}"
        else:
            close = close_match("conversations", data)
            step = f"There is {close!r}" if close else f"There are: {', '.join(sorted(data)[:20]) or 'none'}"
        raise InputError("has no 'conversations'", where=where, next_step=step)
    conversations = data["conversations"]
    if not isinstance(conversations, list):
        raise InputError(f"'conversations' is {quoted(conversations)}, expected a list", where=where)
    if not conversations:
        raise InputError("its list of conversations is empty", where=where)
    return conversations


def _kind(data: dict[str, Any]) -> Kind:
    keys = {key for given in data["conversations"] if isinstance(given, dict) for key in given}
    if "search_results" in keys:
        return "search results"
    return "an evaluation" if keys & {"run_a", "run_b"} or "metrics" in data else "conversations"
