"""Points of a Pareto frontier: the runs of one eval or of several, joined by condition and seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import polars as pl

from tellapart.bundles.cautions import disorder
from tellapart.bundles.cliff import cliffs_of
from tellapart.bundles.conditions import ConditionRuns, compare_conditions
from tellapart.bundles.pareto import Metric, PointFigure, Points, figure_of, z_of
from tellapart.bundles.result_files import ResultFile, read_results, runs_on
from tellapart.bundles.runs import Runs, scores_behind
from tellapart.bundles.seeds import condition_runs, own_cut, seed_stats, tier_steps
from tellapart.core.arrays import F64
from tellapart.core.comparison import PairComparison, compare
from tellapart.core.scores import ScoreTable
from tellapart.errors import InputError, Refused, UsageError
from tellapart.report import numbers as show

EvalFile: TypeAlias = tuple[str, Path]
"""The name of an eval, empty where only the file can say, and a file of results on it."""

DEFAULTS = (Metric(name="frozen_tier3"), Metric(name="organic_holdout"))
"""Retention and generalisation, as the source document has them."""


def read_points(
    files: Sequence[EvalFile], metrics: Sequence[Metric] = (), *, allow_mismatch: bool = False
) -> Points:
    """Read configurations and the figures to compare them by; several seeds of a condition are one point.

    Where a metric names an eval, ``EVAL:FIGURE``, the runs of all evals named are joined by condition and
    seed.
    """
    metrics = tuple(metrics) or DEFAULTS
    names = [metric.name for metric in metrics]
    if len(metrics) < 2 or len(set(names)) < len(names):
        raise UsageError(
            f"the metrics are {', '.join(names)}, expected two or more, each once",
            next_step="Give two, such as --metric frozen:tier3_adversarial.pass_rate --metric "
            "organic:pass_rate",
        )
    wanted = [*names, *map(figure_of, names)]
    read = [read_results(path, wanted, eval_name) for eval_name, path in files]
    if not any(file.runs for file in read):
        raise InputError("there is no entry", where=", ".join(str(path) for _, path in files))
    evals = _evals(read, names, is_named=any(name for name, _ in files))
    place = {
        name: (name.partition(":")[0], figure_of(name)) if "" not in evals else ("", name) for name in names
    }
    every = {name: _runs_on(name, evals[name], allow_mismatch) for name, _ in place.values()}
    for name, figure in place.values():
        every[name].check_metric(figure)
    kept, left_out = _joined(every) if len(every) > 1 else (every, {})
    values = {metric: condition_runs(kept[name], figure) for metric, (name, figure) in place.items()}
    conditions = _with_all(values, kept, left_out)
    columns = [_column(values[metric], kept[place[metric][0]], conditions) for metric in names]
    found_z = [_z(values[metric], kept[place[metric][0]], conditions) for metric in names]
    (x, on_x), (y, on_y) = list(place.values())[:2]
    is_joined = len(kept) > 1 or "" not in kept or any(f.n_seeds > 1 for column in columns for f in column)
    return Points(
        names=tuple(conditions),
        metrics=metrics,
        values=np.array([[figure.value for figure in row] for row in zip(*columns, strict=True)]),
        intervals=np.array(
            [[f.interval or (np.nan, np.nan) for f in row] for row in zip(*columns, strict=True)]
        ),
        z={j: z for j, z in enumerate(found_z) if z is not None},
        cautions=tuple(_cautions(kept, place, columns)),
        figures={
            name: dict(zip(names, row, strict=True))
            for name, row in zip(conditions, zip(*columns, strict=True), strict=True)
            if is_joined
        },
        evals={name: runs.fingerprints for name, runs in kept.items()},
        left_out=left_out,
        cliffs=cliffs_of((kept[x], x, on_x), (kept[y], y, on_y)) if x != y else (),
    )


def _evals(
    files: Sequence[ResultFile], metrics: Sequence[str], *, is_named: bool
) -> dict[str, list[ResultFile]]:
    """Files by the eval that they are of; all under an empty name where no metric names an eval."""
    evals: dict[str, list[ResultFile]] = {}
    for file in files:
        evals.setdefault(file.eval, []).append(file)
    available = {name for file in files for run in file.runs for name in run.figures}
    if not is_named and all(metric in available or ":" not in metric for metric in metrics):
        return {"": list(files)}
    for metric in metrics:
        name, colon, _ = metric.partition(":")
        if not colon or name not in evals:
            what = f"no file is of the eval {name!r}" if colon else "it names no eval"
            raise UsageError(
                f"the metric {metric!r} cannot be found: {what}; the evals are {show.listed(list(evals))}",
                next_step="Write EVAL:FIGURE, and EVAL=FILE for a file of another name",
            )
    return {name: evals[name] for name in dict.fromkeys(metric.partition(":")[0] for metric in metrics)}


def _runs_on(name: str, files: Sequence[ResultFile], allow_mismatch: bool) -> Runs:
    try:
        return runs_on(files, allow_mismatch=allow_mismatch)
    except Refused as error:
        if not name:
            raise
        raise Refused(
            f"the eval {name!r}: {error.what}",
            next_step=f"Give files of other evals another name, such as other=FILE. {error.next_step}",
        ) from None


def _joined(every: Mapping[str, Runs]) -> tuple[dict[str, Runs], dict[str, str]]:
    """Keep the runs that all evals have, and say what is left out; without a seed, a run has every one."""
    seeds: dict[str, dict[str, list[str]]] = {}
    for name, runs in every.items():
        for condition, seed in runs.frame.select("condition", "seed").unique(maintain_order=True).iter_rows():
            seeds.setdefault(condition, {}).setdefault(name, []).append(seed)
    left_out: dict[str, str] = {}
    kept: dict[str, list[tuple[str, str]]] = {name: [] for name in every}
    for condition, by_eval in seeds.items():
        if lacking := [name for name in every if name not in by_eval]:
            left_out[condition] = f"not on {show.listed(lacking)}"
            continue
        is_unnamed = any("" in of_eval for of_eval in by_eval.values())
        available = dict.fromkeys(seed for of_eval in by_eval.values() for seed in of_eval)
        without = {seed: [name for name in every if seed not in by_eval[name]] for seed in available}
        shared = [seed for seed in available if is_unnamed or not without[seed]]
        if not shared:
            left_out[condition] = "no checkpoint or seed that all evals have"
            continue
        for seed in available:
            if seed not in shared:
                left_out[f"{condition}, {seed}"] = f"not on {show.listed(without[seed])}"
        for name, of_eval in by_eval.items():
            kept[name] += [(condition, seed) for seed in of_eval if seed in shared]
    return {name: runs.keep(kept[name]) for name, runs in every.items()}, left_out


def _with_all(
    values: Mapping[str, ConditionRuns], kept: Mapping[str, Runs], left_out: dict[str, str]
) -> list[str]:
    """The conditions that have every metric; what the others lack goes into ``left_out``."""
    conditions = next(iter(kept.values())).frame["condition"].unique(maintain_order=True).to_list()
    for metric, runs in values.items():
        for condition in conditions:
            if not runs.values.get(condition):
                left_out.setdefault(condition, f"no {metric}")
    complete = [condition for condition in conditions if condition not in left_out]
    if not complete:
        why = "; ".join(f"{name}: {reason}" for name, reason in list(left_out.items())[:4])
        raise InputError(
            f"no model has {show.listed(list(values))}{f' ({why})' if why else ''}",
            next_step="Results are joined by model and checkpoint: score the same ones on each eval, with "
            "the same --name and --checkpoint",
        )
    return complete


def _column(by_metric: ConditionRuns, runs: Runs, conditions: Sequence[str]) -> list[PointFigure]:
    """The figure of each condition with its interval, and what the interval allows for."""
    figures, column = runs.figures(by_metric.metric), []
    for name in conditions:
        first, *others = filter(None, figures[name].values())
        if others:
            stats = seed_stats(figures[name], by_metric, name)
            noise = stats.ci95_items or stats.ci95_t
            over_both = stats.ci95_items is not None
            covers: Literal["seeds and bundles", "seeds"] = "seeds and bundles" if over_both else "seeds"
            column.append(PointFigure(stats.mean or 0.0, noise, stats.n_seeds, covers))
        elif first.low is None or first.high is None:
            column.append(PointFigure(first.value, None, 1, None))
        else:
            column.append(PointFigure(first.value, (first.low, first.high), 1, "bundles"))
    return column


def _z(by_metric: ConditionRuns, runs: Runs, conditions: Sequence[str]) -> F64 | None:
    """How far one point is above another, shape (n, n): by bundles, or by seeds where all have several."""
    counts = {len(by_metric.values[name]) for name in conditions}
    pairs: Sequence[PairComparison]
    if counts == {1} and runs.scores:
        frames = scores_behind(
            [next(iter(runs.scores[name].values())) for name in conditions], by_metric.metric
        )
        if not frames or len(conditions) < 2:
            return None
        rows = [
            frame.with_columns(model=pl.lit(name)) for name, frame in zip(conditions, frames, strict=True)
        ]
        pairs = compare(ScoreTable.from_frame(pl.concat(rows), limits=(-inf, inf))).primary.pairs
    elif min(counts) > 1 and len(conditions) > 1:
        values = {name: by_metric.values[name] for name in conditions}
        pairs = compare_conditions([replace(by_metric, values=values)]).primary.pairs
    else:
        return None
    z = np.zeros((len(conditions), len(conditions)))
    number = {name: i for i, name in enumerate(conditions)}
    for pair in pairs:
        if pair.p is not None:
            i, j = number[pair.a], number[pair.b]
            z[i, j] = np.sign(pair.difference or 0.0) * z_of(pair.p)
            z[j, i] = -z[i, j]
    return z


def _cautions(
    kept: Mapping[str, Runs],
    place: Mapping[str, tuple[str, str]],
    columns: Sequence[Sequence[PointFigure]],
) -> Iterator[str]:
    """What decides how much the figures are worth: what intervals cover, and tiers out of order."""
    several = [figure for column in columns for figure in column if figure.n_seeds > 1]
    for covers in dict.fromkeys(figure.covers for figure in several):
        only = " only" if covers == "seeds" else ""
        yield (
            "points of several seeds are means, and their intervals (Student's t) cover the noise of "
            f"{covers}{only}"
        )
    runs_of_name = {name: by_seed for runs in kept.values() for name, by_seed in runs.scores.items()}
    if as_seeds := [name for name, by_seed in runs_of_name.items() if len(by_seed) > 1]:
        yield (
            f"runs of one name are taken as seeds of one condition ({show.listed(as_seeds, most=4)}); score "
            "runs with other settings under names of their own"
        )
    for name, runs in kept.items():
        on = f"on {name}, " if len(kept) > 1 else ""
        noise = runs.no_scores and f"the noise of bundles is not in the tests: {runs.no_scores}"
        cut = own_cut(runs, [figure for of_eval, figure in place.values() if of_eval == name])
        yield from (f"{on}{caution}" for caution in (noise, disorder(tier_steps(runs)), cut) if caution)
