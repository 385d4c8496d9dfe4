"""Files of results, read as runs: our scoreboards, recorded ones, sweeps, and JSON lists from anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.bundles.figures import FIGURES, MARGINS
from tellapart.bundles.recorded import is_recorded, read_recorded
from tellapart.bundles.results import Scoreboard, read_scoreboard, scores_path
from tellapart.bundles.runs import Figure, Run, Runs, frame_of
from tellapart.bundles.scoreboards import load_scored
from tellapart.bundles.tier_names import ADVERSARIAL, OVERALL
from tellapart.bundles.tier_stats import tier_and_figure, why_margins_differ
from tellapart.errors import InputError, Refused
from tellapart.files import read_json

BOARD_METRICS = ("pass_rate", "q10_margin", f"{ADVERSARIAL}_pass_rate", f"{ADVERSARIAL}_q10_margin")
"""The metrics of scoreboards that are compared by default."""

_NOT_METRICS = ("condition", "name", "seed", "step")
_ITEMS, _INTERVAL = "_n", "_ci"
_AT_STEP = re.compile(r"(.*\S) step (\d+)")
_ALLOW = (
    "Score all of them on one eval, or look at them all the same with --allow-fingerprint-mismatch, "
    "which marks the result as exploratory"
)
_ONCE = "Give each run once, and score the seeds of a condition each with its own --checkpoint"


@dataclass(frozen=True)
class ResultFile:
    """A file of results; ``lacks`` says what another program did not record."""

    path: Path
    runs: tuple[Run, ...]
    eval: str
    fingerprint: str = ""
    lacks: str = ""
    board: Scoreboard | None = None

    @property
    def is_listed(self) -> bool:
        """Whether it is a JSON list of figures from anywhere."""
        return self.board is None and not self.lacks


def read_results(path: Path, metrics: Sequence[str] | None = None, eval_name: str = "") -> ResultFile:
    """Read a scoreboard, a sweep, a JSON list of objects, or one object.

    Args:
        path: Of the file.
        metrics: Those that an entry of a list must have as numbers; None means every field that it has.
        eval_name: The eval that the file is of; by default that of the file that was scored, or its own name.
    """
    value = read_json(path)
    if isinstance(value, dict) and is_recorded(value):
        recorded = read_recorded(value, path)
        return ResultFile(path, recorded.runs, eval_name or path.stem, recorded.fingerprint, recorded.lacks)
    if isinstance(value, dict) and "eval_header" in value:
        board = read_scoreboard(path)
        header = board.eval_header
        name = eval_name or Path(header.eval_path).stem
        return ResultFile(path, (_board_run(board, path),), name, header.fingerprint, board=board)
    entries = [value] if isinstance(value, dict) else value
    if not isinstance(entries, list):
        kind = {str: "string", bool: "boolean", type(None): "null"}.get(type(value), "number")
        raise InputError(f"this is a JSON {kind}, expected a list of objects or a scoreboard", where=path)
    runs = tuple(_entry_run(entry, f"{path}: entry {i}", metrics) for i, entry in enumerate(entries, start=1))
    return ResultFile(path, runs, eval_name or path.stem)


def runs_on(files: Sequence[ResultFile], *, allow_mismatch: bool = False) -> Runs:
    """Put the runs of files on one eval together."""
    runs = [run for file in files for run in file.runs]
    _refuse_repeated(runs)
    if not any(run.figures for run in runs):
        raise InputError("no run has a metric", where=", ".join(str(file.path) for file in files))
    boards = [file.board for file in files if file.board is not None]
    reasons = (why_margins_differ(boards[0], other) for other in boards[1:])
    margins_differ = next((why for why in reasons if why), "")
    listed = sorted({name for file in files if file.is_listed for run in file.runs for name in run.figures})
    ours = BOARD_METRICS if any(not file.is_listed for file in files) else ()
    available = {name for run in runs for name in run.figures}
    default = [name for name in dict.fromkeys((*listed, *ours)) if name in available]
    if margins_differ:
        default = [name for name in default if tier_and_figure(name)[1] not in MARGINS]
    scores, no_scores, own_cut = _item_scores(files)
    lacks = "; ".join(file.lacks for file in files if file.lacks)
    return Runs(
        frame_of((file.eval, run) for file in files for run in file.runs),
        _one_eval(files, allow_mismatch=allow_mismatch),
        scores,
        lacks or no_scores,
        margins_differ,
        tuple(default),
        own_cut,
    )


def read_runs(paths: Sequence[Path], metrics: Sequence[str] = (), *, allow_mismatch: bool = False) -> Runs:
    """Read runs on one eval."""
    return runs_on([read_results(path, metrics or None) for path in paths], allow_mismatch=allow_mismatch)


def _item_scores(files: Sequence[ResultFile]) -> tuple[dict[str, dict[str, pl.DataFrame]], str, int]:
    """Item scores of all runs, sorted by bundle, or why there are none; and how many cut their own tiers."""
    if any(file.board is None for file in files):
        return {}, "", 0
    lacking = sum(not scores_path(file.path).exists() for file in files)
    if lacking:
        return {}, f"{lacking} of {len(files)} scoreboards have no scores of bundles beside them", 0
    scored = [load_scored(file.path) for file in files]
    frames = [one.scores.sort("item") for one in scored]
    if any(not frame["item"].equals(frames[0]["item"]) for frame in frames):
        return {}, "the scoreboards are of different bundles", 0
    scores: dict[str, dict[str, pl.DataFrame]] = {}
    for file, frame in zip(files, frames, strict=True):
        scores.setdefault(file.runs[0].condition, {})[file.runs[0].seed] = frame
    return scores, "", sum(one.is_own_cut for one in scored)


def _board_run(board: Scoreboard, path: Path) -> Run:
    label = _AT_STEP.fullmatch(board.model)
    training, step = (label[1], int(label[2])) if label else (board.model, None)
    # A trainer saves step 120 of a run as RUN/checkpoint-120: what tells runs apart is the directory.
    directory, _, last = board.checkpoint_path.rstrip("/").rpartition("/")
    seed = directory if step is not None and last == f"checkpoint-{step}" else board.checkpoint_path
    figures = {}
    for scope, stats in board.tiers.items():
        prefix = "" if scope == OVERALL else f"{scope}_"
        for name, figure in FIGURES.items():
            value, interval = getattr(stats, name), stats.ci95.get(name)
            if value is not None and interval is not None:
                n = stats.queries if figure.of_queries else stats.n
                figures[f"{prefix}{name}"] = Figure(value, interval[0], interval[1], n)
            elif value is not None:
                figures[f"{prefix}{name}"] = Figure(value)
    return Run(training, step, seed, figures, str(path))


def _entry_run(entry: object, where: str, metrics: Sequence[str] | None) -> Run:
    """Read an entry of a list: a condition or name, its seed and step, and its metrics."""
    if not isinstance(entry, dict):
        raise InputError(f"this is {entry!r:.60}, expected an object", where=where)
    what = "name" if "name" in entry and "condition" not in entry else "condition"
    training, seed, step = entry.get(what), entry.get("seed", ""), entry.get("step")
    if not isinstance(training, str) or not training:
        raise InputError(f"{what!r} is {training!r}, expected a name", where=where)
    if isinstance(seed, bool) or not isinstance(seed, int | str):
        raise InputError(f"'seed' is {seed!r}, expected a number or a name", where=where)
    if step is not None and (isinstance(step, bool) or not isinstance(step, int)):
        raise InputError(f"'step' is {step!r}, expected a whole number", where=where)
    whose = f"{training!r}" + (f", seed {seed!r}" if "seed" in entry else "")
    return Run(training, step, str(seed), dict(_entry_figures(entry, whose, where, metrics)), where)


def _entry_figures(
    entry: Mapping[str, Any], whose: str, where: str, metrics: Sequence[str] | None
) -> Iterator[tuple[str, Figure]]:
    for name, value in entry.items():
        stem = next((name.removesuffix(end) for end in (_ITEMS, _INTERVAL) if name.endswith(end)), None)
        if name in _NOT_METRICS or value is None or stem in entry:
            continue
        is_wanted = metrics is None or name in metrics
        if not is_wanted and not (type(value) in (int, float) and isfinite(value)):
            continue
        read = _number(value, f"{name!r} of {whose}", where)
        low = high = n = None
        if (pair := entry.get(f"{name}{_INTERVAL}")) is not None:
            low, high = _interval_around(read, pair, f"{name + _INTERVAL!r} of {whose}", where)
        if (count := entry.get(f"{name}{_ITEMS}")) is not None:
            n = _count(count, f"{name + _ITEMS!r} of {whose}", where)
        yield name, Figure(read, low, high, n)


def _number(value: object, what: str, where: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{what} is {value!r:.60}, expected a number", where=where)
    if not isfinite(value):
        raise InputError(f"{what} is {value!r:.60}, expected a finite number", where=where)
    return float(value)


def _count(value: object, what: str, where: object) -> int:
    read = _number(value, what, where)
    if read < 1 or read != int(read):
        raise InputError(f"{what} is {value!r}, expected a number of items", where=where)
    return int(read)


def _interval_around(value: float, pair: object, what: str, where: object) -> tuple[float, float]:
    if not isinstance(pair, list) or len(pair) != 2:
        raise InputError(f"{what} is {pair!r:.60}, expected [low, high]", where=where)
    low, high = (_number(end, what, where) for end in pair)
    if not low <= value <= high:
        raise InputError(f"{what} is [{low!r}, {high!r}], expected an interval around {value!r}", where=where)
    return low, high


def _one_eval(files: Sequence[ResultFile], *, allow_mismatch: bool) -> tuple[str, ...]:
    """See that all files are of one eval, and give its fingerprint, or those that are to be mixed."""
    first = {file.fingerprint: file.path for file in reversed(files) if file.fingerprint}
    if len(first) > 1 and not allow_mismatch:
        evals = "; ".join(f"{first[print_]}: EVAL_FINGERPRINT: {print_}" for print_ in sorted(first))
        raise Refused(f"these scoreboards are of different evals: {evals}", next_step=_ALLOW)
    return tuple(sorted(first))


def _refuse_repeated(runs: Sequence[Run]) -> None:
    first_at: dict[tuple[str, str], str] = {}
    for run in runs:
        key = (run.condition, run.seed)
        if key in first_at:
            whose = (
                f"seed {run.seed!r} of {run.condition!r}" if run.seed else f"{run.condition!r} without a seed"
            )
            raise InputError(f"{whose} is that of {first_at[key]} as well", where=run.where, next_step=_ONCE)
        first_at[key] = run.where
