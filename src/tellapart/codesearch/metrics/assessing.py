"""What the judge says of searches as a whole: dimensions, and whether the product area is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy.stats import kendalltau

from tellapart.codesearch.case import Assessment, Case
from tellapart.codesearch.conversations import UNCERTAIN
from tellapart.codesearch.metrics.aggregate import Figures, as_pair, measured
from tellapart.core.stats import clustered_mean, clustered_rate, cohen_kappa_of, kendall_tau_b, mean_once

LEVELS = range(1, 6)
"""Of every dimension, from worst to best."""

GESTALT = "gestalt"

_RELATED_TO = ("precision", "recall")


def assessment(cases: Sequence[Case]) -> Figures | None:
    """Sum up the assessments.

    Args:
        cases: In any order, which changes nothing.

    Returns:
        None where none was asked for. Else ``assessed``; ``failed`` by cause; ``dimensions``, each with its
        ``mean`` in [1, 5], 95 % ``interval`` by Student's t cut to [1, 5], ``n`` and ``counts`` of every
        level; ``gestalt_against``, how the gestalt of a conversation goes with its precision and its recall:
        Kendall's ``tau`` (b) and its two-sided ``p`` over ``n`` conversations that have both, None below
        three of them and where either does not vary; and ``classification``.
    """
    told = [(case, case.assessment) for case in cases if case.assessment is not None]
    if not told:
        return None
    assessed = [(case, found) for case, found in told if found.failure is None]
    names = sorted({name for _, found in assessed for name in found.scores})
    return {
        "assessed": len(assessed),
        "failed": dict(sorted(Counter(found.failure.cause for _, found in told if found.failure).items())),
        "dimensions": {name: _dimension([found for _, found in assessed], name) for name in names},
        "gestalt_against": {name: _against(assessed, name) for name in _RELATED_TO},
        "classification": _classification(assessed),
    }


def _dimension(assessments: Sequence[Assessment], name: str) -> Figures:
    scores = sorted(found.scores[name] for found in assessments if name in found.scores)
    mean = clustered_mean(scores)
    ends = as_pair(mean.interval)
    return {
        "mean": mean_once(scores),
        "interval": None if ends is None else [max(1.0, ends[0]), min(5.0, ends[1])],
        "interval_reason": mean.reason,
        "n": mean.n,
        "counts": {str(level): scores.count(level) for level in LEVELS},
    }


def _against(assessed: Sequence[tuple[Case, Assessment]], name: str) -> Figures:
    values = measured([case for case, _ in assessed], name)
    pairs = sorted(
        (float(found.scores[GESTALT]), one.value)
        for (_, found), one in zip(assessed, values, strict=True)
        if GESTALT in found.scores and one.value is not None
    )
    gestalt, measure = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    tau = kendall_tau_b(gestalt[None], measure[None])[0]
    p = None if tau is None else float(kendalltau(gestalt, measure).pvalue)
    return {"tau": tau, "p": p, "n": len(pairs)}


def _classification(assessed: Sequence[tuple[Case, Assessment]]) -> Figures | None:
    """Whether the product area is the one that the judge would have chosen, not knowing ours.

    An area that is ``UNCERTAIN`` is right only where the judge says so too; ``certain`` leaves these out.
    ``kappa`` is Cohen's over all areas. None where the judge was not asked, or we classified nothing.
    """
    both = sorted(
        (case.conversation.product_area, found.product_area)
        for case, found in assessed
        if found.product_area is not None
    )
    # Where we classified nothing, agreeing on that is no accuracy.
    if all(ours == UNCERTAIN for ours, _ in both):
        return None
    certain = [(ours, theirs) for ours, theirs in both if ours != UNCERTAIN]
    judged = Counter(theirs for ours, theirs in both if ours == UNCERTAIN)
    mistaken = Counter(f"{ours} -> {theirs}" for ours, theirs in both if ours != theirs)
    return {
        **_accuracy(both),
        "kappa": cohen_kappa_of([ours for ours, _ in both], [theirs for _, theirs in both]),
        "certain": _accuracy(certain),
        "uncertain": {"n": judged.total(), "judged": dict(sorted(judged.items()))},
        "mistaken": dict(sorted(mistaken.items())),
    }


def _accuracy(both: Sequence[tuple[str, str]]) -> Figures:
    found = clustered_rate([ours == theirs for ours, theirs in both])
    return {"accuracy": found.rate, "interval": as_pair(found.interval), "n": found.n}
