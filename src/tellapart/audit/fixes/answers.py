"""More answers and gradings of the items that there are."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from tellapart.audit.evidence import Evidence
from tellapart.audit.noise import PairNoise, more_answers, more_gradings
from tellapart.audit.pairs import Action, Fix, Pair
from tellapart.audit.planning import Plan
from tellapart.audit.wording import counted, percent

LASTING = ("refusal", "infeasible")
"""Causes of missing scores that asking again does not mend."""


def add_replicates(pair: Pair, noise: PairNoise, plan: Plan) -> list[Fix]:
    """Ask the same items again, so often that the luck of the single answer averages out."""
    more = more_answers(noise, plan, pair.n)
    if more is None:
        return []
    text = (
        f"Ask every item again: {counted(more, 'more answer')} an item and model would {plan.outcome(pair)}, "
        f"without a new item; only {percent(1 - noise.share)} of the variance of their difference is between "
        "items."
    )
    return [Fix(Action.ADD_REPLICATES, 0, more, text)]


def repeat_grading(pair: Pair, noise: PairNoise, plan: Plan) -> list[Fix]:
    """Grade the same answers again, so often that the luck of the grader averages out."""
    more = more_gradings(noise, plan, pair.n)
    if more is None:
        return []
    text = (
        f"Grade every answer again: {counted(more, 'more grading')} an answer would {plan.outcome(pair)}, "
        f"without a new item or answer; a grader that is more consistent would do as well."
    )
    return [Fix(Action.REPEAT_GRADING, 0, more, text)]


def rerun_missing(pair: Pair, evidence: Evidence) -> list[Fix]:
    """Ask again for the scores that are missing.

    It costs one more answer (or grading) of those items whose score is missing; ``cost_answers`` counts them.
    """
    missing = {model: Counter(evidence.grid.missing[model]) for model in (pair.a, pair.b)}
    again = {
        model: {cause: n for cause, n in causes.items() if cause not in LASTING}
        for model, causes in missing.items()
    }
    total = sum(sum(causes.values()) for causes in again.values())
    lasting = sum(sum(causes.values()) for causes in missing.values()) - total
    if not total:
        return []
    told = [
        f"{sum(causes.values()):,} of {model} ({', '.join(f'{n:,} {cause}' for cause, n in causes.items())})"
        for model, causes in again.items()
        if causes
    ]
    text = f"Ask again for the {counted(total, 'missing score')}: {' and '.join(told)}."
    if lasting:
        text += f" {lasting:,} more, refused or infeasible, would stay missing."
    return [Fix(Action.RERUN_MISSING, 0, 1, text, cost_answers=total)]


def with_answers(fix: Fix, pair: Pair, evidence: Evidence) -> Fix:
    """Say how many answers, or gradings, a fix takes in all, of both models and every item.

    New items are asked as often as those that there are; where there are none, once.
    """
    if fix.cost_answers is not None:
        return fix
    rows = [evidence.rows[pair.a], evidence.rows[pair.b]]
    both = ~np.isnan(evidence.grid.scores[rows]).any(axis=0)
    there = int(evidence.grid.answers[rows][:, both].sum())
    if fix.action is Action.ADD_REPLICATES:
        total = 2 * fix.cost_replicates * pair.n
    elif fix.action is Action.REPEAT_GRADING:
        total = fix.cost_replicates * there
    else:
        total = -(-fix.cost_items * there // pair.n) if pair.n else 2 * fix.cost_items
    return replace(fix, cost_answers=total)
