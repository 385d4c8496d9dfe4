"""``tellapart bundles``: anchors, positives and negatives; danger, tiers, scoreboards, mining."""

from tellapart.cli.bundles import comparing, converting, evals, mining, reporting, results
from tellapart.cli.bundles.options import app

__all__ = ["app", "comparing", "converting", "evals", "mining", "reporting", "results"]
