"""Samples that the lm-evaluation-harness logs with ``--log_samples``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tellapart.core.fingerprint import sha256_of_json
from tellapart.errors import InputError
from tellapart.files import as_objects, part, read_json_objects, read_object, texts_of
from tellapart.readers.column_names import text_columns
from tellapart.readers.log import Log, Metric, Row, Shown, averages
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import Lines, as_text, asked

_TRAITS = ("subject", "category", "difficulty", "level", "topic", "type", "language", "domain")
"""Fields of a document that are taken as strata; the others are mostly its text."""

_FROM_0_TO_1 = ("acc", "acc_norm", "acc_mutual_info", "exact_match", "f1", "mc1", "mc2", "pass@1")
_REQUIRED = ("doc_id", "resps", "filtered_resps")
_OF_ROW = re.compile("|".join((*_REQUIRED, r"doc|target|arguments|filter|metrics|\w+_hash")))
# samples_<task>_<time>.jsonl; a task may itself hold underscores, so the time is what ends the name.
_FILE = re.compile(r"(?:samples_)?(?P<task>.+?)(?:_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+))?")


def log(path: Path, settings: ReadingSettings) -> Log:
    """Read the samples of one task.

    The task is the stratum ``task``, and an item is ``task/doc_id``. The model and the metrics' direction are
    those of the run's ``results_*.json`` beside the file. A metric is named as the harness does,
    ``metric,filter``: every filter gives a row per document; rows of older versions, which do not name the
    filter, are assigned to filters by their order. Metrics of which no value is a number, such as
    perplexities, are not read.
    """
    if path.suffix == ".json":
        raise averages(path, "Run the harness with --log_samples, and give the samples_*.jsonl of it")
    name = _FILE.fullmatch(path.stem)
    task, time = (name["task"], name["time"]) if name else (path.stem, None)
    results_path = _results(path, time)
    results = read_object(results_path) if results_path else {}
    configured = part(part(results, "configs"), task).get("filter_list")
    filters = [str(entry.get("name")) for entry in as_objects(configured, f"{results_path}: 'filter_list'")]
    samples, seen, names, lines = [], Counter[object](), dict[str, bool](), Lines(path)
    for line, row in read_json_objects(path):
        where = f"{path}:{line}"
        if absent := [key for key in _REQUIRED if key not in row]:
            raise InputError(
                f"the sample has no {absent[0]!r}",
                where=where,
                next_step="Samples of the lm-evaluation-harness from 0.4 on can be read",
            )
        doc_id = str(row["doc_id"])
        nth, chosen = seen[doc_id], row.get("filter")
        seen[doc_id] += 1
        whole = None if chosen is None else sha256_of_json(row)
        if chosen is None:
            chosen = filters[nth] if nth < len(filters) else f"filter-{nth + 1}" if nth else "none"
        keys = texts_of(row.get("metrics"), f"{where}: 'metrics'")
        keys = keys or [key for key in row if not _OF_ROW.fullmatch(key)]
        values = {f"{key},{chosen}": row.get(key) for key in keys}
        for key, value in values.items():
            names[key] = names.get(key, False) or isinstance(value, int | float)
        doc = part(row, "doc")
        traits, shown = {key: doc[key] for key in _TRAITS if key in doc}, partial(_shown, lines, line)
        asks = asked(doc.get(text_columns(list(doc)).get("question", "")) or doc or row.get("doc_hash"))
        item = f"{task}/{row['doc_id']}"
        of_row = Row(item, values, shown, traits=traits, whole=whole, where=where, asks=asks)
        is_unread = row["filtered_resps"] == ["[invalid]"]
        samples.append((str(chosen), is_unread, _is_silent(row["resps"]), of_row))
    names = {key: True for key, is_number in names.items() if is_number}
    if samples and not names:
        raise InputError("no metric of these samples is a number", where=path)
    folder = path.resolve().parent.name
    model = results.get("model_name") or part(results, "config").get("model")

    def metric(name: str) -> Metric:
        figure, _, chosen = name.partition(",")
        distinct = {row.whole or row.where: of_row for *of_row, row in samples}.values()
        of_filter = [(unread, silent) for used, unread, silent in distinct if used == chosen]
        is_more = part(part(results, "higher_is_better"), task).get(figure)
        return Metric(
            (0.0, 1.0) if figure in _FROM_0_TO_1 else None,
            None if is_more is None else not is_more,
            _stamps(results, task),
            _unanswered(of_filter, f"{settings.name or model or folder}, {path.name}", path, chosen),
        )

    rows = []
    for chosen, _, _, sample in samples:
        keys = [name for name in names if name.partition(",")[2] == chosen]
        rows.append(sample._replace(scores={key: sample.scores.get(key) for key in keys}))
    return Log(
        rows,
        model=model and str(model),
        called=folder,
        metric=metric,
        no_score="parse",
        is_sparse=True,
        strata={"task": task},
        run=time,
    )


def _unanswered(samples: list[tuple[bool, bool]], of: str, path: Path, chosen: str) -> list[str]:
    """Say of how many samples a filter found no answer, and how many have an empty one."""
    notes = []
    if unread := sum(is_unread for is_unread, _ in samples):
        notes.append(
            f"{path.name}: the filter {chosen!r} found no answer in {unread} of {len(samples)} samples; the "
            "harness counts them as wrong."
        )
    if silent := sum(is_silent for _, is_silent in samples):
        notes.append(
            f"{of}: {silent} of {len(samples)} samples have an empty response; the harness counts them as "
            "wrong, and does not record whether the model said nothing or no reply came."
        )
    return notes


def _stamps(results: Mapping[str, Any], task: str) -> dict[str, Any]:
    """Versions of the task and the harness, and what the prompts were made of."""
    stamps = {
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
    return stamps


def _shown(lines: Lines, line: int) -> Shown:
    """The question of a document, or the whole prompt; the target; and the choice or text of the model."""
    row = lines.object_at(line)
    doc = part(row, "doc")
    arguments = [argument for argument in part(row, "arguments").values() if isinstance(argument, Mapping)]
    prompt = as_text(arguments[0].get("arg_0")) if arguments else ""
    # Of a choice the target is its number, and the log-likelihoods are in the order of the arguments.
    offered = [choice for argument in arguments if isinstance(choice := argument.get("arg_1"), str)]
    target, answer = as_text(row.get("target")), as_text(_only(row.get("filtered_resps")))
    facts: dict[str, Any] = {}
    if 1 < len(offered) == len(arguments):
        target = offered[int(target)].strip() if target.isdecimal() and int(target) < len(offered) else target
        facts["log-likelihoods"] = answer
        try:
            values = [float(response[0]) for response in row["filtered_resps"]]
            answer = offered[values.index(max(values))].strip() if len(values) == len(offered) else ""
        except (TypeError, ValueError, IndexError, KeyError):
            answer = ""
    elif (response := as_text(_only(row.get("resps")))) != answer:
        facts = {"whole response": response}
    column = text_columns(list(doc)).get("question")
    question = prompt if column is None else as_text(doc[column])
    messages = [{"role": "user", "content": prompt}] if prompt and prompt != question else []
    return Shown(question, target, answer, facts, messages)


def _only(value: Any) -> Any:
    """What is inside of lists of one element."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value


def _results(path: Path, time: str | None) -> Path | None:
    """The results of the run that wrote the samples; None where they are not beside them."""
    json_files = sorted(path.parent.glob("*.json"))
    same_run = [file for file in json_files if time and file.stem.endswith(f"_{time}")]
    any_run = [file for file in json_files if file.name.startswith("results")]
    return next(iter(same_run or (any_run if len(any_run) == 1 else [])), None)


def _is_silent(responses: Any) -> bool:
    """Whether all that came back are texts without a letter; settings have numbers there."""
    if isinstance(responses, list):
        return bool(responses) and all(map(_is_silent, responses))
    return isinstance(responses, str) and not responses.strip()
