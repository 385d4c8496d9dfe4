"""Logs: what a harness wrote becomes rows, one an answer, and the rows become scores and texts."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from tellapart.core.failure_words import cause_of
from tellapart.core.fingerprint import sha256, sha256_of_json
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import FIXED
from tellapart.errors import InputError, near_match, option
from tellapart.files import as_objects, head, read_json, read_json_objects
from tellapart.readers.column_names import PREFERRED_MEASURES, canonical, is_less_better
from tellapart.readers.reader import LogScores, NoItemScores, Retried
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import (
    ASKS,
    Answered,
    RowTexts,
    as_facts,
    as_text,
    asked,
    named_values,
    shortened,
)

_LONGEST_KIND = _MOST_KINDS = 64
"""A longer text, in characters, describes its item; a trait of more kinds, or of more than half of the items,
identifies them."""


class Missing(str):
    """The cause why an answer has no score."""


class Shown(NamedTuple):
    """What a page shows of an answer, as the log has it; see `Answered`."""

    question: Any = None
    expected: Any = None
    answer: Any = None
    facts: Mapping[str, Any] = {}
    messages: Sequence[Mapping[str, Any]] = ()
    call: str = ""


class Row(NamedTuple):
    """One answer.

    Attributes:
        scores: By metric a number, why there is none, or None where the log does not say why.
        shown: What a page shows of it, or how to find it.
        model: Who answered; None where only the log as a whole or its path says so.
        replicate: Which of several answers to the item, from 0.
        traits: What may sort items, such as a topic.
        whole: Rows that are equal in this, unless it is None, count once.
        where: Its place in the file; else its number.
        asks: What it asks, see `texts.asked`; else the question that is shown.
    """

    item: str
    scores: Mapping[str, Any]
    shown: Shown | Callable[[], Shown] | None = None
    model: str | None = None
    replicate: int = 0
    cluster: str | None = None
    traits: Mapping[str, Any] = {}
    whole: object = None
    where: str = ""
    asks: str | None = None


class Metric(NamedTuple):
    """What a log records of the metric that is read.

    Attributes:
        less: Whether less is better; None where that is not recorded.
        stamps: As `LogScores.stamps`; None is left out.
    """

    limits: tuple[float, float] | None = None
    less: bool | None = None
    stamps: Mapping[str, Any] = {}
    notes: Sequence[str] = ()
    cautions: tuple[str, ...] = ()


SPENDING = Metric((0.0, math.inf), less=True)
"""What answers took: money, tokens or time."""

SHARE = Metric((0.0, 1.0))
"""A metric from 0 to 1 of which nothing else is known."""


@dataclass(frozen=True)
class Log:
    """What a file holds; see `LogScores`.

    Attributes:
        model: Who gave the answers of rows without a model.
        called: What the path calls the model, where the file does not name it; else the file's name.
        metric: What is known of each metric, or of one by its name.
        default: The metric that is read unless another is named; else the first.
        names: The metrics that are offered, if there are more.
        are_measures: Whether they are measures of rankings, which have several spellings.
        no_score: The cause where there is no score and no reason.
        is_sparse: Whether a row without the metric belongs to another one, and is not read.
    """

    rows: Sequence[Row]
    model: str | None = None
    called: str | None = None
    metric: Metric | Callable[[str], Metric] = Metric()
    default: str | None = None
    names: Sequence[str] = ()
    are_measures: bool = False
    no_score: str = "unknown"
    is_sparse: bool = False
    strata: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    run: str | None = None
    retried: Retried | None = None

    def scores(self, path: Path, settings: ReadingSettings) -> LogScores:
        """Read one metric."""
        every = list(dict.fromkeys(name for row in self.rows for name in row.scores))
        if not every:
            what = "no row of this file has a score" if self.rows else "this file has no rows"
            raise InputError(what, where=path)
        names = every if settings.metric or not self.names else self.names
        empty = {name for name in names if all(row.scores.get(name) is None for row in self.rows)}
        if not settings.metric and 0 < len(empty) < len(names):
            names = [name for name in names if name not in empty]
        offered, choice = self._chosen(names, settings.metric, path)
        metric = offered[0]
        if passed := [name for name in every[: every.index(metric)] if not settings.metric and name in empty]:
            note = f"{path.name}: {', '.join(map(repr, passed))} has no score, so {metric!r} is read."
            choice = (note, *choice)
        recorded = self.metric(metric) if callable(self.metric) else self.metric
        rows, repeated = self._distinct(metric, path)
        model_of, model_notes = self._models(path, settings)
        scores, missing = [], []
        for row in rows:
            score = finite_score(value := row.scores.get(metric), metric, row.where)
            scores.append(score)
            cause = value if isinstance(value, Missing) else self.no_score
            missing.append(cause if score is None else None)
        numbers, numbered = _numbered([(model_of(row), row.item, row.replicate) for row in rows], path)
        columns: dict[str, Sequence[object]] = {
            "model": [model_of(row) for row in rows],
            "item": [row.item for row in rows],
            "score": scores,
            "missing": missing,
            "replicate": numbers,
            "cluster": [row.cluster for row in rows],
            ASKS: [
                row.asks or asked(row.shown.question if isinstance(row.shown, Shown) else None)
                for row in rows
            ],
        }
        frame = pl.DataFrame(columns, schema={name: FIXED.get(name, pl.String) for name in columns})
        return LogScores(
            frame.with_columns(
                *_strata(rows, frame["item"].n_unique(), self.strata),
                **{name: pl.lit(value) for name, value in self.strata.items()},
            ),
            (*self.notes, *model_notes, *recorded.notes, *repeated, *numbered, *choice),
            recorded.limits,
            # Measures of rankings are all better higher.
            metric=None if self.are_measures else metric.partition(",")[0],
            metrics=offered,
            less_is_better=recorded.less,
            run=self.run,
            retried=self.retried,
            stamps={name: as_text(value) for name, value in recorded.stamps.items() if value is not None},
            score_notes=ScoreNotes(cautions=recorded.cautions),
        )

    def _chosen(
        self, names: Sequence[str], requested: str | None, path: Path
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Choose a metric, of rankings in any spelling; give it and others that fit, with a note."""
        names, default = sorted(names, key=is_less_better), self.default
        if self.are_measures:
            names = sorted(names)
            # Reversed, so that of two spellings of one measure the first in the alphabet stays.
            by_name = {canonical(name): name for name in reversed(names)}
            default = next((by_name[name] for name in PREFERRED_MEASURES if name in by_name), None)
            if requested is not None and requested not in names:
                requested = by_name.get(canonical(requested), requested)
        chosen = default or names[0]
        fits = [chosen, *(name for name in names if name != chosen)]
        if requested is not None:
            parts = {name: (name, name.rpartition(".")[2], name.partition(",")[0]) for name in names}
            fits = [requested] if requested in names else [n for n in names if requested in parts[n]]
        if not fits:
            raise InputError(
                f"there is no metric {requested!r}", where=path, next_step=near_match(str(requested), names)
            )
        are = "is" if len(fits) == 2 else "are"
        also = f"there {are} also {', '.join(map(repr, fits[1:]))} ({option('metric', 'NAME')})"
        return tuple(fits), (f"Read the metric {fits[0]!r}; {also}.",) if len(fits) > 1 else ()

    def texts(self, path: Path, settings: ReadingSettings) -> RowTexts[Row]:
        """Find the texts of each item."""
        model_of, _ = self._models(path, settings)

        def answered(row: Row) -> Answered:
            shown = row.shown() if callable(row.shown) else row.shown or Shown()
            question, expected, answer = (
                named_values(value) if isinstance(value, Mapping) else as_text(value) for value in shown[:3]
            )
            messages = tuple(
                {"role": str(message.get("role")), "content": as_text(message.get("content"))}
                for message in shown.messages
            )
            facts = as_facts(shown.facts)
            return Answered(model_of(row), question, expected, answer, facts, messages, shown.call)

        return RowTexts(((row.item, row) for row in self.rows if row.shown), answered)

    def _distinct(self, metric: str, path: Path) -> tuple[list[Row], list[str]]:
        """The rows that a metric has, with their places; equal ones once."""
        rows: dict[object, Row] = {}
        read = [
            row._replace(where=row.where or f"{path}, row {number}")
            for number, row in enumerate(self.rows, start=1)
            if metric in row.scores or not self.is_sparse
        ]
        for number, row in enumerate(read):
            whole = number if row.whole is None else sha256_of_json(row.whole)
            rows.setdefault((whole, row.item, row.model, row.replicate), row)
        again = len(read) - len(rows)
        note = f"{path.name}: {again} of {len(read)} rows repeat another one to the letter, and count once."
        return list(rows.values()), [note] if again else []

    def _models(self, path: Path, settings: ReadingSettings) -> tuple[Callable[[Row], str], list[str]]:
        """How the model of a row is called."""
        for name in (self.model, *(row.model for row in self.rows)):
            if not isinstance(name, str | None):
                raise InputError(f"the name of a model is {name!r:.60}, expected a text", where=path)
        fallback = self.model or self.called or path.stem
        named = {name for row in self.rows if (name := row.model or self.model)}
        if len(named) > 1:
            note = f"{path.name}: the {len(named)} models have the names in the file, not {settings.name!r}."
            return lambda row: row.model or fallback, [note] if settings.name else []
        if settings.name or named:
            name = settings.name or named.pop()
            return lambda row: name, []
        return lambda row: fallback, [
            f"{path.name}: the model is named {fallback!r} after the path; {option('model', 'NAME')} names "
            "it otherwise."
        ]


