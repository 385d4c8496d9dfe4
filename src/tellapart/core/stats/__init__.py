"""Intervals, tests, corrections and sample sizes.

Arrays in, numbers or frozen dataclasses out. What cannot be computed is ``None``, with a reason where an
interval is missing. Arguments that no data can produce, such as NaN or unequal lengths, are ``ValueError``.
"""

from tellapart.core.stats.agreement import kappa_estimate
from tellapart.core.stats.bootstrap import bca_statistic
from tellapart.core.stats.intervals import (
    ClusteredEstimate,
    clustered_mean,
    clustered_rate,
    mean_once,
    wilson,
)
from tellapart.core.stats.item_correlation import rest_correlations
from tellapart.core.stats.multiplicity import holm_known
from tellapart.core.stats.order_statistics import quantile_estimates
from tellapart.core.stats.paired import PairedTest
from tellapart.core.stats.paired_parts import CellNoise, PairedParts, paired_parts
from tellapart.core.stats.permutation import block_permutation
from tellapart.core.stats.rank_correlation import kendall_tau_b
from tellapart.core.stats.reliability import consistency
from tellapart.core.stats.variance_components import VarianceComponents, variance_components

__all__ = [
    "CellNoise",
    "ClusteredEstimate",
    "PairedParts",
    "PairedTest",
    "VarianceComponents",
    "bca_statistic",
    "block_permutation",
    "clustered_mean",
    "clustered_rate",
    "consistency",
    "holm_known",
    "kappa_estimate",
    "kendall_tau_b",
    "mean_once",
    "paired_parts",
    "quantile_estimates",
    "rest_correlations",
    "variance_components",
    "wilson",
]
