"""Files of codesearch pipelines, ours and others', from bytes to the model.

A conversation that cannot be used is left out, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter, ValidationError

from tellapart.codesearch.evaluation import Evaluation, evaluation_file
from tellapart.codesearch.figures import GoldSummary, Metrics
from tellapart.codesearch.model import (
    Case,
    Conversation,
    Gold,
    Searched,
    SearchResult,
    SearchResults,
    Unusable,
    touched_lines,
)
from tellapart.codesearch.paths import NamesOnly, PathReader, named_file
from tellapart.codesearch.reading import Reading
from tellapart.core.record import StoredRecord
from tellapart.errors import InputError, quoted
from tellapart.files import Fault, JsonError, check_record, first_fault, parse_json, read_bytes

if TYPE_CHECKING:
    from tellapart.codesearch.paths import Tree
    from tellapart.codesearch.repositories import Repositories

Kind = Literal["search results", "conversations", "an evaluation"]
Built = TypeVar("Built")
Text: TypeAlias = Annotated[str, AfterValidator(str.strip)] | None

_COMMAND = "tellapart codesearch"
_FORM = "Expected is {'conversations': [{'conversation_id': …, 'issue_summary': …}, …]}"
_FAULTS = {
    Fault.EMPTY: f"Pipe a file in, '{_COMMAND} … < FILE', or name one with --in FILE",
    Fault.CUT_OFF: "It breaks off: let the step before come to its end, or copy the file whole",
    Fault.SECOND_OBJECT: "Put them together with: jq -s '{conversations: .}' FILE",
}
_READ_BY: dict[Kind, str] = {
    "conversations": f"They are for: {_COMMAND} search",
    "search results": f"They are for: {_COMMAND} evaluate",
    "an evaluation": f"For its figures once more: {_COMMAND} rescore",
}


def _time(at: Any) -> Any:
    return str(at) if isinstance(at, int) and not isinstance(at, bool) else at


class _File(StoredRecord):
    """What a file says beside its conversations, each of which is read by itself."""

    iteration_number: Annotated[int, Field(ge=1, strict=True)] | None = None
    timestamp: Annotated[str | None, BeforeValidator(_time)] = None
    conversations: Annotated[list[Any], Field(min_length=1)]
    metrics: Any = None
    gold: GoldSummary | None = None
    warnings: tuple[str, ...] = ()
    unusable_conversations: tuple[Unusable, ...] = ()
    system: Text = None
    at_base: bool = False
    gold_form: Text = None
    left_out: dict[str, int] = Field(default_factory=dict)

    @property
    def kind(self) -> Kind:
        """What it is, by the fields of its conversations."""
        keys = {key for given in self.conversations if isinstance(given, dict) for key in given}
        if "search_results" in keys:
            return "search results"
        return "an evaluation" if keys & {"run_a", "run_b"} or self.metrics is not None else "conversations"


def evaluation_at(path: Path) -> Evaluation:
    """Read the evaluation that a path names."""
    file = evaluation_file(path)
    return read_evaluation(read_bytes(file), where=str(file))


def read_evaluation(text: str | bytes, *, where: str = "standard input") -> Evaluation:
    """Read an evaluation, with everything that its figures can be made from again."""
    file, data = _open(text, where, "an evaluation")

    def build(given: dict[str, Any]) -> tuple[Case, list[str]]:
        reading = Reading(PathReader(NamesOnly()))
        case = TypeAdapter(Case).validate_python(given, context=reading)
        return case, reading.notes

    cases, unusable, notes = _each(file, Case, build, where)
    if file.iteration_number is None:
        notes.append("it does not say its iteration, which is taken as 1: calibration depends on it")
    computed = ("iteration_number", "timestamp", "conversations", "metrics", "gold", "warnings")
    evaluation = Evaluation(
        file.iteration_number or 1,
        file.timestamp,
        cases,
        unusable,
        {name: data[name] for name in data if name not in (*computed, "unusable_conversations")},
        notes=tuple(notes),
    )
    if not isinstance(file.metrics, dict) or "measures" not in file.metrics:
        return evaluation  # Of another pipeline, whose figures are computed.
    metrics = check_record(file.metrics, Metrics, where, "metrics")
    return replace(evaluation, metrics=metrics, gold=file.gold, warnings=file.warnings)


def read_search_results(
    text: str | bytes,
    *,
    approved: Collection[str] | None = None,
    repositories: Repositories | None = None,
    where: str = "standard input",
) -> SearchResults:
    """Read what the system under test returned: the input of ``evaluate``."""
    file, _ = _open(text, where, "search results")
    tree: Tree = NamesOnly(approved)
    if repositories is not None and repositories.names:
        approved = repositories.names
        # Only our own search takes base commits, and it has looked up what it writes.
        tree = NamesOnly(approved) if file.at_base else repositories

    def build(given: dict[str, Any]) -> tuple[Searched, list[str]]:
        conversation = TypeAdapter(Conversation).validate_python(given)
        found = given.get("search_results")
        if not isinstance(found, dict):
            raise InputError(f"'search_results' is {quoted(found)}, expected an object")
        if given.get("search_duration_ms") is not None:
            found = {**found, "search_duration_ms": given["search_duration_ms"]}
        reading = Reading(PathReader(tree))
        result = TypeAdapter(SearchResult).validate_python(found, context=reading)
        gold, of_gold = _gold(given, approved)
        return Searched(conversation, result, gold), [*reading.notes, *of_gold]

    searched, unusable, notes = _each(file, Searched, build, where)
    # Messages, which claim no file, do not count.
    left = ", ".join(f"{count} {reason}" for reason, count in file.left_out.items() if reason != "no path")
    if left:
        notes.append(
            f"the search returned paths that name no file, and left them out: {left}; no figure counts them"
        )
    return _results(file, searched, unusable, notes)


def read_conversations(text: str | bytes, *, where: str = "standard input") -> SearchResults:
    """Read issues to search for: the input of ``search``."""
    file, _ = _open(text, where)

    def build(given: dict[str, Any]) -> tuple[Searched, list[str]]:
        conversation = TypeAdapter(Conversation).validate_python(given)
        gold, notes = _gold(given, None)
        return Searched(conversation, gold=gold), notes

    return _results(
        file, *_each(file.model_copy(update={"unusable_conversations": ()}), Searched, build, where)
    )


def _results(
    file: _File, searched: tuple[Searched, ...], unusable: tuple[Unusable, ...], notes: list[str]
) -> SearchResults:
    return SearchResults(
        file.iteration_number,
        file.timestamp,
        searched,
        unusable,
        tuple(notes),
        file.system or None,
        file.at_base,
        file.gold_form or None,
    )


def _open(text: str | bytes, where: str, expected: Kind | None = None) -> tuple[_File, dict[str, Any]]:
    """Read a file as far as its list of conversations; without an expected kind, also a list alone."""
    try:
        data = parse_json(text, where, finite=True)
    except JsonError as error:
        step = _FAULTS.get(error.fault, error.next_step)
        raise InputError(error.what, where=error.where, next_step=step) from None
    if isinstance(data, list) and expected is None:
        data = {"conversations": data}
    file = check_record(data, _File, where, next_step=_FORM)
    if expected not in (None, file.kind):
        what = "this is" if file.kind == "an evaluation" else "these are"
        raise InputError(
            f"{what} {file.kind}, expected {expected}", where=where, next_step=_READ_BY[file.kind]
        )
    return file, data


def _each(
    file: _File, form: type, build: Callable[[dict[str, Any]], tuple[Built, list[str]]], where: str
) -> tuple[tuple[Built, ...], tuple[Unusable, ...], list[str]]:
    """Read every conversation; a bad one is left out and the rest go on."""
    built: dict[str, Built] = {}
    unusable: list[Unusable] = []
    notes: list[str] = []
    for number, given in enumerate(file.conversations, start=1):
        name = f"#{number}"
        try:
            if not isinstance(given, dict):
                raise InputError(f"it is {quoted(given)}, expected an object")
            name = _name(given) or name
            result, of_conversation = build(given)
            if name in built:
                raise InputError("an earlier conversation has the same id")
        except ValidationError as error:
            unusable.append(Unusable(name, first_fault(error, form)))
        except InputError as error:
            unusable.append(Unusable(name, str(error).removesuffix(".")))
        else:
            built[name] = result
            notes += [f"conversation {name!r}: {note}" for note in of_conversation]
    if not built:
        first = unusable[0]
        raise InputError(
            f"none of {len(unusable)} conversation(s) can be used; {first.conversation!r}: {first.why}",
            where=where,
        )
    return tuple(built.values()), (*file.unusable_conversations, *unusable), notes


def _name(given: dict[str, Any]) -> str:
    id_ = given.get("conversation_id")
    return str(id_).strip() and str(id_) if isinstance(id_, str | int) and not isinstance(id_, bool) else ""


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
