"""Conditions trained with several seeds: each one's spread, and which of them differ."""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field
from math import sqrt
from typing import Any

import polars as pl
from scipy.special import stdtrit

from tellapart.bundles.cautions import check_tiers
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
from tellapart.bundles.difficulty import LevelStep, RecordedRate, check_recorded_levels, disorder
from tellapart.bundles.figures import FIGURES, Summary
from tellapart.bundles.runs import Figure, Runs
from tellapart.bundles.tier_stats import tier_and_figure
from tellapart.core.comparison import ComparisonSettings
from tellapart.core.stats import wilson

NORMAL = 1.96
"""Of the documented interval."""

RULE_SEEDS, RULE_GAP = 3, 0.02
"""The documented rule: at three seeds, 2 points of a rate apart is significant."""

_SHARES = (name for name, figure in FIGURES.items() if figure.summary is Summary.SHARE)
RATES = ("rate", "recall", "precision", *_SHARES, "frozen_tier3", "organic_holdout")
"""How the names of rates in [0, 1] end; only to these does the rule of 2 points apply."""

NO_SEED = "no run of this condition has the metric"
NO_VARIATION = "the seeds do not vary; an interval of no width is no certainty"

# ``tier1``, ``tier1_easy`` and so on, anywhere in the name of a metric.
_TIER = re.compile(r"tier([123])(?:_easy|_robust|_adversarial)?")

Pair = tuple[float, float]


