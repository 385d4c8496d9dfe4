"""A case: the steps of one growing conversation, right answers to its probes, and lengths that were meant."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from tellapart.errors import InputError

_RANGE = re.compile(r"(\d+)\s*[-–]\s*(\d+)")


Length: TypeAlias = int | tuple[int, int]
"""A length that was meant: a number of tokens, or the lower and upper end of a range."""


def range_of(text: str) -> tuple[int, int] | None:
    """Read ``20000-30000``; None where it is something else, or its ends are the wrong way round."""
    match = _RANGE.fullmatch(text.strip())
    if match is None or not 0 < int(match[1]) <= int(match[2]):
        return None
    return int(match[1]), int(match[2])


def written(intended: Length) -> int | str:
    """Write a length so that it is read back."""
    return f"{intended[0]}-{intended[1]}" if isinstance(intended, tuple) else intended


def least_of(intended: Length) -> int:
    """The lower end of a length; a single number is both ends."""
    return intended[0] if isinstance(intended, tuple) else intended


def most_of(intended: Length) -> int:
    """The upper end of a length; a single number is both ends."""
    return intended[1] if isinstance(intended, tuple) else intended


def share_of(tokens: int, intended: Length) -> float:
    """How much of a length was reached: 1 inside a range, else by its nearer end."""
    return tokens / min(max(tokens, least_of(intended)), most_of(intended))


def about(least: int | None, most: int | None = None) -> str:
    """Round as people write lengths: ``~4K``, or ``~20-30K`` of a range; a dash where it is not known."""
    if least is None:
        return "–"
    first, last = thousands(least), thousands(least if most is None else most)
    if first == last:
        return f"~{first}"
    return f"~{first.removesuffix(last[-1]) if last[-1].isalpha() else first}-{last}"


def thousands(tokens: int) -> str:
    """Round a number of tokens: ``11K``, ``1.5K``, ``500``; a decimal below ten thousand or ten million."""
    for unit, letter in ((1_000_000, "M"), (1_000, "K")):
        if tokens >= unit:
            return f"{round(tokens / unit, 1 if tokens < 10 * unit else None):g}{letter}"
    return str(tokens)


StepType = Literal["message", "checkpoint", "verification"]

LONGEST_ID = 100


Text = Annotated[str, StringConstraints(strict=True, strip_whitespace=True, min_length=1)]


def _range(value: Any, number: ValidatorFunctionWrapHandler) -> Any:
    ends = range_of(value) if isinstance(value, str) else None
    return number(value) if ends is None else ends


if TYPE_CHECKING:
    Tokens = Length
else:
    Tokens = Annotated[
        int, Field(strict=True, gt=0), WrapValidator(_range), PlainSerializer(written, when_used="json")
    ]

Texts = Annotated[
    tuple[Text, ...], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)
]

FORBID = ConfigDict(extra="forbid")


@dataclass(frozen=True)
class Entry:
    """One line of an enumeration, such as ``Study 5:  Al-Hassan, 2019, N=423``; ``size`` is N."""

    __pydantic_config__ = FORBID

    label: Text
    author: Text
    year: Annotated[int | None, Field(strict=True)] = None
    size: Annotated[int | None, Field(strict=True)] = None
    note: Annotated[str, Field(strict=True)] = ""


@dataclass(frozen=True)
class Expected:
    """What is known of the right answer to one probe, from an answers file or beside the probe in YAML.

    ``accept`` are answers that are as right, and ``evidence`` texts that must have been shown, word for word.
    ``early`` is the answer from early entries, or what was said before a correction. Without a ``rule`` the
    kind follows from what else is known, see ``probes.kind_of``.
    """

    __pydantic_config__ = FORBID

    id: str
    answer: Text | None = None
    failure_mode: Text | None = None
    accept: Texts = ()
    exact: Annotated[bool, Field(strict=True)] = False
    regex: Text | None = None
    prefix: Text | None = None
    evidence: Texts = ()
    rule: Text | None = None
    banned: Text | None = None
    early: Text | None = None
    late: Text | None = None
    entries: tuple[Entry, ...] = ()
    intended_tokens: Tokens | None = None
    test: Text | None = None

    @property
    def answers(self) -> tuple[str, ...]:
        """All answers that are right, the one that reports show first; none where there is none."""
        return (*((self.answer,) if self.answer else ()), *self.accept)


@dataclass(frozen=True)
class CaseStep:
    """One user turn: a message, which gives material, or a probe.

    ``expected`` is None where the right answer stands in a file of answers, and ``reply`` where the model
    under test answers. Session and date are not sent to a language model.
    """

    id: str
    type: StepType
    text: str
    failure_mode: str | None = None
    expected: Expected | None = None
    line: int = field(default=1, compare=False)
    reply: str | None = None
    session: str | None = None
    date: str | None = None

    @property
    def is_probe(self) -> bool:
        """Whether it asks for something that will be graded."""
        return self.type != "message"

    @property
    def turn(self) -> tuple[str, StepType, str | None, str]:
        """Its id, type, failure mode and text."""
        return self.id, self.type, self.failure_mode, self.text

    @property
    def shown(self) -> str:
        """All that it shows: its text, and below it the reply where that is given."""
        return self.text if self.reply is None else f"{self.text}\n\n{self.reply}"


@dataclass(frozen=True)
class Origin:
    """Where a case comes from that was made of somebody's data set: a record of a file, by its bytes."""

    __pydantic_config__ = FORBID

    data_set: Text
    licence: Text
    file: Text
    sha256: Annotated[str, Field(strict=True, pattern="^[0-9a-f]{64}$")]
    record: Text


