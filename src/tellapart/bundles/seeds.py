"""Conditions trained with several seeds: each one's spread, and which of them differ."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import sqrt
from typing import Any

from scipy.special import stdtrit

from tellapart.bundles.cautions import check_tiers
from tellapart.bundles.conditions import (
    ONE_SEED,
    ConditionPair,
    ConditionRuns,
    Covers,
    compare_conditions,
    condition_pairs,
    condition_record,
)
from tellapart.bundles.difficulty import LevelStep, disorder, recorded_steps
from tellapart.bundles.figures import FIGURES, Summary
from tellapart.bundles.runs import Figure, Runs
from tellapart.bundles.tier_names import ALIASES
from tellapart.bundles.tier_stats import tier_and_figure
from tellapart.core.comparison import Comparison
from tellapart.core.stats import wilson
from tellapart.errors import InputError

NORMAL = 1.96
"""Of the documented interval."""

RULE_SEEDS, RULE_GAP = 3, 0.02
"""The documented rule: at three seeds, 2 points of a rate apart is significant."""

_SHARES = (name for name, figure in FIGURES.items() if figure.summary is Summary.SHARE)
RATES = ("rate", "recall", "precision", *_SHARES, "frozen_tier3", "organic_holdout")
"""How the names of rates end, which lie in [0, 1]; only to these does the rule of 2 points apply."""

Pair = tuple[float, float]


@dataclass(frozen=True)
class SeedStats:
    """One metric of one condition over its seeds; undefined figures are None, and ``reason`` says why.

    The intervals are ``mean ± 1.96 · std / √n``, as documented; Student's, 2.2 times as wide at three seeds;
    and that over seeds and items, where item scores are there. Those of a rate stay in [0, 1].
    ``items_alone`` is the half-width of the 95 % interval that the items alone leave.

    Source:
        "Crucible Metrics Reference", Cross-Seed Statistics and Confidence Intervals; ``ci95_t`` and what
        concerns items are ours.
    """

    mean: float | None
    std: float | None
    min: float | None
    max: float | None
    n_seeds: int
    missing: int
    ci95_normal: Pair | None
    ci95_t: Pair | None
    ci95_items: Pair | None
    n_items: int | None
    items_alone: float | None
    reason: str | None
    values: dict[str, float]

    def to_json(self) -> dict[str, Any]:
        """Give the figures of ``--json``; ``interval`` is the one to go by, and ``covers`` says of what."""
        covers = Covers.SEEDS_AND_ITEMS if self.ci95_items else Covers.SEEDS
        interval = self.ci95_items or self.ci95_t
        return {**asdict(self), "ddof": 1, "n": self.n_seeds, "interval": interval, "covers": covers.value}


@dataclass(frozen=True)
class Rule:
    """The documented rule: whether two means are 0.02 or more apart, or why it says nothing.

    ``disagreement`` is a sentence where the rule and the verdict differ.

    Source:
        "Crucible Metrics Reference", Confidence Intervals, taken as an absolute gap.
    """

    is_apart: bool | None
    reason: str | None = None
    disagreement: str | None = None


@dataclass(frozen=True)
class SeedResult:
    """Conditions over seeds: ``stats`` by metric and condition, a rule for each pair that is compared.

    ``steps`` are those from a tier to the next one by condition, where pass rates by tier are recorded.
    """

    stats: dict[str, dict[str, SeedStats]]
    comparison: Comparison
    rules: tuple[Rule, ...]
    rates: tuple[str, ...]
    exploratory: bool
    fingerprints: tuple[str, ...]
    steps: Mapping[str, Sequence[LevelStep]] = field(default_factory=dict)

    @property
    def pairs(self) -> tuple[ConditionPair, ...]:
        """All pairs by all metrics."""
        return condition_pairs(self.comparison)

    def to_json(self) -> dict[str, Any]:
        """Give the figures of ``--json``."""
        conditions: dict[str, dict[str, Any]] = {}
        for metric, by_condition in self.stats.items():
            for condition, summary in by_condition.items():
                conditions.setdefault(condition, {})[metric] = summary.to_json()
        rules = [
            {"rule_2pct": rule.is_apart, "rule_reason": rule.reason, "disagreement": rule.disagreement}
            for rule in self.rules
        ]
        comparison = condition_record(self.comparison)
        families = filter(None, (comparison["primary"], comparison["secondary"]))
        pairs = [pair for family in families for pair in family["pairs"]]
        record = {
            "comparison": comparison | {"rates": list(self.rates)},
            "conditions": conditions,
            "pairs": [pair | rule for pair, rule in zip(pairs, rules, strict=True)],
            "exploratory": self.exploratory,
            "fingerprints": list(self.fingerprints),
            "tiers_out_of_order": [
                {"condition": name, **asdict(step)}
                for name, steps in self.steps.items()
                for step in steps
                if step.rises
            ],
        }
        return {key: _rounded_all(value) for key, value in record.items()}


def compare_seeds(runs: Runs, metrics: Sequence[str] = ()) -> SeedResult:
    """Sum conditions up over their seeds, and test which of them differ, by each metric."""
    chosen = tuple(dict.fromkeys(metrics)) or runs.default_metrics
    for metric in chosen:
        runs.check_metric(metric)
    by_metric = [condition_runs(runs, metric) for metric in chosen]
    stats = {one.metric: stats_by_condition(runs, one) for one in by_metric}
    exploratory, steps, first = len(runs.fingerprints) > 1, tier_steps(runs), by_metric[0]
    cautions = [
        "" if first.items else _seeds_only(first, stats[first.metric], runs),
        "the scoreboards are of different evals, so this is exploratory" if exploratory else "",
        own_cut(runs, chosen),
        disorder(steps) or "",
    ]
    comparison = compare_conditions(by_metric, cautions=[*filter(None, cautions)])
    rules = tuple(_rule(pair, stats[pair.metric]) for pair in condition_pairs(comparison))
    rates = tuple(one.metric for one in by_metric if one.is_rate)
    return SeedResult(stats, comparison, rules, rates, exploratory, runs.fingerprints, steps)


def condition_runs(runs: Runs, metric: str) -> ConditionRuns:
    """Give the values of one metric by condition and seed, with the scores of bundles if they are there."""
    values = {
        name: {seed: figure.value for seed, figure in by_seed.items() if figure is not None}
        for name, by_seed in sorted(runs.figures(metric).items())
    }
    is_rate = metric.endswith(RATES)
    for name, by_seed in values.items() if is_rate else ():
        for value in by_seed.values():
            if not 0 <= value <= 1:
                raise InputError(
                    f"{metric!r} of {name!r} is {value!r}, expected a rate in [0, 1]",
                    next_step=f"Divide percentages by 100, or call the field such as '{metric}_percent'",
                )
    items, clusters = runs.items(metric)
    return ConditionRuns(metric, values, is_rate, items, clusters)


def stats_by_condition(runs: Runs, by_metric: ConditionRuns) -> dict[str, SeedStats]:
    """Sum up all conditions by the metric of ``condition_runs``, sorted by name."""
    return {
        name: seed_stats(by_seed, by_metric, name)
        for name, by_seed in sorted(runs.figures(by_metric.metric).items())
    }


def seed_stats(runs: Mapping[str, Figure | None], by_metric: ConditionRuns, condition: str = "") -> SeedStats:
    """Sum up one metric of one condition."""
    known = {seed: figure for seed, figure in sorted(runs.items(), key=_by_number) if figure is not None}
    sample, n = [figure.value for figure in known.values()], len(known)
    mean = _rounded(statistics.mean(sample)) if n > 1 else sample[0] if n else None
    std = statistics.stdev(sample) if n > 1 else None
    error = None if std is None else std / sqrt(n)
    noise = by_metric.noise(condition) if by_metric.items and n else None
    sizes = [figure.n for figure in known.values() if figure.n is not None]
    margins = [
        margin for figure in known.values() if (margin := items_alone(by_metric.metric, figure)) is not None
    ]

    def around(half: float | None) -> Pair | None:
        if half is None or mean is None or std is None:
            return None
        low, high = (
            (max(mean - half, 0.0), min(mean + half, 1.0))
            if by_metric.is_rate
            else (mean - half, mean + half)
        )
        return _rounded(low), _rounded(high)

    still = "the seeds do not vary; an interval of no width is no certainty"
    return SeedStats(
        mean=mean,
        std=None if std is None else _rounded(std),
        min=min(sample, default=None),
        max=max(sample, default=None),
        n_seeds=n,
        missing=len(runs) - n,
        ci95_normal=around(error and NORMAL * error),
        ci95_t=around(error and float(stdtrit(n - 1, 0.975)) * error),
        ci95_items=around(noise.margin(0.025) if noise else None),
        n_items=min(sizes, default=None),
        items_alone=_rounded(statistics.fmean(margins)) if margins else None,
        reason=(None if std else ONE_SEED if std is None else still)
        if n
        else "no run of this condition has the metric",
        values={seed: figure.value for seed, figure in known.items()},
    )


def items_alone(metric: str, figure: Figure) -> float | None:
    """Give half of the 95 % interval that the items behind a figure alone leave: recorded, or a rate's."""
    if figure.low is not None and figure.high is not None:
        return (figure.high - figure.low) / 2
    known = FIGURES.get(tier_and_figure(metric)[1])
    if figure.n is None or not 0 <= figure.value <= 1 or (known and known.summary is not Summary.SHARE):
        return None
    interval = wilson(figure.value * figure.n, figure.n)
    return None if interval is None else (interval.high - interval.low) / 2


