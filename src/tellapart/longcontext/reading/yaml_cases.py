"""Case files as YAML, read and written: the same as sections, with the answers beside the probes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from tellapart.errors import InputError, UsageError
from tellapart.files import Words, check_record, storage, write_text
from tellapart.files.yaml_text import line_of, parse_yaml
from tellapart.longcontext.case import Case, CaseStep, Entry, Expected, Origin, StepType
from tellapart.longcontext.probes import all_kinds
from tellapart.longcontext.reading.answer_forms import checked_regex, checked_tolerance, checked_unit
from tellapart.longcontext.reading.texts import entry_of, is_of_other_kind
from tellapart.longcontext.token_ranges import Length, range_of

_MESSAGE_ID, _PROBE_ID = r"M\d+", r"\w[\w.-]*"


def _stripped(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _dated(value: Any) -> Any:
    """YAML takes what looks like a date for one."""
    return value.isoformat() if isinstance(value, date) else value


def _spelled(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _entry(value: Any) -> Any:
    entry = entry_of(value) if isinstance(value, str) else None
    return vars(entry) if entry else value


Text = Annotated[str, BeforeValidator(_stripped), Field(min_length=1)]


def _range(value: Any, number: ValidatorFunctionWrapHandler) -> Any:
    ends = range_of(value) if isinstance(value, str) else None
    return number(value) if ends is None else ends


Tokens = Annotated[int, Field(gt=0), WrapValidator(_range)]


class Form(BaseModel):
    """No unknown keys, and no text that is taken for a number."""

    model_config = ConfigDict(extra="forbid", strict=True)


if TYPE_CHECKING:
    KindName = str
else:
    # Made when the kinds are known, so that a new kind is a new name here.
    KindName = Literal[tuple(all_kinds())]


class EntryForm(Form):
    """One line of an enumeration."""

    label: Text
    author: Text
    year: int | None = None
    size: int | None = None
    note: str = ""


class OriginForm(Form):
    """What data set a case was made of."""

    data_set: Text
    licence: Text
    file: Text
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    record: Text


class StepForm(Form):
    """One user turn; exactly one of the first three says what it is and how it is called."""

    message: Annotated[str, Field(pattern=rf"^{_MESSAGE_ID}$")] | None = None
    checkpoint: Annotated[str, Field(pattern=rf"^{_PROBE_ID}$")] | None = None
    verification: Annotated[str, Field(pattern=rf"^{_PROBE_ID}$")] | None = None
    session: Text | None = None
    date: Annotated[Text | None, BeforeValidator(_dated)] = None
    text: Text
    reply: Text | None = None
    failure_mode: Text | None = None
    expected: Text | None = None
    accept: Annotated[list[Text], BeforeValidator(_listed)] = []
    required: Annotated[list[Text], BeforeValidator(_listed)] = []
    exact: bool = False
    regex: Annotated[Text | None, AfterValidator(checked_regex)] = None
    unit: Annotated[Text | None, AfterValidator(checked_unit)] = None
    tolerance: Annotated[Text | None, BeforeValidator(_spelled), AfterValidator(checked_tolerance)] = None
    prefix: Text | None = None
    evidence: Annotated[list[Text], BeforeValidator(_listed)] = []
    rule: KindName | None = None
    banned: Text | None = None
    early: Text | None = None
    late: Text | None = None
    entries: list[Annotated[EntryForm, BeforeValidator(_entry)]] = []
    intended_tokens: Tokens | None = None
    question: Text | None = None
    test: Text | None = None
    scoring: Text | None = None
    expected_failure: Text | None = None


class CaseForm(Form):
    """A case; ``continues`` names a file beside this one."""

    name: Text | None = None
    system: Text | None = None
    note: str = ""
    intended_tokens: Tokens | None = None
    continues: Text | None = None
    origin: OriginForm | None = None
    steps: Annotated[list[StepForm], Field(min_length=1)]


_OF_ANY = ("message", "checkpoint", "verification", "text", "session", "date")
PROBES_ALONE = tuple(name for name in StepForm.model_fields if name not in (*_OF_ANY, "reply"))
"""Keys that say something of a probe."""


_WORDS = {
    "string_type": Words("a text", "Put quotes around what YAML takes for something else"),
    "string_pattern_mismatch": Words("an id: M1 of a message; of a probe letters, digits, '_', '.' and '-'"),
    "model_type": Words("keys with values"),
    "int_type": Words("a whole number", "Write 4000, not 4K"),
}


def case_of_yaml(text: str, path: Path) -> tuple[Case, Path | None]:
    """Read a case, and which file it continues.

    Texts lose the spaces around them, as in section files.
    """
    root, data = parse_yaml(text, path)
    if not isinstance(data, dict):
        raise InputError(
            f"this is {type(data).__name__}, expected a mapping with 'steps'",
            where=path,
            next_step="A step is written as '- message: M1' with 'text: …' below it",
        )
    form = check_record(
        data, CaseForm, path, locate=lambda location: f"{path}:{line_of(root, location)}", words=_WORDS
    )
    lines = [line_of(root, ("steps", i)) for i in range(len(form.steps))]
    steps = _steps(form.steps, lines, path)
    origin = Origin(**form.origin.model_dump()) if form.origin else None
    case = Case(
        *(form.name or path.stem, form.system, steps, form.note.strip()),
        *(form.intended_tokens, str(path), origin),
    )
    return case, path.parent / form.continues if form.continues else None


def _steps(forms: Sequence[StepForm], lines: Sequence[int], path: Path) -> tuple[CaseStep, ...]:
    steps: dict[str, CaseStep] = {}
    for form, line in zip(forms, lines, strict=True):
        step = _step(form, line, path)
        if step.id in steps:
            raise InputError(
                f"the step {step.id} occurs twice",
                where=f"{path}:{line}",
                next_step=f"The first is in line {steps[step.id].line}: give one of them another id",
            )
        steps[step.id] = step
    return tuple(steps.values())


def _step(form: StepForm, line: int, path: Path) -> CaseStep:
    kinds: tuple[StepType, ...] = ("message", "checkpoint", "verification")
    given = [(kind, id_) for kind in kinds if (id_ := getattr(form, kind)) is not None]
    if len(given) != 1:
        raise InputError(
            f"this step is {' and '.join(kind for kind, _ in given) or 'of no kind'}, expected one of "
            "message, checkpoint and verification",
            where=f"{path}:{line}",
            next_step="Write '- message: M1', '- checkpoint: C1-1' or '- verification: V1-1'",
        )
    kind, id_ = given[0]
    if is_of_other_kind(id_, kind) and kind != "message":
        raise InputError(
            f"this {kind} is called {id_!r}, as a step of another kind is",
            where=f"{path}:{line}",
            next_step="Checkpoints are called C1-1, verifications V1-1, or anything that begins otherwise",
        )
    of_probes = [name for name in PROBES_ALONE if name in form.model_fields_set]
    if kind == "message" and of_probes:
        raise InputError(
            f"the message {id_} has {of_probes[0]!r}, which only probes have",
            where=f"{path}:{line}",
            next_step="Make it a checkpoint or a verification, or leave that out",
        )
    if kind != "message" and form.reply is not None:
        raise InputError(
            f"the {kind} {id_} has 'reply', which only messages have",
            where=f"{path}:{line}",
            next_step="The model under test answers probes; write the right answer as 'expected'",
        )
    return CaseStep(
        *(id_, kind, form.text, form.failure_mode, _expected(id_, form), line),
        *(form.reply, form.session, form.date),
    )


def _expected(id_: str, form: StepForm) -> Expected | None:
    if not form.model_fields_set & (set(PROBES_ALONE) - {"failure_mode"}):
        return None
    given = {name: getattr(form, name) for name in PROBES_ALONE if name not in ("expected", "entries")}
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    entries = tuple(Entry(**entry.model_dump()) for entry in form.entries)
    return Expected(id_, form.expected, entries=entries, **given)


_BREAKS = "\r\x85\u2028\u2029"
"""Line ends that a block would read back as another one."""


class _Block(str):
    """A text that is written as it is, below its key."""


class _Writer(yaml.SafeDumper):  # type: ignore[misc]
    # Not the one in C, which breaks lines elsewhere.
    pass


def _block(dumper: Any, text: _Block) -> yaml.Node:
    style = '"' if set(text) & set(_BREAKS) else "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style=style)


_Writer.add_representer(_Block, _block)


def yaml_of(case: Case) -> str:
    """Write a case so that ``reading.read_case`` reads it back; the same case gives the same text.

    ``line`` and ``source`` are not kept, and a case that continues another one is written out whole.
    """
    data = {
        "name": case.name,
        "system": _text(case.system),
        "note": _text(case.note) or None,
        "intended_tokens": _written(case.intended_tokens),
        "origin": asdict(case.origin) if case.origin else None,
        "steps": [_step_data(step) for step in case.steps],
    }
    text = str(
        yaml.dump(
            _without_nothing(data), Dumper=_Writer, sort_keys=False, allow_unicode=True, width=float("inf")
        )
    )
    read, _ = case_of_yaml(text, Path(f"{case.name}.yaml"))
    if _comparable(read) != _comparable(case):
        raise InputError(
            f"the case {case.name!r} cannot be written as YAML: {_difference(read, case)} would be read back "
            "as another one",
            next_step="Texts must not begin or end with spaces",
        )
    return text


def write_case(case: Case, directory: Path) -> Path:
    """Write a case into a directory, as a file of its name.

    A file that is there already with the same content stays, so that writing many can go on after an
    interruption.
    """
    path, text = directory / f"{case.name}.yaml", yaml_of(case)
    with storage(path):
        there = path.read_bytes() if path.exists() else None
    if there is not None and there != text.encode():
        raise UsageError(
            "this file already exists and holds another case",
            where=path,
            next_step="Choose another --out, or delete it",
        )
    if there is None:
        write_text(path, text)
    return path


def _text(text: str | None) -> _Block | None:
    return None if text is None else _Block(text)


def _written(tokens: Length | None) -> int | str | None:
    return f"{tokens[0]}-{tokens[1]}" if isinstance(tokens, tuple) else tokens


def _without_nothing(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if value is not None and value != []}


def _step_data(step: CaseStep) -> dict[str, Any]:
    head = {
        step.type: step.id,
        "session": step.session,
        "date": step.date,
        "failure_mode": step.failure_mode,
        "text": _text(step.text),
        "reply": _text(step.reply),
    }
    return _without_nothing(head | (_expected_data(step.expected) if step.expected else {}))


def _expected_data(expected: Expected) -> dict[str, Any]:
    values = asdict(expected) | {
        "expected": expected.answer,
        "intended_tokens": _written(expected.intended_tokens),
    }
    return {name: _value(name, values[name]) for name in PROBES_ALONE if name != "failure_mode"}


_ON_ITS_LINE = ("regex", "unit", "tolerance", "prefix", "rule", "banned", "intended_tokens")
"""Keys whose texts are short."""


def _value(name: str, value: Any) -> Any:
    """A value as it is written: a text as a block, and None for what says nothing."""
    if isinstance(value, dict):
        return {key: part for key, part in value.items() if part not in (None, "")}
    if isinstance(value, tuple):
        return [_value(name, part) for part in value]
    if isinstance(value, str) and name not in _ON_ITS_LINE:
        return _text(value)
    return value or None


def _comparable(case: Case) -> Case:
    return replace(case, steps=tuple(_comparable_step(step) for step in case.steps), source="")


def _comparable_step(step: CaseStep) -> CaseStep:
    """Without its line; an answer of which nothing is known is none, and the step names the failure mode."""
    expected = step.expected and replace(step.expected, failure_mode=step.failure_mode)
    if expected == Expected(step.id, failure_mode=step.failure_mode):
        expected = None
    return replace(step, expected=expected, line=1)


def _difference(read: Case, case: Case) -> str:
    pairs = zip(_comparable(read).steps, _comparable(case).steps, strict=True)
    steps = [theirs.id for ours, theirs in pairs if ours != theirs]
    return f"step {steps[0]}" if steps else "what stands above its steps"
