"""How alike two orders of the same things are."""

from __future__ import annotations

import numpy as np

from tellapart.core.arrays import F64

LEAST = 3
"""Things that an order takes: two have only one order and its reverse."""


def kendall_tau_b(left: F64, right: F64) -> list[float | None]:
    """Compare many pairs of orders at once by Kendall's tau-b.

    (concordant - discordant) / sqrt(pairs untied left x pairs untied right), in [-1, 1]. Both have shape
    (comparisons, things); NaN leaves the thing out of its comparison.

    Returns:
        One a comparison; None where fewer than ``LEAST`` things have both values, or a side ties throughout.

    Source:
        Kendall 1945, "The treatment of ties in ranking problems".
    """
    present = ~(np.isnan(left) | np.isnan(right))
    agreeing, untied_left, untied_right = (np.zeros(len(left), dtype=np.int64) for _ in range(3))
    for i in range(left.shape[1] - 1):
        both = present[:, i + 1 :] & present[:, i, None]
        signs_left, signs_right = (
            np.where(both, np.sign(side[:, i + 1 :] - side[:, i, None]), 0).astype(np.int64)
            for side in (left, right)
        )
        agreeing += (signs_left * signs_right).sum(axis=1)
        untied_left += np.abs(signs_left).sum(axis=1)
        untied_right += np.abs(signs_right).sum(axis=1)
    defined = (present.sum(axis=1) >= LEAST) & (untied_left > 0) & (untied_right > 0)
    untied = np.sqrt(untied_left.astype(np.float64) * untied_right)
    taus = agreeing / np.where(defined, untied, 1.0)
    return [
        tau if is_defined else None for tau, is_defined in zip(taus.tolist(), defined.tolist(), strict=True)
    ]
