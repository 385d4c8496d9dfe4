"""Distractors of another language than the target's: how many, what they cost, which are taken."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from tellapart.contrastive.aggregate import misses_by
from tellapart.contrastive.item_table import by_name, groups, once
from tellapart.contrastive.results import MissesByLanguage, OtherLanguages, OverlapAccuracy
from tellapart.core.stats import clustered_rate, mean_once

SAME = "same language"
"""Stands for the target's language among the languages of distractors."""


def split_by_language(
    languages: Mapping[str, str], sets: pl.DataFrame, items: pl.DataFrame
) -> OtherLanguages | None:
    """Report distractors of another language than the target's apart."""
    origins = [
        [_origin(languages, target, distractor) for distractor in distractors]
        for target, distractors in sets.select("target", "distractors").iter_rows()
    ]
    if not any(origin != SAME for row in origins for origin in row):
        return None
    marked = sets.with_columns(pl.Series("origins", origins, dtype=pl.List(pl.String)))
    crossed = marked.filter(pl.Series([set(row) != {SAME} for row in origins], dtype=pl.Boolean))["item"]
    marked_items = items.with_columns(pl.col("item").is_in(crossed.implode()).alias("crossed"))
    return OtherLanguages(
        distractors={
            level: dict(group["origins"].explode().value_counts().sort("origins").iter_rows())
            for level, group in groups(marked, "level")
        },
        accuracy={
            name: {model: _accuracy(rows) for model, rows in by_name(marked_items.filter(crossed=is_crossed))}
            for name, is_crossed in (("with", True), ("without", False))
        },
        misses={
            level: {
                model: MissesByLanguage(n=missed.n, by_language=missed.by_strategy)
                for model, missed in by_model.items()
            }
            for level, by_model in misses_by(marked, items, "origins").items()
        },
    )


def _origin(languages: Mapping[str, str], target: str, distractor: str) -> str:
    language = languages[distractor]
    return SAME if language == languages[target] else language


def _accuracy(rows: pl.DataFrame) -> OverlapAccuracy:
    scored = once(rows).filter(pl.col("correct").is_not_null())
    rate = clustered_rate(scored["correct"].to_numpy(), scored["path"].to_numpy())
    return OverlapAccuracy(
        n=scored.height, accuracy=rate.value, ci=rate.interval, chance=mean_once(1 / scored["options"])
    )
