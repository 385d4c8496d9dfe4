"""``tellapart bundles``: anchors, positives and negatives; danger, tiers, scoreboards, mining."""

from tellapart.bundles.commands import compare, evals, results
from tellapart.bundles.commands.options import app

__all__ = ["app", "compare", "evals", "results"]
