"""Statistics by instance that HELM writes for each run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tellapart.files import as_objects, head, part, read_json, read_object, whole_number
from tellapart.readers.row_form import Form, Log, Row, averages
from tellapart.readers.settings import ReadingSettings

_PREFERRED = (
    *("exact_match", "quasi_exact_match", "f1_score"),
    *("final_number_exact_match", "ndcg_10", "rouge_l"),
)
_STATISTICS = re.compile(rb'\[\s*\{[^\[\]]*"instance_id"\s*:')
_AVERAGES = re.compile(rb'\[\s*\{\s*"name"\s*:\s*\{\s*"name"\s*:')
_COUNTS = re.compile(
    r"num_.*|.*_(cost|runtime|time|tokens|energy.*)|finish_reason.*|logprob.*|batch_size|max_prob"
)


def _is_helm(path: Path) -> bool:
    start = head(path)
    return bool(
        _AVERAGES.match(start)
        if path.name == "stats.json"
        else _STATISTICS.match(start) and b'"train_trial_index"' in start
    )


def _log(path: Path, settings: ReadingSettings) -> Log:
    """Read the instances of a run, whose name and model are in ``run_spec.json`` beside the file.

    An item is ``run/instance_id``, where the run is its name without the model. Trials are replicates, and
    what HELM splits between entries is put together. A perturbed instance is an item of its own, and all
    instances of one id are a cluster.
    """
    if path.name == "stats.json":
        raise averages(path, "Give per_instance_stats.json of the same folder")
    entries = as_objects(read_json(path), path)
    by_instance: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {}
    for entry in entries:
        # A statistic of no count was never measured; its mean is absent.
        statistics: dict[str, Any] = {}
        for stat in as_objects(entry.get("stats"), f"{path}: 'stats'"):
            mean = stat.get("mean") if stat.get("count") else None
            statistics.setdefault(str(part(stat, "name").get("name")), mean)
            entry["split"] = part(stat, "name").get("split")
        key = json.dumps([entry.get(name) for name in ("instance_id", "train_trial_index", "perturbation")])
        of_instance = by_instance.setdefault(key, [])
        fits = (s for _, s in of_instance if all(s.get(n, v) == v for n, v in statistics.items()))
        if (same := next(fits, None)) is None:
            of_instance.append((entry, statistics))
        else:
            same.update(statistics)
    spec_path, folder = path.with_name("run_spec.json"), path.resolve().parent.name
    spec = read_object(spec_path) if spec_path.is_file() else {}
    pieces = re.split(r"[,:]", str(spec.get("name") or folder))
    run = ",".join(piece for piece in pieces if not piece.startswith(("model=", "model_deployment=")))
    rows = []
    for entry, statistics in (pair for of_instance in by_instance.values() for pair in of_instance):
        instance, change = str(entry.get("instance_id")), part(entry, "perturbation").get("name")
        number, where = entry.get("train_trial_index") or 0, f"{path}: instance {instance!r}"
        rows.append(
            Row(
                f"{run}/{instance}" + (f"/{change}" if change else ""),
                statistics,
                replicate=whole_number(number, f"{path}: 'train_trial_index' of {instance!r}"),
                cluster=f"{run}/{instance}",
                traits={"perturbation": change or "none", "split": entry.get("split")},
                where=where,
            )
        )
    names = list(dict.fromkeys(name for row in rows for name in row.scores))
    merged = len(entries) - len(rows)
    note = f"{path.name}: {merged} of {len(entries)} entries repeat or complete another one; they count once."
    return Log(
        rows,
        model=part(spec, "adapter_spec").get("model"),
        called=folder,
        default=next((name for name in _PREFERRED if name in names), None),
        names=[name for name in names if not _COUNTS.fullmatch(name)],
        strata={"run": run},
        notes=[note] if merged else [],
    )


FORMS = (Form("HELM statistics by instance", _is_helm, _log),)
