"""Samples that the lm-evaluation-harness logs with ``--log_samples``."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from tellapart.core.fingerprint import sha256_of_json
from tellapart.errors import InputError, option
from tellapart.files import as_objects, first_row, head, part, read_json_objects, read_object, texts_of
from tellapart.readers.answers import Answer, answers_frame, numbered
from tellapart.readers.column_names import text_columns
from tellapart.readers.metric_choice import choose_metric
from tellapart.readers.reader import LessIsBetter, LogScores, NoItemScores
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import Answered, Lines, RowTexts, as_facts, as_text

NAME = "lm-evaluation-harness samples"

TAKES = ("metric", "model")

TRAITS = ("subject", "category", "difficulty", "level", "topic", "type", "language", "domain")
"""Fields of a document that are taken as strata; the others are mostly its text."""

BETWEEN_0_AND_1 = ("acc", "acc_norm", "acc_mutual_info", "exact_match", "f1", "mc1", "mc2", "pass@1")
"""Metrics whose lowest and highest value are known."""

_OF_ROW = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics")
_HASHES = ("doc_hash", "prompt_hash", "target_hash")
# samples_<task>_<time>.jsonl; a task may itself hold underscores, so the time is what ends the name.
_FILE = re.compile(r"(?:samples_)?(?P<task>.+?)(?:_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+))?")


class _Row(NamedTuple):
    line: int
    doc_id: object
    filter: str
    values: dict[str, object]
    traits: dict[str, object]
    unread: bool
    silent: bool


def recognises(path: Path) -> bool:
    """Check whether a file holds samples, or a run's averages, by its name and beginning; never raises."""
    if path.suffix == ".json":
        return path.name.startswith("results_") and bool(re.match(rb'\{\s*"results"\s*:\s*\{', head(path)))
    return head(path).startswith(b"{") and {"doc_id", "resps", "filtered_resps"} <= first_row(path).keys()


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Read the scores of one task.

    The task is the stratum ``task``, and an item is ``task/doc_id``. The model and the metrics' direction are
    those of the run's ``results_*.json`` beside the file; a metric of which less is better is negated. A
    metric is named as the harness does, ``metric,filter``. Every filter gives a row per document; rows of
    older versions, which do not name the filter, are assigned to filters by their order. Metrics that are not
    a single number, such as perplexities and Brier scores, are not read. NaN and null are missing, as
    ``parse``.
    """
    samples = _samples(path, settings)
    task, figure, chosen, rows = samples.task, samples.metric, samples.filter, samples.rows
    results, notes = samples.results, samples.notes
    model, model_notes = _model(path, results, settings)
    sign = -1.0 if part(part(results, "higher_is_better"), task).get(figure) is False else 1.0
    answers, repeated = numbered([_answer(row, figure, sign, (model, task), path) for row in rows], path)
    if sign < 0:
        model_notes = (*model_notes, f"Lower {figure!r} is better, so its scores are negated.")
    if unread := sum(row.unread for row in rows):
        counted = f"{unread} of {len(rows)} samples; the harness counts them as wrong"
        model_notes = (*model_notes, f"{path.name}: the filter {chosen!r} found no answer in {counted}.")
    if silent := [row.silent for row in rows].count(True):
        in_a_row = max(
            len(list(run)) for is_silent, run in groupby(rows, lambda row: row.silent) if is_silent
        )
        model_notes = (
            *model_notes,
            f"{model}, {path.name}: {silent} of {len(rows)} samples have an empty response, {in_a_row} of "
            "them in a row; the harness counts them as wrong, and does not record whether the model said "
            "nothing or no reply came.",
        )
    is_limited = sign > 0 and figure in BETWEEN_0_AND_1
    return LogScores(
        answers_frame(answers, task=task),
        (*model_notes, *repeated, *notes),
        (0.0, 1.0) if is_limited else None,
        run=samples.time,
        less_is_better=LessIsBetter(figure, is_negated=True) if sign < 0 else None,
        stamps=_stamps(results, task),
    )


def _stamps(results: Mapping[str, Any], task: str) -> dict[str, str]:
    """Versions of the task and the harness, and what the prompts were made of."""
    stamps: dict[str, Any] = {
        "task version": part(results, "versions").get(task),
        "lm_eval": results.get("lm_eval_version"),
        "lm_eval commit": results.get("git_hash"),
        "num_fewshot": part(results, "n-shot").get(task),
    }
    if "chat_template" in results:
        stamps["chat template"] = "applied" if results["chat_template"] else "none"
    if "system_instruction_sha" in results:
        stamps["system instruction"] = results["system_instruction_sha"] or "none"
    if not results.get("chat_template"):
        # It is of the whole prompts, which differ by model where each has a template of its own.
        stamps["task hash"] = part(results, "task_hashes").get(task)
    return {name: str(value) for name, value in stamps.items() if value is not None}


def texts(path: Path, settings: ReadingSettings) -> RowTexts[int]:
    """The question of each document, or the whole prompt; the target; and the choice or text of the model."""
    samples, lines = _samples(path, settings), Lines(path)
    model, _ = _model(path, samples.results, settings)
    return RowTexts(
        ((f"{samples.task}/{row.doc_id}", row.line) for row in samples.rows),
        lambda line: _answered(model, lines.object_at(line)),
    )


def _answered(model: str, row: Mapping[str, Any]) -> Answered:
    doc = part(row, "doc")
    arguments = [argument for argument in part(row, "arguments").values() if isinstance(argument, Mapping)]
    prompt = as_text(arguments[0].get("arg_0")) if arguments else ""
    # Of a choice the target is its number, and the log-likelihoods are in the order of the arguments.
    offered = [choice for argument in arguments if isinstance(choice := argument.get("arg_1"), str)]
    is_choice = 1 < len(offered) == len(arguments)
    target, answer = as_text(row.get("target")), as_text(_only(row.get("filtered_resps")))
    facts: dict[str, Any] = {}
    if is_choice:
        target = offered[int(target)].strip() if target.isdecimal() and int(target) < len(offered) else target
        facts["log-likelihoods"] = answer
        answer = _likeliest(offered, row.get("filtered_resps"))
    elif (response := as_text(_only(row.get("resps")))) != answer:
        facts = {"whole response": response}
    column = text_columns(list(doc)).get("question")
    question = prompt if column is None else as_text(doc[column])
    messages = ({"role": "user", "content": prompt},) if prompt and prompt != question else ()
    return Answered(model, question, target, answer, as_facts(facts), messages)


def _only(value: Any) -> Any:
    """What is inside of lists of one element."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value


