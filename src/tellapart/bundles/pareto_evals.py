"""Points of a Pareto frontier from several evals and seeds, joined by model, checkpoint and seed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from tellapart.bundles.cliff import EvalSteps, Training, find_cliffs, scored_steps
from tellapart.bundles.conditions import ConditionRuns, Covers, compare_conditions
from tellapart.bundles.difficulty import disorder
from tellapart.bundles.figures import FIGURES, Summary
from tellapart.bundles.pareto import Join, Metric, Points, figure_of, recorded_z, z_of
from tellapart.bundles.pareto_files import DEFAULTS, over_items, read_points
from tellapart.bundles.result_files import ResultFile, one_eval, read_item_scores, read_results
from tellapart.bundles.results import CliffRecord, PointFigure
from tellapart.bundles.seed_files import Run, SeedRuns, runs_of, seed_runs
from tellapart.bundles.seeds import SeedStats, condition_runs, stats_by_condition, tier_steps
from tellapart.bundles.tier_stats import tier_and_figure
from tellapart.core.arrays import F64
from tellapart.errors import InputError, Refused, UsageError, close_match
from tellapart.report import numbers as show

EvalFile: TypeAlias = tuple[str, Path]
"""The name of an eval, empty where only the file can say, and a file of results on it."""


def read_configurations(
    files: Sequence[EvalFile], metrics: Sequence[Metric], *, allow_mismatch: bool = False
) -> tuple[Points, tuple[str, ...], Join | None]:
    """Read points one by one, as ``read_points``, or joined where they are of several evals or seeds."""
    if _is_joined(files, metrics):
        points, join = read_joined(files, metrics or DEFAULTS, allow_mismatch=allow_mismatch)
        return points, (), join
    return *read_points([path for _, path in files], metrics, allow_mismatch=allow_mismatch), None


def _is_joined(files: Sequence[EvalFile], metrics: Sequence[Metric]) -> bool:
    """Whether names say that there are several evals, or runs are several of one model."""
    if any(name for name, _ in files):
        return True
    read = [read_results(path) for _, path in files]
    rows = [row for file in read for row in file.rows]
    if any(":" in metric.name and not any(metric.name in row for row in rows) for metric in metrics):
        return True
    if any("condition" in row and "name" not in row for row in rows):
        return True
    runs = [(file.board.model, file.board.checkpoint_path) for file in read if file.board]
    models = [model for model, _ in runs]
    return len(set(models)) < len(models) and all(checkpoint for _, checkpoint in runs)


def read_joined(
    files: Sequence[EvalFile], metrics: Sequence[Metric], *, allow_mismatch: bool = False
) -> tuple[Points, Join]:
    """Join results by model, checkpoint and seed.

    A scoreboard's model is the condition and its checkpoint the seed; a checkpoint ``…/checkpoint-120`` is a
    condition of its own, ``NAME step 120``. A condition with several seeds is one point, their mean.
    """
    by_name = any(":" in metric.name for metric in metrics) or any(name for name, _ in files)
    evals = _evals(files) if by_name else {"": [read_results(path) for _, path in files]}
    _check_evals(metrics, evals, files)
    wanted = [metric.name.partition(":")[0] if by_name else "" for metric in metrics]
    if len(set(metrics)) < len(metrics) or len(metrics) < 2:
        names = ", ".join(metric.name for metric in metrics) or "none"
        raise UsageError(f"the metrics are {names}, expected two or more, each once", next_step=_RETRY)
    used = list(dict.fromkeys(wanted))
    prints = {name: _one_eval(name, evals[name], allow_mismatch) for name in used}
    every = {name: [run for file in evals[name] for run in runs_of(file, by_step=True)] for name in used}
    kept, left_out = _joined(every)
    _refuse_none(kept[used[0]], metrics, left_out)
    figures = [figure_of(metric.name) if by_name else metric.name for metric in metrics]
    runs: dict[str, SeedRuns] = {}
    for name in used:
        of_eval = [figure for figure, where in zip(figures, wanted, strict=True) if where == name]
        runs[name] = seed_runs(kept[name], evals[name], list(dict.fromkeys(of_eval)), prints[name])
    metric_runs = [condition_runs(runs[name], figure) for name, figure in zip(wanted, figures, strict=True)]
    conditions = list(dict.fromkeys(run.condition for run in kept[used[0]]))
    for metric, metric_values in zip(metrics, metric_runs, strict=True):
        for condition in conditions:
            if not metric_values.values.get(condition):
                left_out.setdefault(condition, f"no {metric.name}")
    conditions = [condition for condition in conditions if condition not in left_out]
    _refuse_none(conditions, metrics, left_out)
    cells = [
        _cells(metric_values, runs[name], kept[name], conditions)
        for metric_values, name in zip(metric_runs, wanted, strict=True)
    ]
    several = len(set(wanted[:2])) > 1
    points = Points(
        tuple(conditions),
        tuple(metrics),
        np.array([[column[name].value for column in cells] for name in conditions]),
        np.array([[column[name].interval or (np.nan, np.nan) for column in cells] for name in conditions]),
        {
            j: z
            for j, (metric_values, name) in enumerate(zip(metric_runs, wanted, strict=True))
            if (z := _z(metric_values, runs[name], cells[j], conditions)) is not None
        },
        (
            *_cautions(used, runs, figures, wanted, cells),
            *dict.fromkeys(line for name in used for line in _merged(kept[name], conditions)),
            *(_unnumbered(every) if several else ()),
        ),
    )
    shown = {
        name: {metric.name: column[name] for metric, column in zip(metrics, cells, strict=True)}
        for name in conditions
    }
    cliffs = _cliffs(wanted[:2], figures[:2], every) if several else ()
    return points, Join(prints, shown, left_out, cliffs)


_RETRY = "Give two, such as --metric frozen:tier3_adversarial.pass_rate --metric organic:pass_rate"
_JOIN = (
    "Results are joined by model and checkpoint: score the same ones on each eval, with the same --name and "
    "--checkpoint"
)


def _evals(files: Sequence[EvalFile]) -> dict[str, list[ResultFile]]:
    """Files by eval: by the name given, else that of the file that was scored, else their own."""
    evals: dict[str, list[ResultFile]] = {}
    for name, path in files:
        read = read_results(path)
        of_file = (Path(read.board.eval_header.eval_path) if read.board else path).stem
        evals.setdefault(name or of_file, []).append(read)
    return evals


def _refuse_none(there: Sequence[object], metrics: Sequence[Metric], left_out: Mapping[str, str]) -> None:
    if there:
        return
    why = "; ".join(f"{name}: {reason}" for name, reason in list(left_out.items())[:4])
    names = show.listed([metric.name for metric in metrics])
    raise InputError(f"no model has {names}{f' ({why})' if why else ''}", next_step=_JOIN)


def _check_evals(metrics: Sequence[Metric], evals: Mapping[str, object], files: Sequence[EvalFile]) -> None:
    """Refuse a metric that names no eval or another one, with a command that names those there are."""
    meant = [metric.name.partition(":") for metric in metrics]
    wrong = [at for at, (name, colon, _) in enumerate(meant) if not colon or name not in evals]
    if not wrong or (len(evals) == 1 and not any(colon for _, colon, _ in meant)):
        return
    name, colon, _ = meant[wrong[0]]
    if len(evals) < 2:
        step = "Name the eval of each file, such as frozen=FILE.json organic=FILE.json"
    else:
        there = list(evals)
        right = [
            metric.name
            if at not in wrong
            else f"{close_match(name, there) or there[min(at, 1)]}:{figure if colon else name}"
            for at, (metric, (name, colon, figure)) in enumerate(zip(metrics, meant, strict=True))
        ]
        words = [f"{named}={path}" if named else str(path) for named, path in files]
        options = [word for metric in right for word in ("--metric", metric)]
        step = f"Try '{shlex.join(['tellapart', 'bundles', 'pareto', *words, *options])}'"
    what = f"no file is of the eval {name!r}" if colon else "it names no eval"
    raise UsageError(
        f"the metric {metrics[wrong[0]].name!r} cannot be found: {what}; the evals are "
        f"{show.listed(list(evals))}",
        next_step=step,
    )


def _one_eval(name: str, files: Sequence[ResultFile], allow_mismatch: bool) -> tuple[str, ...]:
    try:
        return one_eval(files, allow_mismatch=allow_mismatch)
    except Refused as error:
        raise Refused(
            f"the eval {name!r}: {error.what}",
            next_step=f"Give files of other evals another name, such as other=FILE. {error.next_step}",
        ) from None


def _joined(every: Mapping[str, Sequence[Run]]) -> tuple[dict[str, list[Run]], dict[str, str]]:
    """Keep the runs that all evals have, and say which conditions and seeds are left out."""
    conditions = list(dict.fromkeys(run.condition for runs in every.values() for run in runs))
    kept: dict[str, list[Run]] = {name: [] for name in every}
    left_out = {}
    for condition in conditions:
        by_eval = {name: [run for run in runs if run.condition == condition] for name, runs in every.items()}
        lacking = [name for name, runs in by_eval.items() if not runs]
        if lacking:
            left_out[condition] = f"not on {show.listed(lacking)}"
            continue
        if all(run.has_seed for runs in by_eval.values() for run in runs):
            seeds = [[run.seed for run in runs] for runs in by_eval.values()]
            common = set(seeds[0]).intersection(*seeds[1:])
            if not common:
                left_out[condition] = "no checkpoint or seed that all evals have"
                continue
            for seed in dict.fromkeys(seed for of_eval in seeds for seed in of_eval if seed not in common):
                without = [name for name, runs in by_eval.items() if seed not in [run.seed for run in runs]]
                left_out[f"{condition}, {seed}"] = f"not on {show.listed(without)}"
            by_eval = {name: [run for run in runs if run.seed in common] for name, runs in by_eval.items()}
        for name, runs in by_eval.items():
            kept[name] += runs
    return kept, left_out


def _cells(
    metric_values: ConditionRuns, runs: SeedRuns, kept: Sequence[Run], conditions: Sequence[str]
) -> dict[str, PointFigure]:
    """The figure of each condition with its interval, and what the interval allows for."""
    stats = stats_by_condition(runs, metric_values)
    alone = {run.condition: run.intervals.get(metric_values.metric) for run in kept}
    return {name: _cell(stats[name], alone[name], metric_values.covers) for name in conditions}


def _cell(stats: SeedStats, alone: tuple[float, float] | None, covers: Covers) -> PointFigure:
    value = stats.mean or 0.0
    if stats.n_seeds > 1:
        interval = stats.ci95_items or stats.ci95_t
        over_both = stats.ci95_items is not None and covers is Covers.SEEDS_AND_ITEMS
        noise: Literal["seeds", "seeds and bundles"] = "seeds and bundles" if over_both else "seeds"
        return PointFigure(value=value, interval=interval, n_seeds=stats.n_seeds, covers=noise)
    return PointFigure(value=value, interval=alone, n_seeds=1, covers="bundles" if alone else None)


def _z(
    metric_values: ConditionRuns, runs: SeedRuns, cells: Mapping[str, PointFigure], conditions: Sequence[str]
) -> F64 | None:
    """How far one point is above another, shape (n, n): by bundles, or by seeds where all have several."""
    counts = [len(metric_values.values[name]) for name in conditions]
    if all(count == 1 for count in counts) and runs.scores:
        frames = [next(iter(runs.scores[name].values())) for name in conditions]
        return over_items(frames, conditions, [metric_values.metric]).get(0)
    if any(count < 2 for count in counts) or len(conditions) < 2:
        return None
    z = np.zeros((len(conditions), len(conditions)))
    number = {name: i for i, name in enumerate(conditions)}
    values = {name: metric_values.values[name] for name in conditions}
    for pair in compare_conditions([replace(metric_values, values=values)]).pairs:
        i, j = number[pair.a], number[pair.b]
        by_p = None if pair.p is None else np.sign(pair.difference or 0.0) * z_of(pair.p)
        z[i, j] = _apart(cells[pair.a], cells[pair.b]) if by_p is None else by_p
        z[j, i] = -z[i, j]
    return z


def _apart(a: PointFigure, b: PointFigure) -> float:
    """The same by intervals, where the seeds of both differ by the same and leave no noise to test by."""
    if a.interval is None or b.interval is None:
        return 0.0
    ahead, behind = (a, b) if a.value >= b.value else (b, a)
    near, far = ahead.value - (ahead.interval or (0, 0))[0], (behind.interval or (0, 0))[1] - behind.value
    z = float(recorded_z(*(np.array(figure) for figure in (ahead.value - behind.value, near, far))))
    return (z if isfinite(z) else 0.0) * (1 if ahead is a else -1)


def _cautions(
    used: Sequence[str],
    runs: Mapping[str, SeedRuns],
    figures: Sequence[str],
    wanted: Sequence[str],
    cells: Sequence[Mapping[str, PointFigure]],
) -> tuple[str, ...]:
    """What decides how much the figures are worth: what intervals cover, and tiers out of order."""
    cautions = []
    several = [cell for column in cells for cell in column.values() if cell.n_seeds > 1]
    for covers in dict.fromkeys(cell.covers for cell in several):
        only = " only" if covers == "seeds" else ""
        cautions.append(
            "points of several seeds are means, and their intervals (Student's t) cover the noise of "
            f"{covers}{only}"
        )
    for name in used:
        on = f"on {name}, " if len(used) > 1 else ""
        eval_runs = runs[name]
        if eval_runs.no_scores:
            cautions.append(f"{on}the noise of bundles is not in the tests: {eval_runs.no_scores}")
        steps = {condition: tier_steps(eval_runs, condition) for condition in eval_runs.levels}
        inverted = disorder(steps)
        cautions += [f"{on}{inverted}"] if inverted else []
        by_tier = any(
            tier_and_figure(figure)[0] for figure, where in zip(figures, wanted, strict=True) if where == name
        )
        if eval_runs.own_cut and by_tier:
            cautions.append(
                f"{on}the tiers of {show.plural(eval_runs.own_cut, 'run')} were cut by the run's own "
                "margins, so figures by tier follow from the cut"
            )
    return tuple(cautions)


def _merged(runs: Sequence[Run], conditions: Sequence[str]) -> Iterator[str]:
    """Say which scoreboards of an eval are seeds of one condition only because their models have one name."""
    seeds: dict[str, dict[str, list[str]]] = {}
    for run in runs:
        if run.board and run.condition in conditions:
            seeds.setdefault(run.training, {}).setdefault(run.condition, []).append(run.seed)
    for training, by_condition in seeds.items():
        merged = list(
            dict.fromkeys(
                seed
                for merged_seeds in by_condition.values()
                if len(merged_seeds) > 1
                for seed in merged_seeds
            )
        )
        if merged:
            yield (
                f"{len(merged)} runs named {training!r} are taken as seeds of one condition "
                f"({show.listed(merged, most=4)}); if more than the seed differs, score them again under "
                "names of their own: BundleEvaluator(…, model_name=NAME) or 'tellapart bundles score … "
                "--name NAME'"
            )


def _unnumbered(every: Mapping[str, Sequence[Run]]) -> Iterator[str]:
    """Say which models bear the name of a training, of which the cliff is looked for, and no step."""
    runs = [run for eval_runs in every.values() for run in eval_runs]
    trainings = {run.training for run in runs if run.step is not None}
    for name in dict.fromkeys(run.training for run in runs if run.step is None):
        if name in trainings:
            yield (
                f"{name!r} without a step is left out where a cliff is looked for; if it is the start of "
                f"that training, score it again as '{name} step 0'"
            )


def _cliffs(
    evals: Sequence[str], figures: Sequence[str], every: Mapping[str, Sequence[Run]]
) -> tuple[CliffRecord, ...]:
    """Look for cliffs in the trainings that both evals follow: the first figure up, the second down."""
    rates = [_pass_rate(figure) for figure in figures]
    names = [f"{name} {rate}" for name, rate in zip(evals, rates, strict=True)]
    sides = [_by_training(every[name], rate) for name, rate in zip(evals, rates, strict=True)]
    trainings = [
        training
        for name in sides[0]
        if name in sides[1]
        for training in _trainings(name, names, rates, [side[name] for side in sides])
    ]
    return find_cliffs(trainings)


_Seeds = dict[str, dict[int, Run]]
"""Runs of a training by seed and step."""


def _by_training(runs: Sequence[Run], rate: str) -> dict[str, _Seeds]:
    trainings: dict[str, _Seeds] = {}
    for run in runs:
        if run.step is not None and 0 <= run.values.get(rate, -1) <= 1:
            seeds = trainings.setdefault(run.training, {})
            seeds.setdefault(run.seed if run.has_seed else "", {})[run.step] = run
    return trainings


def _trainings(
    name: str, names: Sequence[str], rates: Sequence[str], sides: Sequence[_Seeds]
) -> Iterator[Training]:
    """Each seed whose bundles are at hand is a training; the others, by their rates alone, are one."""
    unscored = [seed for seed in sides[0] if seed in sides[1]]
    for seed in list(unscored):
        steps = [
            _scored(full_name, rate, side[seed])
            for full_name, rate, side in zip(names, rates, sides, strict=True)
        ]
        if all(eval_steps.items for eval_steps in steps):
            unscored.remove(seed)
            yield Training(f"{name} ({seed})" if len(sides[0]) > 1 else name, steps[0], steps[1])
    if unscored:
        first, second = (
            _recorded(full_name, rate, side, unscored)
            for full_name, rate, side in zip(names, rates, sides, strict=True)
        )
        yield Training(name, first, second)


def _scored(name: str, rate: str, runs: Mapping[int, Run]) -> EvalSteps:
    boards = {step: Path(run.where) for step, run in runs.items() if run.board}
    if len(boards) < len(runs):
        return EvalSteps(name, {})
    scored = dict(zip(boards, read_item_scores([*boards.values()])[0], strict=False))
    return scored_steps(name, rate, {step: board.scores for step, board in scored.items()})


def _recorded(name: str, rate: str, side: _Seeds, seeds: Sequence[str]) -> EvalSteps:
    steps = sorted({step for seed in seeds for step in side[seed]})
    values = {
        step: {seed: side[seed][step].values[rate] for seed in seeds if step in side[seed]} for step in steps
    }
    return EvalSteps(name, values)


def _pass_rate(figure: str) -> str:
    """The figure itself if it is a share of bundles, else the pass rate of its tier."""
    tier, name = tier_and_figure(figure)
    if name not in FIGURES or FIGURES[name].summary is Summary.SHARE:
        return figure
    return f"{tier}_pass_rate" if tier else "pass_rate"
