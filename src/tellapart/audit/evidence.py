"""What causes and fixes are derived from: the pairs, their scores side by side, items, and plans."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from tellapart.audit.items import ItemAnalysis, ItemCurves
from tellapart.audit.options import AuditOptions
from tellapart.core.arrays import F64, I64
from tellapart.core.comparison import ComparisonSettings, PairComparison
from tellapart.core.comparison.compare import primary_family
from tellapart.core.comparison.labels import Corrected, corrected_difference
from tellapart.core.comparison.plan import GapSpread, Outlook, settle_at, whole
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats.paired_parts import CellNoise, PairedParts, paired_parts
from tellapart.report.comparison import Scale


@dataclass(frozen=True)
class SideBySide:
    """Two models on the items that both have scores on.

    Attributes:
        n_given: Items that both models were given, with or without a score.
        mean_a: Mean score of the first, NaN without an item.
        mean_b: Of the second.
        both_highest: Items on which both have the highest possible score.
        alike: Whether the difference is the same on every item, but for rounding.
        parts: Of the variance of the difference; None below two items.
    """

    n: int
    n_given: int
    mean_a: float
    mean_b: float
    both_highest: int
    both_lowest: int
    alike: bool
    parts: PairedParts | None


SUSPECT = 0.1
"""Items whose chance to rank all models backwards is above this are looked at for each pair."""

_ROUNDING = 1e-12
_NO_NOISE = CellNoise(None, None, 1.0, 1.0)


def compare_closely(grid: ScoreGrid, i: int, j: int, *, repeated: bool = True) -> SideBySide:
    """Put two models next to each other."""
    a, b = grid.scores[i], grid.scores[j]
    gaps = a - b
    both = ~np.isnan(gaps)
    n = int(np.count_nonzero(both))
    low, high = grid.limits
    return SideBySide(
        n=n,
        n_given=int(np.count_nonzero(grid.attempted[i] & grid.attempted[j])),
        mean_a=_mean(a[both]),
        mean_b=_mean(b[both]),
        both_highest=int(np.count_nonzero((a == high) & (b == high))),
        both_lowest=int(np.count_nonzero((a == low) & (b == low))),
        alike=n > 0 and float(np.ptp(gaps[both])) <= _ROUNDING * float(np.abs(a[both]).max()),
        parts=paired_parts(grid, i, j) if repeated else _without_noise(gaps[both]),
    )


def _without_noise(gaps: F64) -> PairedParts | None:
    if len(gaps) < 2:
        return None
    variance = float(gaps.var(ddof=1))
    return PairedParts(len(gaps), variance, variance, _NO_NOISE, _NO_NOISE)


def _mean(values: F64) -> float:
    return float(values.mean()) if len(values) else float("nan")


@dataclass(frozen=True)
class Evidence:
    """All that causes and fixes are derived from.

    Attributes:
        pairs: Every pair, with its verdict.
    """

    grid: ScoreGrid
    options: AuditOptions
    pairs: tuple[PairComparison, ...]
    items: ItemAnalysis
    _side_by_side: dict[tuple[str, str], SideBySide] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @cached_property
    def scale(self) -> Scale:
        """How scores and differences are shown, as on the page that shows these sentences."""
        return Scale.of(self.grid.limits)

    @cached_property
    def level(self) -> float:
        """Holm's level for the next claim: alpha over the pairs that are not separated."""
        return self.pairs[0].planned_level if self.pairs else self.options.alpha

    @cached_property
    def level_equivalent(self) -> float:
        """The same of the next claim that two models are equivalent."""
        tested = [pair.p_equivalent for pair in self.pairs if pair.p_equivalent is not None]
        return self.options.alpha / max(1, sum(p > self.options.alpha for p in tested))

    @cached_property
    def outlook(self) -> Outlook:
        """What can be believed of the pairs."""
        low, high = self.grid.limits
        return Outlook(self.pairs, self.options, GapSpread.of(self.pairs, high - low))

    @cached_property
    def places(self) -> dict[tuple[str, str], int]:
        """Place of each pair."""
        return {(pair.a, pair.b): index for index, pair in enumerate(self.pairs)}

    @cached_property
    def repeated(self) -> bool:
        """Whether some item was answered, or some answer graded, twice."""
        variances = (self.grid.answer_variance, self.grid.grading_variance)
        return not all(bool(np.isnan(variance).all()) for variance in variances)

    @cached_property
    def shared_answers(self) -> F64:
        """Shape (models, models): the answers of the row's model to items on which both have a score."""
        scored = ~np.isnan(self.grid.scores)
        answers: F64 = (self.grid.answers * scored).astype(np.float64) @ scored.T
        return answers

    @cached_property
    def curves(self) -> ItemCurves | None:
        """How likely each item ranks models backwards; None with too few models."""
        return self.items.curves

    @cached_property
    def suspects(self) -> I64:
        """Places of the items that may rank the models backwards, which are looked at for each pair."""
        chances = np.zeros(0) if self.curves is None else self.curves.backwards()
        return np.flatnonzero(chances > SUSPECT)

    @cached_property
    def rows(self) -> dict[str, int]:
        """Row of each model in the grid."""
        return {model: row for row, model in enumerate(self.grid.models)}

    def labels(self, pair: PairComparison) -> Corrected | None:
        """How labels correct the difference; None without labels, or with too few of these two."""
        return corrected_difference(self.grid, self.rows[pair.a], self.rows[pair.b])

    def of(self, pair: PairComparison) -> SideBySide:
        """Look at the scores of a pair; looked at once."""
        key = (pair.a, pair.b)
        if key not in self._side_by_side:
            self._side_by_side[key] = compare_closely(
                self.grid, self.rows[pair.a], self.rows[pair.b], repeated=self.repeated
            )
        return self._side_by_side[key]