def _likeliest(offered: Sequence[str], responses: Any) -> str:
    """The choice of the highest log-likelihood, of equal ones the first; empty where they are unknown."""
    try:
        values = [float(response[0]) for response in responses]
    except (TypeError, ValueError, IndexError, KeyError):
        return ""
    if len(values) != len(offered):
        return ""
    return offered[values.index(max(values))].strip()


class _Samples(NamedTuple):
    task: str
    time: str | None
    results: Mapping[str, Any]
    metric: str
    filter: str
    rows: list[_Row]
    notes: tuple[str, ...]


def _samples(path: Path, settings: ReadingSettings) -> _Samples:
    """The samples of the filter that is read."""
    if path.suffix == ".json":
        raise NoItemScores(
            "this file holds the averages of a run, and no scores of items",
            where=path,
            next_step="Run the harness with --log_samples, and give the samples_*.jsonl that it writes",
        )
    name = _FILE.fullmatch(path.stem)
    task, time = (name["task"], name["time"]) if name else (path.stem, None)
    beside = _results(path, time)
    results = read_object(beside) if beside else {}
    rows, again = _rows(path, _filters(results, task, beside))
    metrics = _metrics(rows)
    if not metrics:
        raise InputError("no metric of these samples is a number", where=path)
    metric, notes = choose_metric(metrics, settings.metric, path)
    figure, _, chosen = metric.partition(",")
    rows = [row for row in rows if row.filter == chosen]
    if again:
        notes = (*notes, f"{path.name}: {again} rows repeat another one to the letter, and count once.")
    return _Samples(task, time, results, figure, chosen, rows, notes)