def score_or_cause(score: Any, error: object) -> Any:
    """Give the score, or the cause that an error names where there is none."""
    if error and (score is None or score != score):
        return Missing(cause_of(as_text(error)))
    return score


def unless(error: object, score: Any) -> Any:
    """Give the score unless there is an error, whatever the score."""
    return score_or_cause(None if error else score, error)


def shared(rows: list[dict[str, Any]], name: str) -> Any:
    """The value that all rows have; None where they differ."""
    return rows[0].get(name) if rows and all(row.get(name) == rows[0].get(name) for row in rows) else None


def item_by(*content: Any, text: object = None) -> str:
    """Name an item whose log gives it no id, by its text and a fingerprint of what makes it this item."""
    first = text or next((value for value in content if value is not None and value != ""), "item")
    first = next(iter(first.values()), "") if isinstance(first, Mapping) else first
    line = first if isinstance(first, str) else json.dumps(first, default=str)
    of_all = json.dumps(list(content), sort_keys=True, ensure_ascii=False, default=str)
    return f"{shortened(line)} #{sha256(of_all.encode())[:8]}"


def first_of(row: Mapping[str, Any], *names: str) -> Any:
    """The first of these values that is there; None where none is."""
    return next((row[name] for name in names if row.get(name) is not None and row[name] != ""), None)


