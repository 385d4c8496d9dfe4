"""What the models are asked: the summary, or a control whose quality is known."""

from __future__ import annotations

from typing import Literal

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.summaries import identifier_summary
from tellapart.core.randomness import generator

Condition = Literal["summary", "identifier", "shuffled"]

CONTROLS: tuple[Condition, ...] = ("identifier", "shuffled")
"""Questions that check the evaluation itself: the words of the target's name, and another unit's summary."""


def queries(benchmark: Benchmark, condition: Condition, source: str) -> list[str | None]:
    """The text that stands for each item's target.

    Args:
        benchmark: The questions.
        condition: ``summary`` for the real ones, ``identifier`` for the words of the target's name,
            ``shuffled`` for the summary of a unit drawn at random that is none of the item's options: it
            says nothing about any of them, so that a model must score chance.
        source: Who wrote the summaries.

    Returns:
        One text an item, None where the source has no summary of the target.
    """
    texts = benchmark.texts(source)
    targets = benchmark.sets["target"].to_list()
    if condition == "summary":
        return [texts.get(target) for target in targets]
    if condition == "identifier":
        return [identifier_summary(benchmark.units[benchmark.position[target]]) for target in targets]
    others = sorted(texts)
    rows = benchmark.sets.select("item", "target", "distractors").iter_rows()
    return [
        _foreign(texts, others, {target, *distractors}, item, benchmark) for item, target, distractors in rows
    ]


def _foreign(
    texts: dict[str, str], others: list[str], options: set[str], item: str, benchmark: Benchmark
) -> str | None:
    strangers = [
        unit
        for unit in generator(benchmark.header.seed, "shuffled", item).permutation(others)
        if unit not in options
    ]
    return texts[strangers[0]] if strangers else None
