"""Conditions trained with several seeds: each one's spread, and which of them differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import combinations
from math import sqrt
from typing import Any

from scipy.special import stdtr, stdtrit

from tellapart.core.stats import holm

NORMAL = 1.96
"""Of the documented interval."""

RULE_SEEDS, RULE_GAP = 3, Fraction(2, 100)
"""The documented rule: at three seeds, 2 points of a rate apart is significant."""

ALPHA = 0.05

RATES = ("rate", "accuracy", "recall", "precision", "top3", "top5", "frozen_tier3", "organic_holdout")
"""How the names of metrics end that are rates in [0, 1], of which alone 2 points can be asked."""

NO_SEED = "no run of this condition has the metric"
ONE_SEED = "one seed says nothing about how much seeds vary"
NO_VARIATION = "the seeds do not vary; an interval of no width is no certainty"

_RESERVED = ("differences", "exploratory", "fingerprints")
_PREFIX = "metric:"

Pair = tuple[float, float]
Samples = Mapping[str, Mapping[str, Mapping[str, float | None]]]
"""Values by metric, condition and seed; None where a run lacks the metric."""


@dataclass(frozen=True)
class SeedStats:
    """One metric of one condition over its seeds.

    Attributes:
        mean: Of one seed or more; like ``min`` and ``max`` None without any.
        std: With n - 1; None below two seeds.
        min: Lowest value.
        max: Highest value.
        n_seeds: Seeds with a value.
        missing: Runs of the condition without one.
        ci95_normal: ``mean ± 1.96 · std / √n_seeds``, as documented; None below two seeds.
        ci95_t: By Student's t with n_seeds - 1 degrees of freedom; at three seeds 2.2 times as wide.
        reason: What to know of the intervals: why there are none, or why theirs is no width to trust.
        values: By seed, sorted.

    Source:
        "Crucible Metrics Reference", Cross-Seed Statistics and Confidence Intervals; ``ci95_t`` is ours.
    """

    mean: float | None
    std: float | None
    min: float | None
    max: float | None
    n_seeds: int
    missing: int
    ci95_normal: Pair | None
    ci95_t: Pair | None
    reason: str | None
    values: dict[str, float]


@dataclass(frozen=True)
class Difference:
    """One metric of two conditions.

    Attributes:
        metric: Its name.
        a: A condition.
        b: One that comes later in the alphabet.
        delta: Mean of a minus mean of b.
        rule_2pct: Whether the means are 0.02 or more apart; None where the rule does not apply.
        rule_reason: Why not: it is stated for rates and for three seeds of each.
        welch_p: Two-sided p of Welch's t test; None where it is not defined.
        welch_p_holm: Adjusted for all pairs of conditions of this metric.
        ci95_delta: 95 % interval of ``delta`` by the same test.
        welch_reason: Why there is no test.
        disagreement: A sentence where the rule and the test say different things at 0.05; else None.

    Source:
        Welch 1947, "The generalization of 'Student's' problem when several different population variances are
        involved"; the rule: "Crucible Metrics Reference", Confidence Intervals, taken as an absolute gap.
    """

    metric: str
    a: str
    b: str
    delta: float
    rule_2pct: bool | None
    rule_reason: str | None
    welch_p: float | None
    welch_p_holm: float | None
    ci95_delta: Pair | None
    welch_reason: str | None
    disagreement: str | None


def seed_stats(runs: Mapping[str, float | None]) -> SeedStats:
    """Sum up one metric of one condition.

    Args:
        runs: Values by seed, finite, or None where a run has none. They count as the decimals they
            are written as, so that equal values have a standard deviation of exactly 0.
    """
    values = _known(runs)
    missing = len(runs) - len(values)
    if not values:
        return SeedStats(None, None, None, None, 0, missing, None, None, NO_SEED, {})
    exact = _exact(values)
    n, mean = len(exact), _mean(exact)
    low, high = min(values.values()), max(values.values())
    ordered = dict(sorted(values.items(), key=_by_number))
    if n < 2:
        return SeedStats(float(mean), None, low, high, n, missing, None, None, ONE_SEED, ordered)
    std = sqrt(_variance(exact))
    half = std / sqrt(n)
    reason = None if std else NO_VARIATION
    t = float(stdtrit(n - 1, 0.975))
    normal, student = _around(mean, NORMAL * half), _around(mean, t * half)
    return SeedStats(float(mean), _rounded(std), low, high, n, missing, normal, student, reason, ordered)


def difference(
    metric: str, a: str, b: str, values_a: Mapping[str, float], values_b: Mapping[str, float]
) -> Difference:
    """Compare two conditions by one metric; see ``Difference``.

    Args:
        metric: Its name, which says whether it is a rate.
        a: Name of a condition.
        b: Name of another.
        values_a: Of a, by seed, one or more, finite.
        values_b: Of b.
    """
    first, second = _exact(values_a), _exact(values_b)
    delta = _mean(first) - _mean(second)
    rule_reason = _why_no_rule(metric, [values_a, values_b])
    rule = bool(abs(delta) >= RULE_GAP) if rule_reason is None else None
    p, interval, why = _welch(first, second, delta)
    return Difference(
        metric, a, b, float(delta), rule, rule_reason, p, None, interval, why, _disagreement(rule, p)
    )


def seed_figures(samples: Samples) -> dict[str, Any]:
    """Give every condition and every pair of them.

    Args:
        samples: See ``Samples``.

    Returns:
        By metric and condition the fields of ``SeedStats``, and under ``differences`` a list of those of
        ``Difference``, by metric in the given order and pair in alphabetical order, without conditions that
        have no value. A metric with the name
        of another entry is written ``metric:NAME``.
    """
    found: dict[str, Any] = {}
    differences: list[dict[str, Any]] = []
    for metric, conditions in samples.items():
        found[_key(metric)] = {name: asdict(seed_stats(conditions[name])) for name in sorted(conditions)}
        known = {name: values for name in sorted(conditions) if (values := _known(conditions[name]))}
        pairs = [asdict(difference(metric, a, b, known[a], known[b])) for a, b in combinations(known, 2)]
        tested = [pair for pair in pairs if pair["welch_p"] is not None]
        for pair, p in zip(tested, holm([pair["welch_p"] for pair in tested]), strict=True):
            pair["welch_p_holm"] = _rounded(float(p))
        differences += pairs
    return found | {"differences": differences}


def _welch(
    a: Sequence[Fraction], b: Sequence[Fraction], delta: Fraction
) -> tuple[float | None, Pair | None, str | None]:
    if min(len(a), len(b)) < 2:
        return None, None, "Welch's test needs two seeds or more of each"
    errors = [_variance(sample) / len(sample) for sample in (a, b)]
    if not sum(errors):
        return None, None, "the seeds vary in neither condition"
    spread = [error**2 / (len(sample) - 1) for error, sample in zip(errors, (a, b), strict=True)]
    degrees = float(sum(errors) ** 2 / sum(spread))
    error = sqrt(sum(errors))
    p = 2 * float(stdtr(degrees, -abs(float(delta)) / error))
    return _rounded(p), _around(delta, float(stdtrit(degrees, 0.975)) * error), None


def _why_no_rule(metric: str, samples: Sequence[Mapping[str, float]]) -> str | None:
    if not metric.endswith(RATES):
        return "the rule is about rates, and by its name this metric is none"
    if not all(0 <= value <= 1 for values in samples for value in values.values()):
        return "the rule is about rates in [0, 1], and some values are outside"
    counts = [len(values) for values in samples]
    if any(count != RULE_SEEDS for count in counts):
        return f"the rule is stated for {RULE_SEEDS} seeds of each; there are {counts[0]} and {counts[1]}"
    return None


def _disagreement(rule: bool | None, p: float | None) -> str | None:
    if rule is None or p is None or rule == (p < ALPHA):
        return None
    if rule:
        return (
            f"The 2 % rule calls this difference significant and Welch's test does not (p = {p:.2g}): the "
            "seeds vary too much for three of each to show it. Run more seeds before believing it."
        )
    return (
        f"The 2 % rule lets this difference pass as noise and Welch's test does not (p = {p:.2g}): it is "
        "small, but the seeds vary less still."
    )


def _known(runs: Mapping[str, float | None]) -> dict[str, float]:
    return {seed: value for seed, value in runs.items() if value is not None}


def _exact(values: Mapping[str, float]) -> list[Fraction]:
    return [Fraction(repr(float(value))) for value in values.values()]


def _mean(sample: Sequence[Fraction]) -> Fraction:
    return sum(sample, Fraction()) / len(sample)


def _variance(sample: Sequence[Fraction]) -> Fraction:
    mean = _mean(sample)
    return sum(((value - mean) ** 2 for value in sample), Fraction()) / (len(sample) - 1)


def _around(middle: Fraction, half: float) -> Pair:
    return _rounded(float(middle) - half), _rounded(float(middle) + half)


def _rounded(value: float) -> float:
    """Keep twelve significant digits: more than a p-value means, fewer than processors differ in."""
    return float(f"{value:.12g}")


def _by_number(seed: tuple[str, float]) -> tuple[int, str]:
    return (int(seed[0]), "") if seed[0].isdecimal() else (-1, seed[0])


def _key(metric: str) -> str:
    return f"{_PREFIX}{metric}" if metric in _RESERVED or metric.startswith(_PREFIX) else metric