def json_rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON list, or of one a line."""
    is_list = head(path).startswith(b"[")
    return as_objects(read_json(path), path) if is_list else [row for _, row in read_json_objects(path)]


def averages(path: Path, next_step: str) -> NoItemScores:
    """Refuse a run's averages."""
    what = "this file holds the averages of a run, and no scores of items"
    return NoItemScores(what, where=path, next_step=next_step)


def finite_score(value: object, metric: str, where: str) -> float | None:
    """Read a value as a score; None for null and NaN, which stand for no score."""
    if value is None or isinstance(value, Missing) or (isinstance(value, float) and math.isnan(value)):
        return None
    if not isinstance(value, int | float) or math.isinf(value):
        raise InputError(
            f"{metric!r} is {value!r}, expected a finite number",
            where=where,
            next_step=f"Choose another with {option('metric', 'NAME')}",
        )
    return float(value)


def _numbered(answers: Sequence[tuple[str, str, int]], path: Path) -> tuple[list[int], list[str]]:
    """Number answers to one item that a log has several times, in its order, as replicates; with a note."""
    seen: Counter[tuple[str, str, int]] = Counter()
    # So many that none meets a number that the log itself gives.
    step = 1 + max((replicate for *_, replicate in answers), default=0)
    numbers = []
    for answer in answers:
        numbers.append(answer[2] + step * seen[answer])
        seen[answer] += 1
    several = len({answer[:2] for answer, count in seen.items() if count > 1})
    occur = "item occurs" if several == 1 else "items occur"
    what = "more than once; the answers count as replicates, in the order of the file."
    return numbers, [f"{path.name}: {several} {occur} {what}"] if several else []


def _strata(rows: Sequence[Row], n_items: int, constant: Mapping[str, str]) -> Iterator[pl.Series]:
    """Traits that sort items: of few different short texts, whole numbers or truth values."""
    most = min(_MOST_KINDS, (n_items + 1) // 2)
    for name in dict.fromkeys(name for row in rows for name in row.traits):
        if name in FIXED or name in constant:
            continue
        values = [row.traits.get(name) for row in rows]
        kinds = [_kind(value) for value in values]
        is_kind = all((kind is None) == (value is None) for kind, value in zip(kinds, values, strict=True))
        if is_kind and 0 < len({*kinds} - {None}) <= most:
            yield pl.Series(name, kinds, dtype=pl.String)


def _kind(value: object) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) or (isinstance(value, str) and 0 < len(value) <= _LONGEST_KIND):
        return str(value)
    return None