@dataclass(frozen=True)
class SeedStats:
    """One metric of one condition over its seeds.

    Attributes:
        mean: Of one seed or more; like ``min`` and ``max`` None without any.
        std: With n - 1; None below two seeds.
        missing: Runs of the condition without a value.
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

    def to_json(self) -> dict[str, Any]:
        """Give the figures of ``--json``; ``interval`` is the one to go by, and ``covers`` says of what."""
        covers = Covers.SEEDS_AND_ITEMS if self.ci95_items else Covers.SEEDS
        interval = self.ci95_items or self.ci95_t
        return {**asdict(self), "ddof": 1, "n": self.n_seeds, "interval": interval, "covers": covers.value}


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
        conditions: dict[str, dict[str, Any]] = {}
        for metric, by_condition in self.stats.items():
            for condition, summary in by_condition.items():
                conditions.setdefault(condition, {})[metric] = summary.to_json()
        record = {
            "comparison": condition_record(self.compared) | {"rates": list(self.rates)},
            "conditions": conditions,
            "pairs": [
                condition_pair_record(pair)
                | {
                    "rule_2pct": rule.is_apart,
                    "rule_reason": rule.reason,
                    "disagreement": rule.disagreement,
                }
                for pair, rule in zip(self.compared.pairs, self.rules, strict=True)
            ],
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


def compare_seeds(
    runs: Runs, metrics: Sequence[str] = (), settings: ComparisonSettings | None = None
) -> SeedResult:
    """Sum conditions up over their seeds, and test which of them differ, by each metric."""
    chosen = tuple(dict.fromkeys(metrics)) or runs.default_metrics
    for metric in chosen:
        runs.check_metric(metric)
    by_metric = [condition_runs(runs, metric) for metric in chosen]
    stats = {one.metric: stats_by_condition(runs, one) for one in by_metric}
    exploratory = len(runs.fingerprints) > 1
    steps = tier_steps(runs)
    cautions = _cautions(runs, stats, by_metric, steps, exploratory)
    compared = compare_conditions(by_metric, settings, cautions=cautions)
    rules = tuple(_rule(pair, stats[pair.metric]) for pair in compared.pairs)
    rates = tuple(one.metric for one in by_metric if one.is_rate)
    return SeedResult(stats, compared, rules, rates, exploratory, runs.fingerprints, steps)


def is_rate(metric: str, values: Sequence[float]) -> bool:
    """Whether a metric is a rate: by its name, and because its values lie in [0, 1]."""
    return metric.endswith(RATES) and all(0 <= value <= 1 for value in values)


def condition_runs(runs: Runs, metric: str) -> ConditionRuns:
    """Give the values of one metric by condition and seed, with the scores of bundles if they are there."""
    values = {name: _known(by_seed) for name, by_seed in sorted(runs.values(metric).items())}
    items, clusters = runs.items(metric)
    every = [value for by_seed in values.values() for value in by_seed.values()]
    return ConditionRuns(metric, values, is_rate(metric, every), items, clusters)


def stats_by_condition(
    runs: Runs, by_metric: ConditionRuns, conditions: Set[str] | None = None
) -> dict[str, SeedStats]:
    """Sum up conditions, all of them by default, by the metric of ``condition_runs``, sorted by name."""
    metric = by_metric.metric
    figures = runs.figures(metric)
    return {
        name: seed_stats(
            by_seed,
            rate=by_metric.is_rate,
            items=[items_alone(metric, figure) for figure in figures.get(name, ())],
            over_items=_over_items(by_metric, name),
        )
        for name, by_seed in sorted(runs.values(metric).items())
        if conditions is None or name in conditions
    }


def items_alone(metric: str, figure: Figure) -> tuple[int | None, float | None]:
    """Give the items behind a figure, and the half-width of the 95 % interval that they alone leave."""
    if figure.low is not None and figure.high is not None:
        return figure.n, (figure.high - figure.low) / 2
    known = FIGURES.get(tier_and_figure(metric)[1])
    if figure.n is None or not 0 <= figure.value <= 1 or (known and known.summary is not Summary.SHARE):
        return figure.n, None
    interval = wilson(figure.value * figure.n, figure.n)
    return figure.n, None if interval is None else (interval.high - interval.low) / 2


def _over_items(by_metric: ConditionRuns, condition: str) -> float | None:
    """Half-width of the 95 % interval of a mean over seeds and items."""
    if by_metric.covers is not Covers.SEEDS_AND_ITEMS or not by_metric.values[condition]:
        return None
    noise = mean_noise(by_metric, condition)
    return None if noise is None else noise.margin(0.025)


def _cautions(
    runs: Runs,
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
    if runs.own_cut and any(tier_and_figure(one.metric)[0] for one in metrics):
        cautions.append(own_cut(runs.own_cut))
    return [*cautions, *([inverted] if inverted else [])]


def own_cut(n: int) -> str:
    """Say that the tiers of some runs were cut by their own margins."""
    return (
        f"the tiers of {n} {'run' if n == 1 else 'runs'} were cut by the run's own margins, so figures by "
        "tier follow from the cut and say nothing about the condition"
    )


def tier_steps(runs: Runs) -> dict[str, tuple[LevelStep, ...]]:
    """Test the order of the tiers of each condition: by the bundles of its runs, or by recorded rates."""
    of_runs: dict[tuple[str, str], dict[str, Figure]] = {}
    of_tiers = runs.frame.filter(pl.col("metric").str.contains(_TIER.pattern))
    if of_tiers["metric"].str.extract(_TIER.pattern).n_unique() < 2:
        return {}
    for condition, seed, metric, *figure in of_tiers.select(
        "condition", "seed", "metric", "value", "low", "high", "n"
    ).iter_rows():
        of_runs.setdefault((condition, seed), {})[metric] = Figure(*figure)
    levels: dict[str, list[dict[str, RecordedRate]]] = {}
    for (condition, _), figures in of_runs.items():
        rates = _rates_by_tier(figures)
        if len(rates) > 1:
            levels.setdefault(condition, []).append(rates)
    return {name: _condition_steps(runs, name, levels[name]) for name in sorted(levels)}


def _condition_steps(
    runs: Runs, condition: str, levels: Sequence[Mapping[str, RecordedRate]]
) -> tuple[LevelStep, ...]:
    frames = list(runs.scores.get(condition, {}).values())
    if frames and all(frame["tier"].equals(frames[0]["tier"]) for frame in frames):
        return check_tiers(*frames)
    return check_recorded_levels(levels)


def _rates_by_tier(figures: Mapping[str, Figure]) -> dict[str, RecordedRate]:
    """Find the pass rates by tier of a run, such as ``tier1_pass_rate`` and ``tier2_pass_rate``."""
    groups: dict[str, dict[str, RecordedRate]] = {}
    for name, figure in figures.items():
        match = _TIER.search(name)
        if not match or not 0 <= figure.value <= 1:
            continue
        stem = name.replace(match.group(), "*", 1)
        if stem.endswith(("pass_rate", "accuracy", "*")):
            groups.setdefault(stem, {})[match.group()] = RecordedRate(
                figure.value, *items_alone(name, figure)
            )
    whole = [stem for stem, tiers in sorted(groups.items()) if len(tiers) > 1]
    if not whole:
        return {}
    chosen = groups[min(whole, key=lambda stem: not stem.endswith("pass_rate"))]
    return dict(sorted(chosen.items()))


def _seeds_only(by_metric: ConditionRuns, stats: Mapping[str, SeedStats], runs: Runs) -> str:
    """Say that only seeds are covered, and how much the items alone leave open."""
    why = "" if not runs.no_scores else f", for {runs.no_scores}"
    if runs.scores:
        why = f", for {by_metric.metric} is not a mean over bundles"
    lead = f"intervals and tests cover the noise of seeds only{why}"
    recorded = [
        (summary.items_alone, summary.n_items or 0)
        for summary in stats.values()
        if summary.items_alone is not None
    ]
    if not recorded:
        return f"{lead}; how much the items alone leave open is not recorded"
    margin, n = max(recorded)
    shown = f"{100 * margin:.1f} points" if by_metric.is_rate else f"{margin:.3g}"
    return f"{lead}; {n:,} items alone leave ±{shown}"


def seed_stats(
    runs: Mapping[str, float | None],
    *,
    rate: bool = False,
    items: Sequence[tuple[int | None, float | None]] = (),
    over_items: float | None = None,
) -> SeedStats:
    """Sum up one metric of one condition."""
    values = dict(sorted(_known(runs).items(), key=_by_number))
    sample, n = [*values.values()], len(values)
    mean = _mean(sample) if n else None
    std = statistics.stdev(sample) if n > 1 else None
    margins = [margin for _, margin in items if margin is not None]

    def around(half: float | None) -> Pair | None:
        return None if half is None or mean is None or std is None else _around(mean, half, rate=rate)

    error = None if std is None else std / sqrt(n)
    return SeedStats(
        mean=mean,
        std=None if std is None else _rounded(std),
        min=min(sample, default=None),
        max=max(sample, default=None),
        n_seeds=n,
        missing=len(runs) - n,
        ci95_normal=around(error and NORMAL * error),
        ci95_t=around(error and float(stdtrit(n - 1, 0.975)) * error),
        ci95_items=around(over_items),
        n_items=min((count for count, _ in items if count is not None), default=None),
        items_alone=_rounded(statistics.fmean(margins)) if margins else None,
        reason=NO_SEED if not n else ONE_SEED if std is None else None if std else NO_VARIATION,
        values=values,
        median_seed=sorted(values, key=values.__getitem__)[(n - 1) // 2] if n > 2 else None,
    )


def _rule(pair: ConditionPair, stats: Mapping[str, SeedStats]) -> Rule:
    first, second = stats[pair.a], stats[pair.b]
    counts = [first.n_seeds, second.n_seeds]
    if not pair.metric.endswith(RATES):
        return Rule(None, "the rule is for rates, and this metric is not named as one", None)
    if not is_rate(pair.metric, [*first.values.values(), *second.values.values()]):
        return Rule(None, "the rule is for rates in [0, 1], and some values are outside", None)
    if counts != [RULE_SEEDS] * 2 or first.mean is None or second.mean is None:
        each = f"{RULE_SEEDS} seeds of each; there are {counts[0]} and {counts[1]}"
        return Rule(None, f"the rule is stated for {each}", None)
    # Of decimals: .83 - .81 is below .02 in binary.
    is_apart = _rounded(abs(first.mean - second.mean)) >= RULE_GAP
    if pair.p_adjusted is None or is_apart == pair.is_separated:
        return Rule(is_apart, None, None)
    noise = (
        "significant, the test does not (adjusted p = {p:.2g}): there is too much noise for three seeds of "
        "each to show it. Run more seeds before you believe it."
        if is_apart
        else "noise, the test does not (adjusted p = {p:.2g}): it is small, but the noise is smaller."
    )
    return Rule(is_apart, None, f"the 2 % rule calls this difference {noise.format(p=pair.p_adjusted)}")


def _known(runs: Mapping[str, float | None]) -> dict[str, float]:
    return {seed: value for seed, value in runs.items() if value is not None}


def _mean(sample: Sequence[float]) -> float:
    return sample[0] if len(sample) == 1 else _rounded(statistics.mean(sample))


def _around(middle: float, half: float, *, rate: bool) -> Pair:
    low, high = middle - half, middle + half
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
