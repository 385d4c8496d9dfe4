"""Statistics by instance that HELM writes for each run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tellapart.errors import InputError
from tellapart.files import as_objects, head, part, read_json, read_object, whole_number
from tellapart.readers.answers import Answer, answers_frame, finite_score, numbered
from tellapart.readers.metric_choice import choose_metric
from tellapart.readers.reader import LogScores, NoItemScores
from tellapart.readers.settings import ReadingSettings

NAME = "HELM statistics by instance"

TAKES = ("metric", "model")

PREFERRED = ("exact_match", "quasi_exact_match", "f1_score", "final_number_exact_match", "ndcg_10", "rouge_l")
"""Metrics that are read first; HELM lists counts of tokens and times beside them."""

_STATISTICS = re.compile(rb'\[\s*\{[^\[\]]*"instance_id"\s*:')
_AVERAGES = re.compile(rb'\[\s*\{\s*"name"\s*:\s*\{\s*"name"\s*:')
_COUNTS = re.compile(
    r"num_.*|.*_(cost|runtime|time|tokens|energy.*)|finish_reason.*|logprob.*|batch_size|max_prob"
)


def recognises(path: Path) -> bool:
    """Check whether a file holds statistics by instance, or a run's averages, by its beginning."""
    start = head(path)
    averages = path.name == "stats.json" and bool(_AVERAGES.match(start))
    return averages or (bool(_STATISTICS.match(start)) and b'"train_trial_index"' in start)


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Read the scores of one metric.

    The model, and the run as the stratum ``run``, are those of ``run_spec.json`` beside the file; an item is
    ``run/instance_id``, where the run is its name without the model. Trials (``train_trial_index``) are
    replicates. A perturbed instance is an item of its own, and all instances of one id are a cluster.
    """
    if path.name == "stats.json":
        raise NoItemScores(
            "this file holds the averages of a run, and no scores of items",
            where=path,
            next_step="Give per_instance_stats.json of the same folder",
        )
    rows = as_objects(read_json(path), path)
    entries = _merged([(row, _stats(row, path)) for row in rows])
    names = list(dict.fromkeys(name for _, of_row in entries for name in of_row))
    if not names:
        raise InputError("no instance has a statistic", where=path)
    scores = [name for name in names if not _COUNTS.fullmatch(name)] or names
    default = next((name for name in PREFERRED if name in names), scores[0])
    metric, notes = choose_metric(
        scores if settings.metric is None else names, settings.metric, path, default=default
    )
    spec_path = path.with_name("run_spec.json")
    spec = read_object(spec_path) if spec_path.is_file() else {}
    model = str(settings.name or part(spec, "adapter_spec").get("model") or path.resolve().parent.name)
    run = _run(str(spec.get("name") or path.resolve().parent.name))
    answers, repeated = numbered(
        [_answer(row, of_row.get(metric), metric, (model, run), path) for row, of_row in entries], path
    )
    if merged := len(rows) - len(entries):
        repeated.append(
            f"{path.name}: {merged} of {len(rows)} entries repeat or complete another one; they count once."
        )
    return LogScores(answers_frame(answers, run=run), (*notes, *repeated))


def _run(name: str) -> str:
    """The name of a run without the model that it is of: the same items for every model."""
    parts = [part for part in re.split(r"[,:]", name) if not part.startswith(("model=", "model_deployment="))]
    return ",".join(parts)


def _merged(
    entries: Sequence[tuple[Mapping[str, Any], dict[str, object]]],
) -> list[tuple[Mapping[str, Any], dict[str, object]]]:
    """Put the statistics of an instance together that HELM splits; differing ones stay apart."""
    by_instance: dict[str, list[tuple[Mapping[str, Any], dict[str, object]]]] = {}
    for row, stats in entries:
        key = json.dumps([row.get(name) for name in ("instance_id", "train_trial_index", "perturbation")])
        of_instance = by_instance.setdefault(key, [])
        fits = (known for _, known in of_instance if all(known.get(n, v) == v for n, v in stats.items()))
        if (known := next(fits, None)) is None:
            of_instance.append((row, stats))
        else:
            known.update(stats)
    return [entry for of_instance in by_instance.values() for entry in of_instance]


def _stats(row: Mapping[str, Any], path: Path) -> dict[str, object]:
    values: dict[str, object] = {}
    for stat in as_objects(row.get("stats"), f"{path}: 'stats'"):
        # A statistic of no count was never measured; its mean is absent.
        values.setdefault(
            str(part(stat, "name").get("name")), stat.get("mean") if stat.get("count") else None
        )
    return values


def _answer(row: Mapping[str, Any], value: object, metric: str, of: tuple[str, str], path: Path) -> Answer:
    instance, change = str(row.get("instance_id")), part(row, "perturbation").get("name")
    score = finite_score(value, metric, f"{path}: instance {instance!r}")
    model, run = of
    return Answer(
        model=model,
        item=f"{run}/{instance}" + (f"/{change}" if change else ""),
        score=score,
        missing="unknown" if score is None else None,
        replicate=whole_number(
            row.get("train_trial_index") or 0, f"{path}: 'train_trial_index' of {instance!r}"
        ),
        cluster=f"{run}/{instance}",
        traits={"perturbation": change or "none"},
    )
