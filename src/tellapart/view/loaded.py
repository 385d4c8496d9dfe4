"""Scores of some entries of a folder, laid out for comparing and for looking at items."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import Future
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
        return {model: median for model, median in medians.items() if not np.isnan(median)}

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


def files_of(entries: Sequence[Entry]) -> tuple[tuple[Path, tuple[int, ...]], ...]:
    """What differs whenever the contents of any of these entries may."""
    return tuple((entry.location, entry.changed) for entry in entries)


class Kept(Generic[T]):
    """The latest few of what took long to make; who wants the same waits for it, others do not."""

    def __init__(self, most: int) -> None:
        """Keep at most so many."""
        self._most, self._lock = most, Lock()
        self._kept: dict[Hashable, Future[T]] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Give what is kept under a key, made now where there is none."""
        with self._lock:
            known = self._kept.pop(key, None)
            future = Future[T]() if known is None else known
            self._kept[key] = future
            if len(self._kept) > self._most:
                self._kept.pop(next(iter(self._kept)))
        if known is None:
            try:
                future.set_result(make())
            except BaseException as error:
                with self._lock:
                    self._kept.pop(key, None)
                future.set_exception(error)
        return future.result()
