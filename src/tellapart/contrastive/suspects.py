"""Distractors that look like a second right answer, and what the items that hold one do to the verdict."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from functools import cache

import numpy as np
import polars as pl

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.selection.levels import POOL
from tellapart.contrastive.summaries import docstring_summary
from tellapart.core.comparison import Comparison, ComparisonSettings, Verdict
from tellapart.core.comparison.compare import primary_family, with_notes
from tellapart.core.record import Record
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable
from tellapart.embed.identifiers import split_identifiers

# Operators are words: "self * other" is not "self / other".
_WORD = re.compile(r"\w+|[^\w\s.,;:'\"`()\[\]{}-]+")
_ARTICLES = {"a", "an", "it", "its", "of", "that", "the", "this"}

Pair = tuple[int, int]
"""Numbers of a target and a distractor."""


class Suspect(Record):
    """A distractor whose summary has all words of the target's; ``agreed`` items fooled every model."""

    target: str
    distractor: str
    items: tuple[str, ...]
    agreed: int
    summary: str
    distractor_summary: str


class ChangedVerdict(Record):
    """Two models, the verdict on all items, and the one without those that hold a suspect."""

    a: str
    b: str
    verdict: Verdict
    without: Verdict


class SuspectEffect(Record):
    """How many items hold a suspect, and which verdicts change without these; None without a verdict."""

    items: int
    of: int
    share: float
    changed: tuple[ChangedVerdict, ...] | None
    suspects: tuple[Suspect, ...]


@cache
def _words(text: str) -> tuple[str, ...]:
    """The words and operators of a text in its order, without articles and plurals."""
    words = (word for word in _WORD.findall(text.lower()) if word not in _ARTICLES)
    return tuple(word.rstrip("s") if len(word) > 3 else word for word in words)


def describes(summary: str, other: str) -> bool:
    """Whether ``other`` has every word of ``summary``, whole or within an identifier, in the same order."""
    own, words = _words(summary), _words(other)
    if not set(own) <= {*words, *split_identifiers(other)}:
        return False
    following = iter(words)
    return all(word in following for word in own if word in words)


def find_suspects(benchmark: Benchmark, items: pl.DataFrame) -> tuple[Suspect, ...]:
    """List what may be a second right answer, what most items of all models fell for first.

    Summaries alone decide; of several sources each must say so.
    """
    agreed = missed_alike(items)
    texts = [benchmark.texts[source] for source in benchmark.sources]
    suspects = []
    for (target, distractor), names in pairs_of(benchmark).items():
        unit, other = benchmark.units[target], benchmark.units[distractor]
        readings = [
            (of_source[unit.id], of_source.get(other.id) or docstring_summary(other) or "")
            for of_source in texts
            if unit.id in of_source
        ]
        if readings and all(describes(*reading) for reading in readings):
            suspects.append(
                Suspect(
                    target=unit.id,
                    distractor=other.id,
                    items=tuple(names),
                    agreed=agreed.get((target, distractor), 0),
                    summary=readings[0][0],
                    distractor_summary=readings[0][1],
                )
            )
    suspects.sort(key=lambda suspect: (-suspect.agreed, suspect.target, suspect.distractor))
    return tuple(suspects)


def suspect_effect(
    suspects: tuple[Suspect, ...],
    items: Collection[str],
    scores: ScoreTable,
    settings: ComparisonSettings,
    comparison: Comparison | None,
) -> SuspectEffect:
    """Compare models again without the items that hold a suspect, with the same settings."""
    held = {item for suspect in suspects for item in suspect.items}
    changed = None
    if comparison is not None and comparison.primary.declared and len(held) < len(items):
        changed = _changed(held, scores, settings, comparison)
    return SuspectEffect(
        items=len(held), of=len(items), share=len(held) / len(items), changed=changed, suspects=suspects
    )


def _changed(
    held: set[str], scores: ScoreTable, settings: ComparisonSettings, comparison: Comparison
) -> tuple[ChangedVerdict, ...]:
    grid = score_grid(scores)
    others = grid.only(np.array([item not in held for item in grid.items], dtype=bool))
    family = primary_family(others, with_notes(settings, grid))
    without = {(pair.a, pair.b): pair.verdict for pair in family.pairs}
    return tuple(
        ChangedVerdict(a=pair.a, b=pair.b, verdict=pair.verdict, without=without[pair.a, pair.b])
        for pair in comparison.primary.pairs
        if without[pair.a, pair.b] != pair.verdict
    )


def pairs_of(benchmark: Benchmark) -> dict[Pair, list[str]]:
    """Every pair of a target and a chosen distractor, with the items in which both are options."""
    items: dict[Pair, list[str]] = defaultdict(list)
    chosen = benchmark.sets.filter(pl.col("level") != POOL.name)
    for item, target, distractors in chosen.select("item", "target", "distractors").iter_rows():
        for distractor in distractors:
            items[target, distractor].append(item)
    return items


def missed_alike(items: pl.DataFrame) -> dict[Pair, int]:
    """Count the items of a pair in which each of several models put the distractor first."""
    answered = items.filter(pl.col("condition") == "summary", pl.col("rank").is_not_null())
    models = answered["model"].n_unique()
    if models < 2:
        return {}
    missed = answered.group_by("item").agg(
        pl.first("target", "best_distractor"),
        is_agreed=(pl.max("correct") == 0)
        & (pl.n_unique("best_distractor") == 1)
        & (pl.n_unique("model") == models),
    )
    counts = missed.filter("is_agreed").group_by("target", "best_distractor").len()
    return {(target, distractor): count for target, distractor, count in counts.iter_rows()}