@dataclass(frozen=True)
class Case:
    """One conversation as it is written down; ids are distinct, and ``note`` is never sent."""

    name: str
    system: str | None
    steps: tuple[CaseStep, ...]
    note: str = ""
    intended_tokens: Length | None = None
    source: str = field(default="", compare=False)
    origin: Origin | None = None

    @property
    def messages(self) -> tuple[CaseStep, ...]:
        """Steps that give material."""
        return tuple(step for step in self.steps if not step.is_probe)

    @property
    def probes(self) -> tuple[CaseStep, ...]:
        """Steps that will be graded."""
        return tuple(step for step in self.steps if step.is_probe)

    @cached_property
    def by_id(self) -> dict[str, CaseStep]:
        """Steps by id."""
        return {step.id: step for step in self.steps}


@dataclass(frozen=True)
class AnswerKey:
    """What is known of the right answers: ``by_id`` from a file of answers, ``by_case`` beside the probes.

    ``cases`` is how long each case was meant to grow, by its number in an answers file or by its name.
    """

    by_id: dict[str, Expected]
    notes: tuple[str, ...] = ()
    source: str = ""
    by_case: dict[tuple[str, str], Expected] = field(default_factory=dict)
    cases: dict[str, Length] = field(default_factory=dict)

    def expected(self, case: str, step_id: str) -> Expected | None:
        """What is known of a probe, beside it or in the file; ``V1-4x`` is ``V1-4X``."""
        return self._folded.get((case, step_id.casefold())) or self._folded.get((None, step_id.casefold()))

    @cached_property
    def _folded(self) -> dict[tuple[str | None, str], Expected]:
        of_file = {(None, id_.casefold()): expected for id_, expected in self.by_id.items()}
        return of_file | {(case, id_.casefold()): expected for (case, id_), expected in self.by_case.items()}

    def intended_of(self, case: str) -> Length | None:
        """Tokens that the case was meant to grow to, by its name or the number in it; None: not stated."""
        number = re.search(r"\d+", case)
        return self.cases.get(case, self.cases.get(number[0]) if number else None)


def key_of(cases: Sequence[Case], file: AnswerKey | None = None) -> AnswerKey:
    """Collect the answers that stand beside their probes, and of other probes those of a file."""
    by_case = {(case.name, step.id): step.expected for case in cases for step in case.probes if step.expected}
    file = file or AnswerKey({})
    in_file = {(case, id_): file.expected("", id_) for case, id_ in by_case}
    notes = [
        f"{place[0]}/{place[1]}: what stands beside the probe counts, and the answer in "
        f"{file.source or 'the file'}, {other.answer!r}, does not"
        for place, other in in_file.items()
        if other and other.answer and other.answer != by_case[place].answer
    ]
    intended = {case.name: case.intended_tokens for case in cases if case.intended_tokens is not None}
    sources = dict.fromkeys(case.source for case in cases)
    return AnswerKey(
        file.by_id,
        (*file.notes, *notes),
        ", ".join(filter(None, (*sources, file.source))),
        {**file.by_case, **by_case},
        {**file.cases, **intended},
    )


def continuing(case: Case, earlier: Case) -> Case:
    """Put the messages and checkpoints of an earlier case in front; its verifications are left out."""
    before = tuple(step for step in earlier.steps if step.type != "verification")
    clash = next((step for step in before if step.id in case.by_id), None)
    if clash is not None:
        raise InputError(
            f"the step {clash.id} is also in {earlier.source or earlier.name}:{clash.line}, which this case "
            "continues",
            where=f"{case.source or case.name}:{case.by_id[clash.id].line}",
            next_step="Give one of them another id: numbers go on in the second file",
        )
    system = earlier.system if case.system is None else case.system
    return replace(case, system=system, steps=before + case.steps)


ORIGINAL: dict[str, Any] = tomllib.loads(files(__package__).joinpath("original.toml").read_text("utf-8"))


def item_of(question: str) -> str:
    """What makes two probes the same item: the question without its lead-in, case and spaces."""
    folded = re.sub(r"\s+", " ", question.strip()).casefold()
    lead_in, _, asked = folded.partition(":")
    return asked.strip() if lead_in.strip() in ORIGINAL["lead_ins"] else folded
