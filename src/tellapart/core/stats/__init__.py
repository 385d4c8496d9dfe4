"""Intervals, tests, corrections and sample sizes.

Arrays in, numbers or frozen dataclasses out. What cannot be computed is ``None``, with a reason where an
interval is missing. Arguments that no data can produce, such as NaN or unequal lengths, are ``ValueError``.
"""

from typing import TYPE_CHECKING

from tellapart.core.stats.intervals import (
    ClusteredEstimate,
    clustered_mean,
    clustered_rate,
    mean_once,
    wilson,
)
from tellapart.core.stats.paired import PairedTest, holm_known
from tellapart.lazy import names_from

if TYPE_CHECKING:
    from tellapart.core.stats.agreement import kappa_estimate
    from tellapart.core.stats.bootstrap import bca_statistic
    from tellapart.core.stats.order_statistics import quantile_estimates
    from tellapart.core.stats.permutation import block_permutation

__all__ = [
    "ClusteredEstimate",
    "PairedTest",
    "bca_statistic",
    "block_permutation",
    "clustered_mean",
    "clustered_rate",
    "holm_known",
    "kappa_estimate",
    "mean_once",
    "quantile_estimates",
    "wilson",
]

# Of these each is used by a suite or two.
__getattr__ = names_from(__name__, __all__, "agreement", "bootstrap", "order_statistics", "permutation")
