"""The texts of the eval that was scored, where its file is still at hand and unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from tellapart.bundles.reading import read_batches
from tellapart.bundles.scoreboards import Scored
from tellapart.errors import TellapartError
from tellapart.files import RowFaults, sha256_of

MOST_BUNDLES = 50_000
"""Of a larger eval no page has room for the texts."""

_ANCHOR_CHARACTERS = 200
"""Of an anchor, so many are kept."""


def eval_texts(scored: Scored, items: Sequence[str] | None = None) -> pl.DataFrame | None:
    """Read the texts of some bundles, or of all where they are not too many.

    None where the eval has changed or is gone.
    """
    header = scored.board.eval_header
    if items is None and header.item_count > MOST_BUNDLES:
        return None
    wanted = pl.lit(True)
    if items is not None:
        wanted = pl.col("bundle_id").is_in(pl.Series(sorted(items), dtype=pl.String).implode())
    for path in (Path(header.eval_path), scored.path.parent / Path(header.eval_path).name):
        if path.is_file() and sha256_of(path)[:16] == header.source_hash:
            return pl.concat([batch.filter(wanted) for batch in read_batches(path, RowFaults(path))])
    return None


def anchor_texts(scored: Scored, items: Sequence[str]) -> dict[str, str]:
    """Give the beginnings of the anchors of some bundles, by id."""
    try:
        texts = eval_texts(scored, items) if items else None
    except TellapartError:
        # Texts are a convenience: an eval that cannot be read any more keeps no comparison from being made.
        texts = None
    if texts is None:
        return {}
    return {
        item: " ".join(anchor[:_ANCHOR_CHARACTERS].split())
        for item, anchor in texts.select("bundle_id", "anchor").iter_rows()
    }
