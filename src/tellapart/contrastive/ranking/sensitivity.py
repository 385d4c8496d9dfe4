"""How the order of the writers changes as the weights of the evidence change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tellapart.contrastive.ranking.results import NearestChange, SensitivityRecord
from tellapart.core.arrays import F64

_ROUNDING = 1e-12


def sensitivity(writers: Sequence[str], weights: Mapping[str, float], means: F64) -> SensitivityRecord | None:
    """Say how the order of writers hangs on the weights."""
    scored = [i for i, row in enumerate(means) if not np.isnan(row).any()]
    names, means = [writers[i] for i in scored], means[scored]
    if len(names) < 2:
        return None
    combined = means @ np.array(list(weights.values()))
    first = min(range(len(names)), key=lambda i: (-combined[i], names[i]))
    shifts = [
        (shift[0], names[i], shift[1])
        for i in range(len(names))
        if i != first and (shift := least_shift(weights, (means[first] - means[i]).tolist())) is not None
    ]
    nearest = min(shifts, key=lambda shift: shift[:2], default=None)
    return SensitivityRecord(
        nearest=nearest and NearestChange(moved=nearest[0], writer=nearest[1], weights=nearest[2]),
        alone={
            source: tuple(sorted(names, key=lambda name: (-means[names.index(name), k], name)))
            for k, source in enumerate(weights)
        },
    )


def least_shift(
    weights: Mapping[str, float], ahead: Sequence[float]
) -> tuple[float, dict[str, float]] | None:
    """Find the least weight that must move from some sources to others until a lead is gone."""
    now = dict(weights)
    leads = dict(zip(weights, ahead, strict=True))
    lead = sum(now[name] * leads[name] for name in now)
    if lead <= _ROUNDING:
        return 0.0, now
    to = min(leads, key=lambda name: (leads[name], name))
    moved = 0.0
    for name in sorted(leads, key=lambda name: (-leads[name], name)):
        gain = leads[name] - leads[to]
        if gain <= 0:
            break
        step = min(now[name], lead / gain)
        now[name], now[to] = now[name] - step, now[to] + step
        lead, moved = lead - step * gain, moved + step
        if lead <= _ROUNDING:
            return moved, now
    return None
