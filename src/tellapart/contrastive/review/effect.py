"""What suspected label noise does to a run: which items hold a suspect, and which verdicts hang on them."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import polars as pl

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.review.results import ChangedVerdict, SuspectEffect, SuspectItems
from tellapart.contrastive.review.suspects import review
from tellapart.core.comparison import Comparison, ComparisonSettings
from tellapart.core.comparison.compare import primary_family, with_notes
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable


def suspect_items(benchmark: Benchmark, items: pl.DataFrame) -> SuspectItems:
    """Find the items that hold a suspect; see `review`."""
    found = review(benchmark, items)
    names = {item for suspect in found.suspects for item in suspect.items}
    return SuspectItems(threshold=found.threshold, of=found.items, items=tuple(sorted(names)))


def suspect_effect(
    suspects: SuspectItems,
    items: Collection[str],
    scores: ScoreTable,
    settings: ComparisonSettings,
    comparison: Comparison | None,
) -> SuspectEffect:
    """Compare models again without the items that hold a suspect, with the same settings."""
    held = set(suspects.items) & set(items)
    changed = None
    if comparison is not None and comparison.primary.declared and len(held) < len(items):
        changed = _changed(held, scores, settings, comparison)
    return SuspectEffect(items=len(held), of=len(items), share=len(held) / len(items), changed=changed)


def _changed(
    held: set[str], scores: ScoreTable, settings: ComparisonSettings, comparison: Comparison
) -> tuple[ChangedVerdict, ...]:
    grid = score_grid(scores)
    rest = grid.only(np.array([item not in held for item in grid.items], dtype=bool))
    family = primary_family(rest, with_notes(settings, grid))
    without = {(pair.a, pair.b): pair.verdict for pair in family.pairs}
    return tuple(
        ChangedVerdict(a=pair.a, b=pair.b, verdict=pair.verdict, without=without[pair.a, pair.b])
        for pair in comparison.primary.pairs
        if without[pair.a, pair.b] != pair.verdict
    )
