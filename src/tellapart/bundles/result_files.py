"""Files of results, read as runs: our scoreboards, recorded ones, sweeps, and JSON lists from anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.bundles.figures import FIGURES, MARGINS, Summary
from tellapart.bundles.results import Scoreboard, is_recorded, read_scoreboard, scores_path
from tellapart.bundles.runs import Figure, Run, Runs, frame_of
from tellapart.bundles.scoreboards import load_scored
from tellapart.bundles.tier_names import ADVERSARIAL, ALIASES, OVERALL, TIERS
from tellapart.bundles.tier_stats import tier_and_figure, why_margins_differ
from tellapart.errors import InputError, Refused, near_match
from tellapart.files import read_json
from tellapart.report.numbers import listed

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

_SHARE_ROUNDING = 1e-4
"""A rate may be recorded with four digits."""

_NO_TIER = ("NA", "None")
"""What other programs call the tier of bundles that have none."""


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
        return _recorded(value, path, eval_name or path.stem)
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
    named = sorted({name for file in files if file.is_listed for run in file.runs for name in run.figures})
    ours = BOARD_METRICS if any(not file.is_listed for file in files) else ()
    available = {name for run in runs for name in run.figures}
    default = [name for name in dict.fromkeys((*named, *ours)) if name in available]
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


def _recorded(value: Mapping[str, Any], path: Path, eval_name: str) -> ResultFile:
    """Take the runs from a sweep or a scoreboard of another program: counts and means, no scores."""
    header = value.get("eval_header")
    fingerprint = _recorded_fingerprint(header if isinstance(header, dict) else {})
    lacks = ["scores of bundles", "units of margins", *([] if fingerprint else ["fingerprint of the eval"])]
    left_out = ""
    if "capsules" not in value:
        name = str(value.get("model") or "")
        seed = str(value.get("checkpoint_path") or path)
        runs = [_recorded_run(value, name or path.stem, seed, str(path))]
        lacks += [] if name else ["name of the model"]
    else:
        entries = value["capsules"]
        if not isinstance(entries, list) or not entries:
            raise InputError(f"'capsules' is {entries!r:.60}, expected a list of runs", where=path)
        made = [
            _capsule(entry, i, f"{path}: entry {i} of 'capsules'") for i, entry in enumerate(entries, start=1)
        ]
        runs = [run for run in made if run is not None]
        failed = len(made) - len(runs)
        if not runs:
            raise InputError(f"all {failed} runs have an error instead of figures", where=path)
        left_out = f", and {failed} of its runs ended in an error" if failed else ""
    sentence = f"{path.name} records no {listed(lacks, 'or')}{left_out}"
    return ResultFile(path, tuple(runs), eval_name, fingerprint, sentence)


def _capsule(entry: object, number: int, where: str) -> Run | None:
    if not isinstance(entry, dict):
        raise InputError(f"this is {entry!r:.60}, expected an object", where=where)
    if "error" in entry:
        return None
    condition, seed = entry.get("condition"), entry.get("seed")
    if not isinstance(condition, str) or not condition:
        raise InputError(f"'condition' is {condition!r}, expected a name", where=where)
    return _recorded_run(entry, condition, f"entry {number}" if seed is None else str(seed), where)


def _recorded_run(entry: Mapping[str, Any], condition: str, seed: str, where: str) -> Run:
    by_tier = entry.get("by_tier") or {}
    if not isinstance(by_tier, dict):
        raise InputError(f"'by_tier' is {by_tier!r:.60}, expected an object", where=where)
    figures = _recorded_figures(entry.get(OVERALL), "", f"'{OVERALL}'", where)
    n, in_tiers = figures["pass_rate"].n if figures else None, 0
    for name, stats in by_tier.items():
        if name in _NO_TIER:
            continue
        tier = ALIASES.get(name, name)
        if tier not in TIERS:
            raise InputError(f"unknown tier {name!r}", where=where, next_step=near_match(name, TIERS))
        of_tier = _recorded_figures(stats, f"{tier}_", f"'{name}'", where)
        in_tiers += next((figure.n or 0 for figure in of_tier.values()), 0)
        figures |= of_tier
    if n is not None and in_tiers > n:
        raise InputError(f"the tiers have {in_tiers:,} bundles, expected {n:,} or fewer", where=where)
    return Run(condition, None, seed, figures, where)


def _recorded_figures(stats: object, prefix: str, what: str, where: str) -> dict[str, Figure]:
    """Check the figures of one tier, or of all bundles."""
    if not isinstance(stats, dict):
        raise InputError(f"{what} is {stats!r:.60}, expected figures such as 'pass_rate'", where=where)
    values = {
        name: _number(stats[name], f"{name!r} of {what}", where)
        for name in ("n", "correct", *FIGURES)
        if stats.get(name) is not None
    }
    n, correct = values.get("n"), values.get("correct")
    for name in ("accuracy", "pass_rate"):
        rate = values.get(name)
        if rate is None:
            continue
        wrong = f"{name!r} of {what} is {rate:g}, expected"
        if not 0 <= rate <= 1:
            raise InputError(f"{wrong} a share in [0, 1]", where=where)
        if n and correct is not None and abs(correct / n - rate) > _SHARE_ROUNDING:
            raise InputError(f"{wrong} {correct / n:.4g}: {correct:g} correct of {n:g}", where=where)
    if "pass_rate" not in values:
        raise InputError(f"{what} has no 'pass_rate'", where=where)
    if n == 0:
        return {}
    return {
        prefix + name: Figure(
            values[name], n=None if n is None or figure.summary is Summary.QUANTILE else int(n)
        )
        for name, figure in FIGURES.items()
        if name in values
    }


def _recorded_fingerprint(header: Mapping[str, Any]) -> str:
    """The recorded one, or its parts in the header of a frozen eval."""
    recorded = header.get("fingerprint")
    if isinstance(recorded, str):
        return recorded
    source, seed, count = (header.get(name) for name in ("source_sha256", "eval_seed", "eval_count"))
    if not isinstance(source, str) or not isinstance(seed, int) or not isinstance(count, int):
        return ""
    return f"{source[:16]}|{seed}|{count}"


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
