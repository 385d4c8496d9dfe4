"""What the items are like: difficulty, discrimination, flags, reliability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_expit, logit

from tellapart.audit.results import Flag, FlaggedItem, ItemScores, Reliability, Suspects
from tellapart.core.arrays import F64, I64
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.scores import ScoreTable

FALSE_FINDS = 0.05
"""Expected share of sound items among those that are flagged."""

MOST_SUSPECTS, FEWEST_BACKWARDS, ENOUGH_MODELS = 10, 5.0, 8
"""So many items are suspect, where so many of them are expected to be backwards by so many models."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class ItemAnalysis:
    """What the items are like.

    Attributes:
        table: A row an item: ``item``, ``n_models``, ``difficulty`` (mean score), ``discrimination``
            (corrected item-total correlation over models, null where undefined), ``backwards`` (the chance
            that it ranks models backwards, null with too few) and ``flag`` (or null).
        flagged: Items to look at, by flag and then id.
        suspects: Items that may rank models backwards, the likeliest first.
        curves: By which they do; None with too few models.
    """

    table: pl.DataFrame
    flagged: tuple[FlaggedItem, ...]
    suspects: Suspects
    reliability: Reliability
    curves: ItemCurves | None

    def of(self, flag: Flag) -> list[str]:
        """Ids of the items with a flag."""
        return [item.item for item in self.flagged if item.reason is flag]


def examine(grid: ScoreGrid) -> ItemAnalysis:
    """Look at every item."""
    correlations = rest_correlations(grid.scores)
    curves = fit_curves(grid)
    backwards = np.full(len(grid.items), np.nan) if curves is None else curves.backwards()
    marks = _marks(grid, backwards)
    scored = grid.of_models(np.flatnonzero(~np.isnan(grid.scores).all(axis=1)).tolist())
    return ItemAnalysis(
        table=_table(grid, correlations, backwards, marks),
        flagged=_flagged(grid, correlations, marks),
        suspects=_suspects(grid, backwards),
        reliability=consistency(scored.scores, scored.models),
        curves=curves,
    )


def _suspects(grid: ScoreGrid, backwards: F64) -> Suspects:
    """List the likeliest ones; none where too few of them are expected to be backwards."""
    likeliest = np.argsort(-np.nan_to_num(backwards), kind="stable")[:MOST_SUSPECTS]
    expected = float(np.nansum(backwards[likeliest]))
    if len(grid.models) < ENOUGH_MODELS or expected < FEWEST_BACKWARDS:
        return Suspects(items=(), expected_backwards=0.0)
    return Suspects(items=tuple(map(str, grid.items[likeliest])), expected_backwards=expected)


def _marks(grid: ScoreGrid, backwards: F64) -> dict[Flag, Mask]:
    low, high = grid.limits
    return {
        Flag.ALL_PASS: _all_at(grid.scores, high),
        Flag.ALL_FAIL: _all_at(grid.scores, low),
        Flag.NEGATIVE: surely(np.nan_to_num(backwards), FALSE_FINDS),
    }


def _all_at(scores: F64, limit: float) -> Mask:
    """Items with a score of which all are the limit, up to the rounding of a mean over answers."""
    unknown = np.isnan(scores)
    if not np.isfinite(limit):
        return np.zeros(scores.shape[1], dtype=bool)
    at = np.abs(scores - limit) <= 1e-12 * max(abs(limit), 1.0)
    return np.asarray((at | unknown).all(axis=0) & ~unknown.all(axis=0), dtype=bool)


def _table(grid: ScoreGrid, correlations: F64, backwards: F64, marks: dict[Flag, Mask]) -> pl.DataFrame:
    scored = ~np.isnan(grid.scores)
    n = scored.sum(axis=0)
    difficulty = np.full(len(n), np.nan)
    np.divide(np.where(scored, grid.scores, 0.0).sum(axis=0), n, out=difficulty, where=n > 0)
    flags = np.full(len(n), None, dtype=object)
    for flag in reversed(marks):
        flags[marks[flag]] = flag.value
    return pl.DataFrame(
        {
            "item": pl.Series(grid.items.tolist(), dtype=pl.String),
            "n_models": pl.Series(n, dtype=pl.Int64),
            "difficulty": _nullable(difficulty),
            "discrimination": _nullable(correlations),
            "backwards": _nullable(backwards),
            "flag": pl.Series(flags.tolist(), dtype=pl.String),
        }
    )


def _nullable(values: F64) -> pl.Series:
    return pl.Series(values, dtype=pl.Float64, nan_to_null=True)


def _flagged(grid: ScoreGrid, correlations: F64, marks: dict[Flag, Mask]) -> tuple[FlaggedItem, ...]:
    return tuple(
        FlaggedItem(
            item=str(grid.items[at]),
            reason=flag,
            discrimination=None if np.isnan(correlations[at]) else float(correlations[at]),
        )
        for flag, marked in marks.items()
        for at in np.flatnonzero(marked)
    )


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


NOT_ASKED = "not asked"
"""Why a model has no score on an item that no row of the table names for it."""


