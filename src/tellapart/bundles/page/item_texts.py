"""What the bundles of a report ask, where the eval that they come from is still at hand."""

from __future__ import annotations

from tellapart.bundles.eval_texts import eval_texts
from tellapart.bundles.page.view import Board
from tellapart.store import ItemText


def item_texts(board: Board) -> dict[str, tuple[ItemText, ...]]:
    """Give the anchor and the positive of each bundle, by its id."""
    texts = eval_texts(board.scored)
    if texts is None:
        return {}
    return {
        bundle: (ItemText("Anchor", anchor), ItemText("Positive", positive))
        for bundle, anchor, positive in texts.select("bundle_id", "anchor", "positive").iter_rows()
    }
