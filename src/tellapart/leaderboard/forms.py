"""Published results by the marks that only they have: MTEB, Every Eval Ever, HELM and SWE-bench."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tellapart.errors import InputError, MissingExtra, UsageError, near_match, option
from tellapart.files import read_object
from tellapart.leaderboard.board import OTHERS, Definition, Published, Score, is_no_task

META = "model_meta.json"
_METRIC = " · "
_LOWER = "Left out, since lower scores are better"


def read_form(path: Path, whole: Any, published: Published, board: str | None) -> str | None:
    """Read results whose marks are known, and name their form; None for others."""
    parts = whole if isinstance(whole, list) else [whole]
    keys = parts[0].keys() if parts and isinstance(parts[0], dict) else set()
    form = next((form for form, (marks, _) in _FORMS.items() if keys >= marks), None)
    if form is None or (isinstance(whole, list) and form != "HELM"):
        return None
    before = len(published.scores)
    try:
        _FORMS[form][1](path, parts if form == "HELM" else whole, published, board)
        for model, task, value, *_ in published.scores[before:]:
            if not (isinstance(model, str) and isinstance(task, str)):
                raise TypeError(f"{model!r} and {task!r} name a model and a task")
            if isinstance(value, bool) or not isinstance(value, int | float | None):
                raise TypeError(f"the score of {model} on {task} is {value!r}, expected a number")
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise InputError(f"damaged, or of another version of {form}: {error}", where=path) from None
    return form


def _read_mteb(path: Path, whole: dict[str, Any], published: Published, board: str | None) -> None:
    """Read a task of a model, which ``model_meta.json`` names, or its folder."""
    folder, meta = path.resolve().parent, path.parent / META
    model, revision = folder.name, ""
    if meta.is_file() and (record := read_object(meta)).get("name"):
        model, revision = str(record["name"]), str(record.get("revision"))
    elif "__" in folder.parent.name:
        model, revision = folder.parent.name.replace("__", "/", 1), folder.name
    published.scores += [
        Score(model, whole["task_name"], of.get("main_score"), f"{of['hf_subset']}/{split}", revision)
        for split, subsets in whole["scores"].items()
        for of in subsets
    ]


def mteb_definition(benchmark: str) -> Definition:
    """Give the tasks of a benchmark with their splits and subsets, as MTEB defines them."""
    if find_spec("mteb") is None:
        raise MissingExtra(option("benchmark", benchmark), "mteb")
    import mteb

    names = [known.name for known in mteb.get_benchmarks()]
    if benchmark not in names:
        raise UsageError(f"MTEB has no benchmark {benchmark!r}", next_step=near_match(benchmark, names))
    return {
        task.metadata.name: frozenset(
            f"{sub}/{split}" for sub in task.hf_subsets for split in task.eval_splits
        )
        for task in mteb.get_benchmark(benchmark).tasks
    }


def _read_every_eval_ever(path: Path, whole: dict[str, Any], published: Published, board: str | None) -> None:
    """Read the evaluations of a model; a task is an evaluation with its metric."""
    for result in whole["evaluation_results"]:
        metric = result["metric_config"]
        name = metric.get("metric_name") or metric.get("metric_id")
        task = _METRIC.join([result["evaluation_name"], *([name] if name else [])])
        if metric["lower_is_better"]:
            published.left_out[_LOWER].append(task)
            continue
        score = result["score_details"].get("score")
        is_unknown = metric.get("has_unknown_level") and score == -1
        published.scores.append(Score(whole["model_info"]["id"], task, None if is_unknown else score))


def settle_metrics(published: Published, where: str, tasks: Sequence[str]) -> None:
    """Name evaluations without their metric; refuse those with several, which would count several times."""
    labels: dict[str, dict[str, None]] = defaultdict(dict)
    for score in published.scores:
        name = score.task.partition(_METRIC)[0]
        if score.value is not None and not is_no_task(name):
            labels[name][score.task] = None
    several = {name: list(of) for name, of in labels.items() if len(of) > 1}
    if several and not tasks:
        name, of = next(iter(several.items()))
        raise InputError(
            f"{name!r} has several metrics: {', '.join(of)}",
            where=where,
            next_step=f"Name tasks: {option('tasks', [several.get(name, [name])[0] for name in labels])}",
        )
    published.scores = [
        score if (name := score.task.partition(_METRIC)[0]) in several else score._replace(task=name)
        for score in published.scores
    ]


def _read_helm(path: Path, tables: list[dict[str, Any]], published: Published, board: str | None) -> None:
    """Read a table of groups: the one on accuracy where there are several."""
    chosen = [table for table in tables if table["title"].casefold() == "accuracy"] or tables
    if len(chosen) > 1:
        raise InputError(
            f"there are several tables: {', '.join(table['title'] for table in tables)}",
            where=path,
            next_step="Give the file of one of them from the folder json beside it",
        )
    header, left_out = chosen[0]["header"], published.left_out
    declared = any("run_group" in head.get("metadata", {}) for head in header)
    for i, head in enumerate(header[1:], start=1):
        task = str(head["value"])
        is_task = "run_group" in head.get("metadata", {}) or not declared
        if not is_task or head.get("lower_is_better"):
            left_out[_LOWER if is_task else OTHERS].append(task)
            continue
        published.scores += [Score(row[0]["value"], task, row[i].get("value")) for row in chosen[0]["rows"]]


def _read_swe_bench(path: Path, whole: dict[str, Any], published: Published, board: str | None) -> None:
    """Read the submissions to one board whose instances are published; the instances are the tasks."""
    detailed = {
        of["name"]: [result for result in of["results"] if result.get("per_instance_details")]
        for of in whole["leaderboards"]
    }
    boards = [name for name, results in detailed.items() if len(results) > 1]
    if not boards or board not in (boards if len(boards) > 1 else [*boards, None]):
        raise InputError(
            "it has outcomes of instances for " + (" and ".join(boards) or "no board; one share is no table"),
            where=path,
            next_step=f"Choose one: {option('benchmark', boards[0])}"
            if boards
            else "Give files of outcomes to: audit",
        )
    for result in detailed[board or boards[0]]:
        outcomes = {task: float(of["resolved"]) for task, of in result["per_instance_details"].items()}
        share = 100 * sum(outcomes.values()) / len(outcomes)
        if abs(share - result["resolved"]) > 1:
            reason = "Left out, since its instances do not give the share that it states"
            published.left_out[reason].append(f"{result['name']} ({share:g} for {result['resolved']:g})")
            continue
        published.scores += [Score(result["name"], task, value) for task, value in outcomes.items()]


_FORMS: dict[str, tuple[set[str], Callable[[Path, Any, Published, str | None], None]]] = {
    "HELM": ({"header", "rows"}, _read_helm),
    "MTEB": ({"task_name", "scores"}, _read_mteb),
    "Every Eval Ever": ({"schema_version", "model_info", "evaluation_results"}, _read_every_eval_ever),
    "SWE-bench": ({"leaderboards"}, _read_swe_bench),
}
"""By form, the keys that only it has, and what reads it."""
