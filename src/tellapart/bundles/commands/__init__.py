"""``tellapart bundles``: anchors, positives and negatives; danger, tiers, scoreboards, mining."""

from tellapart.bundles.commands import capsules, compare, evals, linting, mining, pools, results
from tellapart.bundles.commands.options import app

__all__ = ["app", "capsules", "compare", "evals", "linting", "mining", "pools", "results"]
