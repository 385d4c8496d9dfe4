"""Conditions trained with several seeds: each one's spread, and which of them differ."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Annotated

import polars as pl
from pydantic import PlainSerializer
from scipy.special import stdtrit

from tellapart.bundles.cautions import LevelStep, check_tiers, disorder, recorded_steps
from tellapart.bundles.conditions import (
    ONE_SEED,
    ConditionPair,
    ConditionRuns,
    Rule,
    compare_conditions,
    condition_record,
)
from tellapart.bundles.figures import FIGURES, Summary
from tellapart.bundles.runs import Figure, Runs
from tellapart.bundles.tier_names import ALIASES
from tellapart.bundles.tier_stats import tier_and_figure
from tellapart.core.comparison import Comparison, PairComparison, Primary, Secondary
from tellapart.core.record import Record
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

    The intervals are ``mean ± 1.96 · std / √n``, as documented; Student's; and that over seeds and items,
    where item scores are there. ``items_alone`` is the half-width of the 95 % interval that the items alone
    leave.

    Source:
        "Crucible Metrics Reference", Cross-Seed Statistics and Confidence Intervals; the rest is ours.
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


class SeedResult(Record):
    """What ``bundles seeds --json`` prints; the first metric decides, and conditions are by metric."""

    comparison: Annotated[Comparison, PlainSerializer(condition_record)]
    conditions: dict[str, dict[str, SeedStats]]
    metrics: tuple[str, ...]
    rates: tuple[str, ...]
    exploratory: bool
    fingerprints: tuple[str, ...]
    tiers_out_of_order: dict[str, tuple[LevelStep, ...]]

    def stats(self, metric: str) -> dict[str, SeedStats]:
        """One metric by condition."""
        return {name: by[metric] for name, by in self.conditions.items() if metric in by}


def compare_seeds(runs: Runs, metrics: Sequence[str] = ()) -> SeedResult:
    """Sum conditions up over their seeds, and test which of them differ, by each metric."""
    chosen = tuple(dict.fromkeys(metrics)) or runs.default_metrics
    for metric in chosen:
        runs.check_metric(metric)
    by_metric = [condition_runs(runs, metric) for metric in chosen]
    conditions: dict[str, dict[str, SeedStats]] = {}
    for one in by_metric:
        for name, by_seed in sorted(runs.figures(one.metric).items()):
            conditions.setdefault(name, {})[one.metric] = seed_stats(by_seed, one, name)
    exploratory, steps, first = len(runs.fingerprints) > 1, tier_steps(runs), by_metric[0]
    cautions = [
        "" if first.items else _seeds_only(first, conditions, runs),
        "the scoreboards are of different evals, so this is exploratory" if exploratory else "",
        own_cut(runs, chosen),
        disorder(steps) or "",
    ]
    compared = compare_conditions(by_metric, cautions=[*filter(None, cautions)])

    def ruled(family: Primary | Secondary) -> tuple[PairComparison, ...]:
        pairs = [pair for pair in family.pairs if isinstance(pair, ConditionPair)]
        return tuple(replace(pair, rule=_rule(pair, conditions)) for pair in pairs)

    second = compared.secondary
    return SeedResult(
        comparison=replace(
            compared,
            primary=replace(compared.primary, pairs=ruled(compared.primary)),
            secondary=None if second is None else replace(second, pairs=ruled(second)),
        ),
        conditions=conditions,
        metrics=chosen,
        rates=tuple(one.metric for one in by_metric if one.is_rate),
        exploratory=exploratory,
        fingerprints=runs.fingerprints,
        tiers_out_of_order={
            name: tuple(step for step in of if step.rises)
            for name, of in steps.items()
            if any(step.rises for step in of)
        },
    )


def condition_runs(runs: Runs, metric: str) -> ConditionRuns:
    """Give the values of one metric by condition and seed, with the scores of bundles if they are there."""
    values = {
        name: {seed: figure.value for seed, figure in by_seed.items() if figure is not None}
        for name, by_seed in sorted(runs.figures(metric).items())
    }
    is_rate = metric.endswith(RATES)
    if is_rate:
        outside = runs.frame.filter(pl.col("metric") == metric, ~pl.col("value").is_between(0, 1))
        for name, value, where in outside.select("condition", "value", "where").head(1).iter_rows():
            raise InputError(
                f"{metric!r} of {name!r} is {value!r}, expected a rate in [0, 1]",
                where=where,
                next_step=f"Divide percentages by 100, or call the field such as '{metric}_percent'",
            )
    items, clusters = runs.items(metric)
    return ConditionRuns(metric, values, is_rate, items, clusters)


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


def _seeds_only(
    by_metric: ConditionRuns, conditions: Mapping[str, Mapping[str, SeedStats]], runs: Runs
) -> str:
    """Say that only seeds are covered, and how much the items alone leave open."""
    why = f", for {runs.no_scores}" if runs.no_scores else ""
    if runs.scores:
        why = f", for {by_metric.metric} is not a mean over bundles"
    lead = f"intervals and tests cover the noise of seeds only{why}"
    stats = [of[by_metric.metric] for of in conditions.values() if by_metric.metric in of]
    recorded = [(s.items_alone, s.n_items or 0) for s in stats if s.items_alone is not None]
    if not recorded:
        return f"{lead}; how much the items alone leave open is not recorded"
    margin, n = max(recorded)
    shown = f"{100 * margin:.1f} points" if by_metric.is_rate else f"{margin:.3g}"
    return f"{lead}; {n:,} items alone leave ±{shown}"


def _rule(pair: ConditionPair, conditions: Mapping[str, Mapping[str, SeedStats]]) -> Rule:
    first, second = (conditions[name][pair.metric] for name in (pair.a, pair.b))
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


def _rounded(value: float) -> float:
    """Keep twelve significant digits, for metrics of any size."""
    return float(f"{value:.12g}")


def _by_number(run: tuple[str, object]) -> tuple[int, str]:
    return (int(run[0]), "") if run[0].isdecimal() else (-1, run[0])
