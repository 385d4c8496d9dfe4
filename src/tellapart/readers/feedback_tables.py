"""Tables with a column per metric: experiments of LangSmith and results of Ragas."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.core.failure_words import cause_of
from tellapart.errors import InputError, option
from tellapart.files import first_row
from tellapart.files.tables import Kind, kind_of, read_table
from tellapart.readers.answers import Answer, answers_frame, item_of, numbered
from tellapart.readers.cells import is_number, read_cells
from tellapart.readers.column_names import text_columns
from tellapart.readers.metric_choice import choose_metric
from tellapart.readers.reader import LogScores
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import Answered, RowTexts, named_values

NAME = "LangSmith or Ragas results"

TAKES = ("metric", "model")

_FEEDBACK = "feedback."
_LONGEST_HEADER = 1 << 20
_RAGAS = {"user_input", "question"}
_RAGAS_TEXT = {
    *(
        "user_input",
        "question",
        "response",
        "answer",
        "reference",
        "ground_truth",
        "ground_truths",
        "contexts",
    ),
    *(
        "retrieved_contexts",
        "reference_contexts",
        "retrieved_context_ids",
        "reference_context_ids",
        "rubrics",
    ),
    *("multi_responses", "reference_tool_calls", "synthesizer_name", "persona_name", "query_style"),
}
_RAGAS_METRICS = re.compile(
    r"faithfulness\w*|answer_\w+|context_\w+|llm_context_\w+|non_llm_\w+|id_based_\w+|nv_\w+|noise_sensitivity"
    r"\w*|factual_correctness.*|semantic_similarity|response_\w+|bleu_score|rouge_score.*|chrf_score|"
    r"exact_match|string_presence|aspect_critic|topic_adherence.*|tool_call_\w+|agent_goal_\w+"
)


def recognises(path: Path) -> bool:
    """Check whether a table has LangSmith's columns ``feedback.…`` or those of Ragas; never raises."""
    names = _names(path)
    return _is_langsmith(names) or _is_ragas(names)


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Read the scores of one metric.

    The model is ``settings.name``, or the name of the file: neither program writes one. An item is
    LangSmith's ``example_id``, or the input with a fingerprint of input and reference; several rows of one
    item are replicates. A blank score is missing: for the cause that LangSmith's error tells, else
    ``unknown``.
    """
    whole = read_table(path, kind_of(path) or Kind.COMMAS)
    frame = whole if any(kind.is_nested() for kind in whole.dtypes) else whole.unique(maintain_order=True)
    names = _metrics(frame)
    if not names:
        raise InputError("no column of metrics holds numbers", where=path)
    metric, notes = choose_metric(list(names), settings.metric, path)
    cells = read_cells(frame[names[metric]])
    if cells.wrong.any():
        raise InputError(
            f"the metric {metric!r} holds text",
            where=path,
            next_step=f"Choose with {option('metric', 'NAME')}",
        )
    errors = frame["error"].to_list() if "error" in frame.columns else [None] * len(frame)
    model = settings.name or path.stem
    answers = [
        Answer(
            model, item, score, None if score is not None else cause_of(str(error)) if error else "unknown"
        )
        for item, score, error in zip(_items(frame), cells.scores, errors, strict=True)
    ]
    answers, repeated = numbered(answers, path)
    if again := whole.height - frame.height:
        repeated.append(
            f"{path.name}: {again} of {whole.height} rows repeat another one to the letter, and count once."
        )
    unnamed = (
        ()
        if settings.name
        else (
            f"{path.name}: the model is named after the file; {option('model', 'NAME')} names it otherwise.",
        )
    )
    return LogScores(answers_frame(answers), (*unnamed, *notes, *repeated))


def texts(path: Path, settings: ReadingSettings) -> RowTexts[int]:
    """The input of each row, the reference and the response, with contexts and all metrics beside them."""
    frame = read_table(path, kind_of(path) or Kind.COMMAS)
    model = settings.name or path.stem
    return RowTexts(
        ((item, row) for row, item in enumerate(_items(frame))),
        lambda row: _answered(model, frame.row(row, named=True)),
    )


def _answered(model: str, row: Mapping[str, Any]) -> Answered:
    if _is_langsmith(list(row)):
        question, expected, response, metrics = (
            {name.removeprefix(start): value for name, value in row.items() if name.startswith(start)}
            for start in ("inputs.", "reference.", "outputs.", _FEEDBACK)
        )
        texts = {"question": question, "expected": expected, "response": response}
        named = {name: named_values(values) for name, values in texts.items()}
        return Answered.of(model, named, {**metrics, "error": row.get("error")})
    columns = text_columns(list(row))
    others = {name: value for name, value in row.items() if name and name not in columns.values()}
    return Answered.of(model, {text: row[name] for text, name in columns.items()}, others)


def _names(path: Path) -> list[str]:
    """The columns of a table; of JSON Lines those of its first line."""
    kind = kind_of(path) if path.is_file() else None
    if kind is Kind.JSON_LINES:
        return list(first_row(path))
    if kind not in (Kind.COMMAS, Kind.TABS, Kind.SEMICOLONS):
        return []
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        line = file.readline(_LONGEST_HEADER)
    return [name.strip().strip('"') for name in line.split(str(kind))]


def _is_langsmith(names: list[str]) -> bool:
    return any(name.startswith(_FEEDBACK) for name in names) and bool({"example_id", "id"} & set(names))


def _is_ragas(names: list[str]) -> bool:
    has_text = bool(_RAGAS & set(names)) and bool({"response", "answer", "retrieved_contexts"} & set(names))
    return has_text and any(_RAGAS_METRICS.fullmatch(name) for name in names)


def _metrics(frame: pl.DataFrame) -> dict[str, str]:
    """Columns of numbers by the name of their metric."""
    if _is_langsmith(frame.columns):
        named = {name.removeprefix(_FEEDBACK): name for name in frame.columns if name.startswith(_FEEDBACK)}
    else:
        named = {name: name for name in frame.columns if name not in _RAGAS_TEXT and name not in ("", "id")}
    return {metric: name for metric, name in named.items() if is_number(frame[name])}


def _items(frame: pl.DataFrame) -> list[str]:
    if "example_id" in frame.columns and not frame["example_id"].has_nulls():
        return [str(value) for value in frame["example_id"]]
    inputs = [name for name in frame.columns if name.startswith("inputs.") or name in _RAGAS]
    references = [
        name
        for name in frame.columns
        if name.startswith("reference.") or name in ("reference", "ground_truth")
    ]
    rows = frame.select(*inputs, *references).rows()
    return [item_of(str(row[0]) if row else "row", list(row)) for row in rows]
