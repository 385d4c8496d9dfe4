"""Experiment results as JSON, by our own ``run`` or by anybody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tellapart.core.score_notes import Looks
from tellapart.core.scores import CAUSES
from tellapart.errors import InputError, near_match, quoted
from tellapart.files import parse_json, read_text
from tellapart.longcontext.case import CaseStep, StepType
from tellapart.longcontext.reading.loose_json import Fields, Notes
from tellapart.longcontext.reading.texts import check_file_kind
from tellapart.longcontext.transcript import (
    REPEAT,
    RESULTS_FILE,
    SUITE,
    PlayedCase,
    PlayedStep,
    Results,
    Usage,
)
from tellapart.store import RunDirectory
from tellapart.store.growing import partial_path

_SUMS = ("totalMessages", "peakTokens", "totalSteps", "failedSteps")


def read_results(path: Path, name: str | None = None) -> Results:
    """Read the results of an experiment.

    Keys may be in camelCase or snake_case, and most of them may be absent; numbers may be strings. What
    cannot be used is left out and reported in ``notes``.
    """
    file, stem = _file_of(path)
    text = read_text(file)
    check_file_kind("results", text, file)
    notes = Notes()
    data = parse_json(text, file)
    read = [
        _case(entry, case_number, name or stem, notes)
        for case_number, entry in enumerate(_cases(data, file), 1)
    ]
    cases = [case for case in read if case is not None]
    if not cases:
        raise InputError(
            f"none of its {len(read)} case(s) has a step that can be used; "
            f"{'; '.join(notes.sentences()[:3])}",
            where=file,
        )
    _check_played_once(cases, file)
    top = data if isinstance(data, Mapping) else {}
    moment = Fields(top, "", notes).number("generatedAt")
    return Results(cases, moment, str(path), notes.sentences(), _looks(top, file))


def _looks(top: Mapping[str, Any], file: Path) -> Looks | None:
    """The looks of a run of ours that was to stop when models were told apart."""
    if top.get("looks") is None:
        return None
    try:
        return Looks.model_validate(top["looks"])
    except ValidationError:
        raise InputError("'looks' is not as a run writes it", where=file) from None


def _file_of(path: Path) -> tuple[Path, str]:
    """The JSON file, and what to call a model that it does not name."""
    if path.is_file() or not (path.is_dir() or partial_path(path).is_dir()):
        return path, path.stem
    run = RunDirectory.open(path)
    file = path / RESULTS_FILE
    if run.record.suite != SUITE or not file.is_file():
        raise InputError(
            f"this run directory of {run.record.suite!r} holds no results of an experiment",
            where=path,
            next_step="Name one that 'tellapart longcontext run' wrote, or its JSON file",
        )
    return file, path.name


def _cases(data: Any, file: Path) -> Sequence[Any]:
    if isinstance(data, list):
        cases: Any = data
    elif isinstance(data, Mapping) and Fields.has(data, "cases"):
        cases = Fields.get(data, "cases")
    elif isinstance(data, Mapping) and Fields.has(data, "steps"):
        cases = [data]
    else:
        keys = sorted(map(str, data)) if isinstance(data, Mapping) else []
        others = f"only {', '.join(map(repr, keys[:10]))}" if keys else "nor any key"
        raise InputError(
            f"there is no 'cases' in it, {others}",
            where=file,
            next_step=_instead(keys),
        )
    if not isinstance(cases, list) or not cases:
        raise InputError(f"'cases' is {quoted(cases)}, expected a list of cases", where=file)
    return cases


def _instead(keys: Sequence[str]) -> str:
    if {"probes", "findings"} <= set(keys):
        return "This is what 'grade' records: name the results that it graded"
    return (
        f"Expected an object with 'cases', each with 'steps'. {near_match('cases', keys)}"
        if keys
        else ("Expected an object with 'cases', each with 'steps'")
    )


def _case(data: Any, case_number: int, name: str, notes: Notes) -> PlayedCase | None:
    if not isinstance(data, Mapping):
        notes.add("left out, as it is not an object", f"case #{case_number}")
        return None
    fields = Fields(data, f"case #{case_number}", notes)
    called = fields.text("caseName") or fields.text("name")
    if called is None:
        called = f"case_{case_number}"
        notes.add(f"it has no 'caseName', and is called {called!r}", f"case #{case_number}")
    fields = Fields(data, called, notes)
    steps = played_steps(Fields.get(data, "steps"), called, notes)
    if fields.flag("ownHistory"):
        steps = tuple(replace(step, own_history=True) for step in steps)
    if not steps:
        notes.add("left out, as it has no step that can be used", called)
        return None
    control = fields.one_of("control", ("closed-book", "oracle"))
    return PlayedCase(
        called,
        steps,
        fields.text("systemPrompt"),
        fields.text("model") or name,
        fields.number("epoch") or 0,
        fields.number("startedAt"),
        fields.number("finishedAt"),
        tuple((key, value) for key in _SUMS if (value := fields.number(key)) is not None),
        control,  # type: ignore[arg-type]
        not_asked_steps(Fields.get(data, "notAsked"), called, notes),
    )


def _check_played_once(cases: Sequence[PlayedCase], file: Path) -> None:
    played = Counter((case.model, case.name, case.epoch, case.control) for case in cases)
    (model, name, epoch, _), n = played.most_common(1)[0]
    if n > 1:
        raise InputError(
            f"the case {name!r} of {model!r} is here {n} times with the same epoch, {epoch}",
            where=file,
            next_step="Number its attempts in 'epoch', from 0, or name the models in 'model'",
        )


_TYPES: dict[str, StepType] = {"M": "message", "C": "checkpoint", "V": "verification"}


def played_steps(data: Any, case: str, notes: Notes) -> tuple[PlayedStep, ...]:
    """Read the steps of a case, in their order.

    A step without an id is left out. Of several with the same id, a repeat (``REPEAT: …``) of ``M3`` becomes
    ``M3-R1``, any other of ``V1-1`` becomes ``V1-1 (2)``, so that both stay in the conversation.
    """
    if not isinstance(data, list):
        notes.add("'steps' is not a list", case)
        return ()
    steps: dict[str, PlayedStep] = {}
    for number, entry in enumerate(data, 1):
        id_ = Fields.get(entry, "stepId") if isinstance(entry, Mapping) else None
        if not isinstance(id_, str) or not id_.strip():
            notes.add("left out, as it has no 'stepId'", f"step #{number} of {case}")
            continue
        message = Fields.get(entry, "userMessage")
        step_id = _distinct(id_.strip(), message, steps)
        if step_id != id_.strip():
            notes.add(
                f"there are several steps of this id, which one after another are {step_id!r}",
                f"{case}/{id_}",
            )
        steps[step_id] = _step(entry, step_id, f"{case}/{step_id}", notes)
    return tuple(steps.values())


def not_asked_steps(data: Any, case: str, notes: Notes) -> tuple[CaseStep, ...]:
    """Read what was not reached, in its order, each id once: ids alone, or steps with what they would say."""
    if not isinstance(data, list | None):
        notes.add("'notAsked' is not a list, and was left out", case)
    steps: dict[str, CaseStep] = {}
    for number, entry in enumerate(data if isinstance(data, list) else (), 1):
        given = entry if isinstance(entry, Mapping) else {"stepId": entry}
        id_ = Fields.get(given, "stepId")
        if not isinstance(id_, str) or not id_.strip():
            notes.add("left out, as it has no 'stepId'", f"step #{number} of 'notAsked' of {case}")
            continue
        step_id = id_.strip()
        fields = Fields(given, f"{case}/{step_id}", notes)
        type_ = _type(fields, step_id, f"{case}/{step_id}", notes)
        text, mode = fields.text("userMessage") or "", fields.text("failureMode") or None
        steps.setdefault(step_id, CaseStep(step_id, type_, text, mode))
    return tuple(steps.values())


def _distinct(id_: str, message: Any, steps: Mapping[str, PlayedStep]) -> str:
    if id_ not in steps:
        return id_
    repeats = isinstance(message, str) and message.startswith(REPEAT.strip())
    number = 1 if repeats else 2
    form = "{}-R{}" if repeats else "{} ({})"
    while form.format(id_, number) in steps:
        number += 1
    return form.format(id_, number)


def _step(data: Mapping[str, Any], id_: str, where: str, notes: Notes) -> PlayedStep:
    fields = Fields(data, where, notes)
    message = fields.text("userMessage")
    if message is None:
        notes.add("it has no 'userMessage'", where)
    return PlayedStep(
        id_,
        _type(fields, id_, where, notes),
        fields.text("failureMode") or None,
        message or "",
        fields.text("assistantResponse"),
        _usage(Fields.get(data, "usage"), where, notes),
        fields.number("httpStatus"),
        fields.text("errorMessage"),
        fields.number("conversationLength"),
        fields.number("timestamp"),
        fields.flag("forked"),
        fields.one_of("cause", CAUSES),
        fields.flag("given"),
    )


def type_by_id(id_: str) -> StepType | None:
    """What the letter that an id begins with says; None where it says nothing."""
    return _TYPES.get(id_[:1].upper())


def _type(fields: Fields, id_: str, where: str, notes: Notes) -> StepType:
    """What the step says it is, else what its id begins with; a message where neither says it."""
    given = fields.one_of("stepType", tuple(_TYPES.values()))
    by_id = type_by_id(id_)
    if given is not None:
        return given  # type: ignore[return-value]
    if by_id is None:
        notes.add("it is not stated whether it is a message or a probe; read as a message", where)
    return by_id or "message"


def _usage(data: Any, where: str, notes: Notes) -> Usage | None:
    """Tokens; None where none at all is there."""
    if not isinstance(data, Mapping):
        if data is not None:
            notes.add("'usage' is not an object, and was left out", where)
        return None
    fields = Fields(data, where, notes)
    usage = Usage(
        fields.number("promptTokens"),
        fields.number("completionTokens"),
        fields.number("totalTokens"),
        fields.number("promptCacheHitTokens"),
        fields.number("promptCacheMissTokens"),
        fields.number("promptCacheWriteTokens"),
    )
    return None if usage == Usage() else usage
