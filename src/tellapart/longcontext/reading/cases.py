"""Case files: sections of text under ``=== HEADER ===`` lines, or YAML with the answers beside the probes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import yaml
from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter

from tellapart.errors import InputError, UsageError, near_match, quoted
from tellapart.files import Words, check_record, read_text, storage, write_text
from tellapart.files.yaml_text import line_of, parse_yaml
from tellapart.longcontext.case import FORBID, Case, CaseStep, Entry, Expected, Origin, StepType, Text, Tokens
from tellapart.longcontext.probes import KINDS
from tellapart.longcontext.probes.strings import matches
from tellapart.longcontext.reading.answers import (
    check_file_kind,
    documented_id,
    entry_of,
    file_kind,
)

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
    """Read a case from its form, whatever it was written in; texts lose the spaces around them."""
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
    """Write a case so that ``reading.read_case`` reads it back; the same case gives the same text."""
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
    """Write a case into a directory, as a file of its name."""
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


_YAML = (".yaml", ".yml")
_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?(?:[Kk](?![^\W_]))?)")


def read_case(path: Path) -> Case:
    """Read one case."""
    text = read_text(path)
    check_file_kind("a case", text, path)
    read = case_of_yaml if path.suffix.lower() in _YAML else _case_of_sections
    return read(text, path)


def case_files(path: Path) -> list[Path]:
    """The case files of a directory, in the order in which they are played; a file is one itself."""
    if not path.is_dir():
        return [path]
    in_order = sorted(filter(_is_case, path.iterdir()), key=lambda file: _natural(file.name))
    if not in_order:
        raise InputError(
            "there is no case in this directory",
            where=path,
            next_step="Case files end in .txt, .yaml or .yml",
        )
    return in_order


def _is_case(file: Path) -> bool:
    """A file of answers, or notes, may lie beside cases of sections."""
    ending = file.suffix.lower()
    return ending in _YAML or (ending == ".txt" and file.is_file() and file_kind(read_text(file)) == "a case")


def _natural(name: str) -> tuple[tuple[str | Decimal, ...], str]:
    """What names are put in order by: words and numbers in turn, so that ``2K-01`` is before ``16K-01``."""
    parts = _NUMBER.split(name.lower())
    parts[1::2] = [number.replace("k", "e3") for number in parts[1::2]]
    return tuple(Decimal(part) if i % 2 else part for i, part in enumerate(parts)), name


def read_cases(paths: Sequence[Path]) -> list[Case]:
    """Read cases, in the order in which they are given; of a directory all case files in it, by name."""
    cases = [read_case(file) for path in paths for file in case_files(path)]
    seen: dict[str, str] = {}
    for case in cases:
        if case.name in seen:
            raise InputError(
                f"this case is called {case.name!r}, and so is {seen[case.name]}",
                where=case.source,
                next_step="Give each case a name of its own: the file's, or 'name' in YAML",
            )
        seen[case.name] = case.source
    return cases


_HEADER = re.compile(r"=== *(.*?) *===")
_NO_HEADER = re.compile(r"={2,} *(?:SYSTEM PROMPT|NOTE\b|(?:MESSAGE|CHECKPOINT|VERIFICATION) +\w+)", re.I)
_MESSAGE = re.compile(r"MESSAGE +(\d{1,9})", re.I)
_PROBE = re.compile(r"(CHECKPOINT|VERIFICATION) +(\w[\w.-]{0,99}) *(?:\((.*)\))?", re.I)
_TOKENS = re.compile(r"\b(\d+(?:\.\d+)?K|\d{1,3}(?:,\d{3})+|\d{4,})\+? tokens", re.I)

_KNOWN = ("SYSTEM PROMPT", "NOTE FOR AUTOTEST", "MESSAGE n", "CHECKPOINT Cx-y", "VERIFICATION Vx-y")


def _case_of_sections(text: str, path: Path) -> Case:
    """Read a case; its intended length is the largest number of tokens that its note names."""
    systems: list[str] = []
    notes: list[str] = []
    steps: list[dict[str, str | None]] = []
    lines: list[int] = []
    for header, line, body in _sections(text, path):
        where = f"{path}:{line}"
        if re.match(r"NOTES?\b", header, re.I):
            notes.append(body)
            continue
        if not body:
            raise InputError(
                f"the section {quoted(header)} is empty",
                where=where,
                next_step="Its text goes below its header, up to the next one",
            )
        if header.upper() == "SYSTEM PROMPT":
            systems.append(body)
        else:
            steps.append(_named(header, where) | {"text": body})
            lines.append(line)
        if len(systems) > 1:
            raise InputError("the system prompt occurs twice", where=where, next_step="Keep one of them")
    note = "\n\n".join(notes)
    amounts = [amount.lower().replace(",", "").replace("k", "e3") for amount in _TOKENS.findall(note)]
    data = {
        "system": "".join(systems) or None,
        "note": note,
        "intended_tokens": max((round(float(amount)) for amount in amounts), default=None),
        "steps": steps,
    }
    return case_of(data, path, lambda part: lines[int(part[1])] if len(part) > 1 else 1)


def _sections(text: str, path: Path) -> Iterator[tuple[str, int, str]]:
    """Headers with their lines, and what stands below each."""
    header, start, body = "", 0, list[str]()
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if match := _HEADER.fullmatch(bare):
            if start:
                yield header, start, "\n".join(body).strip()
            header, start, body = match[1], number, []
        elif _NO_HEADER.match(bare):
            raise InputError(
                f"{quoted(bare)} looks like a header but is not one",
                where=f"{path}:{number}",
                next_step="A header is a line of its own, with three '=' on both sides: '=== MESSAGE 1 ==='",
            )
        elif bare and not start:
            raise InputError(
                "there is text before the first header",
                where=f"{path}:{number}",
                next_step="Put '=== NOTE ===' above it, if it is for people",
            )
        else:
            body.append(line)
    if start:
        yield header, start, "\n".join(body).strip()


def _named(header: str, where: str) -> dict[str, str | None]:
    """The kind and id of the step that a header opens, and its failure mode."""
    if message := _MESSAGE.fullmatch(header):
        return {"message": f"M{int(message[1])}"}
    if probe := _PROBE.fullmatch(header):
        mode = (probe[3] or "").strip() or None
        return {probe[1].lower(): documented_id(probe[2]), "failure_mode": mode}
    raise InputError(
        f"the header {quoted(header)} is not known",
        where=where,
        next_step=near_match(header[:60].upper(), _KNOWN),
    )
