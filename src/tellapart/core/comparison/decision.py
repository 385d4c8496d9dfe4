"""When two models count as different: which test, Holm's correction, intervals at its level, verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, sqrt
from typing import TypeAlias

import numpy as np
from scipy.special import betaincinv, stdtr, stdtrit

from tellapart.core.arrays import F64, I64
from tellapart.core.comparison.labels import corrected_differences
from tellapart.core.comparison.looks import ONE_LOOK, Look
from tellapart.core.comparison.pairs import NOTHING_NEEDED, PairComparison, PairT, Verdict
from tellapart.core.comparison.plan import with_plans
from tellapart.core.comparison_settings import ALPHA, ComparisonSettings
from tellapart.core.estimate import Interval
from tellapart.core.progress import SILENT, Progress, counted
from tellapart.core.randomness import generator
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats.equivalence import tost_binary, tost_constant, tost_score, unseen_failures
from tellapart.core.stats.intervals import OUTSIDE_95, cluster_codes
from tellapart.core.stats.paired import (
    PairedDifferences,
    PairedTest,
    holm_known,
    holm_levels,
    mcnemar_exact,
    mcnemar_interval,
    mean_differences,
    paired_differences,
)
from tellapart.core.stats.sign_flip import draws_for, exact_p, sign_flip_p
from tellapart.core.stats.sign_flip_interval import sign_flip_intervals

ENOUGH_FOR_T = 200
"""Fewer items, or clusters where items share them, than this are too few for Student's t."""

# Strata are many, and are detail.
_TAIL, _TAIL_OF_PART = 40, 4
# An end of an interval may be off by more than a p: where it matters, beside 0, the test decides.
_LESS_FOR_ENDS = 4
_ROUNDING = 1e-12

_FEW_FOR_A_TAIL = 5

_Wanted: TypeAlias = tuple[tuple[float, bool], tuple[float, bool]]
"""Level, and whether the test rejects at it, of the interval in the family and of that of the pair alone."""

_Both: TypeAlias = tuple[Interval | None, Interval | None]


def paired_test(n: int, n_clusters: int, *, binary: bool) -> PairedTest:
    """Choose the test of two models.

    Exact McNemar where scores are 0 or 1 and no two items share a cluster; else flips of the signs of whole
    clusters where these are fewer than ``ENOUGH_FOR_T``; else Student's t with clustered standard errors.

    Source:
        Miller 2024, "Adding Error Bars to Evals", for paired differences and clusters; the tests themselves
        where they are.
    """
    if binary and n == n_clusters:
        return PairedTest.MCNEMAR
    return PairedTest.SIGN_FLIP if n_clusters < ENOUGH_FOR_T else PairedTest.T


@dataclass(frozen=True)
class TestedPairs:
    """The pairs of one set of items, tested but not yet corrected.

    Attributes:
        clusters: Shape (items,), the clusters, numbered from 0.
        differences: Of every two models.
        pairs: Places in ``differences`` of the pairs of the family.
        p: Shape (pairs,), two-sided, of no difference; NaN below two items or two clusters.
        p_equivalent: Shape (pairs,), of a difference of at least the smallest that matters.
        part: Names the items, for the draws; empty for all.
        stratum: The value of the secondary column, or None.
        look: Which of several looks at growing scores this is.
    """

    grid: ScoreGrid
    clusters: I64
    differences: PairedDifferences
    pairs: tuple[int, ...]
    tests: tuple[PairedTest, ...]
    p: F64
    p_equivalent: F64
    part: tuple[str, ...]
    stratum: str | None
    look: Look

    def only(self, chosen: Sequence[int]) -> TestedPairs:
        """Keep some of the pairs."""
        pairs, tests = tuple(self.pairs[k] for k in chosen), tuple(self.tests[k] for k in chosen)
        p, q = self.p[list(chosen)], self.p_equivalent[list(chosen)]
        return replace(self, pairs=pairs, tests=tests, p=p, p_equivalent=q)

    @property
    def tail(self) -> int:
        """Draws on which the smallest p that is claimed is to rest."""
        return _TAIL if self.stratum is None else _TAIL_OF_PART


