"""Scores of some entries of a folder, laid out for comparing and for looking at items."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

import numpy as np

from tellapart.core.score_grid import ScoreGrid, score_grid
from tellapart.errors import UsageError, near_match
from tellapart.llm.journal import CALL
from tellapart.readers import Reading, read_scores
from tellapart.readers.settings import ReadingSettings
from tellapart.store.database import RunDatabase
from tellapart.store.runs import DATABASE
from tellapart.view.folder import Entry

NO_SETTINGS = ReadingSettings()

MOST_CALLS = 20_000
"""Calls of a run that are read while a reader waits."""

_KEPT = 6
"""Sets of entries whose scores are held; 100,000 items of 20 models take some 200 MB."""

T = TypeVar("T")


@dataclass(frozen=True)
class Loaded:
    """Scores of one set of entries.

    Attributes:
        notes: What reading them made necessary, sentences.
        causes: By model and place of an item, why it has no score.
        of_entry: By id of an entry, the models that it has.
    """

    entries: Mapping[str, Entry]
    grid: ScoreGrid
    notes: tuple[str, ...]
    causes: Mapping[str, Mapping[int, str]]
    of_entry: Mapping[str, tuple[str, ...]]

    @cached_property
    def costs(self) -> Mapping[str, float]:
        """US dollars by model, as the records of runs have them."""
        costs = {}
        for entry in self.entries.values():
            for name, facts in (entry.record.models if entry.record else {}).items():
                if name in self.grid.models and facts.get("cost") is not None:
                    costs[name] = float(facts["cost"])
        return costs

    @cached_property
    def seconds(self) -> Mapping[str, float]:
        """Median seconds of a call by model, of the first ``MOST_CALLS`` of each run."""
        seconds: dict[str, list[float]] = {}
        for entry in self.entries.values():
            if entry.kind != "run":
                continue
            with RunDatabase(entry.location / DATABASE, read_only=True) as database:
                for row in islice(database.rows(CALL), MOST_CALLS):
                    if row.entry.get("model") in self.grid.models and not row.entry.get("reused"):
                        seconds.setdefault(row.entry["model"], []).append(row.entry.get("seconds", np.nan))
        medians = {model: float(np.median(values)) for model, values in seconds.items()}
        return {model: median for model, median in medians.items() if median == median}

    @cached_property
    def is_binary(self) -> bool:
        """Whether every score is 0 or 1."""
        scored = self.grid.scores[~np.isnan(self.grid.scores)]
        return bool(np.isin(scored, (0.0, 1.0)).all())

    def entry_of(self, item: str) -> str | None:
        """The id of the first entry one of whose models was asked an item."""
        index = self.place_of[item]
        asked_models = {
            model for model, row in zip(self.grid.models, self.grid.attempted, strict=True) if row[index]
        }
        return next((entry for entry, models in self.of_entry.items() if asked_models & set(models)), None)

    @cached_property
    def place_of(self) -> Mapping[str, int]:
        """The place of each item."""
        return {item: index for index, item in enumerate(self.grid.items)}

    def chosen(self, models: Sequence[str], excluded: frozenset[str] = frozenset()) -> ScoreGrid:
        """Some of the models, all where none is named, without some items.

        Items that are left out after the scores are known make a comparison that bears no verdict.
        """
        grid = self.grid
        if models:
            unknown = next((model for model in models if model not in grid.models), None)
            if unknown is not None:
                raise UsageError(
                    f"there is no model {unknown!r} in these runs", next_step=near_match(unknown, grid.models)
                )
            grid = grid.of_models([index for index, model in enumerate(grid.models) if model in set(models)])
        if not excluded:
            return grid
        left_out = np.array([item in excluded for item in grid.items], dtype=np.bool_)
        if left_out.any():
            notes = grid.notes.model_copy(update={"excluded": int(left_out.sum())})
            grid = replace(grid.only(~left_out), notes=notes)
        return grid


def read(entries: Sequence[Entry], settings: ReadingSettings) -> Reading:
    """Read the scores of entries as ``tellapart audit`` reads them."""
    return read_scores([entry.location for entry in entries], settings, where_needed=True)


def load(entries: Sequence[Entry], settings: ReadingSettings = NO_SETTINGS) -> Loaded:
    """Lay out the scores of entries; raises as `read`."""
    reading = read(entries, settings)
    return Loaded(
        {entry.id: entry for entry in entries},
        score_grid(reading.table),
        reading.notes,
        _causes(reading),
        {entry.id: reading.sources.get(str(entry.location), ()) for entry in entries},
    )


def _causes(reading: Reading) -> dict[str, dict[int, str]]:
    frame = reading.table.frame
    missing = frame.filter(frame["score"].is_null() & frame["missing"].is_not_null())
    items = {item: index for index, item in enumerate(sorted(frame["item"].unique().to_list()))}
    causes: dict[str, dict[int, str]] = {}
    for model, item, cause in missing.select("model", "item", "missing").iter_rows():
        causes.setdefault(model, {})[items[item]] = cause
    return causes


class Shelf(Generic[T]):
    """Keeps what took long to make of entries, the latest few, until their files change."""

    def __init__(self, make: Callable[[Sequence[Entry]], T], most: int = _KEPT) -> None:
        """Keep at most so many of what ``make`` makes."""
        self._make, self._most = make, most
        self._kept: OrderedDict[tuple[tuple[Path, tuple[int, ...]], ...], T] = OrderedDict()
        self._making: dict[tuple[tuple[Path, tuple[int, ...]], ...], Lock] = {}
        self._lock = Lock()

    def get(self, entries: Sequence[Entry]) -> T:
        """What is value of these entries as they are now; who wants the same waits for it, others do not."""
        key = tuple((entry.location, entry.changed) for entry in entries)
        with self._lock:
            of_key = self._making.setdefault(key, Lock())
        with of_key:
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    return self._kept[key]
            value = self._make(entries)
            with self._lock:
                self._kept[key] = value
                self._making.pop(key, None)
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
            return value
