"""Logs of benchmarks that are released with their results item by item."""

from __future__ import annotations

import json
import re
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tellapart.errors import InputError
from tellapart.files import as_object, as_objects, part, read_json, read_object, whole_number
from tellapart.readers.log import (
    SHARE,
    Log,
    Metric,
    Missing,
    Row,
    Shown,
    averages,
    first_of,
    item_by,
    json_rows,
    shared,
    unless,
)
from tellapart.readers.reader import NoItemScores
from tellapart.readers.settings import ReadingSettings


def alpaca_eval(path: Path, settings: ReadingSettings) -> Log:
    """Read the annotations of one model against a reference."""
    whole, rows = json_rows(path), []
    for row in whole:
        question, preference = row.get("instruction"), row.get("preference")
        score = preference - 1 if isinstance(preference, int | float) else preference
        item, shown = item_by(question, row.get("dataset")), Shown(question, answer=row.get("output_2"))
        rows.append(Row(item, {"preference": score}, shown, model=row.get("generator_2"), whole=row))
    reference = shared(whole, "generator_1")
    metric = Metric((0.0, 1.0), stamps={"judge": shared(whole, "annotator"), "reference": reference})
    note = f"{path.name}: the score is the preference over {reference}, from 0 to 1."
    return Log(rows, notes=(note,), no_score="judge", metric=metric)


_STATUSES = ("plus_status", "base_status", "status")
"""The strictest first: all tests, then those of the original benchmark."""

_PASSED = {"pass": 1.0, "fail": 0.0, "timeout": 0.0}


def evalplus(path: Path, settings: ReadingSettings) -> Log:
    """Read whether each solution passes all tests, or those of the original benchmark."""
    report, rows = read_object(path), []
    for task, of_task in as_object(report.get("eval"), f"{path}: 'eval'").items():
        for number, entry in enumerate(of_task if isinstance(of_task, list) else [of_task]):
            solution = as_object(entry, where := f"{path}: 'eval', {task!r}")
            given = {str(name): solution[name] for name in _STATUSES if name in solution}
            scores = {name: _PASSED.get(str(status), status) for name, status in given.items()}
            shown = Shown(answer=solution.get("solution"))
            rows.append(Row(task, scores, shown, replicate=number, where=where))
    metric = Metric((0.0, 1.0), stamps={"data set": report.get("hash")})
    called = re.sub(r"(\.eval|_eval)?(_results)?$", "", path.stem)
    return Log(rows, called=called, no_score="judge", metric=metric)


def every_eval_ever(path: Path, settings: ReadingSettings) -> Log:
    """Instances; the aggregate file beside them records limits and the direction of a metric."""
    whole = json_rows(path)
    ids: dict[str, set[str]] = {}
    for row in whole:
        ids.setdefault(str(row.get("evaluation_name")), set()).add(str(row.get("evaluation_result_id")))
    several = any(len(of_one) > 1 for of_one in ids.values())
    aggregate_path = path.with_name(f"{re.sub('_samples$', '', path.stem)}.json")
    aggregate = read_object(aggregate_path) if aggregate_path.is_file() else {}
    rows = []
    for row in whole:
        grade, name, question = part(row, "evaluation"), str(row.get("evaluation_name")), part(row, "input")
        result, error = str(row.get("evaluation_result_id")), row.get("error")
        answer = first_of({**row, **part(row, "output")}, "raw", "messages")
        names = {result: "score"} if several else {"score": "score", "is_correct": "is_correct"}
        rows.append(
            Row(
                f"{name}/{row.get('sample_id')}",
                {metric: unless(error, grade.get(key)) for metric, key in names.items()},
                Shown(question.get("raw"), question.get("reference"), answer),
                model=str(row.get("model_id")),
                traits={"evaluation": name, **part(row, "metadata")},
                whole=row,
            )
        )
    results = as_objects(aggregate.get("evaluation_results"), f"{aggregate_path}: 'evaluation_results'")
    library = part(aggregate, "eval_library")
    named = [str(library[key]) for key in ("name", "version") if library.get(key, "unknown") != "unknown"]
    stamps = {"harness": " ".join(named) or None}

    def metric(name: str) -> Metric:
        if name == "is_correct":
            return Metric((0.0, 1.0), stamps=stamps)
        result = name if several else whole[0].get("evaluation_result_id")
        of_result = [entry for entry in results if entry.get("evaluation_result_id") == result]
        config = part([*of_result, *(results if len(results) == 1 else ()), {}][0], "metric_config")
        low, high = config.get("min_score"), config.get("max_score")
        limits = (float(low), float(high)) if low is not None and high is not None and low < high else None
        return Metric(limits, config.get("lower_is_better"), stamps)

    return Log(rows, is_sparse=True, metric=metric)


