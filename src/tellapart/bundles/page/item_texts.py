"""What the bundles of a report ask, where the eval that they come from is still at hand."""

from __future__ import annotations

from pathlib import Path

from tellapart.bundles.page.view import Board
from tellapart.bundles.reading import read_batches
from tellapart.files import RowFaults, sha256_of
from tellapart.store import ItemText

MOST_BUNDLES = 50_000
"""Of a larger eval no page has room for the texts."""


def item_texts(board: Board) -> dict[str, tuple[ItemText, ...]]:
    """Give the anchor and the positive of each bundle, by its id.

    Args:
        board: A scoreboard, whose header says where the eval was; the eval is looked for there and beside it.

    Returns:
        Empty where there is no such file, its bytes are not those that were scored, or it is too large.

    Raises:
        InputError: The file cannot be read.
    """
    header = board.scoreboard.eval_header
    for path in (Path(header.eval_path), board.path.parent / Path(header.eval_path).name):
        if header.item_count > MOST_BUNDLES or not path.is_file():
            continue
        if sha256_of(path)[:16] == header.source_hash:
            return {
                bundle: (ItemText("Anchor", anchor), ItemText("Positive", positive))
                for batch in read_batches(path, RowFaults(path))
                for bundle, anchor, positive in batch.select("bundle_id", "anchor", "positive").iter_rows()
            }
    return {}
