"""The bundles that one of two models passes and the other fails, the most decisive first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.bundles.boards import Boards
from tellapart.bundles.reading import Problems, read_batches
from tellapart.bundles.scoreboard import EvalHeader
from tellapart.core.comparison import Flip, flips
from tellapart.core.score_grid import ScoreGrid
from tellapart.errors import TellapartError
from tellapart.store import sha256_of

_SHOWN = 200
"""Characters of an anchor that are kept."""


@dataclass(frozen=True)
class BundleFlip:
    """A bundle that flipped.

    Attributes:
        flip: The scores, 1 for a pass.
        tier: Its tier, or None.
        margins: Of the baseline and of the candidate, each in its model's unit.
        anchor: The beginning of its anchor's text, or None where the eval is not at hand.
    """

    flip: Flip
    tier: str | None
    margins: tuple[float, float]
    anchor: str | None

    def to_json(self) -> dict[str, Any]:
        """Give the flip as JSON can say it."""
        return {
            "item": self.flip.item,
            "anchor": self.anchor,
            "tier": self.tier,
            "baseline": self.flip.baseline,
            "candidate": self.flip.candidate,
            "margin_a": self.margins[0],
            "margin_b": self.margins[1],
        }


def bundle_flips(boards: Boards, grid: ScoreGrid) -> tuple[BundleFlip, ...]:
    """List the bundles that flipped between a baseline A and a candidate B.

    Args:
        boards: Two.
        grid: Their scores.

    Returns:
        The most decisive first: where one passed and the other failed by margins that are both large among
        the margins of their own model, whatever its unit. Losses come before gains of the same size.
    """
    a, b = (
        one.scores.select("item", "tier", "margin", size=pl.col("margin").abs().rank("average") / pl.len())
        for one in boards.boards
    )
    both = a.join(b.drop("tier"), on="item", how="inner", suffix="_b")
    row_of = {item: row for row, item in enumerate(both["item"].to_list())}
    sizes = (both["size"] + both["size_b"]).to_list()
    weights = [sizes[row_of[item]] if item in row_of else 0.0 for item in grid.items.tolist()]
    flipped = flips(grid, boards.labels[1], boards.labels[0], weights)
    anchors = anchor_texts(boards.boards[0].board.eval_header, [flip.item for flip in flipped])
    rows = [both.row(row_of[flip.item], named=True) for flip in flipped]
    return tuple(
        BundleFlip(flip, row["tier"], (row["margin"], row["margin_b"]), anchors.get(flip.item))
        for flip, row in zip(flipped, rows, strict=True)
    )


def anchor_texts(header: EvalHeader, items: Sequence[str]) -> dict[str, str]:
    """Look up anchors in the eval, by bundle, if its file is where it was and has not changed."""
    path = Path(header.eval_path)
    if not items or not path.is_file():
        return {}
    try:
        if sha256_of(path)[:16] != header.source_hash:
            return {}
        wanted = pl.Series(sorted(items), dtype=pl.String).implode()
        batches = [
            batch.filter(pl.col("bundle_id").is_in(wanted)).select("bundle_id", "anchor")
            for batch in read_batches(path, Problems(path))
        ]
    except TellapartError:
        # Texts are a convenience: an eval that cannot be read any more keeps no comparison from being made.
        return {}
    return {
        item: " ".join(anchor[:_SHOWN].split()) for frame in batches for item, anchor in frame.iter_rows()
    }
