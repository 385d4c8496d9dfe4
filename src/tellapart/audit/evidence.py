"""What is known before causes are named."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tellapart.audit.findings import ItemFindings, StratumSeparation, Variance
from tellapart.audit.items import examine
from tellapart.audit.options import AuditOptions
from tellapart.audit.pairs import Pair
from tellapart.audit.separation import by_stratum
from tellapart.audit.side_by_side import SideBySide, compare_closely
from tellapart.audit.variance import components
from tellapart.core.comparison import Verdict
from tellapart.core.comparison.compare import primary_family
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats import RestCorrelations, rest_correlations


@dataclass(frozen=True)
class Evidence:
    """All that causes and fixes are derived from.

    Attributes:
        grid: The scores.
        options: Of the audit.
        pairs: Every pair, with its verdict.
        strata: What each kind of items separates.
        items: What the items are like.
        variance: Its parts.
    """

    grid: ScoreGrid
    options: AuditOptions
    pairs: tuple[Pair, ...]
    strata: tuple[StratumSeparation, ...]
    items: ItemFindings
    variance: Variance
    _seen: dict[tuple[str, str], SideBySide] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

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
    def columns(self) -> tuple[str, ...]:
        """The columns that sort items into kinds and are looked into."""
        return tuple(dict.fromkeys(stratum.column for stratum in self.strata))

    @cached_property
    def kind_levels(self) -> dict[str, float]:
        """By column, Holm's level for the next claim over the pairs of all of its kinds."""
        return {kind.column: kind.planned_level for kind in self.strata}

    @cached_property
    def repeated(self) -> bool:
        """Whether some item was answered, or some answer graded, twice."""
        variances = (self.grid.answer_variance, self.grid.grading_variance)
        return not all(bool(np.isnan(variance).all()) for variance in variances)

    @cached_property
    def correlations(self) -> RestCorrelations:
        """Of each item, how the models' scores on it go with their other scores."""
        return rest_correlations(self.grid.scores)

    @cached_property
    def suspects(self) -> bool:
        """Whether some item may rank the models backwards, so that it is worth looking pair by pair."""
        return bool(self.correlations.negative(rate=0.25).any())

    @cached_property
    def rows(self) -> dict[str, int]:
        """Row of each model in the grid."""
        return {model: row for row, model in enumerate(self.grid.models)}

    def of(self, pair: Pair) -> SideBySide:
        """Look at the scores of a pair; looked at once."""
        key = (pair.a, pair.b)
        if key not in self._seen:
            columns = () if pair.verdict is Verdict.EQUIVALENT else self.columns
            self._seen[key] = compare_closely(
                self.grid, self.rows[pair.a], self.rows[pair.b], columns, repeated=self.repeated
            )
        return self._seen[key]


def gather(grid: ScoreGrid, options: AuditOptions) -> Evidence:
    """Compare every pair and look at items and variance.

    Args:
        grid: Of at least two models.
        options: Of the audit.

    Raises:
        InputError: The stratum asked for is unknown or sorts no items.
    """
    pairs = tuple(Pair(**vars(pair)) for pair in primary_family(grid, options).pairs)
    return Evidence(grid, options, pairs, by_stratum(grid, options), examine(grid), components(grid))
