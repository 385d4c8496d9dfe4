"""Conditions trained with several seeds: each one's spread, and which of them differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from math import sqrt
from typing import Any

from scipy.special import stdtrit

from tellapart.bundles.cautions import check_tiers, check_tiers_of_runs
from tellapart.bundles.conditions import (
    ONE_SEED,
    ConditionComparison,
    ConditionPair,
    ConditionRuns,
    Covers,
    compare_conditions,
    condition_pair_record,
    condition_record,
    mean_noise,
)
from tellapart.bundles.difficulty import LevelStep, check_recorded_levels, disorder
from tellapart.bundles.figures import FIGURES, Summary
from tellapart.bundles.seed_files import SampledItems, SeedRuns
from tellapart.bundles.tier_stats import tier_and_figure
from tellapart.core.comparison import ComparisonSettings

NORMAL = 1.96
"""Of the documented interval."""

RULE_SEEDS, RULE_GAP = 3, Fraction(2, 100)
"""The documented rule: at three seeds, 2 points of a rate apart is significant."""

_SHARES = (name for name, figure in FIGURES.items() if figure.summary is Summary.SHARE)
RATES = ("rate", "recall", "precision", *_SHARES, "frozen_tier3", "organic_holdout")
"""How the names of rates in [0, 1] end; only to these does the rule of 2 points apply."""

NO_SEED = "no run of this condition has the metric"
NO_VARIATION = "the seeds do not vary; an interval of no width is no certainty"

_RESERVED = (
    "comparison",
    "conditions",
    "differences",
    "exploratory",
    "fingerprints",
    "pairs",
    "tiers_out_of_order",
)
_PREFIX = "metric:"

Pair = tuple[float, float]


@dataclass(frozen=True)
class SeedStats:
    """One metric of one condition over its seeds.

    Attributes:
        mean: Of one seed or more; like ``min`` and ``max`` None without any.
        std: With n - 1; None below two seeds.
        min: Lowest value.
        max: Highest value.
        missing: Runs of the condition without one.
        ci95_normal: ``mean ± 1.96 · std / √n_seeds``, as documented; None below two seeds.
        ci95_t: By Student's t with n_seeds - 1 degrees of freedom; at three seeds 2.2 times as wide. Both are
            of the noise of seeds only, and both stay in [0, 1] for a rate.
        ci95_items: 95 % interval over seeds and items, where item scores are there; else None.
        n_items: Items behind each value, where that is recorded; else None.
        items_alone: Half-width of the 95 % interval that the items alone leave, or None likewise.
        reason: What to know of the intervals: why there are none, or why theirs is no width to trust.
        values: By seed, sorted.
        median_seed: The seed in the middle, the lower of two and the first of equal ones; None below three.

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
    median_seed: str | None = None


@dataclass(frozen=True)
class Rule:
    """The documented rule for two conditions, held against the verdict.

    Attributes:
        is_apart: Whether the means are 0.02 or more apart; None where the rule does not apply.
        reason: Why not: it is stated for rates and for three seeds of each.
        disagreement: A sentence where the rule and the verdict differ; else None.

    Source:
        "Crucible Metrics Reference", Confidence Intervals, taken as an absolute gap.
    """

    is_apart: bool | None
    reason: str | None
    disagreement: str | None