@dataclass(frozen=True)
class Plan:
    """What is planned for a pair: to find the smallest difference that matters, or show that there is none.

    Attributes:
        index: Of the pair among all.
        n: Items that both models have scores on.
        spread: Of their difference over items.
        least: The difference to plan for; 0 where so many scores are missing that no number would do.
        settle: The items that settle the pair; None where that is not known.
    """

    index: int
    n: int
    spread: GapSpread
    least: float
    settle: int | None
    evidence: Evidence

    @property
    def variance(self) -> float:
        """Of the difference over items, in squared score units."""
        return float(self.spread.variance[0])

    @property
    def design_effect(self) -> float:
        """How much more the mean varies because items share sources."""
        return float(self.spread.design_effect[0])

    def items(self, variance: float | None = None, *, complete: bool = False) -> int | None:
        """Give the items that settle the pair, where the difference varied so much over items.

        If ``complete``, or where too many scores are missing for any, it is as many as would if none were.
        """
        if variance is None and self.settle and not complete:
            return self.settle
        spread, options = self.spread, self.evidence.options
        if variance is not None:
            spread = replace(spread, variance=np.array([variance]), exact=np.zeros(1))
        needed = spread.items_to_settle(
            options.least if complete else self.least or options.least,
            self.evidence.level,
            self.evidence.level_equivalent,
            options.power,
        )
        return whole(float(needed[0]))

    def is_settled(self, n: int, variance: float) -> bool:
        """Check whether n items would settle the pair, with so much variance of items that share sources."""
        needed = self.items(variance / self.design_effect)
        return needed is not None and needed <= n

    def chance(self, n: int, variance: float | None = None) -> float:
        """Give the chance that the pair separates with so many items."""
        more = 1.0 if variance is None or not self.variance else variance / self.variance
        return self.evidence.outlook.alone(self.index, n, more)


def plan_for(pair: PairComparison, evidence: Evidence) -> Plan:
    """Plan for a pair of the evidence, or for the same two on fewer items."""
    limits, least = evidence.grid.limits, settle_at(pair, evidence.options.least)
    spread = GapSpread.of([pair], limits[1] - limits[0])
    return Plan(evidence.places[pair.a, pair.b], pair.n, spread, least, pair.settle_items, evidence)


LIKELIER_THAN_NOT = 0.5


