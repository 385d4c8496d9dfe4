"""Bundles of an anchor, a positive and negatives: danger, tiers, scoreboards, mining."""
