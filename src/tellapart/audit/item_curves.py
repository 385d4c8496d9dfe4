"""How likely each item ranks the models backwards, as one with a wrong key does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit, logit

from tellapart.core.arrays import F64, I64
from tellapart.core.score_grid import ScoreGrid

FEWEST_MODELS = 6
"""With fewer models the scores on one item say next to nothing of it."""

_SLOPES, _HEIGHTS = np.array([-2.0, -1.0, 0.0, 0.5, 1.0, 2.0]), np.linspace(-6.0, 6.0, 25)
_FALLING = 2
_STEPS, _MOST_ITEMS, _BLOCK = 100, 4_000, 10_000
_FIRST: Final = 0.05
"""Share of items that is believed to be backwards before a score is seen."""


@dataclass(frozen=True)
class ItemCurves:
    """Curves of the chance to score on an item, by the ability of a model, and how common each is.

    A curve is logistic, rises, is flat or falls. An item with a falling curve ranks the models backwards.

    Attributes:
        scores: Shape (models, items), from 0 to 1, NaN where there is none.
        shares: Shape (curves,), how common each curve is.
        right: Shape (curves, models), the log of the chance to score.
        wrong: Of the other chance.

    Source:
        Bock and Aitkin 1981, "Marginal maximum likelihood estimation of item parameters", with abilities
        taken from the mean scores and items drawn from a mixture of curves; the chances are local false
        discovery rates, Efron 2008, "Microarrays, empirical Bayes and the two-groups model". Graded scores
        count as so much of a pass.
    """

    scores: F64
    shares: F64
    right: F64
    wrong: F64

    def backwards(self, without: tuple[int, ...] = (), items: I64 | None = None) -> F64:
        """Give the chance of each item that its curve falls.

        Args:
            without: Rows of models whose scores are not looked at.
            items: The items; all by default.
        """
        rows = np.setdiff1d(np.arange(len(self.scores)), without)
        chosen = np.arange(self.scores.shape[1]) if items is None else items
        falls = _FALLING * len(_HEIGHTS)
        chances = np.zeros(len(chosen))
        for start in range(0, len(chosen), _BLOCK):
            block = self.scores[np.ix_(rows, chosen[start : start + _BLOCK])]
            of_curves = _posterior(self.shares, _likelihoods(block, self.right[:, rows], self.wrong[:, rows]))
            chances[start : start + _BLOCK] = of_curves[:falls].sum(axis=0)
        return chances


def fit_curves(grid: ScoreGrid) -> ItemCurves | None:
    """Learn from all items how common each curve is; None with fewer than ``FEWEST_MODELS`` models."""
    scored = ~np.isnan(grid.scores).all(axis=1)
    if np.count_nonzero(scored) < FEWEST_MODELS:
        return None
    low, high = grid.limits
    if not np.isfinite(high - low):
        low, high = float(np.nanmin(grid.scores)), float(np.nanmax(grid.scores))
    scores = (grid.scores - low) / (high - low) if high > low else np.zeros_like(grid.scores)
    n = (~np.isnan(scores)).sum(axis=1)
    ability = logit((np.nansum(scores, axis=1) + 0.5) / (n + 1))
    ability -= ability[scored].mean()
    curves = (_SLOPES[:, None, None] * ability - _HEIGHTS[:, None]).reshape(-1, len(ability))
    right, wrong = log_expit(curves), log_expit(-curves)
    some = scores[:, :: -(-scores.shape[1] // _MOST_ITEMS)]
    return ItemCurves(scores, _shares(_likelihoods(some, right, wrong)), right, wrong)


def surely(chances: F64, rate: float) -> NDArray[np.bool_]:
    """Take as many items as can be, of which at most a share of ``rate`` is expected to be sound."""
    order = np.argsort(-chances, kind="stable")
    sound = np.cumsum(1 - chances[order]) / np.arange(1, len(order) + 1)
    taken = np.zeros(len(order), dtype=bool)
    taken[order[: np.count_nonzero(sound <= rate)]] = True
    return taken


def _likelihoods(scores: F64, right: F64, wrong: F64) -> F64:
    """Shape (curves, items), relative to the best curve of each item."""
    passed = np.nan_to_num(scores)
    failed = np.where(np.isnan(scores), 0.0, 1 - passed)
    logs = right @ passed + wrong @ failed
    likely: F64 = np.exp(logs - logs.max(axis=0))
    return likely


def _posterior(shares: F64, likely: F64) -> F64:
    weighted = shares[:, None] * likely
    normed: F64 = weighted / weighted.sum(axis=0)
    return normed


def _shares(likely: F64) -> F64:
    """How common each curve is; falling ones are the steep ones turned around, and rarer."""
    shares = np.full((len(_SLOPES), len(_HEIGHTS)), 1.0)
    shares[:_FALLING] *= _FIRST
    shares /= shares.sum()
    for _ in range(_STEPS):
        shares = _posterior(shares.ravel(), likely).mean(axis=1).reshape(shares.shape)
        steep = shares[-_FALLING:] + shares[:_FALLING][::-1, ::-1]
        turned = (shares[:_FALLING].sum() + 0.5 / likely.shape[1]) / (steep.sum() + 1 / likely.shape[1])
        shares[-_FALLING:], shares[:_FALLING] = steep * (1 - turned), steep[::-1, ::-1] * turned
    return np.asarray(shares.ravel() / shares.sum(), dtype=np.float64)
