"""One evaluation over its runs: the score of each model with its interval, and where it fell for good."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tellapart.audit.ranking import rank
from tellapart.audit.results import Ranked
from tellapart.core.arrays import F64
from tellapart.core.comparison.history import Drop, drops
from tellapart.core.comparison_settings import ALPHA
from tellapart.core.score_grid import ScoreGrid
from tellapart.errors import InputError
from tellapart.report import numbers as show
from tellapart.report.numbers import Scale
from tellapart.view.folder import Entry

MOST_SCORES = 20_000_000
"""Scores of all runs together, which take 160 MB."""


@dataclass(frozen=True)
class Point:
    """A model's mean in a run."""

    run: int
    mean: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class Line:
    """A model over the runs that have it; a drop is the first run after it, the run that showed it, words."""

    model: str
    points: tuple[Point, ...]
    drops: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True)
class History:
    """Runs of the same items, in order; ``rates`` says whether means are shown in percent."""

    headline: str
    note: str
    runs: tuple[str, ...]
    lines: tuple[Line, ...]
    items: int
    rates: bool


def check_size(runs: int, items: int) -> None:
    """Refuse more scores than a reader can wait for, before any is read."""
    if runs * items > MOST_SCORES:
        raise InputError(
            f"{runs:,} runs of {items:,} items are more than {MOST_SCORES:,} scores",
            next_step="Open a folder of fewer runs",
        )


def history_of(entries: Sequence[Entry], grid_of: Callable[[Entry], ScoreGrid]) -> History:
    """Follow every model over runs that are in order; what only one run has has no history.

    Where every run has a single model, all are states of the same one, whatever they are called.
    """
    last = grid_of(entries[-1])
    runs = [_scores(grid_of(entry)) for entry in entries]
    if all(len(run) == 1 for run in runs):
        runs = [dict(zip(last.models, run.values(), strict=True)) for run in runs]
    of_model: dict[str, list[int]] = {}
    for at, run in enumerate(runs):
        for model in run:
            of_model.setdefault(model, []).append(at)
    followed = {model: places for model, places in of_model.items() if len(places) > 1}
    form, names = Scale.of(last.limits), [entry.path for entry in entries]
    lines = []
    for model, places in followed.items():
        states = [runs[at][model] for at in places]
        points = (Point(at, one.mean, one.ci) for at, (_, one) in zip(places, states, strict=True))
        found = drops(np.stack([row for row, _ in states]), last.clusters, alpha=ALPHA / len(followed))
        fell = ((places[one.run], places[one.found], _told(one, model, places, names, form)) for one in found)
        lines.append(Line(model, tuple(points), tuple(fell)))
    every = [text for line in lines for _, _, text in line.drops]
    return History(
        " ".join(every) or f"No score fell over {show.plural(len(entries), 'run')}.",
        "A drop is shown where the answers to these items are worse than chance would make them, over the "
        f"whole history: at most {100 * ALPHA:g} % of histories without a change show one. Compare two runs "
        "to see whether other items would show it.",
        tuple(names),
        tuple(lines),
        len(last.items),
        form.rates,
    )


def _scores(grid: ScoreGrid) -> dict[str, tuple[F64, Ranked]]:
    """By model its scores in the order of the items, and its mean."""
    places = {place.model: place for place in rank(grid, ()).models}
    return {model: (row, places[model]) for model, row in zip(grid.models, grid.scores, strict=True)}


def _told(drop: Drop, model: str, places: Sequence[int], names: Sequence[str], form: Scale) -> str:
    ends, later = drop.change.interval, drop.found - drop.run
    span = f" ({form.sizes((-ends.high, -ends.low))})" if ends else ""
    shown = f", and {show.plural(later, 'run')} later it was certain" if later else ""
    return f"{model} lost {form.size(drop.change.value or 0.0)}{span} at {names[places[drop.run]]}{shown}."
