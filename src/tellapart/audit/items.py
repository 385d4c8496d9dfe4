"""What the items are like: difficulty, discrimination, flags, reliability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import log_expit, logit

from tellapart.audit.results import Flag, FlaggedItem, ItemScores, Reliability, Suspects
from tellapart.core.arrays import F64, I64
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.scores import ScoreTable
from tellapart.core.stats.consistency import consistency, rest_correlations

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
        reliability=_reliability(scored),
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


def _reliability(scored: ScoreGrid) -> Reliability:
    result = consistency(scored.scores)
    n_items, reason = int(np.count_nonzero(result.complete)), result.reason or ""
    if result.coefficient == "kr20":
        return Reliability(kr20=result.value, over_models=scored.models, items=n_items, reason=reason)
    return Reliability(alpha=result.value, over_models=scored.models, items=n_items, reason=reason)


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
    items = tuple(grid.items.tolist())
    return ItemScores(
        models=grid.models,
        items=items,
        scores=grid.scores,
        missing={
            (int(model), int(item)): causes.get((grid.models[model], items[item]), NOT_ASKED)
            for model, item in np.argwhere(np.isnan(grid.scores))
        },
        strata={
            name: tuple(None if code < 0 else stratum.values[code] for code in stratum.codes)
            for name, stratum in grid.strata.items()
        },
    )