def own_cut(runs: Runs, metrics: Sequence[str]) -> str:
    """Say that the tiers of some runs were cut by their own margins, if a metric is of a tier."""
    n = runs.own_cut
    if not n or not any(tier_and_figure(metric)[0] for metric in metrics):
        return ""
    return (
        f"the tiers of {n} {'run' if n == 1 else 'runs'} were cut by the run's own margins, so figures by "
        "tier follow from the cut and say nothing about the condition"
    )


def tier_steps(runs: Runs) -> dict[str, tuple[LevelStep, ...]]:
    """Check the order of the tiers of each condition: by the bundles of its runs, or by recorded rates."""
    rates: dict[str, dict[str, float]] = {}
    names = [(tier, name) for alias, tier in ALIASES.items() for name in (tier, alias)]
    for tier, name in names:
        for condition, by_seed in runs.figures(f"{name}_pass_rate").items():
            values = [figure.value for figure in by_seed.values() if figure and 0 <= figure.value <= 1]
            if values:
                rates.setdefault(condition, {})[tier] = statistics.fmean(values)
    steps = {}
    for condition, of_condition in sorted(rates.items()):
        frames = list(runs.scores.get(condition, {}).values())
        if frames and all(frame["tier"].equals(frames[0]["tier"]) for frame in frames):
            steps[condition] = check_tiers(*frames)
        else:
            steps[condition] = recorded_steps(of_condition)
    return steps


