"""How sure it is that a file is relevant: two explorations, one, the judge alone."""

from __future__ import annotations

from enum import StrEnum

from tellapart.codesearch.case import Case


class Tier(StrEnum):
    """Who vouches for a relevant file, surest first."""

    BOTH = "both_runs"
    ONE = "one_run"
    JUDGE = "judge_only"


GAIN = {Tier.BOTH: 2, Tier.ONE: 1, Tier.JUDGE: 1}
"""What a file is worth to a ranking: as many as vouch for it. The judge is one, as an exploration is."""


def tiers(case: Case) -> dict[str, Tier]:
    """Say who vouches for each relevant file.

    Our judge rules on files that only we found, so a file of an exploration is relevant by itself. Where a
    recorded judge ruled on files of the explorations too, those that it calls not relevant are left out.

    Args:
        case: With its explorations.

    Returns:
        By file, in ascending order; files that are not relevant or have no verdict are not in it.
    """
    wrong = irrelevant(case)
    found = dict.fromkeys(case.our_unique_relevant, Tier.JUDGE)
    found |= dict.fromkeys(case.ground_truth - wrong, Tier.ONE)
    found |= dict.fromkeys(case.in_both_runs - wrong, Tier.BOTH)
    return dict(sorted(found.items()))


def irrelevant(case: Case) -> frozenset[str]:
    """Files that a judge called not relevant, whoever found them."""
    return frozenset(file for file, verdict in case.verdicts.items() if verdict.relevant is False)


def grades(case: Case) -> dict[str, int]:
    """Grade every file of which something is known.

    Returns:
        By file, in ascending order: ``GAIN`` of its tier, 0 where the judge called it not relevant. A file
        without a verdict has no grade, which is not the same as 0.
    """
    found = dict.fromkeys(irrelevant(case), 0)
    found |= {file: GAIN[tier] for file, tier in tiers(case).items()}
    return dict(sorted(found.items()))
