"""Points of a Pareto frontier: the runs of one eval or of several, joined by condition and seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, isfinite
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import polars as pl

from tellapart.bundles.cliff import cliffs_of
from tellapart.bundles.conditions import ConditionRuns, Covers, compare_conditions
from tellapart.bundles.difficulty import disorder
from tellapart.bundles.pareto import Metric, PointFigure, Points, figure_of, recorded_z, z_of
from tellapart.bundles.result_files import ResultFile, read_results, runs_on
from tellapart.bundles.runs import Figure, Runs, scores_behind
from tellapart.bundles.seeds import SeedStats, condition_runs, own_cut, stats_by_condition, tier_steps
from tellapart.bundles.tier_stats import tier_and_figure
from tellapart.core.arrays import F64
from tellapart.core.comparison import compare
from tellapart.core.scores import ScoreTable
from tellapart.errors import InputError, Refused, UsageError
from tellapart.report import numbers as show

EvalFile: TypeAlias = tuple[str, Path]
"""The name of an eval, empty where only the file can say, and a file of results on it."""

DEFAULTS = (Metric(name="frozen_tier3"), Metric(name="organic_holdout"))
"""Retention and generalisation, as the source document has them."""

_TWO = "Give two, such as --metric frozen:tier3_adversarial.pass_rate --metric organic:pass_rate"
_JOIN = (
    "Results are joined by model and checkpoint: score the same ones on each eval, with the same --name and "
    "--checkpoint"
)


def read_points(
    files: Sequence[EvalFile], metrics: Sequence[Metric] = (), *, allow_mismatch: bool = False
) -> Points:
    """Read configurations and the figures to compare them by.

    A condition with several seeds is one point, their mean. Where a metric names an eval, ``EVAL:FIGURE``,
    the runs of all evals that are named are joined by condition and seed.
    """
    metrics = tuple(metrics) or DEFAULTS
    names = [metric.name for metric in metrics]
    if len(metrics) < 2 or len(set(names)) < len(names):
        raise UsageError(
            f"the metrics are {', '.join(names)}, expected two or more, each once", next_step=_TWO
        )
    wanted = [*names, *map(figure_of, names)]
    read = [read_results(path, wanted, eval_name) for eval_name, path in files]
    if not any(file.runs for file in read):
        raise InputError("there is no entry", where=", ".join(str(path) for _, path in files))
    evals = _evals(read, metrics, is_named=any(name for name, _ in files))
    by_metric = {
        name: (name.partition(":")[0], figure_of(name)) if "" not in evals else ("", name) for name in names
    }
    every = {name: _runs_on(name, evals[name], allow_mismatch) for name, _ in by_metric.values()}
    for name, figure in by_metric.values():
        every[name].check_metric(figure)
    kept, left_out = _joined(every) if len(every) > 1 else (every, {})
    values = {metric: condition_runs(kept[name], figure) for metric, (name, figure) in by_metric.items()}
    return _points(metrics, by_metric, kept, values, left_out)


def _evals(
    files: Sequence[ResultFile], metrics: Sequence[Metric], *, is_named: bool
) -> dict[str, list[ResultFile]]:
    """Files by the eval that they are of; all under an empty name where no metric names an eval."""
    evals: dict[str, list[ResultFile]] = {}
    for file in files:
        evals.setdefault(file.eval, []).append(file)
    prefixes = [metric.name.partition(":")[0] for metric in metrics if ":" in metric.name]
    available = {name for file in files for run in file.runs for name in run.figures}
    if not is_named and all(metric.name in available or ":" not in metric.name for metric in metrics):
        return {"": list(files)}
    for metric in metrics:
        name, colon, _ = metric.name.partition(":")
        if not colon or name not in evals:
            what = f"no file is of the eval {name!r}" if colon else "it names no eval"
            raise UsageError(
                f"the metric {metric.name!r} cannot be found: {what}; the evals are "
                f"{show.listed(list(evals))}",
                next_step="Write EVAL:FIGURE, and EVAL=FILE for a file of another name",
            )
    return {name: evals[name] for name in dict.fromkeys(prefixes)}


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
    """Keep the runs that all evals have, and say which conditions and seeds are left out."""
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
        everywhere = set.intersection(*map(set, by_eval.values()))
        if any("" in of_eval for of_eval in by_eval.values()):
            everywhere = {seed for of_eval in by_eval.values() for seed in of_eval}
        if not everywhere:
            left_out[condition] = "no checkpoint or seed that all evals have"
            continue
        for seed in dict.fromkeys(seed for of_eval in by_eval.values() for seed in of_eval):
            if seed not in everywhere:
                without = [name for name, of_eval in by_eval.items() if seed not in of_eval]
                left_out[f"{condition}, {seed}"] = f"not on {show.listed(without)}"
        for name, of_eval in by_eval.items():
            kept[name] += [(condition, seed) for seed in of_eval if seed in everywhere]
    schema = ["condition", "seed"]
    return {
        name: runs.keep(pl.DataFrame(kept[name], schema=dict.fromkeys(schema, pl.String), orient="row"))
        for name, runs in every.items()
    }, left_out


def _points(
    metrics: tuple[Metric, ...],
    by_metric: Mapping[str, tuple[str, str]],
    kept: Mapping[str, Runs],
    values: Mapping[str, ConditionRuns],
    left_out: dict[str, str],
) -> Points:
    first = next(iter(kept.values()))
    conditions = first.frame["condition"].unique(maintain_order=True).to_list()
    for metric, runs in values.items():
        for condition in conditions:
            if not runs.values.get(condition):
                left_out.setdefault(condition, f"no {metric}")
    conditions = [condition for condition in conditions if condition not in left_out]
    if not conditions:
        why = "; ".join(f"{name}: {reason}" for name, reason in list(left_out.items())[:4])
        raise InputError(
            f"no model has {show.listed(list(values))}{f' ({why})' if why else ''}", next_step=_JOIN
        )
    columns = {
        metric: _figures(runs, kept[by_metric[metric][0]], conditions) for metric, runs in values.items()
    }
    z = {
        j: apart
        for j, (metric, runs) in enumerate(values.items())
        if (apart := _z(runs, kept[by_metric[metric][0]], columns[metric], conditions)) is not None
    }
    sides = [(kept[name], name, figure) for name, figure in list(by_metric.values())[:2]]
    is_two_evals = sides[0][1] != sides[1][1]
    cautions = (
        *_cautions(kept, by_metric, columns),
        *dict.fromkeys(line for runs in kept.values() for line in _taken_as_seeds(runs)),
        *(_without_step(kept) if is_two_evals else ()),
    )
    is_joined = "" not in kept or any(f.n_seeds > 1 for column in columns.values() for f in column.values())
    return Points(
        tuple(conditions),
        metrics,
        np.array([[column[name].value for column in columns.values()] for name in conditions]),
        np.array(
            [
                [column[name].interval or (np.nan, np.nan) for column in columns.values()]
                for name in conditions
            ]
        ),
        z,
        cautions,
        {
            name: {metric: column[name] for metric, column in columns.items()}
            for name in (conditions if is_joined else ())
        },
        {name: runs.fingerprints for name, runs in kept.items()},
        left_out,
        cliffs_of(sides[0], sides[1]) if is_two_evals else (),
    )


def _figures(by_metric: ConditionRuns, runs: Runs, conditions: Sequence[str]) -> dict[str, PointFigure]:
    """The figure of each condition with its interval, and what the interval allows for."""
    several = {name for name in conditions if len(by_metric.values[name]) > 1}
    stats = stats_by_condition(runs, by_metric, several) if several else {}
    return {
        name: _of_seeds(stats[name], by_metric.covers) if name in several else _of_one_run(figures[0])
        for name, figures in runs.figures(by_metric.metric).items()
        if name in by_metric.values
    }


def _of_one_run(figure: Figure) -> PointFigure:
    alone = None if figure.low is None or figure.high is None else (figure.low, figure.high)
    return PointFigure(figure.value, alone, 1, "bundles" if alone else None)


def _of_seeds(stats: SeedStats, covers: Covers) -> PointFigure:
    over_both = stats.ci95_items is not None and covers is Covers.SEEDS_AND_ITEMS
    noise: Literal["seeds", "seeds and bundles"] = "seeds and bundles" if over_both else "seeds"
    return PointFigure(stats.mean or 0.0, stats.ci95_items or stats.ci95_t, stats.n_seeds, noise)


def _z(
    by_metric: ConditionRuns, runs: Runs, figures: Mapping[str, PointFigure], conditions: Sequence[str]
) -> F64 | None:
    """How far one point is above another, shape (n, n): by bundles, or by seeds where all have several."""
    counts = [len(by_metric.values[name]) for name in conditions]
    if len(conditions) < 2:
        return None
    if all(count == 1 for count in counts) and runs.scores:
        return _z_of_items([next(iter(runs.scores[name].values())) for name in conditions], by_metric.metric)
    if any(count < 2 for count in counts):
        return None
    z = np.zeros((len(conditions), len(conditions)))
    number = {name: i for i, name in enumerate(conditions)}
    values = {name: by_metric.values[name] for name in conditions}
    for pair in compare_conditions([replace(by_metric, values=values)]).pairs:
        i, j = number[pair.a], number[pair.b]
        by_p = None if pair.p is None else np.sign(pair.difference or 0.0) * z_of(pair.p)
        z[i, j] = _z_of_intervals(figures[pair.a], figures[pair.b]) if by_p is None else by_p
        z[j, i] = -z[i, j]
    return z


def _z_of_items(frames: Sequence[pl.DataFrame], metric: str) -> F64 | None:
    """The same by the test that tells models apart bundle by bundle."""
    behind = scores_behind(frames, metric)
    if not behind:
        return None
    rows = [frame.with_columns(model=pl.lit(str(i))) for i, frame in enumerate(behind)]
    z = np.zeros((len(frames), len(frames)))
    for pair in compare(ScoreTable.from_frame(pl.concat(rows), limits=(-inf, inf))).primary.pairs:
        i, j = int(pair.a), int(pair.b)
        z[i, j] = 0.0 if pair.p is None else np.sign(pair.difference or 0.0) * z_of(pair.p)
        z[j, i] = -z[i, j]
    return z


def _z_of_intervals(a: PointFigure, b: PointFigure) -> float:
    """The same by intervals, where the seeds of both differ by the same and leave no noise to test by."""
    if a.interval is None or b.interval is None:
        return 0.0
    ahead, behind = (a, b) if a.value >= b.value else (b, a)
    near, far = ahead.value - (ahead.interval or (0, 0))[0], (behind.interval or (0, 0))[1] - behind.value
    z = float(recorded_z(*(np.array(figure) for figure in (ahead.value - behind.value, near, far))))
    return (z if isfinite(z) else 0.0) * (1 if ahead is a else -1)


def _cautions(
    kept: Mapping[str, Runs],
    by_metric: Mapping[str, tuple[str, str]],
    columns: Mapping[str, Mapping[str, PointFigure]],
) -> Iterator[str]:
    """What decides how much the figures are worth: what intervals cover, and tiers out of order."""
    several = [figure for column in columns.values() for figure in column.values() if figure.n_seeds > 1]
    for covers in dict.fromkeys(figure.covers for figure in several):
        only = " only" if covers == "seeds" else ""
        yield (
            "points of several seeds are means, and their intervals (Student's t) cover the noise of "
            f"{covers}{only}"
        )
    for name, runs in kept.items():
        on = f"on {name}, " if len(kept) > 1 else ""
        if runs.no_scores:
            yield f"{on}the noise of bundles is not in the tests: {runs.no_scores}"
        if inverted := disorder(tier_steps(runs)):
            yield f"{on}{inverted}"
        if runs.own_cut and any(
            tier_and_figure(f)[0] for of_eval, f in by_metric.values() if of_eval == name
        ):
            yield f"{on}{own_cut(runs.own_cut)}"


def _taken_as_seeds(runs: Runs) -> Iterator[str]:
    """Say which scoreboards are seeds of one condition only because their models have one name."""
    for condition, by_seed in runs.scores.items():
        if len(by_seed) > 1:
            yield (
                f"{len(by_seed)} runs named {condition!r} are taken as seeds of one condition "
                f"({show.listed(list(by_seed), most=4)}); if more than the seed differs, score them again "
                "under names of their own: BundleEvaluator(…, model_name=NAME) or 'tellapart bundles score … "
                "--name NAME'"
            )


def _without_step(kept: Mapping[str, Runs]) -> Iterator[str]:
    """Say which models bear the name of a training, of which the cliff is looked for, and no step."""
    runs = pl.concat([one.frame for one in kept.values()]).select("training", "step")
    trainings = runs.drop_nulls()["training"]
    unnumbered = runs.filter(pl.col("step").is_null() & pl.col("training").is_in(trainings.implode()))
    for name in unnumbered["training"].unique(maintain_order=True):
        yield (
            f"{name!r} without a step is left out where a cliff is looked for; if it is the start of "
            f"that training, score it again as '{name} step 0'"
        )
