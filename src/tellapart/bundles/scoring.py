"""From the texts of an eval, as numbers, to the scores of each bundle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.bundles.slice_fields import BundleFields
from tellapart.core.ranking import OptionRanks
from tellapart.embed.lineups import Lineups, join_lineups
from tellapart.embed.similarity import Embedded
from tellapart.files import RowFaults


class TextNumbers:
    """Texts in the order in which they were first seen, each with its number."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """Start with ``texts``, of which repeated ones count once."""
        self._number: dict[str, int] = {}
        for text in texts:
            self._number.setdefault(text, len(self._number))

    def __len__(self) -> int:
        return len(self._number)

    def shared_with(self, other: TextNumbers) -> int:
        """Count the texts that both have."""
        return sum(text in other._number for text in self._number)

    @property
    def texts(self) -> list[str]:
        """All texts by number."""
        return list(self._number)

    def number(self, column: pl.Series) -> NDArray[np.int32]:
        """Numbers of a column of texts; a text not seen before gets the next one."""
        # Distinct texts first: one look-up each in a Python dictionary, and Polars does the rest.
        distinct = column.unique(maintain_order=True)
        numbers = [self._number.setdefault(text, len(self._number)) for text in distinct]
        numbered = column.to_frame("text").join(
            pl.DataFrame({"text": distinct, "number": pl.Series(numbers, dtype=pl.Int32)}),
            on="text",
            how="left",
            maintain_order="left",
        )
        return numbered["number"].to_numpy()


SCORE_SCHEMA = pl.Schema(
    {
        "model": pl.String(),
        "item": pl.String(),
        "score": pl.Float64(),
        "missing": pl.String(),
        "replicate": pl.Int64(),
        "cluster": pl.String(),
        "tier": pl.String(),
        "margin": pl.Float64(),
        "rank": pl.Int64(),
        "ties": pl.Int64(),
        "expected_rank": pl.Float64(),
        "reciprocal_rank": pl.Float64(),
        "top3": pl.Float64(),
        "top5": pl.Float64(),
        "negatives": pl.Int64(),
        "hardest_negative": pl.Int64(),
    }
)
"""One row a bundle: a score table (``score`` is 1 for a pass and 0 for a fail) with the figures behind it.

``hardest_negative`` is the position among the negatives, from 0, of the one most similar to the anchor; of
several that tie, the first. One column may stand beside these: ``metadata``, structs of the fields that sort
the bundles.
"""


@dataclass(frozen=True)
class EvalItems:
    """An eval as numbers: a row of ``items`` a bundle, whose texts are those of ``anchors`` and ``options``.

    ``items`` has ``line``, ``bundle_id``, ``tier`` and ``cluster``, the id of the first bundle with the same
    anchor; where the eval has it, ``metadata`` of ``BundleFields``.
    """

    items: pl.DataFrame
    lineups: Lineups
    anchors: TextNumbers
    options: TextNumbers

    def keep(self, kept: NDArray[np.bool_]) -> EvalItems:
        """Some of the bundles."""
        return replace(self, items=self.items.filter(kept), lineups=self.lineups.keep(kept))

    @property
    def distinct_texts(self) -> int:
        """Texts that differ; one that is both an anchor and an option counts once."""
        return len(self.anchors) + len(self.options) - self.anchors.shared_with(self.options)


def number_described(batches: Iterable[tuple[pl.DataFrame, Sequence[Mapping[str, Any]]]]) -> EvalItems:
    """Number the texts of batches as ``read_described`` gives them, and keep what sorts their bundles."""
    fields = BundleFields()

    def frames() -> Iterator[pl.DataFrame]:
        for frame, rows in batches:
            fields.add(frame, rows)
            yield frame

    items = number_items(frames())
    metadata = fields.metadata()
    described = [] if metadata is None else [metadata]
    return replace(items, items=items.items.with_columns(described))


def number_items(batches: Iterable[pl.DataFrame]) -> EvalItems:
    """Number the texts of batches of ``BATCH_SCHEMA``; of the texts, each distinct one is kept once."""
    anchors, options = TextNumbers(), TextNumbers()
    items, lineups = [], []
    for batch in batches:
        items.append(batch.select("line", "bundle_id", "tier"))
        listed = batch.select(pl.concat_list("positive", "negatives").alias("options"))["options"]
        lineups.append(
            Lineups(
                anchors.number(batch["anchor"]),
                options.number(listed.explode()),
                np.concatenate([[0], np.cumsum(listed.list.len().to_numpy(), dtype=np.int64)]),
            )
        )
    empty = pl.DataFrame(schema={"line": pl.Int64, "bundle_id": pl.String, "tier": pl.String})
    joined = join_lineups(lineups)
    # Before any bundle is left out, so that clusters have one name under every model.
    clustered = (
        pl.concat([empty, *items], rechunk=True)
        .with_columns(pl.Series("anchor", joined.anchors))
        .with_columns(pl.col("bundle_id").first().over("anchor").alias("cluster"))
        .drop("anchor")
    )
    return EvalItems(clustered, joined, anchors, options)


def drop_faulty(items: EvalItems, embedded: Embedded, problems: RowFaults) -> EvalItems:
    """Leave out the bundles of which a text cannot be compared, and note them in ``problems``."""
    lineups = items.lineups
    owner = np.repeat(np.arange(len(lineups)), np.diff(lineups.offsets))
    bad_anchors = np.flatnonzero((embedded.anchor_faults != "")[lineups.anchors])
    bad_options = np.flatnonzero((embedded.option_faults != "")[lineups.options])
    lines, kept = items.items["line"].to_numpy(), np.ones(len(lineups), dtype=np.bool_)
    for lineup in bad_anchors:
        problems.add(int(lines[lineup]), "anchor", str(embedded.anchor_faults[lineups.anchors[lineup]]))
    for at in bad_options:
        lineup = owner[at]
        position = at - lineups.offsets[lineup]
        field = f"negatives[{position - 1}]" if position else "positive"
        problems.add(int(lines[lineup]), field, str(embedded.option_faults[lineups.options[at]]))
    kept[bad_anchors] = kept[owner[bad_options]] = False
    return items if kept.all() else items.keep(kept)


def score_items(items: EvalItems, embedded: Embedded, *, model: str) -> pl.DataFrame:
    """Score every bundle."""
    scores = _frame(items, items.lineups.rank(embedded.similarity), model).select(
        pl.col(name).cast(kind) for name, kind in SCORE_SCHEMA.items()
    )
    return scores.with_columns(items.items.select("^metadata$"))


def _frame(items: EvalItems, ranking: OptionRanks, model: str) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "item": items.items["bundle_id"],
            "tier": items.items["tier"],
            "cluster": items.items["cluster"],
            "margin": ranking.margin,
            "rank": ranking.rank,
            "ties": ranking.ties,
            "expected_rank": ranking.expected_rank,
            "reciprocal_rank": ranking.reciprocal_rank,
            "top3": ranking.top(3),
            "top5": ranking.top(5),
            "negatives": np.diff(items.lineups.offsets) - 1,
            "hardest_negative": ranking.best_distractor - items.lineups.offsets[:-1] - 1,
        }
    ).with_columns(
        pl.lit(model).alias("model"),
        (pl.col("margin") > 0).alias("score"),
        pl.lit(None).alias("missing"),
        pl.lit(0).alias("replicate"),
    )
