"""Experiments of Braintrust, exported as JSON Lines or as a JSON list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tellapart.core.failure_words import cause_of
from tellapart.errors import InputError
from tellapart.files import as_objects, first_row, head, part, read_json, read_json_objects
from tellapart.readers.answers import Answer, answers_frame, finite_score, item_of
from tellapart.readers.metric_choice import choose_metric
from tellapart.readers.reader import LogScores
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import Answered, RowTexts, as_facts, as_text, named_values

NAME = "Braintrust experiment"

TAKES = ("metric", "model")

_KEYS = {"input", "scores"}
_OWN = {"span_id", "root_span_id", "experiment_id", "span_attributes", "_xact_id"}


def recognises(path: Path) -> bool:
    """Check whether the first row has scores by name and the ids of Braintrust's spans; never raises."""
    start = head(path)
    if start.startswith(b"["):
        return b'"scores"' in start and any(
            f'"{key}"'.encode() in start for key in ("root_span_id", "_xact_id")
        )
    row = first_row(path)
    return row.keys() >= _KEYS and isinstance(row["scores"], Mapping | None) and bool(row.keys() & _OWN)


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Read the scores of one scorer.

    The model is ``settings.name``, or ``model`` of the metadata where all rows have the same, or the name of
    the file. An item is the input, with a fingerprint of input and expected output; several rows of one item
    are replicates. Spans below the root of a row are not read. Metadata that sort the rows are strata.
    """
    roots = _roots(path)
    names = list(dict.fromkeys(name for row in roots for name in part(row, "scores")))
    if not names:
        raise InputError("no row of this experiment has a score", where=path)
    metric, notes = choose_metric(names, settings.metric, path)
    model = _model(roots, settings, path)
    nth: Counter[str] = Counter()
    answers = []
    for i, row in enumerate(roots, start=1):
        item = _item(row)
        score = finite_score(part(row, "scores").get(metric), metric, f"{path}: row {i}")
        error = row.get("error")
        missing = None if score is not None else cause_of(str(error)) if error else "unknown"
        traits = {key: value for key, value in part(row, "metadata").items() if key != "model"}
        answers.append(Answer(model, item, score, missing, nth[item], traits=traits))
        nth[item] += 1
    return LogScores(answers_frame(answers), notes, (0.0, 1.0))


def texts(path: Path, settings: ReadingSettings) -> RowTexts[Answered]:
    """The input, the expected output and the output of each row."""
    roots = _roots(path)
    model = _model(roots, settings, path)
    return RowTexts(((_item(row), _answered(model, row)) for row in roots), lambda answered: answered)


def _answered(model: str, row: Mapping[str, Any]) -> Answered:
    question, facts = row.get("input"), {**part(row, "scores"), "error": row.get("error")}
    return Answered(
        model,
        named_values(question) if isinstance(question, Mapping) else as_text(question),
        as_text(row.get("expected")),
        as_text(row.get("output")),
        as_facts(facts),
    )


def _roots(path: Path) -> list[dict[str, Any]]:
    """The rows, without spans below them."""
    rows = (
        as_objects(read_json(path), path)
        if head(path).startswith(b"[")
        else [row for _, row in read_json_objects(path)]
    )
    return [row for row in rows if row.get("span_id") == row.get("root_span_id")]


def _model(roots: Sequence[Mapping[str, Any]], settings: ReadingSettings, path: Path) -> str:
    models = {str(part(row, "metadata").get("model")) for row in roots}
    return settings.name or (models.pop() if len(models) == 1 and models != {"None"} else path.stem)


def _item(row: Mapping[str, Any]) -> str:
    return item_of(_text(row.get("input")), [row.get("input"), row.get("expected")])


def _text(value: Any) -> str:
    return str(next(iter(value.values()), "")) if isinstance(value, Mapping) else str(value)
