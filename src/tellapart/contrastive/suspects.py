"""Distractors that look like a second right answer, and what the items that hold one do to the verdict."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np
import polars as pl

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.likeness import Contrast, code_likeness, contrast, rarity
from tellapart.contrastive.selection.levels import POOL
from tellapart.contrastive.summaries import docstring_summary
from tellapart.core.comparison import Comparison, ComparisonSettings, Verdict
from tellapart.core.comparison.compare import primary_family, with_notes
from tellapart.core.record import Record
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable

SUSPECTS = "artifacts/suspects.json"
"""Where a finished run keeps its suspects."""

THRESHOLD = 0.3
"""Score from which a pair is suspected."""

NEAR_COPY = 0.85
"""Likeness of codes that is given as a reason."""

_HOPELESS = 1.6
"""Cost from which no likeness of the codes makes a suspect."""

Pair = tuple[int, int]
"""Numbers of a target and a distractor."""


class Suspect(Record):
    """A distractor that may be a second right answer.

    Attributes:
        target: Id of the unit that is asked about.
        distractor: Id of the other.
        items: Items in which both are options, by level.
        score: How likely it is, in [0, 1].
        reasons: Why it is suspected, a clause each.
    """

    target: str
    distractor: str
    items: tuple[str, ...]
    score: float
    reasons: tuple[str, ...]
    summary: str
    distractor_summary: str


class Suspects(Record):
    """Everything suspected in a benchmark.

    Attributes:
        threshold: Score from which a pair is suspected.
        pairs: Of a target and a distractor that were compared.
        suspects: The most likely first.
    """

    threshold: float
    pairs: int
    suspects: tuple[Suspect, ...]


class ChangedVerdict(Record):
    """Two models, the verdict on all items, and the one without those that hold a suspect."""

    a: str
    b: str
    verdict: Verdict
    without: Verdict


class SuspectEffect(Record):
    """How many items hold a suspect, and what these items do to the verdict.

    Attributes:
        items: With a suspect among their options.
        of: Items that are reported.
        share: ``items`` over ``of``.
        changed: Pairs whose verdict is another without these items. None where there is no verdict that could
            change, or no other item.
        suspects: In the items that are reported, the most likely first.
    """

    items: int
    of: int
    share: float
    changed: tuple[ChangedVerdict, ...] | None
    suspects: tuple[Suspect, ...]


def find_suspects(benchmark: Benchmark, items: pl.DataFrame | None = None) -> Suspects:
    """List what may be a second right answer; the answers of models count where there are any."""
    options = pairs_of(benchmark)
    missed = {} if items is None else missed_alike(items)
    texts = {source: benchmark.texts(source) for source in benchmark.sources}
    weights = {source: rarity(texts[source].values()) for source in texts}
    suspects = []
    for pair, names in options.items():
        target, distractor = (benchmark.units[row] for row in pair)
        readings = []
        for source, by_id in texts.items():
            other = by_id.get(distractor.id) or docstring_summary(distractor)
            if target.id in by_id and other is not None:
                both = by_id[target.id], other
                readings.append((contrast(target, distractor, both, weights[source]), both))
        if not readings or min(apart.cost for apart, _ in readings) > _HOPELESS:
            continue
        code, (agreed, models) = code_likeness(target, distractor), missed.get(pair, (0, 0))
        whole = [(replace(apart, code=code, agreed=agreed), both) for apart, both in readings]
        # The median over the sources, of two the lower: a vague source alone makes no suspect.
        apart, both = sorted(whole, key=lambda reading: reading[0].score)[(len(whole) - 1) // 2]
        if apart.score >= THRESHOLD:
            suspects.append(
                Suspect(
                    target=target.id,
                    distractor=distractor.id,
                    items=tuple(names),
                    score=round(apart.score, 4),
                    reasons=tuple(_reasons(apart, agreed, models)),
                    summary=both[0],
                    distractor_summary=both[1],
                )
            )
    suspects.sort(key=lambda suspect: (-suspect.score, suspect.target, suspect.distractor))
    return Suspects(threshold=THRESHOLD, pairs=len(options), suspects=tuple(suspects))


def suspect_effect(
    all_suspects: Suspects,
    items: Collection[str],
    scores: ScoreTable,
    settings: ComparisonSettings,
    comparison: Comparison | None,
) -> SuspectEffect:
    """Compare models again without the items that hold a suspect, with the same settings."""
    suspects = tuple(suspect for suspect in all_suspects.suspects if not set(items).isdisjoint(suspect.items))
    held = {item for suspect in suspects for item in suspect.items} & set(items)
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


def missed_alike(items: pl.DataFrame) -> dict[Pair, tuple[int, int]]:
    """Count items that every model misses while all put the same other option first, and the models."""
    answered = items.filter(pl.col("condition") == "summary", pl.col("rank").is_not_null())
    models = answered["model"].n_unique()
    if models < 2:
        return {}
    agreed = (
        answered.group_by("item")
        .agg(
            pl.col("target").first(),
            pl.col("best_distractor").first().alias("distractor"),
            (pl.col("correct").max() == 0).alias("missed"),
            (pl.col("best_distractor").n_unique() == 1).alias("same"),
            (pl.col("model").n_unique() == models).alias("all"),
        )
        .filter("missed", "same", "all")
    )
    counts = agreed.group_by("target", "distractor").len().sort("target", "distractor")
    return {(target, distractor): (count, models) for target, distractor, count in counts.iter_rows()}


def _reasons(apart: Contrast, agreed: int, models: int) -> Iterator[str]:
    if apart.missing == 0:
        same = apart.added == 0
        yield "both summaries have the same words" if same else "its summary has every word of the target's"
    else:
        yield "its summary has nearly every word of the target's"
    if apart.evidence == 0:
        yield "no word of the summary is in the target's code alone"
    if apart.same_name:
        yield "both have one name"
    if apart.code >= NEAR_COPY:
        yield f"the codes are nearly the same ({apart.code:.0%} of the tokens, names aside)"
    if agreed:
        yield f"all {models} models put it first, in {agreed} item{'s' if agreed > 1 else ''}"