def item_scores(table: ScoreTable, grid: ScoreGrid) -> ItemScores:
    """Take the scores of a grid, with the causes of those that are missing from its table."""
    without = table.frame.filter(pl.col("score").is_null())
    of_cell = without.group_by("model", "item").agg(pl.col("missing").unique().sort().str.join(", "))
    causes = {(model, item): cause for model, item, cause in of_cell.iter_rows()}
    without_score = np.argwhere(np.isnan(grid.scores)).tolist()
    missing = {(m, i): causes.get((grid.models[m], grid.items[i]), NOT_ASKED) for m, i in without_score}
    return ItemScores(grid, missing)


FEWEST_FOR_CORRELATION = 4
"""Of three models every order has a chance of 1/6 or more, so no correlation could be told from luck."""

# A standard deviation below this share of the greatest score is rounding.
_SPREAD_OF_ROUNDING = 1e-12

_CELLS_A_BLOCK = 1 << 18


def rest_correlations(scores: ArrayLike) -> F64:
    """Correlate the models' scores on each item with their means over the other items.

    The corrected item-total correlation, in which the item is no part of the total. Where scores are missing,
    the total is the mean over those of the other items that the model has a score on, so a model that missed
    hard items passes for better than it is. ``scores`` has shape (models, items), NaN is missing.

    Returns:
        Shape (items,), Pearson's correlation over models, in [-1, 1]; NaN below
        ``FEWEST_FOR_CORRELATION`` and where the scores on the item, or the means, do not vary.

    Source:
        Henrysson 1963, "Correction of item-total correlations in item analysis".
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"scores has shape {table.shape}, expected two dimensions: models and items.")
    there = ~np.isnan(table)
    totals, counts = np.where(there, table, 0.0).sum(axis=1), there.sum(axis=1)
    greatest = float(np.abs(table[there]).max(initial=0.0))
    size = max(1, _CELLS_A_BLOCK // max(len(table), 1))
    blocks = [
        _rest_correlations(table[:, start : start + size], totals[:, None], counts[:, None], greatest)
        for start in range(0, table.shape[1], size)
    ]
    return np.concatenate(blocks) if blocks else np.zeros(0)


def _rest_correlations(scores: F64, totals: F64, counts: F64, greatest: float) -> F64:
    rest = (totals - scores) / np.where(counts > 1, counts - 1, np.nan)
    both = ~np.isnan(rest)
    n = both.sum(axis=0)
    x, y = (np.where(both, values, 0.0) for values in (scores, rest))
    x, y = (np.where(both, values - values.sum(axis=0) / np.maximum(n, 1), 0.0) for values in (x, y))
    xx, yy = np.square(x).sum(axis=0), np.square(y).sum(axis=0)
    rounding = n * (_SPREAD_OF_ROUNDING * greatest) ** 2
    defined = (xx > rounding) & (yy > rounding) & (n >= FEWEST_FOR_CORRELATION)
    r = np.full(scores.shape[1], np.nan)
    np.divide((x * y).sum(axis=0), np.sqrt(np.where(defined, xx * yy, 1.0)), out=r, where=defined)
    return np.asarray(np.clip(r, -1.0, 1.0), dtype=np.float64)


def consistency(scores: ArrayLike, models: tuple[str, ...] = ()) -> Reliability:
    """Give KR-20 or Cronbach's alpha, with models in place of persons.

    k / (k - 1) x (1 - sum of the items' variances / variance of the models' totals). Kuder and Richardson
    divide by n, most programs for alpha by n - 1; as long as both variances have the same divisor it cancels,
    and it does here, so that KR-20 is alpha for scores of 0 and 1. ``scores`` has shape (models, items), NaN
    is missing.

    Returns:
        The coefficient over the items that every model has a score on. No value, and a reason, below three
        models or two such items, and where all models have the same total. Of two models it would be
        k / (k - 1) x (1 - d / g^2), d the items that only one gets right and g how many more the better does:
        -30 as soon as the two nearly tie, which says nothing of the items.

    Source:
        Kuder and Richardson 1937, "The theory of the estimation of test reliability", formula 20; Cronbach
        1951, "Coefficient alpha and the internal structure of tests".
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"scores has shape {table.shape}, expected two dimensions: models and items.")
    used = table[:, ~np.isnan(table).any(axis=0) & (len(table) > 0)]
    k, value, reason = used.shape[1], None, _why_not(used)
    if not reason:
        # About the items' means, the totals keep their variance and lose nothing to rounding.
        deviations = used - used.mean(axis=0)
        totals = deviations.sum(axis=1)
        of_totals = float(np.square(totals - totals.mean()).sum())
        if of_totals <= len(used) * (1e-12 * k * float(np.abs(used).max())) ** 2:
            reason = "all models have the same total"
        else:
            value = k / (k - 1) * (1 - float(np.square(deviations).sum(axis=0).sum()) / of_totals)
    is_binary = used.size and bool(((used == 0) | (used == 1)).all())
    coefficient = {"kr20" if is_binary else "alpha": value}
    return Reliability(**coefficient, over_models=models, items=k, reason=reason)


def _why_not(used: F64) -> str:
    models, items = used.shape
    if models < 3:
        return f"it needs three models; there {'are' if models == 2 else 'is'} {models or 'none'}"
    if items < 2:
        return f"it needs two items that every model has a score on; there is {items or 'none'}"
    return ""
