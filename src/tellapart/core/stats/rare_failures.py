"""How much lower a mean may be than it was seen, because failures are too rare to have been counted well."""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv

from tellapart.core.arrays import F64, I64


def unseen_failures(better: F64, other: F64, clusters: I64, range_: float, level: float) -> float:
    """Give the share of sources on which the better model may fail wholly, beyond those on which it does.

    A t test and flips of signs take it that differences as rare as these are in the sample. With none among
    ``n`` sources, a share of up to 1 - level^(1 / n) can be missed; with some, their number is uncertain.
    Scores and clusters have shape (n,), NaN is missing; ``level`` is one-sided.

    Source:
        Clopper and Pearson 1934, "The use of confidence or fiducial limits illustrated in the case of the
        binomial"; without any failure, Hanley and Lippman-Hand 1983, "If nothing goes wrong, is everything
        all right?", the rule of three.
    """
    gaps = better - other
    known = ~np.isnan(gaps)
    sizes = np.bincount(clusters[known])
    means = np.bincount(clusters[known], weights=gaps[known])[sizes > 0] / sizes[sizes > 0]
    n, failed = len(means), int(np.count_nonzero(means < -range_ / 2))
    if failed >= n:
        return 0.0
    return float(betaincinv(failed + 1, n - failed, 1 - level)) - failed / n
