"""Which items to keep, and how many, so that models stay in their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.audit.exact_means import ExactScores
from tellapart.core.score_grid import F64, I64
from tellapart.core.stats import rest_correlations

KEPT = 0.9
"""tau-b from which an order counts as kept."""

AIM = 0.95
"""tau to reach in cross-validation: half of those that just reached ``KEPT`` there miss it elsewhere."""

ENOUGH = 5
"""Separated pairs that must all be in their order where tau is lower."""

LEAST_CHOOSING = 6
"""Models to choose on: four, below which items have no discrimination, and two to compare on their set."""

# The turn of each band of difficulty, from the hardest to the easiest: the middle first.
_BANDS = (8, 6, 4, 2, 0, 1, 3, 5, 7, 9)

_GROUPS = 3
_DEALS = 5
_STEP = 1.1


@dataclass(frozen=True)
class ModelPairs:
    """Pairs of models and the order that all items give them.

    Attributes:
        i: Shape (pairs,), one model.
        j: Shape (pairs,), the other.
        sign: Shape (pairs,), 1 where i has the greater mean, -1 where j has, 0 where they tie.
        separated: Shape (pairs,), whether one is better beyond doubt.
    """

    i: I64
    j: I64
    sign: I64
    separated: NDArray[np.bool_]

    def within(self, models: list[int]) -> ModelPairs:
        """Keep the pairs of which both are among some models."""
        inside = np.isin(self.i, models) & np.isin(self.j, models)
        return ModelPairs(self.i[inside], self.j[inside], self.sign[inside], self.separated[inside])

    def moved(self, means: F64) -> I64:
        """Count the separated pairs that sets do not leave in their order; means of shape (sets, models)."""
        away: I64 = (self._signs(means) != self.sign)[:, self.separated].sum(axis=1)
        return away

    def agreement(self, means: F64) -> I64:
        """Count pairs in their order less pairs in reverse; means of shape (sets, models)."""
        agreement: I64 = (self._signs(means) * self.sign).sum(axis=1)
        return agreement

    def _signs(self, means: F64) -> I64:
        return signs(means[:, self.i] - means[:, self.j])


def signs(differences: F64) -> I64:
    """Signs of differences between means; 0 within 1e-9 of the greatest score, and where one has no mean."""
    return np.where(np.abs(differences) > 1e-9, np.sign(differences), 0).astype(np.int64)


def choose(
    exact: ExactScores,
    pairs: ModelPairs,
    choosing: list[int],
    candidates: NDArray[np.intp],
    rng: np.random.Generator,
) -> NDArray[np.intp] | None:
    """Choose as few items as keep the order of models that had no part in choosing them.

    Items are put in an order, and a set is the beginning of it. Within ten bands of equally many items by
    difficulty (mean score), those of the highest corrected item-total correlation come first, one of every
    band in turn (the middle first), so that a set of any size tells strong models apart as well as weak ones.
    Items without a correlation come last.

    With few models many items discriminate by chance, and a set suits the models that it was chosen on better
    than others, whom it places too near to the middle. So its size is found by cross-validation among models
    that had no part in the choice: all but the best and the worst, without whom the items at the ends would
    look alike, are dealt out into three groups (two of fewer than eight models), five times over, and the
    models of each group compared with one another on the set that all others choose. The order is kept
    where pairs in their order less pairs in reverse make up ``AIM`` of all pairs that have an order (a tie is
    neither), or where every separated pair is in its order, if ``ENOUGH`` were compared; both in
    cross-validation and on all models together. The size is the first from which on every larger one that is
    tried keeps the order; sizes grow by a tenth.

    Args:
        exact: The scores.
        pairs: Among the models, at least one of them separated.
        choosing: The models, best first, at least ``LEAST_CHOOSING``.
        candidates: Places of the items, one or more, all of them scored for every model; ties in worth keep
            their order.
        rng: Deals the models out.

    Returns:
        Places of the items, best first; None where even all candidates do not keep the order.
    """
    sizes = _sizes(len(candidates))
    order = _order(exact, choosing, candidates)
    kept = _kept([(pairs, _set_means(exact, choosing, order, sizes))])
    trials = []
    for out in _groups(choosing, rng):
        others = [model for model in choosing if model not in out]
        trials.append((pairs.within(out), _set_means(exact, out, _order(exact, others, candidates), sizes)))
    failed = np.flatnonzero(~(kept & _kept(trials)))
    first = int(failed[-1]) + 1 if len(failed) else 0
    return order[: sizes[first]] if first < len(sizes) else None


def _groups(choosing: list[int], rng: np.random.Generator) -> Iterator[list[int]]:
    between = choosing[1:-1]
    groups = min(_GROUPS, len(between) // 2)
    for _ in range(_DEALS):
        dealt = rng.permutation(between).tolist()
        yield from (dealt[k::groups] for k in range(groups))


def _sizes(most: int) -> I64:
    steps = int(np.ceil(np.log(most) / np.log(_STEP))) + 1
    return np.unique(np.minimum(np.ceil(_STEP ** np.arange(steps)), most).astype(np.int64))


def _order(exact: ExactScores, choosing: list[int], candidates: NDArray[np.intp]) -> NDArray[np.intp]:
    return candidates[_by_worth(exact.units[np.array(choosing)[:, None], candidates] * exact.unit)]


def _by_worth(scores: F64) -> NDArray[np.intp]:
    """Places of items in the order in which they are worth keeping; scores of shape (models, items)."""
    worth = rest_correlations(scores).r
    able = np.flatnonzero(~np.isnan(worth))
    band = np.empty(len(able), dtype=np.int64)
    band[_ascending(scores[:, able].mean(axis=0))] = np.arange(len(able)) * len(_BANDS) // max(len(able), 1)
    first = _ascending(3 * band - worth[able])
    turn = np.arange(len(able)) - np.searchsorted(band[first], range(len(_BANDS)))[band[first]]
    dealt = np.full((int(turn.max(initial=-1)) + 1, len(_BANDS)), -1)
    dealt[turn, np.array(_BANDS)[band[first]]] = able[first]
    return np.concatenate([dealt[dealt >= 0], np.flatnonzero(np.isnan(worth))])


def _ascending(values: F64) -> I64:
    """Places in ascending order of values below 20 or so; those within 1e-9 stay as they are."""
    whole = np.rint(values * 1e9).astype(np.int64)
    # Sorting numbers that are all different takes a fraction of the time that a stable sort takes.
    return np.sort(whole * len(whole) + np.arange(len(whole))) % max(len(whole), 1)


def _set_means(exact: ExactScores, models: list[int], order: NDArray[np.intp], sizes: I64) -> F64:
    """Means over the first items of an order; shape (sizes, all models), NaN for those not asked for."""
    means = np.full((len(sizes), len(exact.units)), np.nan)
    for model in models:
        means[:, model] = np.cumsum(exact.units[model, order])[sizes - 1] / sizes * exact.unit
    return means


def _kept(trials: Sequence[tuple[ModelPairs, F64]]) -> NDArray[np.bool_]:
    """Whether the sets of each size keep the order over all trials together."""
    agreement = np.sum([pairs.agreement(means) for pairs, means in trials], axis=0)
    have_order = sum(int(np.count_nonzero(pairs.sign)) for pairs, _ in trials)
    moved = np.sum([pairs.moved(means) for pairs, means in trials], axis=0)
    separated = sum(int(np.count_nonzero(pairs.separated)) for pairs, _ in trials)
    in_order = (agreement >= AIM * have_order) & (have_order > 0)
    return np.asarray(in_order | ((moved == 0) & (separated >= ENOUGH)))