_PREFERRED = (
    *("exact_match", "quasi_exact_match", "f1_score"),
    *("final_number_exact_match", "ndcg_10", "rouge_l"),
)


_COUNTS = re.compile(
    r"num_.*|.*_(cost|runtime|time|tokens|energy.*)|finish_reason.*|logprob.*|batch_size|max_prob"
)


def helm(path: Path, settings: ReadingSettings) -> Log:
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


def live_code_bench(path: Path, settings: ReadingSettings) -> Log:
    """Read the grades of the solutions to each question, which are replicates."""
    rows = []
    for number, row in enumerate(json_rows(path), start=1):
        if "pass@1" in row:
            raise averages(path, "Give the file beside it whose name ends in _eval_all.json")
        grades = row.get("graded_list")
        if not isinstance(grades, list):
            raise NoItemScores(
                f"row {number} has answers and no 'graded_list'",
                where=path,
                next_step="Run LiveCodeBench with --evaluate, and give its _eval_all.json",
            )
        item, question = str(row.get("question_id")), row.get("question_content")
        traits = {name: row.get(name) for name in ("difficulty", "platform")}
        for nth, (grade, code) in enumerate(zip_longest(grades, (row.get("code_list") or [])[: len(grades)])):
            shown = Shown(question, answer=code)
            rows.append(Row(item, {"pass@1": grade}, shown, replicate=nth, traits=traits, whole=row))
    return Log(rows, called=path.absolute().parent.name, metric=SHARE)


_UNTESTED = {
    **dict.fromkeys(("empty_patch_ids", "no_generation"), "parse"),
    **dict.fromkeys(("error_ids", "no_logs", "install_fail", "reset_failed"), "judge"),
    "incomplete_ids": "provider",
}
"""Lists of SWE-bench's instances that are neither resolved nor unresolved, with the cause."""


def swe_bench(path: Path, settings: ReadingSettings) -> Log:
    """Read which instances are resolved."""
    listed: dict[str, set[str]] = {}
    for name, ids in read_object(path).items():
        for entry in ids if isinstance(ids, list) else ():
            if not isinstance(entry, str):
                raise InputError(f"expected the ids of instances in {name!r}, got {entry!r:.60}", where=path)
            listed.setdefault(entry, set()).add(name)
    if not listed:
        raise NoItemScores(
            "this report only counts instances",
            where=path,
            next_step="Write it with a version of SWE-bench that lists them, such as 'resolved_ids'",
        )
    rows = []
    for instance, names in sorted(listed.items()):
        causes = [Missing(cause) for name, cause in _UNTESTED.items() if name in names]
        is_resolved = not names.isdisjoint(("resolved_ids", "resolved"))
        rows.append(Row(instance, {"resolved": 1.0 if is_resolved else [*causes, 0.0][0]}))
    missing = sum(isinstance(row.scores["resolved"], Missing) for row in rows)
    note = (
        f"{path.name}: {missing} of {len(rows)} instances have no patch or were not tested, and count as "
        "missing; SWE-bench itself counts them as not resolved."
    )
    # What stands before the name of the run; of a submission, its folder.
    folders = [folder for folder in path.absolute().parts[:-1] if folder != "results"]
    called = folders[-1] if path.stem == "results" else path.stem.rpartition(".")[0] or path.stem
    return Log(rows, called=called, metric=SHARE, notes=(note,) if missing else ())
