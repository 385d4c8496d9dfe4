"""One item: what it asks, what each model answered, what judges said, and the calls behind it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tellapart.errors import TellapartError
from tellapart.llm.journal import CALL
from tellapart.readers.forms import form_of
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import Answered, RowTexts
from tellapart.store import ItemText, RunDirectory, item_of, read_frame
from tellapart.store.database import RunDatabase
from tellapart.store.runs import DATABASE
from tellapart.store.tables import ITEMS
from tellapart.view.folder import OF_SCORES, Entry

NO_SETTINGS = ReadingSettings()

_OWN = ("item", "model", "question", "expected", "response")
"""Columns that are shown otherwise."""

_OF_CALL = ("model", "question", "messages", "reply", "reasoning", "error", "stop_reason", "usage", "seconds")

Texts = Mapping[str, tuple[ItemText, ...]]
"""What items ask, by item."""


class Details:
    """Texts, answers and calls of one run or file, found once."""

    def __init__(self, entry: Entry, settings: ReadingSettings = NO_SETTINGS) -> None:
        """Read a run or file; ``settings`` where it needs them."""
        self._entry = entry
        self._texts: Texts = {}
        self._answers: RowTexts[Any] | None = None
        self._code: tuple[str, ...] = ()
        self.problem = ""
        """Why texts or answers are not shown; empty where nothing is wrong."""
        try:
            if entry.kind == "scores":
                self._answers = _answers_of_file(entry.location, settings)
                self._texts = _bundles(entry.location)
            elif entry.record and entry.record.suite == "contrastive":
                self._texts, self._answers = _contrastive(RunDirectory.open(entry.location))
                self._code = ("Its code", "answer")
            else:
                rows = _rows(entry.location)
                self._answers = RowTexts(rows, lambda row: Answered.of(_model(row), row, _facts(row)))
        except TellapartError as error:
            self.problem = str(error)

    def of(self, item: str) -> dict[str, Any]:
        """What is known of an item: ``texts``; by model ``answers``, each with ``facts``; and ``calls``."""
        answers: dict[str, list[dict[str, Any]]] = {}
        texts, calls = dict.fromkeys(self._texts.get(item, ())), self._calls(item)
        for answered in self._answers.of(item) if self._answers else ():
            texts |= dict.fromkeys(answered.item_texts)
            if answered.answer or answered.facts:
                answer: dict[str, Any] = {"answer": answered.answer, "facts": dict(answered.facts)}
                answer |= {"is_code": True} if "answer" in self._code else {}
                answers.setdefault(answered.model, []).append(answer)
            if answered.messages:
                call = {"model": answered.model, "question": answered.call or item}
                calls.append(call | {"messages": list(answered.messages), "reply": answered.answer})
        return {
            "texts": [
                {"name": text.name, "text": text.text, "is_code": text.name in self._code}
                for text in texts
                if text.text
            ],
            "answers": answers,
            "calls": calls,
        }

    def _calls(self, item: str) -> list[dict[str, Any]]:
        """Calls whose question names the item."""
        file = self._entry.location / DATABASE
        if self._entry.kind != "run" or not file.is_file():
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


def _answers_of_file(location: Path, settings: ReadingSettings) -> RowTexts[Any] | None:
    """The texts of a file of scores; with the settings where it cannot be read without."""
    if settings != NO_SETTINGS:
        with suppress(TellapartError):
            return form_of(location, NO_SETTINGS).texts(location, NO_SETTINGS)
    return form_of(location, settings).texts(location, settings)


def _bundles(scores: Path) -> Texts:
    """The bundles of the scoreboard beside its scores; none where their file is gone or another one."""
    board = scores.with_name(f"{scores.name.removesuffix(OF_SCORES)}.json")
    if not scores.name.endswith(OF_SCORES) or not board.is_file():
        return {}
    from tellapart.bundles.eval_texts import eval_texts
    from tellapart.bundles.scoreboards import load_scored

    bundles = eval_texts(load_scored(board))
    if bundles is None:
        return {}
    columns = bundles.select("bundle_id", "anchor", "positive", "negatives")
    return {
        item: (
            ItemText("Anchor", anchor),
            ItemText("Positive", positive),
            *(ItemText(f"Negative {number}", text) for number, text in enumerate(negatives, 1)),
        )
        for item, anchor, positive, negatives in columns.iter_rows()
    }


def _contrastive(run: RunDirectory) -> tuple[Texts, RowTexts[Any]]:
    """Each summary and the code that it is of; an answer is the code that was put first."""
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

    def answered(row: Mapping[str, Any]) -> Answered:
        first = row.get("target") if row.get("rank") == 1 else row.get("best_distractor")
        code = "" if first is None else units[first].content
        return Answered(_model(row), answer=code, facts=_facts(row, "target", "best_distractor"))

    # The others are controls.
    rows = ((item, row) for item, row in _rows(run.path) if row.get("condition") == "summary")
    return texts, RowTexts(rows, answered)


def _rows(run: Path) -> list[tuple[str, dict[str, Any]]]:
    """Rows of the table of items of a run, each with its item; none where there is no such table."""
    frame = read_frame(run / ITEMS) if (run / ITEMS).is_file() else None
    if frame is None or "item" not in frame.columns:
        return []
    return [(item_of(row), row) for row in frame.iter_rows(named=True)]


def _model(row: Mapping[str, Any]) -> str:
    return str(row.get("model") or "")


def _facts(row: Mapping[str, Any], *hidden: str) -> dict[str, str | int | float | bool]:
    """What else a row says, without what is empty."""
    facts = {}
    for name, value in row.items():
        is_empty = value is None or (isinstance(value, float) and not math.isfinite(value))
        if not is_empty and name not in (*_OWN, *hidden):
            facts[name] = value if isinstance(value, str | int | float | bool) else str(value)
    return facts
