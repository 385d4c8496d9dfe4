"""Files of results, read as runs: our scoreboards, recorded ones, sweeps, and JSON lists from anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from tellapart.bundles.figures import FIGURES, MARGINS, Summary
from tellapart.bundles.results import (
    Scoreboard,
    is_recorded,
    read_scoreboard,
    scores_path,
    why_margins_differ,
)
from tellapart.bundles.runs import Figure, Run, Runs, frame_of
from tellapart.bundles.scoreboards import load_scored
from tellapart.bundles.tier_names import ADVERSARIAL, ALIASES, OVERALL, TIERS
from tellapart.bundles.tier_stats import tier_and_figure
from tellapart.core.record import StoredRecord
from tellapart.errors import InputError, Refused, near_match
from tellapart.files import check_record, read_json
from tellapart.report.numbers import listed

BOARD_METRICS = ("pass_rate", "q10_margin", f"{ADVERSARIAL}_pass_rate", f"{ADVERSARIAL}_q10_margin")
"""The metrics of scoreboards that are compared by default."""

_NOT_METRICS = ("condition", "name", "seed", "step")
_ITEMS, _INTERVAL = "_n", "_ci"
_AT_STEP = re.compile(r"(.*\S) step (\d+)")
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
    """Read a scoreboard, a sweep, a JSON list of objects, or one object, which must have ``metrics``."""
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
        raise InputError(f"this is {value!r:.60}, expected a list of objects or a scoreboard", where=path)
    runs = tuple(_entry_run(entry, f"{path}: entry {i}", metrics) for i, entry in enumerate(entries, start=1))
    return ResultFile(path, runs, eval_name or path.stem)


def read_runs(paths: Sequence[Path], metrics: Sequence[str] = (), *, allow_mismatch: bool = False) -> Runs:
    """Read runs on one eval."""
    return runs_on([read_results(path, metrics or None) for path in paths], allow_mismatch=allow_mismatch)


def runs_on(files: Sequence[ResultFile], *, allow_mismatch: bool = False) -> Runs:
    """Put the runs of files on one eval together."""
    runs = [run for file in files for run in file.runs]
    _refuse_repeated(runs)
    available = {name for run in runs for name in run.figures}
    if not available:
        raise InputError("no run has a metric", where=", ".join(str(file.path) for file in files))
    boards = [file.board for file in files if file.board is not None]
    reasons = (why_margins_differ(boards[0], other) for other in boards[1:])
    margins_differ = next(filter(None, reasons), "")
    listed_names = sorted(
        {name for file in files if file.is_listed for run in file.runs for name in run.figures}
    )
    ours = BOARD_METRICS if any(not file.is_listed for file in files) else ()
    default = [name for name in dict.fromkeys((*listed_names, *ours)) if name in available]
    if margins_differ:
        default = [name for name in default if tier_and_figure(name)[1] not in MARGINS]
    scores, no_scores, own_cut = _item_scores(files)
    return Runs(
        frame_of((file.eval, run) for file in files for run in file.runs),
        _one_eval(files, allow_mismatch=allow_mismatch),
        scores,
        "; ".join(file.lacks for file in files if file.lacks) or no_scores,
        margins_differ,
        tuple(default),
        own_cut,
    )


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
        for name in FIGURES:
            value, interval = getattr(stats, name), stats.ci95.get(name)
            if value is not None:
                noise = (interval[0], interval[1], stats.n) if interval else (None, None, None)
                figures[f"{prefix}{name}"] = Figure(value, *noise)
    return Run(training, step, seed, figures, str(path))


_Share = Annotated[float, Field(ge=0, le=1)]


class _RecordedStats(StoredRecord):
    """Figures of one tier, or of all bundles, as the published schema has them."""

    n: Annotated[int, Field(ge=0)] | None = None
    correct: int | None = None
    accuracy: _Share | None = None
    pass_rate: _Share | None = None
    mean_margin: float | None = None
    median_margin: float | None = None
    q10_margin: float | None = None
    q90_margin: float | None = None
    mean_rank: Annotated[float, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _agrees_with_its_counts(self) -> _RecordedStats:
        if self.pass_rate is None and self.n != 0:
            raise PydanticCustomError("pass_rate", "figures with a 'pass_rate'")
        for rate in (self.accuracy, self.pass_rate):
            if rate is None or not self.n or self.correct is None:
                continue
            if abs(self.correct / self.n - rate) > _SHARE_ROUNDING:
                expected = f"{self.correct / self.n:.4g}: {self.correct} correct of {self.n}"
                raise PydanticCustomError("rate", "rates of {expected}", {"expected": expected})
        return self

    def figures(self, prefix: str) -> Iterator[tuple[str, Figure]]:
        """Give what is recorded; of nothing in an empty tier."""
        for name, figure in FIGURES.items():
            value = getattr(self, name, None)
            if value is not None and self.n != 0:
                yield prefix + name, Figure(value, n=None if figure.summary is Summary.QUANTILE else self.n)


class _RecordedRun(StoredRecord):
    """A run of a sweep, or a scoreboard that another program wrote."""

    condition: Annotated[str, Field(min_length=1)] | None = None
    model: str | None = None
    seed: int | str | None = None
    checkpoint_path: str | None = None
    overall: _RecordedStats
    by_tier: dict[str, _RecordedStats] | None = None


def _recorded(value: Mapping[str, Any], path: Path, eval_name: str) -> ResultFile:
    """Take the runs from a sweep or a scoreboard of another program: counts and means, no scores."""
    fingerprint = _recorded_fingerprint(value.get("eval_header"))
    lacks = ["scores of bundles", "units of margins", *([] if fingerprint else ["fingerprint of the eval"])]
    left_out = ""
    if "capsules" not in value:
        board = check_record(dict(value), _RecordedRun, path, "scoreboard", strict=True)
        runs = [_recorded_run(board, board.model or path.stem, board.checkpoint_path or str(path), str(path))]
        lacks += [] if board.model else ["name of the model"]
    else:
        entries = value["capsules"]
        if not isinstance(entries, list) or not entries:
            raise InputError(f"'capsules' is {entries!r:.60}, expected a list of runs", where=path)
        runs = []
        for i, entry in enumerate(entries, start=1):
            where = f"{path}: entry {i} of 'capsules'"
            if isinstance(entry, dict) and "error" in entry:
                continue
            run = check_record(entry, _RecordedRun, where, "run", strict=True)
            if run.condition is None:
                raise InputError("'condition' is missing, expected a name", where=where)
            seed = f"entry {i}" if run.seed is None else str(run.seed)
            runs.append(_recorded_run(run, run.condition, seed, where))
        failed = len(entries) - len(runs)
        if not runs:
            raise InputError(f"all {failed} runs have an error instead of figures", where=path)
        left_out = f", and {failed} of its runs ended in an error" if failed else ""
    sentence = f"{path.name} records no {listed(lacks, 'or')}{left_out}"
    return ResultFile(path, tuple(runs), eval_name, fingerprint, sentence)


def _recorded_run(recorded: _RecordedRun, condition: str, seed: str, where: str) -> Run:
    figures, in_tiers = dict(recorded.overall.figures("")), 0
    for name, stats in (recorded.by_tier or {}).items():
        if name in _NO_TIER:
            continue
        tier = ALIASES.get(name, name)
        if tier not in TIERS:
            raise InputError(f"unknown tier {name!r}", where=where, next_step=near_match(name, TIERS))
        in_tiers += stats.n or 0
        figures |= stats.figures(f"{tier}_")
    n = recorded.overall.n
    if n is not None and in_tiers > n:
        raise InputError(f"the tiers have {in_tiers:,} bundles, expected {n:,} or fewer", where=where)
    return Run(condition, None, seed, figures, where)


def _recorded_fingerprint(header: object) -> str:
    """The recorded one, or its parts in the header of a frozen eval."""
    if not isinstance(header, dict):
        return ""
    if isinstance(header.get("fingerprint"), str):
        return str(header["fingerprint"])
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
    if step is not None and type(step) is not int:
        raise InputError(f"'step' is {step!r}, expected a whole number", where=where)
    whose = f"{training!r}" + (f", seed {seed!r}" if "seed" in entry else "")
    return Run(training, step, str(seed), dict(_entry_figures(entry, whose, where, metrics)), where)


def _entry_figures(
    entry: Mapping[str, Any], whose: str, where: str, metrics: Sequence[str] | None
) -> Iterator[tuple[str, Figure]]:
    def fault(name: str, expected: str) -> InputError:
        return InputError(f"{name!r} of {whose} is {entry[name]!r:.60}, expected {expected}", where=where)

    for name, value in entry.items():
        stem = next((name.removesuffix(end) for end in (_ITEMS, _INTERVAL) if name.endswith(end)), None)
        if name in _NOT_METRICS or value is None or stem in entry:
            continue
        if not _is_number(value):
            if metrics is None or name in metrics:
                raise fault(name, "a finite number" if isinstance(value, float) else "a number")
            continue
        low = high = None
        if (pair := entry.get(f"{name}{_INTERVAL}")) is not None:
            if not isinstance(pair, list) or len(pair) != 2 or not all(map(_is_number, pair)):
                raise fault(f"{name}{_INTERVAL}", "[low, high]")
            low, high = map(float, pair)
            if not low <= value <= high:
                raise fault(f"{name}{_INTERVAL}", f"an interval around {value!r}")
        if (n := entry.get(f"{name}{_ITEMS}")) is not None and (
            not _is_number(n) or not 1 <= n < 2**53 or n != int(n)
        ):
            raise fault(f"{name}{_ITEMS}", "a number of items")
        yield name, Figure(float(value), low, high, None if n is None else int(n))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _one_eval(files: Sequence[ResultFile], *, allow_mismatch: bool) -> tuple[str, ...]:
    """See that all files are of one eval, and give its fingerprint, or those that are to be mixed."""
    first = {file.fingerprint: file.path for file in reversed(files) if file.fingerprint}
    if len(first) > 1 and not allow_mismatch:
        evals = "; ".join(f"{first[print_]}: EVAL_FINGERPRINT: {print_}" for print_ in sorted(first))
        raise Refused(
            f"these scoreboards are of different evals: {evals}",
            next_step="Score all of them on one eval, or look at them all the same with "
            "--allow-fingerprint-mismatch, which marks the result as exploratory",
        )
    return tuple(sorted(first))


def _refuse_repeated(runs: Sequence[Run]) -> None:
    first_at: dict[tuple[str, str], str] = {}
    for run in runs:
        key = (run.condition, run.seed)
        if key in first_at:
            whose = f"seed {run.seed!r} of" if run.seed else ""
            seed = f"{whose} {run.condition!r}".strip() + ("" if run.seed else " without a seed")
            raise InputError(
                f"{seed} is that of {first_at[key]} as well",
                where=run.where,
                next_step="Give each run once, and score the seeds of a condition each with its own "
                "--checkpoint",
            )
        first_at[key] = run.where
