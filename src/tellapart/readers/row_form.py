"""A harness that writes a row for each answer, described as data: where model, item, scores and texts are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tellapart.core.failure_words import cause_of
from tellapart.core.fingerprint import sha256_of_json
from tellapart.errors import InputError, option
from tellapart.files import as_objects, head, read_json, read_json_objects
from tellapart.readers.answers import Answer, answers_frame, finite_score, item_of, numbered
from tellapart.readers.metric_choice import choose_metric
from tellapart.readers.reader import LessIsBetter, LogScores
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import Answered, RowTexts, as_facts, as_text, named_values

Row = Mapping[str, Any]
Places = tuple[str, ...]
"""Where a value is in a row, dots for what is inside; the first that holds one counts."""


class Metric(NamedTuple):
    """What a log records of the metric that is read."""

    limits: tuple[float, float] | None = None
    is_less_better: bool = False


@dataclass(frozen=True)
class RowForm:
    """The reader of one such harness.

    Attributes:
        NAME: What the form is called in messages.
        marks: Keys or columns that the beginning of a file has, of one of these.
        rows: Reads the rows of a file.
        scores: The scores of a row, by metric.
        start: How a file of JSON begins; empty where delimited text is taken, too.
        item: The id of a row's item.
        content: Else what makes it this item.
        model: Who answered; else the file is called after the model.
        model_of_file: The model's name by the path of a file that has none.
        cause: Why a row has no score of a metric; None where the log gives no reason.
        no_score: The cause where the log gives none.
        replicate: Which of several answers to the item, from 0.
        is_sparse: Whether a row has a score of one metric only; rows of other metrics are not read.
        traits: What the log records of the item, such as its topic.
        question: What the item asks.
        expected: The right answer.
        answer: What the model said.
        facts: What else is shown beside an answer.
        metric: What the log records of a metric, by a row and the metric's name.
        stamps: What the log says of how a score was made, by a row and the metric's name.
        note: What else is said, by the rows and the answers.
    """

    NAME: str
    marks: tuple[Places, ...]
    rows: Callable[[Path], Sequence[Row]]
    scores: Callable[[Row], Mapping[str, Any]] = lambda row: row.get("scores") or {}
    start: str = r"[\[{]"
    item: Places = ()
    content: Places = ()
    model: Places = ()
    model_of_file: Callable[[Path], str] = lambda path: path.stem
    cause: Callable[[Row, str], str | None] = lambda row, metric: cause_of_error(row.get("error"))
    no_score: str = "unknown"
    replicate: Places = ()
    is_sparse: bool = False
    traits: Callable[[Row], Mapping[str, Any]] = lambda row: {}
    question: Places = ()
    expected: Places = ()
    answer: Places = ()
    facts: Callable[[Row], Mapping[str, Any]] = lambda row: {}
    metric: Callable[[Row, str], Metric] = lambda row, metric: Metric()
    stamps: Callable[[Row, str], Mapping[str, Any]] = lambda row, metric: {}
    note: Callable[[Sequence[Row], Sequence[Answer]], str | None] = lambda rows, answers: None

    @property
    def TAKES(self) -> tuple[str, ...]:
        """As `Reader.TAKES`."""
        return ("metric", "model")

    def recognises(self, path: Path) -> bool:
        """As `Reader.recognises`."""
        text = head(path).decode(errors="replace") if path.is_file() else ""
        if text[:1] not in ("[", "{"):
            columns = {name.strip().strip('"') for name in re.split("[,\t;]", text.partition("\n")[0])}
            return self.start == "" and any(columns >= {*keys} for keys in self.marks)
        return re.match(self.start or r"[\[{]", text) is not None and any(
            all(re.search(rf'"{re.escape(key)}"\s*:', text) for key in keys) for keys in self.marks
        )

    def read(self, path: Path, settings: ReadingSettings) -> LogScores:
        """As `Reader.read`; equal rows count once, and several others of one item are replicates."""
        all_rows = self._rows(path)
        rows = {sha256_of_json(row): row for row in all_rows}.values()
        again = len(all_rows) - len(rows)
        scores = [self.scores(row) for row in rows]
        names = list(dict.fromkeys(name for of_row in scores for name in of_row))
        if not names:
            raise InputError("no row of this file has a score", where=path)
        metric, notes = choose_metric(names, settings.metric, path)
        read = [
            (number, row, of_row.get(metric))
            for number, (row, of_row) in enumerate(zip(rows, scores, strict=True), start=1)
            if metric in of_row or not self.is_sparse
        ]
        recorded = self.metric(read[0][1], metric)
        sign = -1.0 if recorded.is_less_better else 1.0
        name_of, model_notes = self._models(path, settings, all_rows)
        answers = []
        for number, row, value in read:
            score = finite_score(value, metric, f"{path}, row {number}")
            answers.append(
                Answer(
                    model=name_of(row),
                    item=self._item(row),
                    score=None if score is None else sign * score,
                    missing=(self.cause(row, metric) or self.no_score) if score is None else None,
                    replicate=at(row, self.replicate) or 0,
                    traits=self.traits(row),
                )
            )
        answers, repeated = numbered(answers, path)
        if again:
            row_is, count = ("row", "counts") if again == 1 else ("rows", "count")
            repeated.append(f"{path.name}: {again} {row_is} equal to another one to the letter {count} once.")
        if sign < 0:
            repeated += [f"Lower {metric!r} is better, so its scores are negated."]
        note = self.note([row for _, row, _ in read], answers)
        limits = recorded.limits
        return LogScores(
            answers_frame(answers),
            (*([f"{path.name}: {note}"] if note else []), *model_notes, *notes, *repeated),
            (-limits[1], -limits[0]) if limits and sign < 0 else limits,
            less_is_better=LessIsBetter(metric, is_negated=True) if sign < 0 else None,
            stamps=_common([self.stamps(row, metric) for _, row, _ in read]),
        )

    def texts(self, path: Path, settings: ReadingSettings) -> RowTexts[Row]:
        """As `TextReader.texts`."""
        rows = self._rows(path)
        name_of, _ = self._models(path, settings, rows)
        return RowTexts(
            ((self._item(row), row) for row in rows),
            lambda row: Answered(
                name_of(row),
                _shown(at(row, self.question)),
                _shown(at(row, self.expected)),
                _shown(at(row, self.answer)),
                as_facts(self.facts(row)),
            ),
        )

    def _rows(self, path: Path) -> Sequence[Row]:
        rows = self.rows(path)
        if not rows:
            raise InputError("this file has no rows", where=path)
        return rows

    def _item(self, row: Row) -> str:
        name = at(row, self.item)
        if name is not None:
            return str(name)
        content = [at(row, (place,)) for place in self.content]
        text = next((value for value in content if value is not None), "item")
        text = next(iter(text.values()), "") if isinstance(text, Mapping) else text
        return item_of(text if isinstance(text, str) else json.dumps(text, default=str), content)

    def _models(
        self, path: Path, settings: ReadingSettings, rows: Sequence[Row]
    ) -> tuple[Callable[[Row], str], list[str]]:
        """How the model of a row is called."""
        named = {str(name) for row in rows if (name := at(row, self.model)) is not None}
        if len(named) > 1:
            return lambda row: str(at(row, self.model)), (
                [f"{path.name}: its {len(named)} models have the names in the file, not {settings.name!r}."]
                if settings.name
                else []
            )
        if settings.name or named:
            name = settings.name or named.pop()
            return lambda row: name, []
        name = self.model_of_file(path)
        return lambda row: name, [
            f"{path.name}: the model is named {name!r} after the path; {option('model', 'NAME')} names it "
            "otherwise."
        ]


def at(row: Row, places: Places) -> Any:
    """The value at the first of these places that holds one; None where there is none."""
    for place in places:
        value: Any = row
        for key in (place,) if place in row else place.split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        if value is not None and value != "":
            return value
    return None


def cause_of_error(error: object) -> str | None:
    """The cause of a missing score by what a harness says of an error; None where it says nothing."""
    return cause_of(as_text(error)) if error else None


def json_rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON list, or of one a line."""
    if head(path).startswith(b"["):
        return as_objects(read_json(path), path)
    return [row for _, row in read_json_objects(path)]


def _shown(value: Any) -> str:
    return named_values(value) if isinstance(value, Mapping) else as_text(value)


def _common(stamps: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The stamps that all rows share."""
    first = stamps[0]
    return {
        name: str(value)
        for name, value in first.items()
        if value is not None and all(of_row.get(name) == value for of_row in stamps)
    }