def run_tests(
    grid: ScoreGrid,
    settings: ComparisonSettings,
    *,
    part: tuple[str, ...] = (),
    stratum: str | None = None,
    parts: int = 1,
    look: Look = ONE_LOOK,
    progress: Progress = SILENT,
) -> TestedPairs:
    """Test every two models, or each against the baseline, as `paired_test` chooses.

    Scores that people labelled in part are corrected by the labels, and tested by Student's t over these.
    Models whose difference does not vary have no t test. Where they differ by the same on every item, or in
    every cluster, 2 of the 2^clusters flips of signs are as extreme; where they do not differ, all are.
    ``part`` and ``stratum`` name the part of the items that the grid is, and ``parts`` is how many sets of
    items are corrected together, on which the number of draws depends.
    """
    clusters, _ = cluster_codes(grid.clusters, len(grid.items))
    is_labelled = grid.human is not None
    every = corrected_differences(grid) if is_labelled else paired_differences(grid.scores, clusters)
    names = [(grid.models[i], grid.models[j]) for i, j in zip(every.first, every.second, strict=True)]
    pairs = tuple(k for k, two in enumerate(names) if settings.baseline is None or settings.baseline in two)
    tests = tuple(
        PairedTest.LABELS
        if is_labelled
        else paired_test(int(every.n[k]), int(every.n_clusters[k]), binary=bool(every.binary[k]))
        for k in pairs
    )
    chosen = list(pairs)
    testable = (every.n[chosen] > 1) & (every.n_clusters[chosen] > 1)
    if is_labelled:
        testable &= ~np.isnan(every.standard_error[chosen])
    untested = TestedPairs(grid, clusters, every, pairs, tests, np.zeros(0), np.zeros(0), part, stratum, look)
    return replace(
        untested,
        p=np.where(testable, _p_different(untested, settings, len(pairs) * parts, progress), np.nan),
        p_equivalent=np.where(testable, _p_equivalent(untested, settings.least), np.nan),
    )


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
    (low, high), at_look = parts[0].grid.limits, parts[0].look.nominal(level)
    return with_plans(decided, settings, high - low, level=level, at_look=at_look)


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
        if level is not None:
            pair = replace(
                pair,
                p_adjusted=p,
                p_equivalent=q,
                level=level,
                interval=interval(level, _at_most(p, settings.alpha)),
                interval_95=interval(OUTSIDE_95, _at_most(pair.p, OUTSIDE_95)),
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
    different, same = (
        [
            None if np.isnan(p) else float(p)
            for part in parts
            for p in part.look.adjusted(getattr(part, of_part))
        ]
        for of_part in ("p", "p_equivalent")
    )
    tested = list(different)
    for k, pair in before.items():
        (different if pair.is_separated else same)[k] = 0.0
    adjusted, equivalent = holm_known(different), holm_known(same)
    levels = holm_levels(different, adjusted, settings.alpha)
    chosen = list(range(len(different)))
    if claims:
        claimed = [
            _at_most(p, settings.alpha) or _at_most(q, settings.alpha)
            for p, q in zip(adjusted, equivalent, strict=True)
        ]
        chosen = [k for k in chosen if k not in before and claimed[k]]
        parts = [parts[0].only(chosen)]
    pairs = [
        replace(pair, p=tested[k], p_adjusted=adjusted[k], p_equivalent=equivalent[k], level=levels[k])
        for k, pair in zip(chosen, (pair for part in parts for pair in _described(part)), strict=True)
    ]
    with_intervals = zip(chosen, _with_intervals(parts, pairs, settings, progress), strict=True)
    is_look = any(part.look is not ONE_LOOK for part in parts)
    decided = {}
    for (k, pair), (part, at) in zip(with_intervals, _places_of(parts), strict=True):
        decided[k] = before[k] if k in before else decided_pair(pair, settings, looks=is_look)
        if k not in before and _hidden_by_missing(part, at, decided[k], settings):
            decided[k] = replace(decided[k], verdict=Verdict.WITHHELD)
    return decided


def _may_have_a_tail(part: TestedPairs, at: int, level: float) -> bool:
    """Whether items for the model behind may be about to come, so few of them that hardly any is there yet.

    Of graded scores. As many such items may exist as leave so few with a chance above ``level``; each could
    turn the difference by the whole scale. Where there are five of them or more, those that differ by little
    may hide that none of the others has come.
    """
    every, n = part.differences, int(part.differences.n_clusters[at])
    difference = abs(float(every.difference[at]))
    fewest = min(int(every.only_a[at]), int(every.only_b[at]))
    fewest = fewest if fewest < _FEW_FOR_A_TAIL else 0
    share = float(betaincinv(fewest + 1, n - fewest, 1 - level)) if n > fewest else 1.0
    return share * (part.grid.limits[1] - part.grid.limits[0]) >= (1 - share) * difference


def _p_different(part: TestedPairs, settings: ComparisonSettings, family: int, progress: Progress) -> F64:
    every, at = part.differences, list(part.pairs)
    constant = np.where(every.difference[at] == 0, 1.0, 0.5 ** (every.n_clusters[at] - 1.0))
    varies = ~np.isnan(every.standard_error[at])
    p = np.where(varies, every.p_clustered[at], constant)
    for k, test in enumerate(part.tests):
        if test is PairedTest.MCNEMAR:
            p[k] = mcnemar_exact(int(every.only_a[at[k]]), int(every.only_b[at[k]]))
    if part.look is not ONE_LOOK:
        level = part.look.nominal(settings.alpha)
        skewed = [_may_have_a_tail(part, pair_index, level) for pair_index in at]
        graded = [test in (PairedTest.SIGN_FLIP, PairedTest.T) for test in part.tests]
        p[np.logical_and(skewed, graded)] = 1.0
        varies &= ~np.logical_and(skewed, graded)
    flipped = [k for k, test in enumerate(part.tests) if test is PairedTest.SIGN_FLIP and varies[k]]
    if flipped:
        level = part.look.nominal(settings.alpha)
        draws = draws_for(family, level, tail=part.tail)
        with progress.step(f"testing {len(flipped):,} pairs", draws, unit="draws") as step:
            p[flipped] = sign_flip_p(
                part.grid.scores,
                part.clusters,
                _places(part, flipped),
                rng=generator(settings.seed, "sign flips", *part.part),
                draws=draws,
                alpha=level,
                on_draws=step.update,
            )
    return p


def _p_equivalent(part: TestedPairs, margin: float) -> F64:
    every, at = part.differences, list(part.pairs)
    span = part.grid.limits[1] - part.grid.limits[0]
    varies = ~np.isnan(every.standard_error[at])
    if part.grid.human is not None:
        distance = np.abs(np.nan_to_num(every.difference[at]))
        rare = tost_constant(distance, np.nan_to_num(every.effective_clusters[at]), margin, span)
        p = stdtr(every.effective_clusters[at] - 1.0, (distance - margin) / every.standard_error[at])
        return np.where(varies & (distance < margin), np.maximum(p, rare), 1.0)
    p = tost_constant(np.nan_to_num(every.difference[at]), every.n_clusters[at], margin, span)
    by_score = [
        k
        for k, test in enumerate(part.tests)
        if test in (PairedTest.SIGN_FLIP, PairedTest.T)
        and varies[k]
        and abs(every.difference[at[k]]) < margin
    ]
    # A failure that is too rare to be there has no part in the variance of the differences that are.
    rare = p[by_score]
    p[varies] = 1.0
    score = tost_score(part.grid.scores, part.clusters, _places(part, by_score), margin, span)
    p[by_score] = np.maximum(score, rare) if isfinite(span) else score
    binary = tost_binary(every.only_a[at], every.only_b[at], np.maximum(every.n[at], 1), margin)
    return np.where([test is PairedTest.MCNEMAR for test in part.tests], binary, p)


def _places(part: TestedPairs, chosen: Sequence[int]) -> list[tuple[int, int]]:
    """The places of the two models of some pairs of the family."""
    first, second = part.differences.first, part.differences.second
    return [(int(first[part.pairs[k]]), int(second[part.pairs[k]])) for k in chosen]


def _described(part: TestedPairs) -> list[PairComparison]:
    every, grid = part.differences, part.grid
    lows, highs = _bounds(part)
    return [
        PairComparison(
            a=grid.models[every.first[at]],
            b=grid.models[every.second[at]],
            n=int(every.n[at]),
            clusters=int(every.n_clusters[at]),
            difference=_finite_or_none(every.difference[at]),
            sd=_finite_or_none(every.sd[at]),
            design_effect=_finite_or_none(every.design_effect[at]),
            binary=bool(every.binary[at]),
            interval=None,
            interval_95=None,
            level=None,
            test=None if np.isnan(part.p[k]) else part.tests[k],
            p=_finite_or_none(part.p[k]),
            p_adjusted=None,
            p_equivalent=_finite_or_none(part.p_equivalent[k]),
            bounds=None if np.isnan(lows[at]) else (float(lows[at]), float(highs[at])),
            verdict=Verdict.NOT_SEPARATED,
            items_needed=NOTHING_NEEDED,
            planned_level=ALPHA,
            reason=every.reasons[at],
            only_a=int(every.only_a[at]) if every.binary[at] else None,
            only_b=int(every.only_b[at]) if every.binary[at] else None,
            stratum=part.stratum,
            withheld=_withheld(grid, every.first[at], every.second[at]),
        )
        for k, at in enumerate(part.pairs)
    ]


def _withheld(grid: ScoreGrid, first: int, second: int) -> str:
    """Why no verdict on two models can rest on their scores; empty where one can."""
    notes = grid.notes.withheld
    return "; ".join(dict.fromkeys(notes[m] for k in (first, second) if (m := grid.models[k]) in notes))


def _bounds(part: TestedPairs) -> tuple[F64, F64]:
    """Least and greatest differences that missing scores allow; where nothing is missing, those there are."""
    low, high, corrected = part.grid.low, part.grid.high, part.differences.difference
    if np.array_equal(low, high, equal_nan=True):
        return corrected, corrected
    # Labels move them as they move the difference.
    moved = 0.0 if part.grid.human is None else corrected - mean_differences(*[part.grid.scores] * 2)
    return mean_differences(low, high) + moved, mean_differences(high, low) + moved


def _finite_or_none(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)


def _with_intervals(
    parts: Sequence[TestedPairs],
    pairs: Sequence[PairComparison],
    settings: ComparisonSettings,
    progress: Progress,
) -> list[PairComparison]:
    """Set the interval of each pair at Holm's level and at 95 %, by inverting the test that decides."""
    done: list[PairComparison] = []
    for part in counted(parts, progress, "computing intervals", unit="sets of items"):
        of_part = pairs[len(done) : len(done) + len(part.pairs)]
        wanted = [
            (
                (
                    part.look.nominal(pair.level or settings.alpha),
                    _at_most(pair.p_adjusted, settings.alpha),
                ),
                (part.look.nominal(OUTSIDE_95), _at_most(pair.p, OUTSIDE_95)),
            )
            for pair in of_part
        ]
        by_test = {
            PairedTest.MCNEMAR: _exact_intervals,
            PairedTest.SIGN_FLIP: _flipped_intervals,
            PairedTest.T: _t_intervals,
            PairedTest.LABELS: _t_intervals,
        }
        ends: dict[int, _Both] = {}
        for test, intervals in by_test.items():
            chosen = [
                k
                for k, pair in enumerate(of_part)
                if pair.test is test and (test is PairedTest.MCNEMAR or not pair.reason)
            ]
            if chosen:
                computed = intervals(part, chosen, [wanted[k] for k in chosen], settings, progress)
                ends.update(zip(chosen, computed, strict=True))
        for k, pair in enumerate(of_part):
            if pair.test is not None and k not in ends:
                first, second = (
                    _still_interval(part, part.pairs[k], *wanted_end) for wanted_end in wanted[k]
                )
                ends[k] = (first, second) if first else (None, None)
        for k, pair in enumerate(of_part):
            interval, interval_95 = ends.get(k, (None, None))
            reason = "" if pair.test is PairedTest.MCNEMAR or interval else pair.reason
            if pair.test is not None and interval is None and not reason:
                reason = f"no interval at level {pair.level:.2g} can be had from {pair.clusters} clusters"
            done.append(replace(pair, interval=interval, interval_95=interval_95, reason=reason))
    return done


def _at_most(p: float | None, level: float) -> bool:
    return p is not None and p <= level


def _exact_intervals(
    part: TestedPairs,
    chosen: Sequence[int],
    wanted: Sequence[_Wanted],
    settings: ComparisonSettings,
    progress: Progress,
) -> list[_Both]:
    every, at = part.differences, [part.pairs[k] for k in chosen]
    only_a, only_b, n = (np.repeat(values[at], 2) for values in (every.only_a, every.only_b, every.n))
    levels, rejects = zip(*(end for both in wanted for end in both), strict=True)
    lows, highs = mcnemar_interval(only_a, only_b, n, levels, rejects)
    ends = [Interval(float(low), float(high)) for low, high in zip(lows, highs, strict=True)]
    return list(zip(ends[::2], ends[1::2], strict=True))


def _flipped_intervals(
    part: TestedPairs,
    chosen: Sequence[int],
    wanted: Sequence[_Wanted],
    settings: ComparisonSettings,
    progress: Progress,
) -> list[_Both]:
    with progress.step("intervals", len(chosen), unit="pairs") as step:
        ends = sign_flip_intervals(
            part.grid.scores,
            part.clusters,
            _places(part, chosen),
            [tuple(level for level, _ in both) for both in wanted],
            [tuple(rejects for _, rejects in both) for both in wanted],
            rng=generator(settings.seed, "sign flip intervals", *part.part),
            tail=part.tail // _LESS_FOR_ENDS,
            on_pairs=step.update,
        )
    return [(interval, interval_95) for interval, interval_95 in ends]


def _t_intervals(
    part: TestedPairs,
    chosen: Sequence[int],
    wanted: Sequence[_Wanted],
    settings: ComparisonSettings,
    progress: Progress,
) -> list[_Both]:
    every = part.differences

    def interval_of(at: int, level: float, rejects: bool) -> Interval:
        centre = float(every.difference[at])
        half = float(stdtrit(every.effective_clusters[at] - 1.0, 1 - level / 2) * every.standard_error[at])
        low, high = centre - half, centre + half
        if not rejects:
            low, high = min(low, 0.0), max(high, 0.0)
        return Interval(low, high)

    return [
        (interval_of(part.pairs[k], *first), interval_of(part.pairs[k], *second))
        for k, (first, second) in zip(chosen, wanted, strict=True)
    ]


def _still_interval(part: TestedPairs, at: int, level: float, rejects: bool) -> Interval | None:
    """The interval of two models whose difference is the same on every item, or in every cluster.

    Where it is the same on every item, clusters on which they differ as much as can be may be so rare that
    none is there: the interval holds the shares of them that leave none with a chance above ``level / 2``, as
    `tost_constant` does. Where only the clusters do not differ, their items are taken as independent: they
    vary at least as much. None where it would contradict the test, or differences have no end.
    """
    every, grid = part.differences, part.grid
    centre, clusters = float(every.difference[at]), float(every.n_clusters[at])
    span = grid.limits[1] - grid.limits[0]
    if every.sd[at] > 0:
        half = float(stdtrit(clusters - 1, 1 - level / 2) * every.sd[at] / sqrt(every.n[at]))
        low, high = max(centre - half, -span), min(centre + half, span)
    else:
        unseen = 1 - (level / 2) ** (1 / clusters)
        low, high = centre - (span + centre) * unseen, centre + (span - centre) * unseen
    if not isfinite(high - low) or (rejects and low <= 0 <= high):
        return None
    return Interval(low, high) if rejects else Interval(min(low, 0.0), max(high, 0.0))


def could_be_undone(grid: ScoreGrid, pair: PairComparison, model: str, least: float = 0.0) -> float:
    """Give the share of sources lost wholly, beyond those seen, that would undo a claim; 0 where none could.

    The claim is that ``model`` is not behind by ``least`` or more. Exact tests of right and wrong answers
    allow for failures that are too rare to be seen, and so does the correction by labels.
    """
    range_ = grid.limits[1] - grid.limits[0]
    change, _ = pair.of(model)
    is_exact = pair.test is PairedTest.MCNEMAR or (
        pair.test is PairedTest.LABELS and pair.binary and pair.clusters == pair.n
    )
    if is_exact or not isfinite(range_) or pair.level is None or change is None:
        return 0.0
    other = pair.b if model == pair.a else pair.a
    better, behind = (grid.scores[grid.models.index(name)] for name in (model, other))
    clusters, _ = cluster_codes(grid.clusters, len(grid.items))
    share = (change + least) / (range_ + change) if range_ + change > 0 else 0.0
    return share if unseen_failures(better, behind, clusters, range_, pair.level / 2) >= share else 0.0


def decided_pair(pair: PairT, settings: ComparisonSettings, *, looks: bool = False) -> PairT:
    """Decide on a pair by its adjusted p, its interval, the bounds over missing scores, and their notes.

    At one of several looks nothing is claimed without an interval: of few items that differ alike, those that
    differ the other way may just not have come yet.
    """
    verdict = Verdict.NOT_SEPARATED
    if (
        _at_most(pair.p_adjusted, settings.alpha)
        and pair.difference
        and (not looks if pair.interval is None else 0.0 not in pair.interval)
    ):
        verdict = Verdict.A_BETTER if pair.difference > 0 else Verdict.B_BETTER
    elif _at_most(pair.p_equivalent, settings.alpha):
        verdict = Verdict.EQUIVALENT
    if pair.withheld or _could_flip(pair, verdict, settings.least):
        verdict = Verdict.WITHHELD
    return replace(pair, verdict=verdict)


def _places_of(parts: Sequence[TestedPairs]) -> Iterator[tuple[TestedPairs, int]]:
    """Of each pair its set of items, and its place among the differences there."""
    return ((part, at) for part in parts for at in part.pairs)


def _hidden_by_missing(
    part: TestedPairs, at: int, pair: PairComparison, settings: ComparisonSettings
) -> bool:
    """Whether a difference is none with the worst scores for missing ones of the better, the best for others.

    Calls fail where a model is weak, and two equal models then seem to differ on what is left.
    """
    low, high = pair.bounds or (0.0, 0.0)
    if not pair.is_separated or pair.difference is None or high - low <= _ROUNDING * (1 + abs(low)):
        return False
    first, second = int(part.differences.first[at]), int(part.differences.second[at])
    level = part.look.nominal(pair.level or settings.alpha)
    if pair.test is PairedTest.LABELS:
        least = (low if pair.difference > 0 else -high) / part.differences.standard_error[at]
        return bool(2 * stdtr(part.differences.effective_clusters[at] - 1.0, -least) > level)
    ahead, behind = (first, second) if pair.difference > 0 else (second, first)
    worst = np.stack([part.grid.low[ahead], part.grid.high[behind]])
    return not _is_ahead(worst, part.clusters, pair.test, level)


def _is_ahead(scores: F64, clusters: I64, test: PairedTest | None, level: float) -> bool:
    """Whether the first of two models is better at a level, with missing scores filled in.

    By the test that decides: McNemar's, a score being the chance of a right answer; flips of signs where
    their p is exact; else Student's.
    """
    if test is PairedTest.MCNEMAR:
        first, second = scores[:, ~np.isnan(scores).any(axis=0)]
        won, lost = (
            float((right * (1 - wrong)).sum()) for right, wrong in ((first, second), (second, first))
        )
        return won > lost and mcnemar_exact(round(won), round(lost)) <= level
    if test is PairedTest.SIGN_FLIP:
        gaps: F64 = np.nan_to_num(scores[0] - scores[1])
        sums = np.asarray(np.bincount(clusters, weights=gaps), dtype=np.float64)
        terms = sums[np.abs(sums) > _ROUNDING]
        p = exact_p(terms) if len(terms) else None
        return bool(gaps.sum() > _ROUNDING and p is not None and p <= level)
    filled = paired_differences(scores, clusters)
    return bool(filled.difference[0] > 0 and filled.p_clustered[0] <= level)


def _could_flip(pair: PairComparison, verdict: Verdict, sesoi: float) -> bool:
    """Whether values of the missing scores could turn the claim around; nothing missing turns nothing."""
    low, high = pair.bounds or (0.0, 0.0)
    if isfinite(high - low) and high - low <= _ROUNDING * (1 + abs(low)):
        return False
    return {
        Verdict.A_BETTER: low < 0,
        Verdict.B_BETTER: high > 0,
        Verdict.EQUIVALENT: low <= -sesoi or high >= sesoi,
    }.get(verdict, False)
