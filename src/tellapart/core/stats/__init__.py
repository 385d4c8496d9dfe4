"""Intervals, tests, corrections and sample sizes.

Arrays in, numbers or frozen dataclasses out. What cannot be computed is ``None``, with a reason where an
interval is missing. Arguments that no data can produce, such as NaN or unequal lengths, are ``ValueError``.
"""

from tellapart.core.stats.agreement import cohen_kappa, cohen_kappa_of, kappa_estimate
from tellapart.core.stats.all_pairs import PairedDifferences, mean_differences, paired_differences, win_rates
from tellapart.core.stats.bootstrap import MeansBootstrap, bca, bca_statistic, bootstrap_means
from tellapart.core.stats.capture import TwoCatches, chapman, chapman_sum
from tellapart.core.stats.equivalence import tost_binary, tost_constant, tost_score
from tellapart.core.stats.intervals import (
    ClusteredEstimate,
    clustered_mean,
    clustered_rate,
    mean_once,
    wilson,
)
from tellapart.core.stats.item_correlation import RestCorrelations, rest_correlations
from tellapart.core.stats.multiplicity import benjamini_hochberg, holm, holm_known
from tellapart.core.stats.order_statistics import quantile_estimates
from tellapart.core.stats.paired import (
    Discordant,
    PairedTest,
    mcnemar_exact,
)
from tellapart.core.stats.paired_parts import CellNoise, Cells, PairedParts, paired_parts
from tellapart.core.stats.paired_score import mcnemar_interval, paired_score
from tellapart.core.stats.permutation import BlockPermutation, block_permutation
from tellapart.core.stats.power import (
    detectable_difference,
    detectable_difference_t,
    items_against_gap,
    items_needed_t,
    mcnemar_items_needed,
    power_of,
    power_of_mcnemar,
)
from tellapart.core.stats.rank_correlation import kendall_tau_b, pearson
from tellapart.core.stats.reliability import Consistency, consistency
from tellapart.core.stats.sign_flip import draws_for, sign_flip_p
from tellapart.core.stats.sign_flip_interval import sign_flip_intervals
from tellapart.core.stats.spending import nominal_levels, spent_p
from tellapart.core.stats.variance_components import VarianceComponents, variance_components

__all__ = [
    "BlockPermutation",
    "CellNoise",
    "Cells",
    "ClusteredEstimate",
    "Consistency",
    "Discordant",
    "MeansBootstrap",
    "PairedDifferences",
    "PairedParts",
    "PairedTest",
    "RestCorrelations",
    "TwoCatches",
    "VarianceComponents",
    "bca",
    "bca_statistic",
    "benjamini_hochberg",
    "block_permutation",
    "bootstrap_means",
    "chapman",
    "chapman_sum",
    "clustered_mean",
    "clustered_rate",
    "cohen_kappa",
    "cohen_kappa_of",
    "consistency",
    "detectable_difference",
    "detectable_difference_t",
    "draws_for",
    "holm",
    "holm_known",
    "items_against_gap",
    "items_needed_t",
    "kappa_estimate",
    "kendall_tau_b",
    "mcnemar_exact",
    "mcnemar_interval",
    "mcnemar_items_needed",
    "mean_differences",
    "mean_once",
    "nominal_levels",
    "paired_differences",
    "paired_parts",
    "paired_score",
    "pearson",
    "power_of",
    "power_of_mcnemar",
    "quantile_estimates",
    "rest_correlations",
    "sign_flip_intervals",
    "sign_flip_p",
    "spent_p",
    "tost_binary",
    "tost_constant",
    "tost_score",
    "variance_components",
    "wilson",
    "win_rates",
]
