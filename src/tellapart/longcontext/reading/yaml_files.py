"""Case files as YAML: the same as sections, with what is known of the answers beside the probes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tellapart.errors import InputError, near_match
from tellapart.longcontext.case import BANNED, Case, CaseStep, Entry, Expected, Rule, StepType
from tellapart.longcontext.reading.entries import entry_of

# The one in C reads a megabyte in a tenth of the time.
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_DEEPEST = 20

_ID = {"message": r"M\d+", "checkpoint": r"C[\w.-]+", "verification": r"V[\w.-]+"}


def _stripped(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _entry(value: Any) -> Any:
    found = entry_of(value) if isinstance(value, str) else None
    return vars(found) if found else value


Text = Annotated[str, BeforeValidator(_stripped), Field(min_length=1)]
Tokens = Annotated[int, Field(gt=0)]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class EntryForm(_Form):
    """One line of an enumeration."""

    label: Text
    author: Text
    year: int | None = None
    size: int | None = None
    note: str = ""


class StepForm(_Form):
    """One user turn; exactly one of the first three says what it is and how it is called."""

    message: Annotated[str, Field(pattern=rf"^{_ID['message']}$")] | None = None
    checkpoint: Annotated[str, Field(pattern=rf"^{_ID['checkpoint']}$")] | None = None
    verification: Annotated[str, Field(pattern=rf"^{_ID['verification']}$")] | None = None
    text: Text
    failure_mode: Text | None = None
    expected: Text | None = None
    evidence: Annotated[list[Text], BeforeValidator(_listed)] = []
    rule: Rule | None = None
    banned: Text = BANNED
    early: Text | None = None
    late: Text | None = None
    entries: list[Annotated[EntryForm, BeforeValidator(_entry)]] = []
    intended_tokens: Tokens | None = None
    question: Text | None = None
    test: Text | None = None
    scoring: Text | None = None
    expected_failure: Text | None = None


class CaseForm(_Form):
    """A case; ``continues`` names a file beside this one."""

    name: Text | None = None
    system: Text | None = None
    note: str = ""
    intended_tokens: Tokens | None = None
    continues: Text | None = None
    steps: Annotated[list[StepForm], Field(min_length=1)]


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

PROBES_ALONE = tuple(
    name for name in StepForm.model_fields if name not in ("message", "checkpoint", "verification", "text")
)
"""Keys that say something of a probe."""


def case_of_yaml(text: str, path: Path) -> tuple[Case, Path | None]:
    """Read a case, and which file it continues.

    Texts lose the spaces around them, as in section files.

    Returns:
        The case without what it continues, and the path of that; None where it continues nothing.

    Raises:
        InputError: It is no YAML, a key is unknown, missing or there twice, or a value is of a wrong type or
            out of range; says in which line.
    """
    root, data = _loaded(text, path)
    for key, line in _twice(root):
        raise InputError(
            f"the key {key!r} is here for the second time",
            where=f"{path}:{line}",
            next_step="Keep one of them",
        )
    try:
        form = CaseForm.model_validate(data)
    except ValidationError as error:
        raise _fault(error, root, path) from None
    lines = [node.start_mark.line + 1 for node in _child(root, "steps").value]
    steps = _steps(form.steps, lines, path)
    case = Case(
        form.name or path.stem, form.system, steps, form.note.strip(), form.intended_tokens, str(path)
    )
    return case, path.parent / form.continues if form.continues else None


def _loaded(text: str, path: Path) -> tuple[yaml.Node, Any]:
    loader = _Loader(text)
    try:
        _check_depth(text, path)
        node = loader.get_single_node()
        data = None if node is None else loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{path}:{mark.line + 1}" if mark else path
        raise InputError(f"this is no YAML: {error.problem}", where=where) from None
    except yaml.YAMLError as error:
        raise InputError(f"this is no YAML: {' '.join(str(error).split())}", where=path) from None
    finally:
        loader.dispose()
    if not isinstance(data, dict):
        raise InputError(
            f"this is {type(data).__name__}, expected a mapping with 'steps'",
            where=path,
            next_step="A step is written as '- message: M1' with 'text: …' below it",
        )
    return node, data


def _check_depth(text: str, path: Path) -> None:
    """See that nothing is nested so deep that building it up would run out of stack."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise InputError(
                "this is nested too deep for a case", where=f"{path}:{event.start_mark.line + 1}"
            )


def _twice(root: yaml.Node) -> Iterator[tuple[str, int]]:
    """Keys that a mapping has twice, of which YAML would keep the last without a word."""
    todo, seen = [root], set[int]()
    while todo:
        node = todo.pop()
        if id(node) in seen or isinstance(node, yaml.ScalarNode):
            continue
        seen.add(id(node))
        is_mapping = isinstance(node, yaml.MappingNode)
        keys = [key for key, _ in node.value if isinstance(key, yaml.ScalarNode)] if is_mapping else []
        names = Counter(key.value for key in keys)
        yield from ((key.value, key.start_mark.line + 1) for key in reversed(keys) if names[key.value] > 1)
        todo += reversed([value for _, value in node.value] if is_mapping else node.value)


def _child(node: yaml.Node, step: str | int) -> yaml.Node:
    """The node below, or the same one where there is none such."""
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == step), node)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step]
    return node


def _line(root: yaml.Node, place: Sequence[str | int]) -> int:
    node = root
    for step in place:
        key = [k for k, _ in node.value if k.value == step] if isinstance(node, yaml.MappingNode) else []
        if step == place[-1] and key:
            return int(key[0].start_mark.line) + 1
        node = _child(node, step)
    return int(node.start_mark.line) + 1


def _fault(error: ValidationError, root: yaml.Node, path: Path) -> InputError:
    first = error.errors()[0]
    place = first["loc"]
    where = f"{path}:{_line(root, place)}"
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).lstrip(".")
    if first["type"] == "extra_forbidden":
        forms: dict[int, type[_Form]] = {1: CaseForm, 3: StepForm}
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
