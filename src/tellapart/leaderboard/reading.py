"""MTEB's results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict

from tellapart.core.progress import SILENT, Progress, counted
from tellapart.errors import InputError
from tellapart.files import check_record, read_object

_META = "model_meta.json"


class _Part(BaseModel):
    """The scores of one subset; the other figures stay unread."""

    model_config = ConfigDict(extra="ignore")

    hf_subset: str
    main_score: float | None = None


class _Result(BaseModel):
    """A file of MTEB's results."""

    model_config = ConfigDict(extra="ignore")

    task_name: str
    scores: dict[str, list[_Part]]


@dataclass(frozen=True)
class Leaderboard:
    """Scores by model and task.

    Attributes:
        tasks: Ascending; those on which every model has a score.
        scores: Shape (models, tasks): the mean of MTEB's main score over splits and subsets.
        parts: By task, its splits and subsets: ``subset/split``.
        notes: What was left out; sentences.
    """

    models: tuple[str, ...]
    tasks: tuple[str, ...]
    scores: np.ndarray
    parts: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...]


def read_leaderboard(results: Sequence[Path], *, progress: Progress = SILENT) -> Leaderboard:
    """Read results."""
    by_model, parts, notes = _results(results, progress)
    if len(by_model) < 2:
        results_are = (
            f"results of one model only, {next(iter(by_model))!r}" if by_model else "no results of MTEB"
        )
        raise InputError(
            f"there are {results_are}, and it takes two models to compare",
            where=", ".join(map(str, results)),
            next_step="Give the folder that MTEB's ResultCache writes results into",
        )
    models = tuple(sorted(by_model))
    every = sorted({task for of_model in by_model.values() for task in of_model})
    scored = [task for task in every if all(task in by_model[model] for model in models)]
    shared = {task: set.intersection(*(set(parts[model, task]) for model in models)) for task in scored}
    splits = {
        task: {frozenset(name.rpartition("/")[2] for name in parts[model, task]) for model in models}
        for task in scored
    }
    uneven = [task for task in scored if not shared[task] or len(splits[task]) > 1]
    common = tuple(task for task in scored if task not in uneven)
    narrowed = [task for task in common if any(parts[model, task].keys() != shared[task] for model in models)]
    if len(scored) < len(every):
        left = [task for task in every if task not in scored]
        notes.append(f"Left out, since not every model has a score: {', '.join(left)}.")
    if uneven:
        notes.append(
            "Left out, since models have scores on different splits, or on no subset in common: "
            f"{', '.join(uneven)}."
        )
    if narrowed:
        notes.append(f"Only the subsets that all models have are read of: {', '.join(narrowed)}.")
    if not common:
        fewest = min(models, key=lambda model: len(by_model[model]))
        raise InputError(
            "there is no task on which every model has a score on the same splits and subsets",
            next_step=f"Leave out the model with the fewest tasks, {fewest!r} ({len(by_model[fewest])})",
        )
    parts_of = {task: tuple(sorted(shared[task])) for task in common}
    scores = np.array(
        [[np.mean([parts[m, task][name] for name in parts_of[task]]) for task in common] for m in models]
    )
    return Leaderboard(models, common, scores, parts_of, tuple(notes))


_Parts = dict[tuple[str, str], dict[str, float]]


def _results(
    paths: Sequence[Path], progress: Progress
) -> tuple[dict[str, dict[str, float]], _Parts, list[str]]:
    """Scores by model and task, their parts by model and task, and what was left out."""
    named: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    unscored: dict[str, None] = {}
    for path in counted(list(_files(paths)), progress, "reading results", unit="files"):
        whole = read_object(path)
        if "task_name" not in whole or "scores" not in whole:
            continue
        result = check_record(whole, _Result, path, "result of MTEB")
        values = {
            f"{part.hf_subset}/{split}": np.nan if part.main_score is None else part.main_score
            for split, of_split in result.scores.items()
            for part in of_split
        }
        if not values or not np.isfinite(list(values.values())).all():
            unscored[result.task_name] = None
            continue
        tasks = named.setdefault(_model_of(path), {})
        if result.task_name in tasks:
            raise InputError(
                f"the task {result.task_name!r} has two results of one model",
                where=path,
                next_step="Give the results of one run, or leave one of the files out",
            )
        tasks[result.task_name] = values
    notes = [f"Without a main score of some model: {', '.join(unscored)}."] if unscored else []
    notes += _without_parts_of_models(named)
    several = {name for name, _ in named if sum(other == name for other, _ in named) > 1}
    labels = {key: f"{key[0]}@{key[1]}" if key[0] in several else key[0] for key in named}
    means = {
        labels[key]: {task: float(np.mean(list(values.values()))) for task, values in tasks.items()}
        for key, tasks in named.items()
    }
    parts = {(labels[key], task): v for key, tasks in named.items() for task, v in tasks.items()}
    return means, parts, notes


def _without_parts_of_models(named: dict[tuple[str, str], dict[str, dict[str, float]]]) -> list[str]:
    """Of several revisions of a model drop those that lack tasks of the fullest one; say which."""
    notes = []
    for name in sorted({name for name, _ in named}):
        keys = sorted(key for key in named if key[0] == name)
        fullest = max(keys, key=lambda key: len(named[key]))
        fewer = [key for key in keys if not named[key].keys() >= named[fullest].keys()]
        for key in fewer:
            del named[key]
        if fewer:
            left = ", ".join(revision or "without a name" for _, revision in fewer)
            notes.append(
                f"Of {name} the revision with the most tasks is read, {fullest[1]}; left out: {left}."
            )
    return notes


def _model_of(path: Path) -> tuple[str, str]:
    """Name and revision, as ``model_meta.json`` beside a result says, else as its folders are called."""
    meta = path.parent / _META
    if meta.is_file():
        record = read_object(meta)
        if isinstance(record.get("name"), str):
            return record["name"], str(record.get("revision"))
    folder = path.resolve().parent
    if "__" in folder.parent.name:
        return folder.parent.name.replace("__", "/", 1), folder.name
    return folder.name, ""


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.exists():
            raise InputError("there is no such file or directory", where=path)
        yield from (
            sorted(file for file in path.rglob("*.json") if file.name != _META) if path.is_dir() else [path]
        )