def _seeds_only(by_metric: ConditionRuns, stats: Mapping[str, SeedStats], runs: Runs) -> str:
    """Say that only seeds are covered, and how much the items alone leave open."""
    why = f", for {runs.no_scores}" if runs.no_scores else ""
    if runs.scores:
        why = f", for {by_metric.metric} is not a mean over bundles"
    lead = f"intervals and tests cover the noise of seeds only{why}"
    recorded = [(s.items_alone, s.n_items or 0) for s in stats.values() if s.items_alone is not None]
    if not recorded:
        return f"{lead}; how much the items alone leave open is not recorded"
    margin, n = max(recorded)
    shown = f"{100 * margin:.1f} points" if by_metric.is_rate else f"{margin:.3g}"
    return f"{lead}; {n:,} items alone leave ±{shown}"


def _rule(pair: ConditionPair, stats: Mapping[str, SeedStats]) -> Rule:
    first, second = stats[pair.a], stats[pair.b]
    counts = [first.n_seeds, second.n_seeds]
    if not pair.metric.endswith(RATES):
        return Rule(None, "the rule is for rates, and this metric is not named as one")
    if counts != [RULE_SEEDS] * 2 or first.mean is None or second.mean is None:
        each = f"{RULE_SEEDS} seeds of each; there are {counts[0]} and {counts[1]}"
        return Rule(None, f"the rule is stated for {each}")
    # Of decimals: .83 - .81 is below .02 in binary.
    is_apart = _rounded(abs(first.mean - second.mean)) >= RULE_GAP
    if pair.p_adjusted is None or is_apart == pair.is_separated:
        return Rule(is_apart)
    noise = (
        "significant, the test does not (adjusted p = {p:.2g}): there is too much noise for three seeds of "
        "each to show it. Run more seeds before you believe it."
        if is_apart
        else "noise, the test does not (adjusted p = {p:.2g}): it is small, but the noise is smaller."
    )
    return Rule(is_apart, None, f"the 2 % rule calls this difference {noise.format(p=pair.p_adjusted)}")


def _rounded_all(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded_all(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_rounded_all(inner) for inner in value]
    return _rounded(value) if isinstance(value, float) else value


def _rounded(value: float) -> float:
    """Keep twelve significant digits: more than a p-value means, fewer than processors differ in."""
    return float(f"{value:.12g}")


def _by_number(run: tuple[str, object]) -> tuple[int, str]:
    return (int(run[0]), "") if run[0].isdecimal() else (-1, run[0])
