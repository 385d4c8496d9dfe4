"""Killers: the negatives that win in the bundles that models fail, those that win most often first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from tellapart.bundles.eval_texts import eval_texts
from tellapart.bundles.results import KilledBundle, KillerRecord, KillersRecord, KillerWins
from tellapart.bundles.scoreboards import Boards, Scored
from tellapart.bundles.slice_fields import NO_KIND

MOST = 20
"""Killers of all models together."""

MOST_BY_MODEL = 10
"""Killers of one model."""

LONGEST = 2_000
"""Characters of a text that are kept."""

_TEXTS = ("anchor", "positive", "text")


def killers_of(boards: Boards) -> KillersRecord:
    """Find the negatives that win most: over all models together, and for each.

    A negative wins a bundle that a model fails if it is the most similar to the anchor; of several that tie,
    the first in the eval. Negatives of equal text are one where the eval is at hand. They come in the order
    of the anchors whose bundles they win (bundles that share one are not independent), summed over models,
    then of the bundles, then of their largest lead in median sizes of the model's margins, as models have
    different units.
    """
    if boards.is_exploratory:
        texts = [eval_texts(scored) for scored in boards.boards]
    else:
        # All of one eval, which may be at hand beside one of them alone.
        every = map(eval_texts, boards.boards)
        texts = [next((frame for frame in every if frame is not None), None)] * len(boards.boards)
    has_texts = all(frame is not None for frame in texts)
    wins = pl.concat(
        [
            _wins(scored, label, frame if has_texts else None)
            for label, scored, frame in zip(boards.labels, boards.boards, texts, strict=True)
        ]
    )
    ranked = _ranked(wins)
    by_model = {label: _ranked(wins.filter(pl.col("model") == label)) for label in boards.labels}
    chosen = [ranked.head(MOST), *(frame.head(MOST_BY_MODEL) for frame in by_model.values())]
    keys = pl.concat([frame.select("key") for frame in chosen])["key"].unique()
    listed = _Found(
        boards,
        wins.filter(pl.col("key").is_in(keys.implode())),
        {} if boards.is_exploratory or texts[0] is None else _holders(texts[0], keys),
    )
    overall, *each = [tuple(listed.killer(key) for key in frame["key"]) for frame in chosen]
    return KillersRecord(
        has_texts=has_texts, overall=overall, by_model=dict(zip(boards.labels, each, strict=True))
    )


def _wins(scored: Scored, label: str, texts: pl.DataFrame | None) -> pl.DataFrame:
    """A row for each bundle that a model fails, with the negative that wins it."""
    scores = scored.scores
    typical = scores["margin"].abs().median() or 1.0
    kinds = (
        pl.col("kinds").list.eval(
            pl.element()
            .filter(pl.element().struct.field("margin") == pl.element().struct.field("margin").min())
            .struct.field("kind")
        )
        if "kinds" in scores.columns
        else pl.lit([], dtype=pl.List(pl.String))
    )
    lost = scores.filter(pl.col("margin") <= 0).select(
        pl.lit(label).alias("model"),
        "item",
        cluster=pl.coalesce("cluster", "item"),
        margin="margin",
        size=pl.col("margin") / typical,
        place="hardest_negative",
        kinds=kinds,
    )
    if texts is None:
        key = pl.format("{} negatives[{}]", "item", "place")
        return lost.with_columns(*(pl.lit(None, dtype=pl.String).alias(name) for name in _TEXTS), key=key)
    named = texts.select("anchor", "positive", "negatives", item="bundle_id")
    joined = lost.join(named, on="item", how="left", maintain_order="left")
    text = pl.col("negatives").list.get(pl.col("place"), null_on_oob=True)
    return joined.with_columns(text=text, key=text).drop("negatives").select(*lost.columns, *_TEXTS, "key")


def _ranked(wins: pl.DataFrame) -> pl.DataFrame:
    """Order keys as ``killers_of`` says; ties by key."""
    of_model = wins.group_by("key", "model").agg(
        anchors=pl.col("cluster").n_unique(), bundles=pl.len(), size=pl.col("size").min()
    )
    return (
        of_model.group_by("key")
        .agg(pl.col("anchors", "bundles").sum(), pl.col("size").min())
        .sort("anchors", "bundles", "size", "key", descending=[True, True, False, False])
    )


def _holders(texts: pl.DataFrame, keys: pl.Series) -> dict[str, int]:
    """Count the bundles that have each text among their negatives."""
    held = texts.select("bundle_id", pl.col("negatives").list.unique()).explode("negatives")
    counted = held.filter(pl.col("negatives").is_in(keys.implode())).group_by("negatives").len()
    return dict(counted.iter_rows())


@dataclass(frozen=True)
class _Found:
    """The wins of the killers that are listed, and in how many bundles each is a negative."""

    boards: Boards
    wins: pl.DataFrame
    holders: Mapping[str, int]

    def killer(self, key: str) -> KillerRecord:
        wins = self.wins.filter(pl.col("key") == key).sort("size", "item", "model")
        worst = wins.row(0, named=True)
        by_model = {label: _of_model(wins.filter(pl.col("model") == label)) for label in self.boards.labels}
        kinds = sorted({kind for listed in wins["kinds"] for kind in listed} - {NO_KIND})
        return KillerRecord(
            negative=_cut(worst["text"]),
            kinds=tuple(kinds),
            bundles=self.holders.get(key),
            models={label: wins_of for label, wins_of in by_model.items() if wins_of.bundles},
            example=KilledBundle(
                item=worst["item"],
                position=worst["place"],
                anchor=_cut(worst["anchor"]),
                positive=_cut(worst["positive"]),
                margins=self._margins(worst["item"]),
            ),
        )

    def _margins(self, item: str) -> dict[str, float]:
        every: list[tuple[str, Any]] = [
            (label, scored.scores.filter(pl.col("item") == item)["margin"])
            for label, scored in zip(self.boards.labels, self.boards.boards, strict=True)
        ]
        return {label: margin[0] for label, margin in every if len(margin)}


def _of_model(wins: pl.DataFrame) -> KillerWins:
    margin = wins["margin"].min()
    return KillerWins(
        bundles=wins.height,
        anchors=wins["cluster"].n_unique(),
        margin=None if margin is None else float(margin),  # type: ignore[arg-type]
    )


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= LONGEST else f"{text[:LONGEST]} …"
