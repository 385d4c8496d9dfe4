"""The fewest items that keep the ranking."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np

from tellapart.audit.exact_means import ExactScores, tau_b
from tellapart.audit.findings import SmallestSet
from tellapart.audit.item_choice import KEPT, LEAST_CHOOSING, ModelPairs, choose, signs
from tellapart.audit.options import AuditOptions
from tellapart.audit.pairs import Pair
from tellapart.core.randomness import generator
from tellapart.core.score_grid import F64, ScoreGrid

LEAST_HELD_OUT = 3
"""Models to confirm a choice on: two have only one order."""


def smallest_set(grid: ScoreGrid, pairs: Sequence[Pair], options: AuditOptions) -> SmallestSet:
    """Choose items on some models and confirm them on the others.

    Models take turns by rank; the best and the worst are among those that items are chosen on, so those held
    out lie between, and what the set does to models beyond is not known. Which items and how many is found by
    `tellapart.audit.item_choice.choose` on the former alone, among the items that every model with a score
    has a score on. The choice is confirmed where, over the models held out, tau-b between the set and all
    items is at least ``KEPT`` or every separated pair is in its order.

    The names of the models do not matter: which of those with equal means comes first is drawn from their
    scores. Only of models whose scores are all the same does the first in the alphabet.

    Args:
        grid: The scores.
        pairs: The verdicts on the same scores.
        options: With the seed, which decides between items of equal worth.

    Returns:
        Items in ascending order; none, and a reason, where there are too few models, nothing is separated, or
        no smaller set keeps the order.

    Source:
        Vivek et al. 2024, "Anchor Points", Polo et al. 2024, "tinyBenchmarks", and Kipnis et al. 2024,
        "metabench", for sets chosen on some models and tried on others. Theirs predict scores by weights or a
        fitted model; this one takes the plain mean over the set.
    """
    exact = ExactScores.of(grid)
    full = exact.means(np.zeros(len(grid.items), dtype=np.int64), 1)[0]
    choosing, held_out = _split(exact, full)
    every = _model_pairs(grid, pairs, full)
    candidates = np.flatnonzero(exact.known[choosing + held_out].all(axis=0))
    reason = _why_none(choosing, held_out, every.within(choosing), len(candidates))
    if reason:
        return SmallestSet((), (), (), None, None, reason)
    rng = generator(options.seed, "smallest")
    chosen = choose(exact, every.within(choosing), choosing, rng.permutation(candidates), rng)
    names = [tuple(grid.models[i] for i in sorted(part)) for part in (choosing, held_out)]
    if chosen is None or len(chosen) == len(grid.items):
        reason = "no smaller set keeps the order of the models that it is chosen on"
        return SmallestSet((), names[0], names[1], None, None, reason)
    group = np.full(len(grid.items), -1)
    group[chosen] = 0
    means = exact.means(group, 1)[0]
    taus = [tau_b(full[None, part], means[None, part])[0] for part in (choosing, held_out)]
    return SmallestSet(
        items=tuple(grid.items[np.sort(chosen)].tolist()),
        chosen_on=names[0],
        confirmed_on=names[1],
        tau_chosen=taus[0],
        tau_heldout=taus[1],
        reason=_doubt(taus[1], every.within(held_out), means),
    )


def _split(exact: ExactScores, full: F64) -> tuple[list[int], list[int]]:
    """Deal the models with a score out by rank, best first: to choose on, with both ends, and to hold out."""
    rounded = np.round(full, 9)
    scored = np.flatnonzero(~np.isnan(full)).tolist()
    ties = np.count_nonzero(rounded == rounded[:, None], axis=1) > 1
    ranked = sorted(scored, key=lambda i: (-rounded[i], _lot(exact, i) if ties[i] else b""))
    held_out = ranked[1:-1:2][: max(0, len(ranked) - LEAST_CHOOSING)]
    return [i for i in ranked if i not in held_out], held_out


def _lot(exact: ExactScores, model: int) -> bytes:
    """What decides between equal means: drawn from the scores, so that other names change nothing."""
    return sha256(exact.units[model].tobytes() + exact.known[model].tobytes()).digest()


def _model_pairs(grid: ScoreGrid, pairs: Sequence[Pair], full: F64) -> ModelPairs:
    place = {model: i for i, model in enumerate(grid.models)}
    i, j = np.triu_indices(len(grid.models), 1)
    separated = np.zeros((len(full), len(full)), dtype=bool)
    for pair in pairs:
        separated[place[pair.a], place[pair.b]] = pair.is_separated
    return ModelPairs(i, j, signs(full[i] - full[j]), separated[i, j])


def _why_none(choosing: list[int], held_out: list[int], of_choosing: ModelPairs, candidates: int) -> str:
    if len(held_out) < LEAST_HELD_OUT:
        needed, found = LEAST_CHOOSING + LEAST_HELD_OUT, len(choosing) + len(held_out)
        return f"to choose items and to confirm the choice takes {needed} models with scores, here {found}"
    if not of_choosing.separated.any():
        return "the models that items would be chosen on are not separated, so there is no order to keep"
    if not candidates:
        return "no item has a score of every model"
    return ""


def _doubt(tau: float | None, held_out: ModelPairs, means: F64) -> str:
    """Why the choice is not confirmed, or empty."""
    moved, separated = int(held_out.moved(means[None])[0]), int(np.count_nonzero(held_out.separated))
    if (tau is not None and tau >= KEPT) or (separated and not moved):
        return ""
    said = "is not defined" if tau is None else f"is {tau:.2f}"
    lost = f"{moved} of {separated} separated pairs lose their order" if separated else "no pair is separated"
    return f"not confirmed: over the models held out, tau {said} and {lost}"
