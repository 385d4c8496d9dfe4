"""What models are asked: the real summaries, and controls of known outcome."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.summaries import identifier_summary
from tellapart.core.randomness import generator

Condition = Literal["summary", "identifier", "shuffled"]

CONTROLS: tuple[Condition, ...] = ("identifier", "shuffled")
"""Questions that check the evaluation itself: the words of the target's name, and another unit's summary."""

MARGIN = 0.2
"""How far from chance a control may score, as a share of chance: of 5 %, 3 points would be 60 %."""

SHUFFLES = 5
"""Foreign summaries that each item is asked with: one alone is mostly noise."""


def queries(benchmark: Benchmark, condition: Condition, source: str) -> list[str | None]:
    """The text that stands for each item's target."""
    texts = benchmark.texts(source)
    targets = benchmark.sets["target"].to_list()
    if condition == "summary":
        return [texts.get(target) for target in targets]
    if condition == "identifier":
        return [identifier_summary(benchmark.units[benchmark.position[target]]) for target in targets]
    distinct = sorted({texts[target] for target in targets if target in texts})
    options = [
        {texts.get(unit) for unit in (target, *distractors)}
        for target, distractors in benchmark.sets.select("target", "distractors").iter_rows()
    ]
    items = benchmark.sets["item"].to_list()
    return [
        _foreign(distinct, described, generator(benchmark.header.seed, "shuffled", str(draw), item))
        for draw in range(SHUFFLES)
        for item, described in zip(items, options, strict=True)
    ]


def _foreign(distinct: Sequence[str], described: set[str | None], rng: np.random.Generator) -> str | None:
    """The first text in an order drawn by ``rng`` that describes none of the item's options."""
    return next((distinct[i] for i in rng.permutation(len(distinct)) if distinct[i] not in described), None)
