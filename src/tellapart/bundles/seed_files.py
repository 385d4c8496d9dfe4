"""Metrics of conditions by seed, from scoreboards and lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.bundles.cliff import TrainedStep, trained_step
from tellapart.bundles.difficulty import RecordedRate
from tellapart.bundles.figures import FIGURES, Summary
from tellapart.bundles.recorded import RecordedRun
from tellapart.bundles.result_files import (
    ResultFile,
    board_figures,
    board_intervals,
    check_units,
    interval_around,
    number,
    one_eval,
    read_item_scores,
    read_results,
    scores_behind,
    why_units_differ,
)
from tellapart.bundles.results import Scoreboard
from tellapart.bundles.scoreboards import Scored
from tellapart.bundles.tier_names import ADVERSARIAL, OVERALL
from tellapart.bundles.tier_stats import tier_and_figure
from tellapart.core.arrays import F64
from tellapart.core.stats import wilson
from tellapart.errors import InputError, UsageError, near_match

BOARD_METRICS = ("pass_rate", "q10_margin", f"{ADVERSARIAL}_pass_rate", f"{ADVERSARIAL}_q10_margin")
"""The metrics of scoreboards that are compared by default."""

_PLACES = ("condition", "name", "seed", "step")
_SCORED = "Name the runs of one condition alike and each by its own --checkpoint"
_ITEMS, _INTERVAL = "_n", "_ci"
# ``tier1``, ``tier1_easy`` and so on, anywhere in the name of a metric.
_TIER = re.compile(r"tier([123])(?:_easy|_robust|_adversarial)?")

Samples = dict[str, dict[str, dict[str, float | None]]]
"""Values by metric, condition and seed; None where a run lacks the metric."""


@dataclass(frozen=True)
class SampledItems:
    """What is recorded of the items behind a value.

    Attributes:
        n: How many, or None where only the margin is recorded.
        margin: Half-width of the 95 % interval that they alone leave, or None where it cannot be known.
    """

    n: int | None
    margin: float | None


@dataclass(frozen=True)
class SeedRuns:
    """Runs of conditions with several seeds.

    Attributes:
        samples: See ``Samples``.
        fingerprints: Of the evals, where scoreboards name them.
        sampled: By metric, condition and seed what is recorded of the items.
        scores: By condition and seed the rows of ``SCORE_SCHEMA``, in one order of bundles; empty unless
            every run is a scoreboard with its scores beside it, all of the same bundles.
        no_scores: Why there are none, where the runs are scoreboards or recorded elsewhere.
        levels: By condition the runs' pass rates by tier, from the easiest.
        own_cut: Runs whose tiers were cut by their own margins, of those whose scores are there.
    """

    samples: Samples
    fingerprints: tuple[str, ...] = ()
    sampled: Mapping[str, Mapping[str, Mapping[str, SampledItems]]] = field(default_factory=dict)
    scores: Mapping[str, Mapping[str, pl.DataFrame]] = field(default_factory=dict)
    no_scores: str = ""
    levels: Mapping[str, Sequence[Mapping[str, RecordedRate]]] = field(default_factory=dict)
    own_cut: int = 0

    def items(self, metric: str) -> tuple[dict[str, dict[str, F64]], list[str] | None]:
        """Give the item scores of a metric by condition and seed, and the sources of the items."""
        places = [(condition, seed) for condition, by_seed in self.scores.items() for seed in by_seed]
        behind = scores_behind([self.scores[condition][seed] for condition, seed in places], metric)
        scores: dict[str, dict[str, F64]] = {}
        for (condition, seed), frame in zip(places, behind, strict=False):
            scores.setdefault(condition, {})[seed] = frame["score"].to_numpy()
        return scores, behind[0]["cluster"].to_list() if behind else None


@dataclass(frozen=True)
class Run:
    """One run of a condition with one seed.

    Attributes:
        condition: What was trained, and at which step where runs are told apart by it.
        seed: Of the training, or what else tells runs of a condition apart.
        values: By metric, finite.
        sampled: By metric what is recorded of the items behind the value.
        where: The file, and the entry in it.
        board: The scoreboard that it is, or None.
        training: The condition without the step.
        step: Of the training, or None.
        has_seed: Whether the seed is recorded, and not the place of the run instead.
        intervals: By metric the 95 % interval, where one is recorded.
    """

    condition: str
    seed: str
    values: dict[str, float]
    sampled: dict[str, SampledItems]
    where: str
    board: Scoreboard | None = None
    training: str = ""
    step: int | None = None
    has_seed: bool = True
    is_listed: bool = False
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def read_seeds(
    paths: Sequence[Path], metrics: Sequence[str] = (), *, allow_mismatch: bool = False
) -> SeedRuns:
    """Read runs of conditions with several seeds."""
    files = [read_results(path) for path in paths]
    fingerprints = one_eval(files, allow_mismatch=allow_mismatch)
    return seed_runs([run for file in files for run in runs_of(file)], files, metrics, fingerprints)


def seed_runs(
    runs: Sequence[Run], files: Sequence[ResultFile], metrics: Sequence[str], fingerprints: tuple[str, ...]
) -> SeedRuns:
    """Gather runs by condition and seed; arguments and errors are those of ``read_seeds``."""
    _refuse_repeated(runs)
    listed = sorted({name for run in runs if run.is_listed for name in run.values})
    boards = BOARD_METRICS if any(file.board or file.recorded for file in files) else ()
    available = {name for run in runs for name in run.values}
    scored = [run.board for run in runs if run.board is not None]
    for metric in metrics:
        check_units(scored, metric)
    defaults = [
        name for name in (*listed, *boards) if name in available and not why_units_differ(scored, name)
    ]
    chosen = dict.fromkeys(metrics) or dict.fromkeys(defaults)
    if not available:
        raise InputError("no run has a metric", where=", ".join(str(file.path) for file in files))
    samples: Samples = {}
    sampled: dict[str, dict[str, dict[str, SampledItems]]] = {}
    for metric in chosen:
        if metric not in available:
            raise UsageError(f"no run has the metric {metric!r}", next_step=near_match(metric, available))
        samples[metric], sampled[metric] = {}, {}
        for run in runs:
            samples[metric].setdefault(run.condition, {})[run.seed] = run.values.get(metric)
            if metric in run.sampled:
                sampled[metric].setdefault(run.condition, {})[run.seed] = run.sampled[metric]
    scored_runs, why = _scores(runs)
    lacks = "; ".join(file.recorded.lacks for file in files if file.recorded)
    scores = {
        name: {seed: scored.scores for seed, scored in by_seed.items()}
        for name, by_seed in scored_runs.items()
    }
    own_cut = sum(scored.is_own_cut for by_seed in scored_runs.values() for scored in by_seed.values())
    return SeedRuns(samples, fingerprints, sampled, scores, lacks or why, _levels(runs), own_cut)


def runs_of(file: ResultFile, *, by_step: bool = False) -> list[Run]:
    """Take the runs from a file."""
    if file.recorded is not None:
        return [
            _run(recorded.condition, recorded.seed, by_step)(
                values=recorded.figures, sampled=_sampled_of_counts(recorded), where=str(file.path)
            )
            for recorded in file.recorded.runs
        ]
    if file.board is not None:
        board, intervals = file.board, board_intervals(file.board)
        run = _run(board.model, board.checkpoint_path, by_step)(
            values=board_figures(board),
            sampled=_sampled_of_board(board),
            where=str(file.path),
            board=board,
            intervals={name: (low, high) for name, (low, high) in intervals.items()},
        )
        return [run if run.seed else replace(run, seed=str(file.path), has_seed=False)]
    return [_listed_run(row, f"{file.path}: entry {i}", by_step) for i, row in enumerate(file.rows, start=1)]


def _run(model: str, checkpoint: str, by_step: bool) -> Callable[..., Run]:
    """A run of a model, to which its figures are still to come."""
    at = trained_step(model, checkpoint) if by_step else TrainedStep(model, checkpoint)
    return partial(Run, _condition(at.model, at.step), at.run, training=at.model, step=at.step)


def _condition(training: str, step: int | None) -> str:
    return training if step is None else f"{training} step {step}"


def _listed_run(row: dict[str, Any], where: str, by_step: bool) -> Run:
    condition, seed = _named(row, where, by_step)
    step = row.get("step")
    if step is not None and (isinstance(step, bool) or not isinstance(step, int)):
        raise InputError(f"'step' is {step!r}, expected a whole number", where=where)
    at = trained_step(condition) if by_step and step is None else TrainedStep(condition, step=step)
    values, sampled, intervals = _values(row, where)
    return Run(
        _condition(at.model, at.step),
        str(seed),
        values,
        sampled,
        where,
        training=at.model,
        step=at.step,
        has_seed="seed" in row,
        is_listed=True,
        intervals=intervals,
    )


def _sampled_of_counts(run: RecordedRun) -> dict[str, SampledItems]:
    margins = {name: _rate_margin(run.figures[name], n) for name, n in run.n.items() if _is_share(name)}
    return {name: SampledItems(n, margins.get(name)) for name, n in run.n.items()}


def _is_share(metric: str) -> bool:
    figure = FIGURES.get(tier_and_figure(metric)[1])
    return figure is not None and figure.summary is Summary.SHARE


def _rate_margin(rate: float, n: int) -> float | None:
    interval = wilson(rate * n, n)
    return None if interval is None else (interval.high - interval.low) / 2


def _named(row: dict[str, Any], where: str, by_step: bool) -> tuple[str, int | str]:
    what = "name" if by_step and "condition" not in row else "condition"
    condition, seed = row.get(what), row.get("seed", "" if by_step else None)
    if not isinstance(condition, str) or not condition:
        raise InputError(f"{what!r} is {condition!r}, expected a name", where=where)
    if isinstance(seed, bool) or not isinstance(seed, int | str):
        raise InputError(f"'seed' is {seed!r}, expected a number or a name", where=where)
    return condition, seed


def _values(
    row: dict[str, Any], where: str
) -> tuple[dict[str, float], dict[str, SampledItems], dict[str, tuple[float, float]]]:
    """Values, what is recorded of their items, and their intervals."""
    values: dict[str, float] = {}
    sampled: dict[str, SampledItems] = {}
    intervals: dict[str, tuple[float, float]] = {}
    whose = f"{row.get('condition', row.get('name'))!r}, seed {row.get('seed')!r}"
    for name, value in row.items():
        if name in _PLACES or value is None:
            continue
        what = f"{name!r} of {whose}"
        if name.endswith(_INTERVAL) and name.removesuffix(_INTERVAL) in row:
            metric = name.removesuffix(_INTERVAL)
            low, high = intervals[metric] = interval_around(row[metric], value, what, where)
            sampled.setdefault(metric, SampledItems(None, (high - low) / 2))
            continue
        read = number(value, what, where)
        metric = name.removesuffix(_ITEMS)
        if metric == name or metric not in row:
            values[name] = read
            continue
        if read < 1 or read != int(read):
            raise InputError(f"{what} is {value!r}, expected a number of items", where=where)
        rate = row[metric]
        is_rate = isinstance(rate, float | int) and 0 <= rate <= 1
        margin = _rate_margin(rate, int(read)) if is_rate else None
        sampled[metric] = SampledItems(int(read), margin)
    return values, sampled, intervals


def _sampled_of_board(board: Scoreboard) -> dict[str, SampledItems]:
    intervals = board_intervals(board)
    sampled = {}
    for scope, stats in board.tiers.items():
        prefix = "" if scope == OVERALL else f"{scope}_"
        for name in stats.ci95:
            interval = intervals.get(f"{prefix}{name}")
            margin = None if interval is None else (interval[1] - interval[0]) / 2
            of_queries = name in FIGURES and FIGURES[name].of_queries
            n = stats.queries if of_queries else stats.n
            sampled[f"{prefix}{name}"] = SampledItems(n, margin)
    return sampled


def _scores(runs: Sequence[Run]) -> tuple[dict[str, dict[str, Scored]], str]:
    """Item scores of all runs, sorted by bundle, or why there are none."""
    if any(run.board is None for run in runs):
        return {}, ""
    boards, why = read_item_scores([Path(run.where) for run in runs])
    scored: dict[str, dict[str, Scored]] = {}
    for run, board in zip(runs, boards, strict=False):
        scored.setdefault(run.condition, {})[run.seed] = board
    return scored, why


def _levels(runs: Sequence[Run]) -> dict[str, list[dict[str, RecordedRate]]]:
    """Pass rates by tier, of each condition the runs that have two tiers or more."""
    levels: dict[str, list[dict[str, RecordedRate]]] = {}
    for run in runs:
        rates = recorded_tiers(run.values, run.sampled)
        if len(rates) > 1:
            levels.setdefault(run.condition, []).append(rates)
    return levels


def recorded_tiers(
    values: Mapping[str, float], sampled: Mapping[str, SampledItems]
) -> dict[str, RecordedRate]:
    """Find pass rates by tier among metrics, such as ``tier1_pass_rate`` and ``tier2_pass_rate``."""
    groups: dict[str, dict[str, str]] = {}
    for name, value in values.items():
        match = _TIER.search(name)
        if match and 0 <= value <= 1:
            stem = name.replace(match.group(), "*", 1)
            if stem.endswith(("pass_rate", "accuracy", "*")):
                groups.setdefault(stem, {})[match.group()] = name
    whole = [stem for stem, tiers in sorted(groups.items()) if len(tiers) > 1]
    if not whole:
        return {}
    chosen = groups[min(whole, key=lambda stem: not stem.endswith("pass_rate"))]
    rates = {}
    for tier, name in sorted(chosen.items()):
        sampled_items = sampled.get(name)
        rates[tier] = RecordedRate(
            values[name],
            sampled_items.n if sampled_items else None,
            sampled_items.margin if sampled_items else None,
        )
    return rates


def _refuse_repeated(runs: Sequence[Run]) -> None:
    first_at: dict[tuple[str, str], str] = {}
    for run in runs:
        key = (run.condition, run.seed)
        if key in first_at:
            raise InputError(
                f"seed {run.seed!r} of condition {run.condition!r} is that of {first_at[key]} as well",
                where=run.where,
                next_step="Give each run once" if "entry" in run.where else _SCORED,
            )
        first_at[key] = run.where
