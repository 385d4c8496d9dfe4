"""``tellapart bundles``: anchors, positives and negatives; danger, tiers, scoreboards, mining."""

from tellapart.bundles.commands import comparing, converting, evals, mining, reporting, results
from tellapart.bundles.commands.options import app

__all__ = ["app", "comparing", "converting", "evals", "mining", "reporting", "results"]
