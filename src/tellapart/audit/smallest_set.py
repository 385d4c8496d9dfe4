"""The fewest items that keep the ranking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from tellapart.audit.exact_means import ExactScores, tau_b
from tellapart.audit.options import AuditOptions
from tellapart.audit.results import SmallestSet
from tellapart.core.arrays import F64, I64
from tellapart.core.comparison import PairComparison
from tellapart.core.randomness import generator
from tellapart.core.score_grid import ScoreGrid
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
    # Worth is in [-1, 1], so that one sort puts bands in order, and within each the worthiest first.
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


LEAST_HELD_OUT = 3
"""Models to confirm a choice on: two have only one order."""


def smallest_set(grid: ScoreGrid, pairs: Sequence[PairComparison], options: AuditOptions) -> SmallestSet:
    """Choose items on some models and confirm them on the others.

    Models take turns by rank; the best and the worst are among those that items are chosen on, so those held
    out lie between, and what the set does to models beyond is not known. Which items and how many is found by
    `choose` on the former alone, among the items that every model with a score
    has a score on. The choice is confirmed where, over the models held out, tau-b between the set and all
    items is at least ``KEPT`` or every separated pair is in its order.

    The names of the models do not matter: which of those with equal means comes first is drawn from their
    scores. Only of models whose scores are all the same does the first in the alphabet.

    Source:
        Vivek et al. 2024, "Anchor Points", Polo et al. 2024, "tinyBenchmarks", and Kipnis et al. 2024,
        "metabench", for sets chosen on some models and tried on others. Theirs predict scores by weights or a
        fitted model; this one takes the plain mean over the set.
    """
    exact = ExactScores.of(grid)
    full = exact.means(np.zeros(len(grid.items), dtype=np.int64), 1)[0]
    choosing, held_out = _split(exact, full)
    every = _model_pairs(grid, pairs, full)
    candidates = np.flatnonzero(exact.scored[choosing + held_out].all(axis=0))
    reason = _why_none(choosing, held_out, every.within(choosing), len(candidates))
    if reason:
        return SmallestSet(reason=reason)
    rng = generator(options.seed, "smallest")
    chosen = choose(exact, every.within(choosing), choosing, rng.permutation(candidates), rng)
    names = [tuple(grid.models[i] for i in sorted(part)) for part in (choosing, held_out)]
    if chosen is None or len(chosen) == len(grid.items):
        reason = "no smaller set keeps the ranking"
        return SmallestSet(chosen_on=names[0], confirmed_on=names[1], reason=reason)
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
    return sha256(exact.units[model].tobytes() + exact.scored[model].tobytes()).digest()


def _model_pairs(grid: ScoreGrid, pairs: Sequence[PairComparison], full: F64) -> ModelPairs:
    place = {model: i for i, model in enumerate(grid.models)}
    i, j = np.triu_indices(len(grid.models), 1)
    separated = np.zeros((len(full), len(full)), dtype=bool)
    for pair in pairs:
        separated[place[pair.a], place[pair.b]] = pair.is_separated
    return ModelPairs(i, j, signs(full[i] - full[j]), separated[i, j])


def _why_none(choosing: list[int], held_out: list[int], of_choosing: ModelPairs, candidates: int) -> str:
    if len(held_out) < LEAST_HELD_OUT:
        needed, n_models = LEAST_CHOOSING + LEAST_HELD_OUT, len(choosing) + len(held_out)
        return (
            f"choosing a smaller set and checking it takes {needed} models with scores; there are {n_models}"
        )
    if not of_choosing.separated.any():
        return "the models that items would be chosen on are not separated, so there is no ranking to keep"
    if not candidates:
        return "no item has a score of every model"
    return ""


def _doubt(tau: float | None, held_out: ModelPairs, means: F64) -> str:
    """Why the choice is not confirmed, or empty."""
    moved, separated = int(held_out.moved(means[None])[0]), int(np.count_nonzero(held_out.separated))
    if (tau is not None and tau >= KEPT) or (separated and not moved):
        return ""
    shown_tau = "is not defined" if tau is None else f"is {tau:.2f}"
    lost = f"{moved} of {separated} separated pairs lose their order" if separated else "no pair is separated"
    return f"not confirmed: over the models held out, tau {shown_tau} and {lost}"
