"""How difficult a set of distractors looks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tellapart.extraction.unit import Unit

CUT_OFFS = ((80, "adversarial"), (65, "very_hard"), (50, "hard"), (35, "medium"), (20, "easy"))
"""Lowest score of each label; below the last it is ``trivial``."""

_SIMILARITY_POINTS = ((0.90, 40), (0.80, 30), (0.70, 20), (0.60, 10))


def difficulty_score(
    target: Unit, distractors: Sequence[Unit], similarities: Sequence[float], signatures: Sequence[float]
) -> float:
    """Add the points of five factors.

    Up to 40 for the mean similarity (above .6, .7, .8, .9), 7 for each distractor of the target's file up to
    20, up to 20 for the mean signature similarity, up to 10 for the share of the target's type, and 5 from 9
    distractors or 10 from 19. Source: "Contrastive Evaluation Analysis", recommendation 2.1,
    calculateDifficultyV2, with percentiles for similarities, since no two selectors have one scale.
    """
    if not distractors:
        raise ValueError("a difficulty needs at least one distractor")
    mean_similarity = float(np.mean(similarities))
    score = float(next((points for least, points in _SIMILARITY_POINTS if mean_similarity > least), 0))
    score += min(7 * sum(unit.path == target.path for unit in distractors), 20)
    score += 20 * float(np.mean(signatures, dtype=np.float64))
    score += 10 * sum(unit.type == target.type for unit in distractors) / len(distractors)
    return score + (10 if len(distractors) >= 19 else 5 if len(distractors) >= 9 else 0)


def difficulty_label(score: float) -> str:
    """Name the band that a difficulty score falls in."""
    return next((label for least, label in CUT_OFFS if score >= least), "trivial")
