"""The texts of the eval that was scored, where its file is still at hand and unchanged."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tellapart.bundles.reading import read_batches
from tellapart.bundles.scoreboards import Scored
from tellapart.files import RowFaults, sha256_of
from tellapart.store import ItemText

MOST_BUNDLES = 50_000
"""Of a larger eval no page has room for the texts."""


def eval_file(scored: Scored) -> Path | None:
    """Find the eval where it was scored, or beside the scoreboard; None if it changed or is gone."""
    header = scored.board.eval_header
    for path in (Path(header.eval_path), scored.path.parent / Path(header.eval_path).name):
        if path.is_file() and sha256_of(path)[:16] == header.source_hash:
            return path
    return None


def eval_texts(scored: Scored) -> pl.DataFrame | None:
    """Read the texts of all bundles."""
    path = eval_file(scored) if scored.board.eval_header.item_count <= MOST_BUNDLES else None
    return None if path is None else pl.concat([*read_batches(path, RowFaults(path))])


def item_texts(scored: Scored) -> dict[str, tuple[ItemText, ...]]:
    """Give the anchor and the positive of each bundle, by its id."""
    texts = eval_texts(scored)
    if texts is None:
        return {}
    return {
        bundle: (ItemText("Anchor", anchor), ItemText("Positive", positive))
        for bundle, anchor, positive in texts.select("bundle_id", "anchor", "positive").iter_rows()
    }
