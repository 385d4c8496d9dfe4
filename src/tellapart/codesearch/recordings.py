"""Files of codesearch pipelines, ours and others', from bytes to the model.

A conversation that cannot be used is left out, with the reason.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic import TypeAdapter, ValidationError

from tellapart.codesearch.evaluation import AT_BASE, GOLD_FORM, LEFT_OUT, Evaluation, evaluation_file
from tellapart.codesearch.figures import GoldSummary, Metrics
from tellapart.codesearch.model import (
    Case,
    Conversation,
    Conversations,
    Gold,
    Searched,
    SearchResult,
    SearchResults,
    Unusable,
    touched_lines,
)
from tellapart.codesearch.paths import NamesOnly, PathReader, named_file
from tellapart.codesearch.reading import Reading
from tellapart.errors import InputError, close_match, quoted
from tellapart.files import Fault, JsonError, check_record, first_fault, parse_json, read_bytes

if TYPE_CHECKING:
    from tellapart.codesearch.paths import Tree
    from tellapart.codesearch.repositories import Repositories

Kind = Literal["search results", "conversations", "an evaluation"]
Built = TypeVar("Built")

UNUSABLE = "unusable_conversations"
BLOCKS = ("aggregate", "measures", "judging", "exploring")
"""Parts of ``metrics`` that other pipelines' evaluations lack."""

_COMPUTED = ("iteration_number", "timestamp", "conversations", "metrics", "gold", "warnings", UNUSABLE)
_COMMAND = "tellapart codesearch"
_REPOSITORIES = "--repos-path DIR --repo NAME"
_NEXT_STEP = {
    Fault.EMPTY: f"Pipe a file in, '{_COMMAND} … < FILE', or name one with --in FILE",
    Fault.CUT_OFF: "It breaks off: let the step before come to its end, or copy the file whole",
    Fault.SECOND_OBJECT: "Put them together with: jq -s '{conversations: .}' FILE",
}
_SEARCH = f"{_COMMAND} search --in {{file}} {_REPOSITORIES}"
_INSTEAD: dict[tuple[Kind, Kind], str] = {
    ("search results", "an evaluation"): f"For its figures once more: {_COMMAND} rescore --in {{file}}",
    ("search results", "conversations"): f"Search first: {_SEARCH} --out search_results.json",
    (
        "an evaluation",
        "search results",
    ): f"Evaluate first: {_COMMAND} evaluate --in {{file}} {_REPOSITORIES} --out evaluation.json",
    (
        "an evaluation",
        "conversations",
    ): f"Search and evaluate first: {_SEARCH} | {_COMMAND} evaluate {_REPOSITORIES}",
}


def evaluation_at(path: Path) -> Evaluation:
    """Read the evaluation that a path names."""
    file = evaluation_file(path)
    return read_evaluation(read_bytes(file), where=str(file))


def read_evaluation(
    text: str | bytes, *, where: str = "standard input", iteration: int | None = None
) -> Evaluation:
    """Read an evaluation, with everything that its figures can be made from again.

    Verdicts with the documented fallback text or an ``error`` are failures. Figures of ours are taken over;
    other pipelines' evaluations have none. Unknown fields of the file are kept in ``facts``.
    """
    head, data = _open(text, where)
    _expect("an evaluation", data, where)

    def build(given: dict[str, Any]) -> tuple[Case, list[str]]:
        reading = Reading(PathReader(NamesOnly()))
        case = TypeAdapter(Case).validate_python(given, context=reading)
        return case, reading.notes

    cases, unusable, notes = _each(data["conversations"], Case, build, where)
    number = iteration or head.iteration
    if iteration and head.iteration not in (None, iteration):
        notes.append(f"it says that it is iteration {head.iteration}, and is taken as {iteration}")
    if number is None:
        notes.append("it does not say its iteration, which is taken as 1: calibration depends on it")
    evaluation = Evaluation(
        number or 1,
        head.timestamp,
        tuple(cases),
        (*_unusable_before(data), *unusable),
        {name: value for name, value in data.items() if name not in _COMPUTED},
        tuple(notes),
    )
    metrics = data.get("metrics")
    if not isinstance(metrics, dict) or not all(isinstance(metrics.get(name), dict) for name in BLOCKS):
        return evaluation
    gold = data.get("gold") and check_record(data["gold"], GoldSummary, where, "gold")
    warnings = tuple(map(str, data.get("warnings") or ()))
    return replace(
        evaluation, metrics=check_record(metrics, Metrics, where, "metrics"), gold=gold, warnings=warnings
    )


def read_search_results(
    text: str | bytes,
    *,
    approved: Collection[str] | None = None,
    repositories: Repositories | None = None,
    where: str = "standard input",
) -> SearchResults:
    """Read what the system under test returned: the input of ``evaluate``.

    As documented, and as pipelines write it: files as paths or as objects, with snippets, terms by file,
    durations and a log, without iteration or time. Unknown fields are passed over. Paths are looked up in the
    repositories, where there are any.
    """
    head, data = _open(text, where)
    _expect("search results", data, where)
    tree: Tree = NamesOnly(approved)
    if repositories is not None and repositories.names:
        approved = repositories.names
        # Only our own search takes base commits, and it has looked up what it writes.
        tree = NamesOnly(approved) if data.get(AT_BASE) is True else repositories

    def build(given: dict[str, Any]) -> tuple[Searched, list[str]]:
        conversation = _conversation(given)
        found = given.get("search_results")
        if not isinstance(found, dict):
            raise InputError(f"'search_results' is {quoted(found)}, expected an object")
        if given.get("search_duration_ms") is not None:
            found = {**found, "search_duration_ms": given["search_duration_ms"]}
        reading = Reading(PathReader(tree))
        result = TypeAdapter(SearchResult).validate_python(found, context=reading)
        gold, of_gold = _gold(given, approved)
        return Searched(conversation, result, gold), [*reading.notes, *of_gold]

    searched, unusable, notes = _each(data["conversations"], Searched, build, where)
    notes += _left_out_before(data)
    return SearchResults(
        head.iteration,
        head.timestamp,
        tuple(searched),
        (*_unusable_before(data), *unusable),
        tuple(notes),
        _text(data, "system"),
        data.get(AT_BASE) is True,
        _text(data, GOLD_FORM),
    )


