"""What every reader of scores takes and gives, and what must hold of the files that are read together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

import polars as pl

from tellapart.core.score_notes import ScoreNotes
from tellapart.errors import InputError, UsageError, option
from tellapart.readers.settings import ReadingSettings


class Basis(NamedTuple):
    """Which of several measures scores are, and by item a number that is equal for equal ground truths."""

    measure: str
    ground_truth: Mapping[str, int | None]


class LessIsBetter(NamedTuple):
    """A metric of which less is better, and whether the scores are negated already."""

    metric: str
    is_negated: bool


class Retried(NamedTuple):
    """An attempt at a run by a harness that writes a new log each time; the latest answer counts."""

    run: str
    started: str


@dataclass(frozen=True)
class LogScores:
    """The scores of one file.

    Attributes:
        frame: Columns as ``ScoreTable.from_frame`` takes them: ``model``, ``item`` and ``score``; where
            known ``missing``, ``replicate``, ``grading`` and ``cluster``; any further column of strings is a
            stratum.
        notes: What the reader chose or left out; whole sentences.
        limits: Lowest and highest possible score, or None where the file does not record them.
        basis: What the scores are and rest on, where the file records it and files may differ in it.
        score_notes: What must stay with the scores, as our own files keep it.
        unranked: Of rankings, the judged queries that they do not rank, ascending.
        run: Which run wrote the file, where one run writes several files.
        less_is_better: The metric, where its log or its name says so of it; else None.
        scores_per_row: How many rows of the frame, one after another, each row of the file became.
        retried: Which run this is an attempt at, where the log records that.
        stamps: The version or hash of the judge, prompt, grader, data set or harness, by name; two logs that
            differ in one are compared with that caution.
    """

    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    limits: tuple[float, float] | None = None
    basis: Basis | None = None
    score_notes: ScoreNotes = field(default_factory=ScoreNotes)
    unranked: tuple[str, ...] = ()
    run: str | None = None
    less_is_better: LessIsBetter | None = None
    scores_per_row: int = 1
    retried: Retried | None = None
    stamps: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class NamedFrame:
    """A table of scores in memory, and what messages call it."""

    name: str
    frame: pl.DataFrame

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Together:
    """Several sources that are one side of a comparison, such as all files that a pattern names."""

    name: str
    parts: tuple[Path | NamedFrame, ...]

    def __str__(self) -> str:
        return self.name


Source: TypeAlias = Path | NamedFrame | Together
"""Where scores come from."""


class NoItemScores(InputError):
    """A harness's file that holds averages only; a folder's note counts those that were passed over."""


@runtime_checkable
class Reader(Protocol):
    """What a module or object that reads one form of scores must have.

    `tellapart.readers.forms` lists every module here that has all of it.
    """

    @property
    def NAME(self) -> str:
        """What the form is called in messages."""

    @property
    def TAKES(self) -> tuple[str, ...]:
        """The fields of `ReadingSettings` that it can use, beside those that hold for all forms."""

    def recognises(self, path: Path) -> bool:
        """Check whether a path has this form, by its name and its beginning; another form raises nothing."""

    def read(self, path: Path, settings: ReadingSettings) -> LogScores:
        """Read the scores.

        Raises:
            InputError: The file is damaged, or what was named is not in it.
            UsageError: A setting does not fit.
        """


def check_used(
    settings: ReadingSettings, files: Sequence[tuple[str, Reader]], readers: Sequence[Reader]
) -> None:
    """Refuse a setting that would be passed over in silence."""
    for name in sorted({name for reader in readers for name in reader.TAKES}):
        if getattr(settings, name) and not any(name in form.TAKES for _, form in files):
            if name == "qrels" and not (settings.qrels and settings.qrels.exists()):
                raise InputError("there is no such file", where=settings.qrels)
            file, form = files[0]
            others = f", and {len(files) - 1} more" if len(files) > 1 else ""
            raise UsageError(
                f"{option(name)} does not apply to any of these files: {file} is read as {form.NAME}{others}",
                next_step=f"It is for: {', '.join(form.NAME for form in readers if name in form.TAKES)}",
            )


def check_stamps(files: Sequence[tuple[str, Mapping[str, str]]], *, strict: bool) -> tuple[str, ...]:
    """Compare how logs were made; give the cautions that must stand beside a verdict."""
    stamped: dict[str, dict[str, str]] = {}
    for file, stamps in files:
        for name, value in stamps.items():
            stamped.setdefault(name, {}).setdefault(value, file)
    cautions = []
    for name, values in sorted(stamped.items()):
        if len(values) > 1:
            first, second = (f"{value!r} in {file}" for value, file in list(values.items())[:2])
            cautions.append(f"{name} is {first} and {second}")
    if strict and cautions:
        raise UsageError(
            f"{cautions[0]}, so a difference may come from it",
            next_step=f"Make both logs alike, or leave {option('strict')} out",
        )
    return tuple(f"{caution}; part of a difference may come from it." for caution in cautions)


def check_same_basis(files: Sequence[tuple[str, Basis | None]]) -> list[str]:
    """Check that files hold the same measure, and compare what they were measured against."""
    stated = [(name, basis) for name, basis in files if basis is not None]
    notes = []
    for name, basis in stated[1:]:
        first, of_first = stated[0]
        if basis.measure != of_first.measure:
            raise UsageError(
                f"the scores are {basis.measure!r}, but {of_first.measure!r} in {first}",
                where=name,
                next_step=f"Name one measure for all: {option('metric', of_first.measure)}",
            )
        both = basis.ground_truth.keys() & of_first.ground_truth.keys()
        differing = sum(basis.ground_truth[item] != of_first.ground_truth[item] for item in both)
        if differing:
            notes.append(
                f"{name} and {first} have different ground truths on {differing} of {len(both)} items, so "
                "part of their difference may come from the explorations. Evaluate one of them again with "
                "the recorded explorations of the other."
            )
    return notes
