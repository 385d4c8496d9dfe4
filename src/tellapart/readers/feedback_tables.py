"""Tables with a column per metric: experiments of LangSmith and results of Ragas."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tellapart.errors import InputError
from tellapart.files import first_row
from tellapart.files.tables import Kind, head_text, kind_of, read_table
from tellapart.readers.cells import is_number, read_cells
from tellapart.readers.column_names import text_columns
from tellapart.readers.row_form import Form, Log, Row, Shown, item_by, score_or_cause
from tellapart.readers.settings import ReadingSettings

_FEEDBACK = "feedback."
_ASKED = ("user_input", "question")
_ANSWERED = ("response", "answer", "retrieved_contexts")
_RAGAS_TEXT = re.compile(
    r"user_input|question|response|answer|reference|ground_truths?|\w*contexts|\w+_context_ids|rubrics|"
    r"multi_responses|reference_tool_calls|synthesizer_name|persona_name|query_style|id|"
)
_RAGAS_METRICS = re.compile(
    r"faithfulness\w*|answer_\w+|context_\w+|llm_context_\w+|non_llm_\w+|id_based_\w+|nv_\w+|noise_sensitivity"
    r"\w*|factual_correctness.*|semantic_similarity|response_\w+|bleu_score|rouge_score.*|chrf_score|"
    r"exact_match|string_presence|aspect_critic|topic_adherence.*|tool_call_\w+|agent_goal_\w+"
)


def _is_feedback(path: Path) -> bool:
    """Check the columns of a table; of JSON Lines those of the first line."""
    kind, names = kind_of(path), list[str]()
    if kind is Kind.JSON_LINES:
        names = list(first_row(path))
    elif kind in (Kind.COMMAS, Kind.TABS, Kind.SEMICOLONS):
        line = (head_text(path) or "").partition("\n")[0]
        names = [name.strip().strip('"') for name in line.split(str(kind))]
    has_texts = any(name in names for name in _ASKED) and any(name in names for name in _ANSWERED)
    return _is_langsmith(names) or (has_texts and any(map(_RAGAS_METRICS.fullmatch, names)))


def _is_langsmith(names: Sequence[str]) -> bool:
    return any(name.startswith(_FEEDBACK) for name in names) and ("example_id" in names or "id" in names)


def _log(path: Path, settings: ReadingSettings) -> Log:
    """Read all columns of metrics; an item is LangSmith's ``example_id``, or the input with the reference."""
    frame = read_table(path, kind_of(path) or Kind.COMMAS)
    is_langsmith = _is_langsmith(frame.columns)
    metrics = {
        name.removeprefix(_FEEDBACK): read_cells(frame[name]).scores
        for name in frame.columns
        if (name.startswith(_FEEDBACK) if is_langsmith else not _RAGAS_TEXT.fullmatch(name))
        and is_number(frame[name])
    }
    if not metrics:
        raise InputError("no column of metrics holds numbers", where=path)
    references = ("reference", "ground_truth")
    inputs = [name for name in frame.columns if name.startswith("inputs.") or name in _ASKED]
    inputs += [name for name in frame.columns if name.startswith("reference.") or name in references]
    has_ids = "example_id" in frame.columns and not frame["example_id"].has_nulls()
    rows = []
    for row, *scores in zip(frame.rows(named=True), *metrics.values(), strict=True):
        content = [row[name] for name in inputs]
        item = row["example_id"] if has_ids else item_by(*content, text=str(content[0]) if content else "row")
        of_row = {
            name: score_or_cause(score, row.get("error")) for name, score in zip(metrics, scores, strict=True)
        }
        has_nested = any(isinstance(value, list | dict) for value in row.values())
        shown = _langsmith_shown(row) if is_langsmith else _ragas_shown(row)
        rows.append(Row(str(item), of_row, shown, whole=None if has_nested else row))
    return Log(rows)


def _langsmith_shown(row: dict[str, Any]) -> Shown:
    question, expected, answer, metrics = (
        {name.removeprefix(start): value for name, value in row.items() if name.startswith(start)}
        for start in ("inputs.", "reference.", "outputs.", _FEEDBACK)
    )
    return Shown(question, expected, answer, {**metrics, "error": row.get("error")})


def _ragas_shown(row: dict[str, Any]) -> Shown:
    columns = text_columns(list(row))
    question, expected, answer = (row.get(columns.get(t, "")) for t in ("question", "expected", "response"))
    others = {name: value for name, value in row.items() if name and name not in columns.values()}
    return Shown(question, expected, answer, others)


FORMS = (Form("LangSmith or Ragas results", _is_feedback, _log),)
