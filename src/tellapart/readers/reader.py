"""What every reader of scores takes and gives, and what must hold of the files that are read together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeAlias

import polars as pl

from tellapart.core.score_notes import ScoreNotes
from tellapart.errors import InputError, UsageError, option


class Basis(NamedTuple):
    """Which of several measures scores are, and by item a number that is equal for equal ground truths."""

    measure: str
    ground_truth: Mapping[str, int | None]


class Retried(NamedTuple):
    """An attempt at a run by a harness that writes a new log each time; the latest answer counts."""

    run: str
    started: str


@dataclass(frozen=True)
class LogScores:
    """The scores of one file.

    Attributes:
        name: What messages call the file; of one that is read with others.
        frame: Columns as ``ScoreTable.from_frame`` takes them: ``model``, ``item`` and ``score``; where
            known ``missing``, ``replicate``, ``grading`` and ``cluster``; any further column of strings is a
            stratum, and `texts.ASKS` what the item asks.
        notes: What the reader chose or left out; whole sentences.
        limits: Lowest and highest possible score, or None where the file does not record them.
        basis: What the scores are and rest on, where the file records it and files may differ in it.
        score_notes: What must stay with the scores, as our own files keep it.
        unranked: Of rankings, the judged queries that they do not rank, ascending.
        run: Which run wrote the file, where one run writes several files.
        metric: What the scores are called; None where there are several names.
        metrics: The metrics that may be read, the one that was read first; empty where no name is one.
        less_is_better: Whether it is, where the file records that.
        scores_per_row: How many rows of the frame, one after another, each row of the file became.
        retried: Which run this is an attempt at, where the log records that.
        question: Of a table that asks in another column than it names items by, this column.
        item: The column that it names items by.
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
    metric: str | None = None
    metrics: tuple[str, ...] = ()
    less_is_better: bool | None = None
    scores_per_row: int = 1
    retried: Retried | None = None
    stamps: Mapping[str, str] = field(default_factory=dict)
    question: str = ""
    item: str = ""
    name: str = ""


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


def check_stamps(parts: Sequence[LogScores], *, strict: bool) -> tuple[str, ...]:
    """Compare how logs were made; give the cautions that must stand beside a verdict."""
    stamped: dict[str, dict[str, str]] = {}
    for part in parts:
        for name, value in part.stamps.items():
            stamped.setdefault(name, {}).setdefault(value, part.name)
    cautions = []
    for name, values in sorted(stamped.items()):
        if len(values) > 1:
            shown = [f"{value!r} in {file}" for value, file in values.items()]
            cautions.append(f"{name} is {shown[0]} and {shown[1]}")
    if strict and cautions:
        raise UsageError(
            f"{cautions[0]}, so a difference may come from it",
            next_step=f"Make both logs alike, or leave {option('strict')} out",
        )
    return tuple(f"{caution}; part of a difference may come from it." for caution in cautions)


def check_same_basis(parts: Sequence[LogScores]) -> list[str]:
    """Check that files hold the same measure, and compare what they were measured against."""
    stated = [(part.name, part.basis) for part in parts if part.basis is not None]
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


UNRANKED = "provider"
"""Cause of a score that is missing because the file does not rank the query: no ranking came."""


def fill_unranked(parts: Sequence[LogScores]) -> tuple[list[pl.DataFrame], list[str]]:
    """Write what became of the queries that files do not rank.

    A query that no file ranks is out. One that another file has is missing for those that do not rank it:
    whether their system would have found nothing, or was not asked, cannot be seen.
    """
    everywhere = {item for part in parts for item in part.frame["item"].to_list()}

    def are(queries: Collection[str], which: str, what: str) -> str:
        query, is_ = ("query", "is") if len(queries) == 1 else ("queries", "are")
        return (
            f"{len(queries)} judged {query} {which} {is_} {what} ({UNRANKED}); with {option('trec_eval')} "
            "the score is 0, as with trec_eval -c."
        )

    filled, notes = [], []
    for part in parts:
        frame = part.frame
        if here := [query for query in part.unranked if query in everywhere]:
            (model,) = frame["model"].unique().to_list()
            rows = pl.DataFrame({"model": model, "item": here, "missing": UNRANKED})
            frame = pl.concat([frame, rows], how="diagonal")
            frame = frame.with_columns(pl.col("replicate", "grading").fill_null(0))
            what = "not ranked here and counted as missing"
            notes.append(f"{part.name}: {are(here, 'that other files rank', what)}")
        filled.append(frame)
    if nowhere := {query for part in parts for query in part.unranked} - everywhere:
        notes.append(are(nowhere, "that no file ranks", "left out"))
    return filled, notes