@dataclass(frozen=True)
class SeedResult:
    """Conditions over seeds, summed up and compared.

    Attributes:
        stats: By metric and condition.
        compared: The pairs of conditions; the first metric makes the headline.
        rules: One for each pair, in their order.
        exploratory: Whether the scoreboards are of different evals.
        steps: By condition each step from a tier to the next one, where pass rates by tier are recorded.
    """

    stats: dict[str, dict[str, SeedStats]]
    compared: ConditionComparison
    rules: tuple[Rule, ...]
    rates: tuple[str, ...]
    exploratory: bool
    fingerprints: tuple[str, ...]
    steps: Mapping[str, Sequence[LevelStep]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Give the figures of ``--json``."""
        stats = {
            _key(metric): {condition: asdict(summary) for condition, summary in by_condition.items()}
            for metric, by_condition in self.stats.items()
        }
        return {
            **stats,
            "comparison": _rounded_all(condition_record(self.compared)) | {"rates": list(self.rates)},
            "differences": [
                _rounded_all(
                    condition_pair_record(pair)
                    | {
                        "delta": pair.difference,
                        "p_holm": pair.p_adjusted,
                        "rule_2pct": rule.is_apart,
                        "rule_reason": rule.reason,
                        "disagreement": rule.disagreement,
                    }
                )
                for pair, rule in zip(self.compared.pairs, self.rules, strict=True)
            ],
            "exploratory": self.exploratory,
            "fingerprints": list(self.fingerprints),
            "conditions": self._conditions(),
            "pairs": [_rounded_all(condition_pair_record(pair)) for pair in self.compared.pairs],
            "tiers_out_of_order": [
                {"condition": name, **_rounded_all(asdict(step))}
                for name, steps in self.steps.items()
                for step in steps
                if step.rises
            ],
        }

    def _conditions(self) -> dict[str, dict[str, dict[str, Any]]]:
        brief: dict[str, dict[str, dict[str, Any]]] = {}
        for metric, by_condition in self.stats.items():
            for condition, summary in by_condition.items():
                over = summary.ci95_items is not None
                brief.setdefault(condition, {})[metric] = {
                    "mean": summary.mean,
                    "std": summary.std,
                    "ddof": 1,
                    "n": summary.n_seeds,
                    "interval": summary.ci95_items if over else summary.ci95_t,
                    "covers": (Covers.SEEDS_AND_ITEMS if over else Covers.SEEDS).value,
                }
        return brief


def compare_seeds(runs: SeedRuns, settings: ComparisonSettings | None = None) -> SeedResult:
    """Sum conditions up over their seeds, and test which of them differ."""
    metrics = [condition_runs(runs, metric) for metric in runs.samples]
    stats = {metric_runs.metric: stats_by_condition(runs, metric_runs) for metric_runs in metrics}
    exploratory = len(runs.fingerprints) > 1
    steps = {name: tier_steps(runs, name) for name in sorted(runs.levels)}
    cautions = _cautions(runs, stats, metrics, steps, exploratory)
    compared = compare_conditions(metrics, settings, cautions=cautions)
    rules = tuple(_rule(pair, runs.samples[pair.metric]) for pair in compared.pairs)
    rates = tuple(metric_runs.metric for metric_runs in metrics if metric_runs.is_rate)
    return SeedResult(stats, compared, rules, rates, exploratory, runs.fingerprints, steps)


def is_rate(metric: str, values: Sequence[float]) -> bool:
    """Whether a metric is a rate: by its name, and because its values lie in [0, 1]."""
    return metric.endswith(RATES) and all(0 <= value <= 1 for value in values)


def condition_runs(runs: SeedRuns, metric: str) -> ConditionRuns:
    """Give the values of one metric by condition and seed, with the scores of bundles if they are there."""
    values = {name: _known(by_seed) for name, by_seed in sorted(runs.samples[metric].items())}
    items, clusters = runs.items(metric)
    every = [value for by_seed in values.values() for value in by_seed.values()]
    return ConditionRuns(metric, values, is_rate(metric, every), items, clusters)


def stats_by_condition(runs: SeedRuns, metric_runs: ConditionRuns) -> dict[str, SeedStats]:
    """Sum up every condition by one metric, sorted by name; ``one`` is ``condition_runs`` of these runs."""
    sampled = runs.sampled.get(metric_runs.metric, {})
    return {
        name: seed_stats(
            by_seed,
            rate=metric_runs.is_rate,
            sampled=list(sampled.get(name, {}).values()),
            over_items=_over_items(metric_runs, name),
        )
        for name, by_seed in sorted(runs.samples[metric_runs.metric].items())
    }


def _over_items(metric_runs: ConditionRuns, condition: str) -> float | None:
    """Half-width of the 95 % interval of a mean over seeds and items."""
    if metric_runs.covers is not Covers.SEEDS_AND_ITEMS or not metric_runs.values[condition]:
        return None
    noise = mean_noise(metric_runs, condition)
    return None if noise is None else noise.margin(0.025)


def _cautions(
    runs: SeedRuns,
    stats: Mapping[str, Mapping[str, SeedStats]],
    metrics: Sequence[ConditionRuns],
    steps: Mapping[str, Sequence[LevelStep]],
    exploratory: bool,
) -> list[str]:
    first = metrics[0]
    cautions = [] if first.items else [_seeds_only(first, stats[first.metric], runs)]
    inverted = disorder(steps)
    if exploratory:
        cautions.append("the scoreboards are of different evals, so this is exploratory")
    if runs.own_cut and any(tier_and_figure(metric_runs.metric)[0] for metric_runs in metrics):
        cautions.append(
            f"the tiers of {runs.own_cut} {'run' if runs.own_cut == 1 else 'runs'} were cut by the run's own "
            "margins, so figures by tier follow from the cut and say nothing about the condition"
        )
    return [*cautions, *([inverted] if inverted else [])]


def tier_steps(runs: SeedRuns, condition: str) -> tuple[LevelStep, ...]:
    """Test the order of the tiers by the bundles of the runs, or else by their recorded rates."""
    frames = list(runs.scores.get(condition, {}).values())
    if len(frames) > 1 and all(frame["tier"].equals(frames[0]["tier"]) for frame in frames):
        return check_tiers_of_runs(frames)
    if len(frames) == 1:
        return check_tiers(frames[0])
    return check_recorded_levels(runs.levels[condition])


def _seeds_only(metric_runs: ConditionRuns, stats: Mapping[str, SeedStats], runs: SeedRuns) -> str:
    """Say that only seeds are covered, and how much the items alone leave open."""
    why = "" if not runs.no_scores else f", for {runs.no_scores}"
    if runs.scores:
        why = f", for {metric_runs.metric} is not a mean over bundles"
    lead = f"intervals and tests cover the noise of seeds only{why}"
    recorded = [
        (summary.items_alone, summary.n_items)
        for summary in stats.values()
        if summary.items_alone is not None
    ]
    if not recorded:
        return f"{lead}; how much the items alone leave open is not recorded"
    margin, n = max((margin or 0.0, n or 0) for margin, n in recorded)
    shown = f"{100 * margin:.1f} points" if metric_runs.is_rate else f"{margin:.3g}"
    return f"{lead}; {n:,} items alone leave ±{shown}"


def seed_stats(
    runs: Mapping[str, float | None],
    *,
    rate: bool = False,
    sampled: Sequence[SampledItems] = (),
    over_items: float | None = None,
) -> SeedStats:
    """Sum up one metric of one condition."""
    values = _known(runs)
    missing = len(runs) - len(values)
    n_items, alone = _items(sampled)
    ordered = dict(sorted(values.items(), key=_by_number))
    if not values:
        nothing = (None, None, None, None)
        return SeedStats(*nothing, 0, missing, None, None, None, n_items, alone, NO_SEED, {})
    exact = _exact(values)
    n, mean = len(exact), _mean(exact)
    low, high = min(values.values()), max(values.values())
    if n < 2:
        return SeedStats(
            float(mean), None, low, high, n, missing, None, None, None, n_items, alone, ONE_SEED, ordered
        )
    std = sqrt(_variance(exact))
    half = std / sqrt(n)
    t = float(stdtrit(n - 1, 0.975))
    return SeedStats(
        mean=float(mean),
        std=_rounded(std),
        min=low,
        max=high,
        n_seeds=n,
        missing=missing,
        ci95_normal=_around(mean, NORMAL * half, rate=rate),
        ci95_t=_around(mean, t * half, rate=rate),
        ci95_items=None if over_items is None else _around(mean, over_items, rate=rate),
        n_items=n_items,
        items_alone=alone,
        reason=None if std else NO_VARIATION,
        values=ordered,
        median_seed=sorted(ordered, key=ordered.__getitem__)[(n - 1) // 2] if n > 2 else None,
    )


def _items(sampled: Sequence[SampledItems]) -> tuple[int | None, float | None]:
    """The fewest items behind a value, and the mean of what they alone leave."""
    margins = [items.margin for items in sampled if items.margin is not None]
    alone = _rounded(sum(margins) / len(margins)) if margins else None
    return min((items.n for items in sampled if items.n is not None), default=None), alone


def _rule(pair: ConditionPair, samples: Mapping[str, Mapping[str, float | None]]) -> Rule:
    first, second = _known(samples[pair.a]), _known(samples[pair.b])
    reason = _why_no_rule(pair.metric, [first, second])
    if reason is not None:
        return Rule(None, reason, None)
    # Of decimals: .83 - .81 is below .02 in binary.
    is_apart = abs(_mean(_exact(first)) - _mean(_exact(second))) >= RULE_GAP
    return Rule(is_apart, None, _disagreement(is_apart, pair))


def _why_no_rule(metric: str, samples: Sequence[Mapping[str, float]]) -> str | None:
    if not metric.endswith(RATES):
        return "the rule is for rates, and this metric is not named as one"
    if not all(is_rate(metric, [*values.values()]) for values in samples):
        return "the rule is for rates in [0, 1], and some values are outside"
    counts = [len(values) for values in samples]
    if any(count != RULE_SEEDS for count in counts):
        return f"the rule is stated for {RULE_SEEDS} seeds of each; there are {counts[0]} and {counts[1]}"
    return None


def _disagreement(is_apart: bool, pair: ConditionPair) -> str | None:
    if pair.p_adjusted is None or is_apart == pair.is_separated:
        return None
    p = f"adjusted p = {pair.p_adjusted:.2g}"
    if is_apart:
        return (
            f"the 2 % rule calls this difference significant, the test does not ({p}): there is too much "
            "noise for three seeds of each to show it. Run more seeds before you believe it."
        )
    return (
        f"the 2 % rule calls this difference noise, the test does not ({p}): it is small, but the noise is "
        "smaller."
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


def _around(middle: Fraction, half: float, *, rate: bool) -> Pair:
    low, high = float(middle) - half, float(middle) + half
    return (_rounded(max(low, 0.0)), _rounded(min(high, 1.0))) if rate else (_rounded(low), _rounded(high))


def _rounded_all(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded_all(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_rounded_all(inner) for inner in value]
    return _rounded(value) if isinstance(value, float) else value


def _rounded(value: float) -> float:
    """Keep twelve significant digits: more than a p-value means, fewer than processors differ in."""
    return float(f"{value:.12g}")


def _by_number(seed: tuple[str, float]) -> tuple[int, str]:
    return (int(seed[0]), "") if seed[0].isdecimal() else (-1, seed[0])


def _key(metric: str) -> str:
    return f"{_PREFIX}{metric}" if metric in _RESERVED or metric.startswith(_PREFIX) else metric
