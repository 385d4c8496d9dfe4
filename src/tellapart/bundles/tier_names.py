"""The tiers of difficulty by name, and where they are cut unless somebody says otherwise."""

from __future__ import annotations

TIERS = ("tier1_easy", "tier2_robust", "tier3_adversarial")
"""In ascending order of danger."""

ADVERSARIAL = TIERS[-1]

ALIASES = {"tier1": TIERS[0], "tier2": TIERS[1], "tier3": TIERS[2]}
"""Short names that are accepted in files and options."""

OVERALL = "overall"
"""Stands for all bundles where a tier could be named."""

THRESHOLDS = (0.70, 0.90)
"""Shares of the bundles below each cut."""