def read_conversations(text: str | bytes, *, where: str = "standard input") -> Conversations:
    """Read issues to search for: the input of ``search``.

    The same objects as in search results, without what was found; also as a list alone. Of search results and
    evaluations only the issues are read.
    """
    head, data = _open(text, where, bare_list=True)
    gold: dict[str, Gold] = {}

    def build(given: dict[str, Any]) -> tuple[Conversation, list[str]]:
        conversation = _conversation(given)
        of_issue, notes = _gold(given, None)
        if of_issue is not None:
            gold[conversation.id] = of_issue
        return conversation, notes

    conversations, unusable, notes = _each(data["conversations"], Conversation, build, where)
    return Conversations(
        head.iteration,
        head.timestamp,
        tuple(conversations),
        tuple(unusable),
        tuple(notes),
        gold,
        _text(data, GOLD_FORM),
    )


@dataclass(frozen=True)
class _Head:
    iteration: int | None
    timestamp: str | None


def _open(text: str | bytes, where: str, *, bare_list: bool = False) -> tuple[_Head, dict[str, Any]]:
    """Read a file as far as its list of conversations."""
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
    _check_conversations(data, where)
    number, timestamp = data.get("iteration_number"), data.get("timestamp")
    if number is not None and (not isinstance(number, int) or isinstance(number, bool) or number < 1):
        raise InputError(
            f"'iteration_number' is {quoted(number)}, expected a whole number from 1", where=where
        )
    if isinstance(timestamp, dict | list | bool):
        raise InputError(f"'timestamp' is {quoted(timestamp)}, expected a text", where=where)
    return _Head(number, None if timestamp is None else str(timestamp)), data


def _check_conversations(data: dict[str, Any], where: str) -> None:
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


def _kind(data: dict[str, Any]) -> Kind:
    keys = {key for given in data["conversations"] if isinstance(given, dict) for key in given}
    if "search_results" in keys:
        return "search results"
    return "an evaluation" if keys & {"run_a", "run_b"} or "metrics" in data else "conversations"


def _expect(kind: Kind, data: dict[str, Any], where: str) -> None:
    """See that it is the right file."""
    if (other := _kind(data)) != kind:
        file = shlex.quote(where) if Path(where).is_file() else "FILE"
        raise InputError(
            f"these are {other}, expected {kind}".replace("these are an", "this is an"),
            where=where,
            next_step=_INSTEAD[kind, other].format(file=file),
        )


def _each(
    conversations: Iterable[Any],
    form: type,
    build: Callable[[dict[str, Any]], tuple[Built, list[str]]],
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
            result, item_notes = build(given)
            if seen.setdefault(name, number) != number:
                raise InputError(f"conversation #{seen[name]} has the same id")
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


def _name(given: dict[str, Any], otherwise: str) -> str:
    id_ = given.get("conversation_id")
    usable = isinstance(id_, str | int) and not isinstance(id_, bool) and str(id_).strip()
    return str(id_) if usable else otherwise


def _conversation(given: dict[str, Any]) -> Conversation:
    conversation: Conversation = TypeAdapter(Conversation).validate_python(given)
    return conversation


def _gold(given: dict[str, Any], approved: Collection[str] | None) -> tuple[Gold | None, list[str]]:
    """The gold files that came with an issue, and notes on paths that were left out."""
    touched = given.get("touched_files")
    if touched is None:
        return None, []
    if not isinstance(touched, list) or not all(isinstance(path, str) for path in touched):
        raise InputError(f"'touched_files' is {quoted(touched)}, expected a list of paths")
    named = {path: named_file(path, approved) for path in touched}
    faults = [path for path, file in named.items() if file is None]
    left_out = dict(given.get("touched_files_left_out") or {})
    if faults:
        left_out["unusable"] = left_out.get("unusable", 0) + len(faults)
    notes = [f"left out {len(faults)} gold file(s), the first {faults[0]!r}"] if faults else []
    given_lines = touched_lines(given.get("touched_lines"))
    lines = {file: spans for path, spans in given_lines.items() if (file := named.get(path))}
    files = tuple(sorted({file for file in named.values() if file}))
    return Gold(files, left_out=left_out, lines=lines), notes


def _unusable_before(data: dict[str, Any]) -> list[Unusable]:
    """Conversations that an earlier step left out, in the file's order; those without an id are not named."""
    records = data.get(UNUSABLE)
    return [
        Unusable(str(record["conversation_id"]), str(record.get("why", "")))
        for record in (records if isinstance(records, list) else [])
        if isinstance(record, dict) and "conversation_id" in record
    ]


def _text(data: dict[str, Any], name: str) -> str | None:
    value = data.get(name)
    return value.strip() or None if isinstance(value, str) else None


def _left_out_before(data: dict[str, Any]) -> list[str]:
    """Say what the search returned and left out; messages, which claim no file, do not count."""
    counts = data.get(LEFT_OUT)
    shown = counts.items() if isinstance(counts, dict) else ()
    many = ", ".join(f"{count} {reason}" for reason, count in shown if reason != "no path")
    if not many:
        return []
    return [f"the search returned paths that name no file, and left them out: {many}; no figure counts them"]
