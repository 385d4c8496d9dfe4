"""``tellapart bundles``: anchors, positives and negatives; danger, tiers, scoreboards, mining."""

from tellapart.cli.bundles import comparing, evals, mining, results
from tellapart.cli.bundles.options import app

__all__ = ["app", "comparing", "evals", "mining", "results"]
