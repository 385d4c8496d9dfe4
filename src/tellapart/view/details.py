"""One item: what it asks, what each model answered, what judges said, and the calls behind it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tellapart.errors import TellapartError
from tellapart.llm.journal import CALL
from tellapart.readers.forms import form_of
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import Answered, RowTexts, run_texts
from tellapart.store import ItemText, RunDirectory, item_of, read_frame
from tellapart.store.database import RunDatabase
from tellapart.store.runs import DATABASE
from tellapart.view.folder import OF_SCORES, Entry

_ITEMS = "items.parquet"
NO_SETTINGS = ReadingSettings()
_OWN = ("item", "model", "question", "expected", "response")
"""Columns that are shown otherwise."""

_OF_CALL = ("model", "question", "messages", "reply", "reasoning", "error", "stop_reason", "usage", "seconds")


@dataclass(frozen=True)
class SuiteTexts:
    """What a suite's items ask, and how its rows answer.

    Attributes:
        answer: The answer of a row of the table of items; empty where there is none.
        is_answer: Whether a row is an answer to the item, and not a control.
        hidden: Columns that say nothing to a reader, such as numbers of units.
        code: Names of texts that are source code, and ``answer`` if answers are.
    """

    of_item: Mapping[str, tuple[ItemText, ...]]
    answer: Callable[[Mapping[str, Any]], str] = lambda row: str(row.get("response") or "")
    is_answer: Callable[[Mapping[str, Any]], bool] = lambda row: True
    hidden: tuple[str, ...] = ()
    code: tuple[str, ...] = ()


def _contrastive(run: RunDirectory) -> SuiteTexts:
    """The summary and the code that it is of; an answer is the code that was put first."""
    from tellapart.contrastive.benchmark import read_benchmark

    benchmark = read_benchmark(run.artifacts / "benchmark")
    units, summaries = benchmark.units, dict[str, str]()
    for summary in sorted(benchmark.summaries, key=lambda summary: summary.source):
        summaries.setdefault(summary.unit, summary.text)
    texts = {
        item: (
            ItemText("Summary", summaries.get(units[target].id, "")),
            ItemText("Its code", units[target].content),
        )
        for item, target in benchmark.sets.select("item", "target").iter_rows()
    }

    def answer(row: Mapping[str, Any]) -> str:
        first = row.get("target") if row.get("rank") == 1 else row.get("best_distractor")
        return "" if first is None else units[first].content

    numbers = ("target", "best_distractor")
    code = ("Its code", "answer")
    return SuiteTexts(texts, answer, lambda row: row.get("condition") == "summary", numbers, code)


_SUITES: Mapping[str, Callable[[RunDirectory], SuiteTexts]] = {"contrastive": _contrastive}
"""Suites whose table of items does not hold the texts itself."""


class Details:
    """Texts and calls of one run or file, found once."""

    def __init__(self, entries: Sequence[Entry], settings: ReadingSettings = NO_SETTINGS) -> None:
        """Read the run or file that is the only one of ``entries``; ``settings`` where it needs them."""
        (self.entry,) = entries
        self._log: RowTexts[Any] | None = None
        self.problem = ""
        """Why texts or answers are not shown; empty where nothing is wrong."""
        self.texts, self.rows = SuiteTexts({}), dict[str, list[dict[str, Any]]]()
        try:
            if self.entry.kind == "scores":
                self._log = _texts_of_file(self.entry.location, settings)
            self.texts = _texts(self.entry)
            self.rows = _rows(self.entry)
        except TellapartError as error:
            self.problem = str(error)

    def of(self, item: str) -> dict[str, Any]:
        """What is known of an item: ``texts``; by model ``answers``, each with ``facts``; and ``calls``."""
        answers: dict[str, list[dict[str, Any]]] = {}
        texts, calls = dict.fromkeys(self.texts.of_item.get(item, ())), []
        for answered in self._log.of(item) if self._log is not None else ():
            texts |= dict.fromkeys(answered.item_texts)
            if answered.answer or answered.facts:
                answers.setdefault(answered.model, []).append(
                    {"answer": answered.answer, "facts": dict(answered.facts)}
                )
            if answered.messages:
                calls.append(_as_call(answered, item))
        for row in self.rows.get(item, ()):
            if self.texts.is_answer(row):
                shown = {name: value for name, value in row.items() if name not in self.texts.hidden}
                answer: dict[str, Any] = {"answer": self.texts.answer(row), "facts": _facts(shown)}
                answer["is_code"] = "answer" in self.texts.code
                answers.setdefault(str(row.get("model") or ""), []).append(answer)
        return {
            "texts": [
                {"name": text.name, "text": text.text, "is_code": text.name in self.texts.code}
                for text in texts
                if text.text
            ],
            "answers": answers,
            "calls": [*self._calls(item), *calls],
        }

    def _calls(self, item: str) -> list[dict[str, Any]]:
        """Calls whose question names the item."""
        file = self.entry.location / DATABASE
        if self.entry.kind != "run" or not file.is_file():
            return []
        # Of a conversation the epoch stands behind the case. What goes on behind the item is another one.
        parts = item.split("/")
        named = re.compile(r"(?<![\w#.-])" + r"(?:\.\d+)?/".join(map(re.escape, parts)) + r"(?![\w-])")
        with RunDatabase(file, read_only=True) as database:
            calls = (
                row.entry
                for row in database.rows(CALL, containing=json.dumps(parts[-1], ensure_ascii=False)[1:-1])
            )
            return [
                {name: call[name] for name in _OF_CALL if name in call}
                for call in calls
                if named.search(str(call.get("question", "")))
            ]


def _as_call(answered: Answered, item: str) -> dict[str, Any]:
    return {
        "model": answered.model,
        "question": answered.call or item,
        "messages": list(answered.messages),
        "reply": answered.answer,
    }


def _texts_of_file(location: Path, settings: ReadingSettings) -> RowTexts[Any] | None:
    """The texts of a file of scores; with the settings where it cannot be read without."""
    if settings != NO_SETTINGS:
        with suppress(TellapartError):
            return form_of(location, NO_SETTINGS).texts(location, NO_SETTINGS)
    return form_of(location, settings).texts(location, settings)


def _texts(entry: Entry) -> SuiteTexts:
    if entry.record is None:
        return _scoreboard(entry.location)
    of_suite = _SUITES.get(entry.record.suite)
    if of_suite is not None:
        return of_suite(RunDirectory.open(entry.location))
    kept = run_texts(entry.location)
    return SuiteTexts(
        {
            item: tuple(dict.fromkeys(text for part in kept.of(item) for text in part.item_texts))
            for item in kept.items
        }
    )


def _scoreboard(scores: Path) -> SuiteTexts:
    """The bundles of the scoreboard beside its scores; none where their file is gone or another one."""
    board = scores.with_name(f"{scores.name.removesuffix(OF_SCORES)}.json")
    if not scores.name.endswith(OF_SCORES) or not board.is_file():
        return SuiteTexts({})
    from tellapart.bundles.scoreboards import eval_texts, load_scored

    scored = load_scored(board)
    bundles = eval_texts(scored)
    if bundles is None:
        return SuiteTexts({})
    texts = {
        item: (
            ItemText("Anchor", anchor),
            ItemText("Positive", positive),
            *(ItemText(f"Negative {number}", text) for number, text in enumerate(negatives, 1)),
        )
        for item, anchor, positive, negatives in bundles.select(
            "bundle_id", "anchor", "positive", "negatives"
        ).iter_rows()
    }
    return SuiteTexts(texts)


def _rows(entry: Entry) -> dict[str, list[dict[str, Any]]]:
    """Rows of the table of items of a run, by item; none where there is no such table."""
    file = entry.location / _ITEMS
    if entry.kind != "run" or not file.is_file():
        return {}
    frame = read_frame(file)
    rows: dict[str, list[dict[str, Any]]] = {}
    if "item" in frame.columns:
        for row in frame.iter_rows(named=True):
            rows.setdefault(item_of(row), []).append(row)
    return rows


def _facts(row: Mapping[str, Any]) -> dict[str, str | int | float | bool]:
    """What else a row says, without what is empty."""
    facts = {}
    for name, value in row.items():
        if name in _OWN or value is None or (isinstance(value, float) and not math.isfinite(value)):
            continue
        facts[name] = value if isinstance(value, str | int | float | bool) else str(value)
    return facts
