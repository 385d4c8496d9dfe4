"""Case files as YAML, read and written by one form: as sections, with the answers beside the probes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import yaml
from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter

from tellapart.errors import InputError, UsageError
from tellapart.files import Words, check_record, storage, write_text
from tellapart.files.yaml_text import line_of, parse_yaml
from tellapart.longcontext.case import FORBID, Case, CaseStep, Entry, Expected, Origin, StepType, Text, Tokens
from tellapart.longcontext.probes import KINDS
from tellapart.longcontext.reading.texts import entry_of, is_of_other_kind
from tellapart.longcontext.rules.author_rules import matches

if TYPE_CHECKING:
    KindName = str
else:
    # Made when the kinds are known, so that a new kind is a new name here.
    KindName = Literal[tuple(KINDS)]


def _dated(value: Any) -> Any:
    """YAML takes what looks like a date for one."""
    return value.isoformat() if isinstance(value, date) else value


def _entry(value: Any) -> Any:
    return (entry_of(value) if isinstance(value, str) else None) or value


def _regex(pattern: str) -> str:
    matches(pattern, "")
    return pattern


Id = Annotated[str, Field(strict=True, pattern=r"^\w[\w.-]{0,99}$")]


@dataclass(frozen=True, kw_only=True)
class _Step(Expected):
    """One user turn; exactly one of the first three says what it is and how it is called."""

    __pydantic_config__ = FORBID

    id: str = field(init=False, default="")
    answer: str | None = field(init=False, default=None)
    message: Annotated[str | None, Field(strict=True, pattern=r"^M\d{1,9}$")] = None
    checkpoint: Id | None = None
    verification: Id | None = None
    session: Text | None = None
    date: Annotated[Text | None, BeforeValidator(_dated)] = None
    text: Text
    reply: Text | None = None
    expected: Text | None = None
    regex: Annotated[Text, AfterValidator(_regex)] | None = None
    rule: KindName | None = None
    entries: tuple[Annotated[Entry, BeforeValidator(_entry)], ...] = ()


@dataclass(frozen=True, kw_only=True)
class _Case:
    __pydantic_config__ = FORBID

    name: Text | None = None
    system: Text | None = None
    note: Annotated[str, Field(strict=True)] = ""
    intended_tokens: Tokens | None = None
    origin: Origin | None = None
    steps: Annotated[list[_Step], Field(min_length=1)]


_ANSWER = {part.name: part.default for part in fields(Expected) if part.name not in ("id", "answer")}
"""Keys of a probe, beside ``expected``, and what they are where they are not given."""

_WORDS = {
    "string_type": Words("a text", "Put quotes around what YAML takes for something else"),
    "string_pattern_mismatch": Words("an id: M1 of a message; of a probe letters, digits, '_', '.' and '-'"),
    "dataclass_type": Words("keys with values"),
    "int_type": Words("a whole number", "Write 4000, not 4K"),
}


def case_of_yaml(text: str, path: Path) -> Case:
    """Read a case written as YAML."""
    root, data = parse_yaml(text, path)
    return case_of(data, path, partial(line_of, root))


def case_of(data: Any, path: Path, line: Callable[[Sequence[str | int]], int]) -> Case:
    """Read a case from its form, whatever it was written in; texts lose the spaces around them.

    ``line`` is where in the file a part of the form stands.
    """
    if not isinstance(data, dict):
        raise InputError(
            f"this is {type(data).__name__}, expected a mapping with 'steps'",
            where=path,
            next_step="A step is written as '- message: M1' with 'text: …' below it",
        )
    form = check_record(data, _Case, path, locate=lambda part: f"{path}:{line(part)}", words=_WORDS)
    steps: dict[str, CaseStep] = {}
    for index, given in enumerate(form.steps):
        step = _step(given, line(("steps", index)), path)
        if step.id in steps:
            raise InputError(
                f"the step {step.id} occurs twice",
                where=f"{path}:{step.line}",
                next_step=f"The first is in line {steps[step.id].line}: give one of them another id",
            )
        steps[step.id] = step
    return Case(
        *(form.name or path.stem, form.system, tuple(steps.values()), form.note.strip()),
        *(form.intended_tokens, str(path), form.origin),
    )


def _step(form: _Step, line: int, path: Path) -> CaseStep:
    where = f"{path}:{line}"
    ids = {kind: id_ for kind in get_args(StepType) if (id_ := getattr(form, kind)) is not None}
    if len(ids) != 1:
        raise InputError(
            f"this step is {' and '.join(ids) or 'of no kind'}, expected one of message, checkpoint and "
            "verification",
            where=where,
            next_step="Write '- message: M1', '- checkpoint: C1-1' or '- verification: V1-1'",
        )
    ((kind, id_),) = ids.items()
    given = {name: value for name, empty in _ANSWER.items() if (value := getattr(form, name)) != empty}
    of_probe = [*(["expected"] if form.expected else []), *given]
    if kind == "message" and of_probe:
        raise InputError(
            f"the message {id_} has {of_probe[0]!r}, which only probes have",
            where=where,
            next_step="Make it a checkpoint or a verification, or leave that out",
        )
    if kind != "message" and form.reply is not None:
        raise InputError(
            f"the {kind} {id_} has 'reply', which only messages have",
            where=where,
            next_step="The model under test answers probes; write the right answer as 'expected'",
        )
    if kind != "message" and is_of_other_kind(id_, kind):
        raise InputError(
            f"this {kind} is called {id_!r}, as a step of another kind is",
            where=where,
            next_step="Checkpoints are called C1-1, verifications V1-1, or anything that begins otherwise",
        )
    known = set(of_probe) - {"failure_mode"}
    return CaseStep(
        *(id_, kind, form.text, form.failure_mode),
        *(Expected(id_, form.expected, **given) if known else None, line),
        *(form.reply, form.session, form.date),
    )


_FIRST = (*get_args(StepType), "session", "date", "failure_mode", "text", "reply", "expected")
"""Keys of a step in the order in which they are written; the others follow."""

_BLOCKS = {"system", "note", "text", "reply", "expected", "accept", "evidence", "early", "late", "test"}
"""Keys whose texts are written below them, as they are."""


class _Block(str):
    """A text that is written below its key."""


class _Writer(yaml.SafeDumper):  # type: ignore[misc]
    # Not the one in C, which breaks lines elsewhere.
    pass


def _block(dumper: Any, text: _Block) -> yaml.Node:
    # Line ends that a block would read back as another one.
    style = '"' if set(text) & set("\r\x85\u2028\u2029") else "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style=style)


_Writer.add_representer(_Block, _block)


def yaml_of(case: Case) -> str:
    """Write a case so that ``reading.read_case`` reads it back; the same case gives the same text.

    ``line`` and ``source`` are not kept.
    """
    form = _Case(
        name=case.name,
        system=case.system,
        note=case.note,
        intended_tokens=case.intended_tokens,
        origin=case.origin,
        steps=[_form_of(step) for step in case.steps],
    )
    data = TypeAdapter(_Case).dump_python(form, mode="json", exclude_defaults=True)
    data["steps"] = [{name: step[name] for name in _FIRST if name in step} | step for step in data["steps"]]
    text: str = yaml.dump(
        _styled(data), Dumper=_Writer, sort_keys=False, allow_unicode=True, width=float("inf")
    )
    if case_of_yaml(text, Path(f"{case.name}.yaml")) != case:
        raise InputError(
            "this case cannot be written as YAML: it would be read back as another one",
            where=case.name,
            next_step="Texts must not begin or end with spaces",
        )
    return text


def _form_of(step: CaseStep) -> _Step:
    expected = step.expected or Expected(step.id)
    answer = {name: getattr(expected, name) for name in _ANSWER} | {"failure_mode": step.failure_mode}
    named: dict[str, Any] = {step.type: step.id, "expected": expected.answer}
    return _Step(**named, text=step.text, reply=step.reply, session=step.session, date=step.date, **answer)


def _styled(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _styled(part, name) for name, part in value.items()}
    if isinstance(value, list):
        return [_styled(part, key) for part in value]
    return _Block(value) if key in _BLOCKS else value


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
