"""How the order of the writers changes as the weights of the evidence change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tellapart.contrastive.ranking.results import NearestChange, SensitivityRecord
from tellapart.core.arrays import F64

_ROUNDING = 1e-12


def sensitivity(writers: Sequence[str], weights: Mapping[str, float], means: F64) -> SensitivityRecord | None:
    """Say how the order of writers hangs on the weights."""
    known = [i for i, row in enumerate(means) if not np.isnan(row).any()]
    names, means = [writers[i] for i in known], means[known]
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
        first=dict(zip(names, first_shares(means).tolist(), strict=True)),
        nearest=nearest and NearestChange(moved=nearest[0], writer=nearest[1], weights=nearest[2]),
        alone={
            source: tuple(sorted(names, key=lambda name: (-means[names.index(name), k], name)))
            for k, source in enumerate(weights)
        },
    )


def first_shares(means: F64) -> F64:
    """Give the share of all weights under which each writer comes first.

    All weights that are 0 or more and sum to 1 count alike. With two sources they are a line, with three a
    triangle; the share is that of the line or of the area, exactly. Writers whose means are all alike share
    what they win.
    """
    writers, sources = means.shape
    if not 1 <= sources <= 3:
        raise ValueError(f"there are {sources} sources of evidence, expected 1 to 3")
    if sources == 1:
        first: F64 = (means[:, 0] >= means[:, 0].max(initial=-np.inf)).astype(np.float64)
        return np.divide(first, max(first.sum(), 1.0))
    # A second source of no weight makes a line of two sources the edge of a triangle; corners are weights.
    corners = np.eye(sources)
    sizes = np.array([_size(_won(means, i, corners)) for i in range(writers)])
    alike = np.array([(means == means[i]).all(axis=1).sum() for i in range(writers)])
    shares: F64 = sizes / alike / _size(corners)
    return shares


def _won(means: F64, writer: int, corners: F64) -> F64:
    """Cut a line or a polygon of weights to where a writer is nowhere behind; corners in order."""
    for other in range(len(means)):
        gap = means[writer] - means[other]
        if (gap == 0).all():
            continue
        corners = _cut(corners, corners @ gap)
        if not len(corners):
            break
    return corners


def _cut(corners: F64, ahead: F64) -> F64:
    """Keep the part of a polygon where a linear function, given at the corners, is 0 or more.

    Source:
        Sutherland and Hodgman 1974, "Reentrant polygon clipping".
    """
    kept: list[F64] = []
    for i in range(len(corners)):
        j = (i + 1) % len(corners)
        if ahead[i] >= 0:
            kept.append(corners[i])
        if (ahead[i] > 0) != (ahead[j] > 0) and ahead[i] != 0 and ahead[j] != 0:
            share = ahead[i] / (ahead[i] - ahead[j])
            kept.append(corners[i] + share * (corners[j] - corners[i]))
    return np.array(kept).reshape(-1, corners.shape[1])


def _size(corners: F64) -> float:
    """Length of a line of weights, or area of a polygon of them, in units of its own."""
    if len(corners) < 2:
        return 0.0
    if corners.shape[1] == 2:
        return float(np.ptp(corners[:, 0]))
    x, y = corners[:, 0], corners[:, 1]
    return abs(float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))) / 2


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
