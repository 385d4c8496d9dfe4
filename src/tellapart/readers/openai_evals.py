"""Logs of OpenAI's evals: a line per event."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tellapart.errors import InputError, option
from tellapart.files import first_row, part, read_json_objects, texts_of
from tellapart.readers.row_form import Form, Log, Row, Shown, score_or_cause
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import Lines


def _log(path: Path, settings: ReadingSettings) -> Log:
    """Read the numbers of the events ``match`` (``correct``) and ``metrics``.

    An item is ``eval/sample_id``. A sample without an event of a metric is missing, for the cause that its
    error tells.
    """
    spec, lines = part(first_row(path), "spec"), Lines(path)
    task = str(spec.get("base_eval") or spec["eval_name"])
    names: dict[str, None] = {}
    scored: dict[str, list[dict[str, float]]] = {}
    errors: dict[str, object] = {}
    lines_of: dict[str, list[int]] = {}
    for line, event in read_json_objects(path):
        if event.get("sample_id") is None:
            continue
        sample, data = str(event["sample_id"]), part(event, "data")
        lines_of.setdefault(sample, []).append(line)
        if event.get("type") in ("match", "metrics"):
            numbers = {name: value for name, value in data.items() if isinstance(value, int | float)}
            names |= dict.fromkeys(numbers)
            scored.setdefault(sample, []).append(numbers)
        elif event.get("type") == "error":
            errors[sample] = f"{data.get('type')} {data.get('message')}"
    if not names:
        raise InputError(
            "no event of this log holds a score: 'match' and 'metrics' do",
            where=path,
            next_step="For events of other types name the columns, such as "
            f"{option('columns', {'item': 'sample_id', 'score': 'data.NAME'})} and "
            f"{option('model', 'NAME')}",
        )
    rows = []
    for sample, numbers_of in lines_of.items():
        events = scored.get(sample, [])
        absent = names.keys() - {name for numbers in events for name in numbers}
        item, cause = f"{task}/{sample}", score_or_cause(None, errors.get(sample))
        # What is shown of a sample is shown once.
        rows.append(Row(item, {n: cause for n in names if n in absent}, partial(_shown, lines, numbers_of)))
        rows += [Row(item, numbers) for numbers in events]
    functions = texts_of(spec.get("completion_fns"), f"{path}:1: 'completion_fns'")
    return Log(rows, model=", ".join(functions) or None, is_sparse=True, strata={"task": task})


def _shown(lines: Lines, numbers: Sequence[int]) -> Shown:
    by_type: dict[str, Any] = {}
    for event in map(lines.object_at, numbers):
        by_type.setdefault(str(event.get("type")), part(event, "data"))
    sampling, match, error = (by_type.get(name, {}) for name in ("sampling", "match", "error"))
    facts = {"picked": match.get("picked"), "error": error.get("message"), **by_type.get("metrics", {})}
    answer = sampling.get("sampled", match.get("sampled"))
    return Shown(sampling.get("prompt"), match.get("expected"), answer, facts)


FORMS = (
    Form(
        "OpenAI evals log",
        lambda path: {"completion_fns", "eval_name", "run_id"} <= part(first_row(path), "spec").keys(),
        _log,
    ),
)