def backward_items(
    pair: PairComparison, evidence: Evidence
) -> tuple[tuple[str, ...], PairComparison] | tuple[()]:
    """Find items that keep a pair from being separated because they rank models backwards.

    They are chosen by the other models alone, as those that by these are likelier backwards than not: chosen
    on the pair, they would separate any. Their ids come with the pair as it compares without them.
    """
    if evidence.curves is None or not len(evidence.suspects):
        return ()
    grid, rows = evidence.grid, (evidence.rows[pair.a], evidence.rows[pair.b])
    chances = evidence.curves.backwards(rows, evidence.suspects)
    dropped = np.zeros(len(grid.items), dtype=bool)
    dropped[evidence.suspects[chances > LIKELIER_THAN_NOT]] = True
    dropped &= ~np.isnan(grid.scores[list(rows)]).any(axis=0)
    if not dropped.any():
        return ()
    # Without the baseline and the part of the audit's options: here the two are alone.
    options = evidence.options
    others = ComparisonSettings(
        sesoi=options.least, alpha=options.alpha, power=options.power, seed=options.seed
    )
    (left,) = primary_family(grid.only(~dropped).of_models(sorted(rows)), others).pairs
    if left.p is None or left.p > evidence.level:
        return ()
    return tuple(grid.items[dropped].tolist()), left


MOST_ANSWERS = 64
"""More further answers an item, or gradings an answer, than this are not advised."""

MOSTLY = 2 / 3
"""Share of the variance from which luck is the cause, whatever the number of items."""


@dataclass(frozen=True)
class PairNoise:
    """Variance over items of the difference between two models' mean scores, in squared score units.

    Attributes:
        items: Of the difference between expected scores, with what clusters add; holds the noise that was
            not recorded.
        answers: Of luck between answers to one item; holds the graders' where it was not recorded.
        gradings: Of luck between gradings of one answer.
        answered_again: Whether an item was answered twice by one of the two.
        graded_again: Whether an answer was graded twice.
    """

    items: float
    answers: float
    gradings: float
    answered_again: bool
    graded_again: bool
    parts: PairedParts

    @property
    def total(self) -> float:
        """The whole variance."""
        return self.items + self.answers + self.gradings

    @property
    def share(self) -> float:
        """Share of the variance that is luck, in [0, 1]; 0 where nothing varies."""
        return (self.answers + self.gradings) / self.total if self.total else 0.0

    def with_more(self, *, answers: int = 0, gradings: int = 0) -> float:
        """Give the variance with more answers an item, or more gradings an answer, of both models."""
        cells = (self.parts.a, self.parts.b)
        return self.items + sum(
            cell.of_mean(cell.answers + answers, cell.gradings + gradings) for cell in cells
        )


def noise_in(parts: PairedParts, design_effect: float) -> PairNoise:
    """Split the variance of a pair's difference."""
    noise = parts.a.of_mean() + parts.b.of_mean()
    cells = (parts.a, parts.b)
    gradings = sum((cell.grading or 0.0) / (cell.answers * cell.gradings) for cell in cells)
    return PairNoise(
        items=max(0.0, parts.variance * design_effect - noise),
        answers=noise - gradings,
        gradings=gradings,
        answered_again=any(cell.answer is not None for cell in cells),
        graded_again=any(cell.grading is not None for cell in cells),
        parts=parts,
    )


def is_the_cause(noise: PairNoise, plan: Plan, n: int) -> bool:
    """Check whether luck is what keeps n items from settling a pair.

    It is where at least ``MOSTLY`` of the variance is luck, so that without it a third of the items would
    do; and where half of it is and n items would do if there were none.
    """
    if noise.share < 0.5:
        return False
    return noise.share >= MOSTLY or plan.is_settled(n, noise.items)


def more_answers(noise: PairNoise, plan: Plan, n: int) -> int | None:
    """Give the fewest further answers an item with which n items settle a pair; None where none would do."""
    more = range(1, MOST_ANSWERS + 1)
    return next((k for k in more if plan.is_settled(n, noise.with_more(answers=k))), None)


def more_gradings(noise: PairNoise, plan: Plan, n: int) -> int | None:
    """Give the fewest further gradings an answer with which n items settle a pair; None where none do."""
    more = range(1, MOST_ANSWERS + 1) if noise.gradings else ()
    return next((k for k in more if plan.is_settled(n, noise.with_more(gradings=k))), None)
