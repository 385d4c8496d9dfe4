"""When two models count as different: Holm's correction, intervals at its level, and verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite

import numpy as np
from scipy.special import betaincinv, stdtr

from tellapart.core.arrays import F64, I64
from tellapart.core.comparison.pair_intervals import with_intervals
from tellapart.core.comparison.pair_tests import TestedPairs, p_equivalent
from tellapart.core.comparison.pairs import NOTHING_NEEDED, PairComparison, PairT, Verdict
from tellapart.core.comparison.plan import with_plans
from tellapart.core.comparison_settings import ALPHA, ComparisonSettings
from tellapart.core.estimate import Interval
from tellapart.core.progress import SILENT, Progress
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats.intervals import OUTSIDE_95, cluster_codes
from tellapart.core.stats.paired import (
    PairedTest,
    holm_known,
    holm_levels,
    mcnemar_exact,
    mean_differences,
    paired_differences,
)
from tellapart.core.stats.sign_flip import exact_p
from tellapart.core.stats.spending import ONE_LOOK

_ROUNDING = 1e-12


def correct_together(
    parts: Sequence[TestedPairs],
    settings: ComparisonSettings,
    progress: Progress = SILENT,
    before: Mapping[int, PairComparison] | None = None,
) -> list[PairComparison]:
    """Decide on the pairs of one family, which may be of several sets of items, and plan for them.

    Pairs that an earlier look at fewer items decided are in ``before`` by their places; they stay as they
    are, and Holm goes on with the others.
    """
    if not parts:
        return []
    decided = list(_decided(parts, settings, progress, before or {}, claims=False).values())
    level = settings.alpha / max(1, sum(not pair.is_separated for pair in decided))
    at_look = parts[0].look.nominal(level)
    return with_plans(decided, settings, parts[0].grid.span, level=level, at_look=at_look)


def decided_together(
    pairs: Sequence[PairT],
    intervals: Sequence[Callable[[float, bool], Interval | None]],
    settings: ComparisonSettings,
) -> list[PairT]:
    """Decide on the pairs of one family that were tested by another noise than that of the items.

    ``intervals`` give the interval of each at a level, and whether the test rejects at that.
    """
    tested = [pair.p for pair in pairs]
    adjusted, equivalent = holm_known(tested), holm_known([pair.p_equivalent for pair in pairs])
    levels = holm_levels(tested, adjusted, settings.alpha)
    decided = []
    for pair, interval, p, q, level in zip(pairs, intervals, adjusted, equivalent, levels, strict=True):
        if level is not None and p is not None and pair.p is not None:
            pair = replace(
                pair,
                p_adjusted=p,
                p_equivalent=q,
                level=level,
                interval=interval(level, p <= settings.alpha),
                interval_95=interval(OUTSIDE_95, pair.p <= OUTSIDE_95),
            )
        decided.append(decided_pair(pair, settings))
    planned = settings.alpha / max(1, sum(not pair.is_separated for pair in decided))
    return [replace(pair, planned_level=planned) for pair in decided]


def claims_at_look(
    part: TestedPairs, settings: ComparisonSettings, before: Mapping[int, PairComparison]
) -> dict[int, PairComparison]:
    """Give by their places the pairs that this look decides, beside those that were before."""
    decided = _decided([part], settings, SILENT, before, claims=True)
    return {k: pair for k, pair in decided.items() if pair.is_separated or pair.verdict is Verdict.EQUIVALENT}


def _decided(
    parts: Sequence[TestedPairs],
    settings: ComparisonSettings,
    progress: Progress,
    before: Mapping[int, PairComparison],
    *,
    claims: bool,
) -> dict[int, PairComparison]:
    """Decide on pairs by their places: on all, or on new claims alone."""
    tested = [_known(p) for part in parts for p in part.look.adjusted(part.p)]
    same = [_known(p) for part in parts for p in part.look.adjusted(part.p_equivalent)]
    different = list(tested)
    for k, pair in before.items():
        (different if pair.is_separated else same)[k] = 0.0
    adjusted, equivalent = holm_known(different), holm_known(same)
    levels = holm_levels(different, adjusted, settings.alpha)
    chosen = list(range(len(different)))
    if claims:
        claimed = [
            _holds(p, settings) or _holds(q, settings) for p, q in zip(adjusted, equivalent, strict=True)
        ]
        chosen = [k for k in chosen if k not in before and claimed[k]]
        parts = [parts[0].only(chosen)]
    pairs = [
        replace(pair, p=tested[k], p_adjusted=adjusted[k], p_equivalent=equivalent[k], level=levels[k])
        for k, pair in zip(chosen, (pair for part in parts for pair in _described(part)), strict=True)
    ]
    found = with_intervals(parts, pairs, settings, progress)
    places = ((part, at) for part in parts for at in part.pairs)
    decided = dict(before) if not claims else {}
    for k, pair, (part, at) in zip(chosen, found, places, strict=True):
        if k not in before:
            decided[k] = decided_pair(pair, settings, looks=part.look is not ONE_LOOK)
            if _hidden_by_missing(part, at, decided[k], settings):
                decided[k] = replace(decided[k], verdict=Verdict.WITHHELD)
    return {k: decided[k] for k in chosen}


def _known(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)


def _holds(p: float | None, settings: ComparisonSettings) -> bool:
    return p is not None and p <= settings.alpha


def _described(part: TestedPairs) -> Iterator[PairComparison]:
    """The pairs of one set of items with all that is not corrected."""
    every, grid = part.differences, part.grid
    lows, highs = _bounds(part)
    for k, at in enumerate(part.pairs):
        a, b = grid.models[every.first[at]], grid.models[every.second[at]]
        withheld = [grid.notes.withheld[model] for model in (a, b) if model in grid.notes.withheld]
        is_binary = bool(every.binary[at])
        yield PairComparison(
            a=a,
            b=b,
            n=int(every.n[at]),
            clusters=int(every.n_clusters[at]),
            difference=_known(every.difference[at]),
            sd=_known(every.sd[at]),
            design_effect=_known(every.design_effect[at]),
            binary=is_binary,
            interval=None,
            interval_95=None,
            level=None,
            test=None if np.isnan(part.p[k]) else part.tests[k],
            p=None,
            p_adjusted=None,
            p_equivalent=None,
            bounds=None if np.isnan(lows[at]) else (float(lows[at]), float(highs[at])),
            verdict=Verdict.NOT_SEPARATED,
            items_needed=NOTHING_NEEDED,
            planned_level=ALPHA,
            reason=every.reasons[at],
            only_a=int(every.only_a[at]) if is_binary else None,
            only_b=int(every.only_b[at]) if is_binary else None,
            stratum=part.stratum,
            withheld="; ".join(dict.fromkeys(withheld)),
        )


def _bounds(part: TestedPairs) -> tuple[F64, F64]:
    """Least and greatest differences that missing scores allow; where nothing is missing, those there are."""
    low, high, corrected = part.grid.low, part.grid.high, part.differences.difference
    if np.array_equal(low, high, equal_nan=True):
        return corrected, corrected
    # Labels move them as they move the difference.
    moved = 0.0 if part.grid.human is None else corrected - mean_differences(*[part.grid.scores] * 2)
    return mean_differences(low, high) + moved, mean_differences(high, low) + moved


def decided_pair(pair: PairT, settings: ComparisonSettings, *, looks: bool = False) -> PairT:
    """Decide on a pair by its adjusted p, its interval, the bounds over missing scores, and their notes.

    At one of several looks nothing is claimed without an interval: of few items that differ alike, those that
    differ the other way may just not have come yet.
    """
    verdict = Verdict.NOT_SEPARATED
    without_0 = not looks if pair.interval is None else 0.0 not in pair.interval
    if _holds(pair.p_adjusted, settings) and pair.difference and without_0:
        verdict = Verdict.A_BETTER if pair.difference > 0 else Verdict.B_BETTER
    elif _holds(pair.p_equivalent, settings):
        verdict = Verdict.EQUIVALENT
    if pair.withheld or _could_flip(pair, verdict, settings.least):
        verdict = Verdict.WITHHELD
    return replace(pair, verdict=verdict)


def _could_flip(pair: PairComparison, verdict: Verdict, sesoi: float) -> bool:
    """Whether values of the missing scores could turn the claim around; nothing missing turns nothing."""
    low, high = pair.bounds or (0.0, 0.0)
    if not _leaves_room(low, high):
        return False
    return {
        Verdict.A_BETTER: low < 0,
        Verdict.B_BETTER: high > 0,
        Verdict.EQUIVALENT: low <= -sesoi or high >= sesoi,
    }.get(verdict, False)


def _leaves_room(low: float, high: float) -> bool:
    """Whether bounds over missing scores differ by more than rounding."""
    return not isfinite(high - low) or high - low > _ROUNDING * (1 + abs(low))


def _hidden_by_missing(
    part: TestedPairs, at: int, pair: PairComparison, settings: ComparisonSettings
) -> bool:
    """Whether a claim fails with the worst scores for those one model lacks, the best for those of the other.

    Calls fail where a model is weak: two equal models then seem to differ on what is left, and two that
    differ to be equal.
    """
    low, high = pair.bounds or (0.0, 0.0)
    is_same = pair.verdict is Verdict.EQUIVALENT
    if not (pair.is_separated or is_same) or pair.difference is None or not _leaves_room(low, high):
        return False
    every, level = part.differences, part.look.nominal(pair.level or settings.alpha)
    if pair.test is PairedTest.LABELS:
        error, df = every.standard_error[at], every.effective_clusters[at] - 1.0
        if is_same:
            return bool(stdtr(df, (max(-low, high) - settings.least) / error) > level)
        least = (low if pair.difference > 0 else -high) / error
        return bool(2 * stdtr(df, -least) > level)
    two = int(every.first[at]), int(every.second[at])
    if is_same and pair.test is not None:
        chosen = part.grid.of_models(list(two))
        filled = ([part.grid.low[one], part.grid.high[other]] for one, other in (two, two[::-1]))
        grids = (replace(chosen, scores=np.stack(scores)) for scores in filled)
        return any(p_equivalent(grid, part.clusters, pair.test, settings.least) > level for grid in grids)
    ahead, behind = two if pair.difference > 0 else two[::-1]
    worst = np.stack([part.grid.low[ahead], part.grid.high[behind]])
    return not _is_ahead(worst, part.clusters, pair.test, level)


def _is_ahead(scores: F64, clusters: I64, test: PairedTest | None, level: float) -> bool:
    """Whether the first of two models is better at a level, with missing scores filled in.

    By the test that decides: McNemar's, a score being the chance of a right answer; flips of signs where
    their p is exact; else Student's.
    """
    if test is PairedTest.MCNEMAR:
        first, second = scores[:, ~np.isnan(scores).any(axis=0)]
        won, lost = float((first * (1 - second)).sum()), float((second * (1 - first)).sum())
        return won > lost and mcnemar_exact(round(won), round(lost)) <= level
    if test is PairedTest.SIGN_FLIP:
        gaps: F64 = np.nan_to_num(scores[0] - scores[1])
        sums = np.asarray(np.bincount(clusters, weights=gaps), dtype=np.float64)
        terms = sums[np.abs(sums) > _ROUNDING]
        p = exact_p(terms) if len(terms) else None
        return bool(gaps.sum() > _ROUNDING and p is not None and p <= level)
    filled = paired_differences(scores, clusters)
    return bool(filled.difference[0] > 0 and filled.p_clustered[0] <= level)


def could_be_undone(grid: ScoreGrid, pair: PairComparison, model: str, least: float = 0.0) -> float:
    """Give the share of sources lost wholly, beyond those seen, that would undo a claim; 0 where none could.

    The claim is that ``model`` is not behind by ``least`` or more. A t test and flips of signs take it that
    differences as rare as these are in the sample: with none among ``n`` sources, a share of up to
    1 - level^(1 / n) can be missed. Exact tests of right and wrong answers allow for failures that are too
    rare to be seen, and so does the correction by labels.

    Source:
        Clopper and Pearson 1934, "The use of confidence or fiducial limits illustrated in the case of the
        binomial"; without any failure, Hanley and Lippman-Hand 1983, "If nothing goes wrong, is everything
        all right?", the rule of three.
    """
    change, _ = pair.of(model)
    is_exact = pair.test is PairedTest.MCNEMAR or (
        pair.test is PairedTest.LABELS and pair.binary and pair.clusters == pair.n
    )
    if is_exact or not isfinite(grid.span) or pair.level is None or change is None:
        return 0.0
    other = pair.b if model == pair.a else pair.a
    better, behind = (grid.scores[grid.models.index(name)] for name in (model, other))
    clusters, _ = cluster_codes(grid.clusters, len(grid.items))
    known = ~np.isnan(better - behind)
    sums, sizes = np.bincount(clusters[known], (better - behind)[known]), np.bincount(clusters[known])
    n, failed = np.count_nonzero(sizes), int(np.count_nonzero(sums < -grid.span / 2 * sizes))
    unseen = 0.0
    if failed < n:
        unseen = float(betaincinv(failed + 1, n - failed, 1 - pair.level / 2)) - failed / n
    share = (change + least) / (grid.span + change) if grid.span + change > 0 else 0.0
    return share if unseen >= share else 0.0
