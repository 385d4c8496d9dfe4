"""Failure modes: how frequent each is in the answers of two models, and in whose it is more frequent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isinf

import numpy as np

from tellapart.core.comparison.effects import RateRatio, rate_ratios
from tellapart.core.score_grid import ScoreGrid
from tellapart.view.notes import Note


@dataclass(frozen=True)
class ModeCount:
    """How frequent a mode is in the answers of A and of B, if there is one, and in whose it is more so."""

    mode: str
    a: int
    b: int | None = None
    sentence: str = ""
    holds: bool = False


@dataclass(frozen=True)
class Modes:
    """Failure modes of two models, or of one.

    Attributes:
        items: On which all counts are: each answer to them is right or has a mode.
        unlabelled: By model, wrong answers that have no mode yet.
    """

    modes: tuple[ModeCount, ...]
    items: int
    unlabelled: dict[str, int]


def count_modes(notes: Iterable[Note], grid: ScoreGrid, a: str, b: str | None) -> Modes:
    """Count the modes of the answers of one model, or compare those of two."""
    labels: dict[str, dict[str, str]] = {}
    names = dict[str, None]()
    for note in notes:
        if note.model:
            labels.setdefault(note.model, {})[note.item] = note.label
            names[note.label] = None
    chosen = [a] if b is None or b == a else [a, b]
    known, unlabelled = np.ones(len(grid.items), dtype=np.bool_), {}
    for model in chosen:
        scores = grid.scores[grid.models.index(model)]
        right = scores >= grid.limits[1]
        labelled = np.array([item in labels.get(model, {}) for item in grid.items], dtype=np.bool_)
        unlabelled[model] = int((~np.isnan(scores) & ~right & ~labelled).sum())
        known &= labelled | right
    items = [str(item) for item in grid.items[known]]
    counts = [
        tuple(sum(labels.get(model, {}).get(item) == mode for item in items) for model in chosen)
        for mode in names
    ]
    if len(chosen) == 1:
        rows = [ModeCount(mode, count) for mode, (count,) in zip(names, counts, strict=True)]
    else:
        ratios = rate_ratios([(x, y) for x, y in counts], len(items))
        rows = [_compared(mode, ratio, chosen) for mode, ratio in zip(names, ratios, strict=True)]
    return Modes(tuple(rows), len(items), unlabelled)


def _compared(mode: str, ratio: RateRatio, models: list[str]) -> ModeCount:
    front, back = (ratio.b, ratio.a) if ratio.b >= ratio.a else (ratio.a, ratio.b)
    model = models[1] if ratio.b >= ratio.a else models[0]
    ends = [ratio.low or 0.0, ratio.high or 0.0]
    if ratio.b < ratio.a:
        ends = [1 / end if end else float("inf") for end in reversed(ends)]
    if front == 0:
        sentence = ""
    elif not ratio.holds:
        sentence = f"Cannot tell: {ratio.a} and {ratio.b} of {ratio.n:,} items."
    elif back == 0:
        sentence = f"Only in {model}: at least {ends[0]:.2g} times as frequent there."
    else:
        high = "no upper end" if isinf(ends[1]) else f"{ends[1]:.2g}"
        sentence = f"{front / back:.2g} times as frequent in {model} ({ends[0]:.2g} to {high})."
    return ModeCount(mode, ratio.a, ratio.b, sentence, ratio.holds)
