"""Recall with a guarantee, from a random sample of the files that nobody returned.

Two explorers that share a blind spot make every estimate from their overlap too small. A random sample of the
files that neither they nor the system returned does not depend on how anybody searches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import gammaln
from scipy.stats import hypergeom

from tellapart.codesearch.figures import RestStratum, SampledRecall
from tellapart.codesearch.model import Case
from tellapart.core.arrays import F64, I64

CONFIDENCE = 0.95

_CELLS = 200  # Ways of dividing relevant files between two strata; more make the bound a little tighter


def sampled_recall(cases: Sequence[Case]) -> SampledRecall | None:
    """Estimate all relevant files of these conversations, and bound recall from below; None without a sample.

    Recall is that of all conversations together: relevant files that the system found, over all that are
    relevant by the explorers and the judge. The bound holds for these conversations and this judge. It counts
    every file without a verdict against the system: one that it found as not relevant, one of the sample as
    relevant.

    Source: Horvitz and Thompson, "A generalization of sampling without replacement from a finite universe",
        JASA 1952, for the estimate; the bound inverts the exact test of the same total, see `most_relevant`.
    """
    sampled = [case for case in cases if case.rest is not None]
    if not sampled:
        return None
    strata = {name: _stratum(sampled, name) for name in ("near", "far")}
    found = sum(len(case.intersection) + len(case.our_unique_relevant) for case in sampled)
    missed = sum(len(case.ground_truth_unique) for case in sampled)
    most = most_relevant(
        [(part.files, part.sampled, part.relevant + part.without_verdict) for part in strata.values()]
    )
    is_open = any(part.without_verdict for part in strata.values())
    is_open = is_open or any(case.without_verdict for case in sampled)
    further = sum(part.files * part.relevant / part.sampled for part in strata.values() if part.sampled)
    total = None if is_open else found + missed + further
    chapman = None if is_open else _chapman(sampled)
    return SampledRecall(
        conversations=len(sampled),
        found=found,
        missed=missed,
        strata=strata,
        relevant=total,
        relevant_at_most=found + missed + most,
        recall=found / total if total else None,
        recall_at_least=found / (found + missed + most) if found + missed + most else None,
        confidence=CONFIDENCE,
        chapman_recall=found / chapman if chapman else None,
    )


def _stratum(cases: Sequence[Case], name: str) -> RestStratum:
    rests = [case.rest for case in cases if case.rest is not None]
    verdicts = [rest.verdicts.get(file) for rest in rests for file in rest.sampled.get(name, ())]
    relevant = [verdict.relevant if verdict else None for verdict in verdicts]
    return RestStratum(
        files=sum(rest.files.get(name, 0) for rest in rests),
        sampled=len(verdicts),
        relevant=relevant.count(True),
        without_verdict=relevant.count(None),
    )


def _chapman(cases: Sequence[Case]) -> float:
    """Sum Chapman's capture-recapture estimate over conversations; at least the files that are known."""
    total = 0.0
    for case in cases:
        a, b, both = len(set(case.run_a.files)), len(set(case.run_b.files)), len(case.in_both_runs)
        known = len(case.ground_truth) + len(case.our_unique_relevant)
        total += max(known, (a + 1) * (b + 1) / (both + 1) - 1)
    return total


def most_relevant(strata: Sequence[tuple[int, int, int]]) -> int:
    """Bound the relevant files of two strata from above, by inverting the exact test of their total.

    The bound is the largest total for which an estimate as small as the one observed is not too unlikely,
    however it is divided between the strata. Divisions are looked at in cells; a cell counts as likely as its
    corner with the fewest relevant files, so that the bound can only be too large. Of each stratum: files,
    files sampled without replacement, relevant files in the sample; these are in the bound.
    """
    (files_1, drawn_1, relevant_1), (files_2, drawn_2, relevant_2) = strata
    if not drawn_1 or not drawn_2:
        # An empty sample says nothing about its stratum; all of that may be relevant.
        unseen = files_1 * (not drawn_1) + files_2 * (not drawn_2)
        return unseen + sum(_most_in_one(*stratum, CONFIDENCE) for stratum in strata if stratum[1])
    weights = files_1 / drawn_1, files_2 / drawn_2
    observed = weights[0] * relevant_1 + weights[1] * relevant_2
    first = np.arange(min(drawn_1, math.floor(observed / weights[0] + 1e-9)) + 1)
    second = np.floor((observed - weights[0] * first) / weights[1] + 1e-9).astype(np.int64)
    second = np.minimum(second, drawn_2)

    def is_likely(total: int) -> bool:
        edges = np.linspace(max(0, total - files_2), min(total, files_1), _CELLS + 1).round().astype(np.int64)
        edges = np.unique(edges)
        fewest, most = (edges[:-1], edges[1:]) if len(edges) > 1 else (edges, edges)
        in_first = _likelihood(first, files_1, fewest, drawn_1)
        in_second = _likelihood(np.arange(second[0] + 1), files_2, total - most, drawn_2).cumsum(axis=0)
        return bool((in_first * in_second[second]).sum(axis=0).max() > 1 - CONFIDENCE)

    return _last(is_likely, relevant_1 + relevant_2, files_1 + files_2)


def _most_in_one(files: int, drawn: int, relevant: int, confidence: float) -> int:
    def is_likely(total: int) -> bool:
        return float(hypergeom.cdf(relevant, files, total, drawn)) > 1 - confidence

    return _last(is_likely, relevant, files - (drawn - relevant))


def _last(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Find the last number for which something holds that holds up to there, ``low`` included."""
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _likelihood(hits: I64, files: int, relevant: I64, drawn: int) -> F64:
    """Probability of each number of hits in a sample, by the number of relevant files; (hits, relevant)."""
    hits = hits[:, None]

    def log_choose(n: I64 | int, k: I64 | int) -> F64:
        with np.errstate(invalid="ignore"):
            logs = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        return np.where((k >= 0) & (k <= n), logs, -np.inf)

    return np.exp(
        log_choose(relevant, hits) + log_choose(files - relevant, drawn - hits) - log_choose(files, drawn)
    )
