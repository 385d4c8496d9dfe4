"""Bootstrap intervals of the models' means, all from the same resamples."""

from __future__ import annotations

from dataclasses import dataclass

from tellapart.audit.options import AuditOptions
from tellapart.core.randomness import generator
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats import BootstrapEstimate, Interval, bootstrap_means


@dataclass(frozen=True)
class Resamples:
    """What resampling the items, whole clusters at a time, says of the models.

    Attributes:
        means: By model, its mean with its BCa interval.
        percentiles: By model, the interval between quantiles of its resampled means; None where it has none.
    """

    means: dict[str, BootstrapEstimate]
    percentiles: dict[str, Interval | None]


def resample(grid: ScoreGrid, options: AuditOptions) -> Resamples:
    """Resample the items of a grid.

    Args:
        grid: The scores.
        options: With the number of resamples, at least 2, and the seed.
    """
    found = bootstrap_means(
        grid.scores,
        rng=generator(options.seed, "audit", "resamples"),
        clusters=grid.clusters,
        resamples=options.resamples,
    )
    return Resamples(
        means=dict(zip(grid.models, found.means, strict=True)),
        percentiles=dict(zip(grid.models, found.percentiles, strict=True)),
    )