def _results(path: Path, time: str | None) -> Path | None:
    """The results of the run that wrote the samples; None where they are not beside them."""
    beside = sorted(path.parent.glob("*.json"))
    same_run = [file for file in beside if time and file.stem.endswith(f"_{time}")]
    any_run = [file for file in beside if file.name.startswith("results")]
    candidates = same_run or (any_run if len(any_run) == 1 else [])
    return candidates[0] if candidates else None


def _filters(results: Mapping[str, Any], task: str, path: Path | None) -> list[str]:
    entries = part(part(results, "configs"), task).get("filter_list")
    return [str(entry.get("name")) for entry in as_objects(entries, f"{path}: 'filter_list'")]


def _rows(path: Path, filters: Sequence[str]) -> tuple[list[_Row], int]:
    """The samples, and how many of the file's rows are an earlier one once more."""
    rows: list[_Row] = []
    seen: Counter[object] = Counter()
    whole: set[str] = set()
    again = 0
    for line, row in read_json_objects(path):
        absent = [key for key in ("doc_id", "resps", "filtered_resps") if key not in row]
        if absent:
            raise InputError(
                f"the sample has no {absent[0]!r}",
                where=f"{path}:{line}",
                next_step="Samples of the lm-evaluation-harness from 0.4 on can be read",
            )
        doc_id, named = row["doc_id"], row.get("filter")
        if named is not None:
            text = sha256_of_json(row)
            if text in whole:
                again += 1
                continue
            whole.add(text)
        else:
            nth = seen[doc_id]
            seen[doc_id] += 1
            named = filters[nth] if nth < len(filters) else f"filter-{nth + 1}" if nth else "none"
        keys = texts_of(row.get("metrics"), f"{path}:{line}: 'metrics'") or [
            key for key in row if key not in (*_OF_ROW, *_HASHES)
        ]
        doc = part(row, "doc")
        traits = {key: doc[key] for key in TRAITS if key in doc}
        unread = row["filtered_resps"] == ["[invalid]"]
        silent = _is_silent(row["resps"])
        values = {key: row.get(key) for key in keys}
        rows.append(_Row(line, doc_id, str(named), values, traits, unread, silent))
    if not rows:
        raise InputError("the file has no samples", where=path)
    return rows, again


def _is_silent(responses: Any) -> bool:
    """Whether all that came back are texts without a letter; settings have numbers there."""
    while (
        isinstance(responses, list)
        and responses
        and all(isinstance(response, list) for response in responses)
    ):
        responses = [response for inner in responses for response in inner]
    if not isinstance(responses, list) or not responses:
        return False
    return all(isinstance(response, str) and not response.strip() for response in responses)


def _metrics(rows: Sequence[_Row]) -> list[str]:
    """Metrics that are numbers, by filter, in the order of the file."""
    is_number_by_name: dict[str, bool] = {}
    for row in rows:
        for key, value in row.values.items():
            name = f"{key},{row.filter}"
            is_number_by_name[name] = is_number_by_name.get(name, False) or isinstance(value, int | float)
    return [name for name, is_number in is_number_by_name.items() if is_number]


def _answer(row: _Row, metric: str, sign: float, of: tuple[str, str], path: Path) -> Answer:
    value = row.values.get(metric)
    if value is not None and (not isinstance(value, int | float) or math.isinf(value)):
        raise InputError(
            f"{metric!r} is {value!r}, expected a finite number",
            where=f"{path}:{row.line}",
            next_step=f"Choose another with {option('metric', 'NAME')}",
        )
    unknown = value is None or math.isnan(value)
    model, task = of
    return Answer(
        model=model,
        item=f"{task}/{row.doc_id}",
        score=None if value is None or unknown else sign * float(value),
        missing="parse" if unknown else None,
        traits=row.traits,
    )


def _model(path: Path, results: Mapping[str, Any], settings: ReadingSettings) -> tuple[str, tuple[str, ...]]:
    if name := settings.name or results.get("model_name") or part(results, "config").get("model"):
        return str(name), ()
    name = path.resolve().parent.name
    return name, (
        f"{path.name}: there is no results file beside it, so the model is named after its directory, "
        f"{name!r}.",
    )
