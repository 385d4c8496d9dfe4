"""Case files as YAML: the same as sections, with what is known of the answers beside the probes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import yaml
from pydantic import ValidationError

from tellapart.errors import InputError, near_match
from tellapart.longcontext.case import Case, CaseStep, Entry, Expected, StepType
from tellapart.longcontext.reading.yaml_forms import PROBES_ALONE, CaseForm, EntryForm, Form, StepForm
from tellapart.longcontext.reading.yaml_nodes import line_of, loaded

_WRONG: dict[str, tuple[str, str | None]] = {
    "string_type": ("a text", "Put quotes around what YAML takes for something else"),
    "string_pattern_mismatch": ("an id: M1 of a message, C… of a checkpoint, V… of a verification", None),
    "string_too_short": ("a text that is not empty", None),
    "too_short": ("something in it", None),
    "model_type": ("keys with values", None),
    "int_type": ("a whole number", "Write 4000, not 4K"),
    "greater_than": ("a number above 0", None),
}
"""What was expected, and what to do, by the kind of the fault."""


def case_of_yaml(text: str, path: Path) -> tuple[Case, Path | None]:
    """Read a case, and which file it continues.

    Texts lose the spaces around them, as in section files.

    Returns:
        The case without what it continues, and the path of that; None where it continues nothing.

    Raises:
        InputError: It is no YAML, a key is unknown, missing or there twice, or a value is of a wrong type or
            out of range; says in which line.
    """
    root, data = loaded(text, path)
    try:
        form = CaseForm.model_validate(data)
    except ValidationError as error:
        raise _fault(error, root, path) from None
    lines = [line_of(root, ("steps", i)) for i in range(len(form.steps))]
    steps = _steps(form.steps, lines, path)
    case = Case(
        form.name or path.stem, form.system, steps, form.note.strip(), form.intended_tokens, str(path)
    )
    return case, path.parent / form.continues if form.continues else None


def _fault(error: ValidationError, root: yaml.Node, path: Path) -> InputError:
    first = error.errors()[0]
    place = first["loc"]
    where = f"{path}:{line_of(root, place)}"
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).lstrip(".")
    if first["type"] == "extra_forbidden":
        forms: dict[int, type[Form]] = {1: CaseForm, 3: StepForm}
        form = forms.get(len(place), EntryForm)
        return InputError(
            f"the key {name!r} is not known",
            where=where,
            next_step=near_match(str(place[-1]), form.model_fields),
        )
    if first["type"] == "missing":
        return InputError(f"there is no {name!r}", where=where)
    expected, next_step = _WRONG.get(first["type"], (first["msg"].removeprefix("Input should be "), None))
    return InputError(
        f"{name!r} is {_short(first['input'])}, expected {expected}", where=where, next_step=next_step
    )


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _steps(forms: Sequence[StepForm], lines: Sequence[int], path: Path) -> tuple[CaseStep, ...]:
    steps: dict[str, CaseStep] = {}
    for form, line in zip(forms, lines, strict=True):
        step = _step(form, line, path)
        if step.id in steps:
            raise InputError(
                f"the step {step.id} is here for the second time",
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
    known = [name for name in PROBES_ALONE if name in form.model_fields_set]
    if kind == "message" and known:
        raise InputError(
            f"the message {id_} has {known[0]!r}, which only probes have",
            where=f"{path}:{line}",
            next_step="Make it a checkpoint or a verification, or leave that out",
        )
    return CaseStep(id_, kind, form.text, form.failure_mode, _expected(id_, form), line)


def _expected(id_: str, form: StepForm) -> Expected | None:
    if not form.model_fields_set & (set(PROBES_ALONE) - {"failure_mode"}):
        return None
    return Expected(
        id_,
        form.expected,
        form.failure_mode,
        form.question,
        form.test,
        form.scoring,
        form.expected_failure,
        form.early,
        form.late,
        tuple(Entry(**entry.model_dump()) for entry in form.entries),
        tuple(form.evidence),
        form.rule,
        form.banned,
        form.intended_tokens,
    )
