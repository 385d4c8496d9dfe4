"""Logs of OpenAI's evals: a line per event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tellapart.core.failure_words import cause_of
from tellapart.errors import InputError, option
from tellapart.files import first_row, part, read_json_objects, texts_of
from tellapart.readers.answers import Answer, answers_frame, finite_score
from tellapart.readers.metric_choice import choose_metric
from tellapart.readers.reader import LogScores
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import Answered, Lines, RowTexts, as_facts, as_text

NAME = "OpenAI evals log"

TAKES = ("metric", "model")

_SCORED = ("match", "metrics")
"""Types of events that hold what a sample scored."""


def recognises(path: Path) -> bool:
    """Check whether the first line is the specification of a run; never raises."""
    return {"completion_fns", "eval_name", "run_id"} <= part(first_row(path), "spec").keys()


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Read the scores of one run.

    The model is ``settings.name``, or the run's completion function. An item is ``eval/sample_id``. Scores
    are the numbers of the events ``match`` (``correct``) and ``metrics``. A sample without any is missing,
    for the cause that its error tells.
    """
    spec = part(first_row(path), "spec")
    events = [(line, row) for line, row in read_json_objects(path) if row.get("sample_id") is not None]
    scored = [(line, row) for line, row in events if row.get("type") in _SCORED]
    names = list(
        dict.fromkeys(
            name
            for _, row in scored
            for name, value in part(row, "data").items()
            if isinstance(value, int | float)
        )
    )
    if not names:
        raise InputError(
            "no event of this log holds a score: 'match' and 'metrics' do",
            where=path,
            next_step="For events of other types name the columns, such as "
            f"{option('columns', {'item': 'sample_id', 'score': 'data.NAME'})} and "
            f"{option('model', 'NAME')}",
        )
    metric, notes = choose_metric(names, settings.metric, path)
    functions = texts_of(spec.get("completion_fns"), f"{path}:1: 'completion_fns'")
    model = str(settings.name or ", ".join(functions) or path.stem)
    task = _task(spec)
    answers, nth = [], Counter[str]()
    for line, row in scored:
        if metric in part(row, "data"):
            sample = str(row["sample_id"])
            score = finite_score(row["data"][metric], metric, f"{path}:{line}")
            item, missing = f"{task}/{sample}", "unknown" if score is None else None
            answers.append(Answer(model, item, score, missing, nth[sample]))
            nth[sample] += 1
    errors = {str(row["sample_id"]): part(row, "data") for _, row in events if row.get("type") == "error"}
    for sample in dict.fromkeys(str(row["sample_id"]) for _, row in events):
        if not nth[sample]:
            answers.append(Answer(model, f"{task}/{sample}", None, _cause(errors.get(sample))))
    return LogScores(answers_frame(answers, task=task), notes)


def texts(path: Path, settings: ReadingSettings) -> RowTexts[tuple[int, ...]]:
    """The first prompt of each sample, what was expected, and what the model said."""
    spec, lines = part(first_row(path), "spec"), Lines(path)
    functions = texts_of(spec.get("completion_fns"), f"{path}:1: 'completion_fns'")
    model = str(settings.name or ", ".join(functions) or path.stem)
    of_sample: dict[str, list[int]] = {}
    for line, row in read_json_objects(path):
        if row.get("sample_id") is not None:
            of_sample.setdefault(str(row["sample_id"]), []).append(line)
    return RowTexts(
        ((f"{_task(spec)}/{sample}", tuple(numbers)) for sample, numbers in of_sample.items()),
        lambda numbers: _answered(model, [lines.object_at(number) for number in numbers]),
    )


def _answered(model: str, events: Sequence[Mapping[str, Any]]) -> Answered:
    by_type: dict[str, Mapping[str, Any]] = {}
    for event in events:
        by_type.setdefault(str(event.get("type")), part(event, "data"))
    sampling, match, error = (by_type.get(name, {}) for name in ("sampling", "match", "error"))
    facts = {"picked": match.get("picked"), "error": error.get("message"), **by_type.get("metrics", {})}
    return Answered(
        model,
        as_text(sampling.get("prompt")),
        as_text(match.get("expected")),
        as_text(sampling.get("sampled", match.get("sampled"))),
        as_facts(facts),
    )


def _task(spec: Mapping[str, Any]) -> str:
    return str(spec.get("base_eval") or spec["eval_name"])


def _cause(error: Mapping[str, Any] | None) -> str:
    return "unknown" if error is None else cause_of(f"{error.get('type')} {error.get('message')}")
