"""Logs of harnesses whose rows are simple: tools that trace and judge applications."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tellapart.errors import InputError
from tellapart.files import as_objects, head, parse_json, part, read_object
from tellapart.files.tables import Kind, kind_of, read_table
from tellapart.readers.cells import is_number, read_cells
from tellapart.readers.column_names import text_columns
from tellapart.readers.log import (
    SHARE,
    Log,
    Metric,
    Missing,
    Row,
    Shown,
    first_of,
    item_by,
    json_rows,
    shared,
    unless,
)
from tellapart.readers.settings import ReadingSettings


def _by_name(entries: Any, where: object) -> dict[str, dict[str, Any]]:
    return {str(entry.get("name")): entry for entry in as_objects(entries, where)}


def braintrust(path: Path, settings: ReadingSettings) -> Log:
    """The rows, without spans below them; rows of several models are of the file."""
    whole = [row for row in json_rows(path) if row.get("span_id") == row.get("root_span_id")]
    rows = []
    for row in whole:
        error, given = row.get("error"), part(row, "scores")
        scores = {name: unless(error, score) for name, score in given.items()}
        shown = Shown(row.get("input"), row.get("expected"), row.get("output"), {**given, "error": error})
        traits = {name: value for name, value in part(row, "metadata").items() if name != "model"}
        item = item_by(row.get("input"), row.get("expected"))
        rows.append(Row(item, scores, shown, traits=traits, whole=row))
    model = shared([dict(part(row, "metadata")) for row in whole], "model")
    return Log(rows, model=model and str(model), metric=SHARE)


_NUMBERED = re.compile(r"(conversational_)?test_case_\d+|")


def deepeval(path: Path, settings: ReadingSettings) -> Log:
    """Read every metric of the test cases of one run."""
    whole = read_object(path)
    run = part(whole, "testRunData") or whole
    rows, measured = [], list[tuple[str, dict[str, Any]]]()
    cases = as_objects(run.get("testCases"), path) + as_objects(run.get("conversationalTestCases"), path)
    for case in cases:
        metrics = _by_name(case.get("metricsData"), f"{path}: 'metricsData'")
        measured += metrics.items()
        facts = {f"{name}: why": first_of(of, "error", "reason") for name, of in metrics.items()}
        facts["context"] = first_of(case, "retrievalContext", "context")
        expected = first_of(case, "expectedOutput", "expectedOutcome")
        question = first_of(case, "input", "scenario", "turns")
        content = (case.get(key) for key in ("input", "expectedOutput", "scenario", "turns"))
        name = str(case.get("name") or "")
        rows.append(
            Row(
                item_by(*content) if _NUMBERED.fullmatch(name) else name,
                {name: unless(of.get("error"), of.get("score")) for name, of in metrics.items()},
                Shown(question, expected, case.get("actualOutput"), facts),
                traits=part(case, "metadata"),
                whole=case,
            )
        )

    def metric(name: str) -> Metric:
        of_metric = [of for named, of in measured if named == name]
        return Metric(less=_is_less(of_metric), stamps={"judge": shared(of_metric, "evaluationModel")})

    model = part(run, "hyperparameters").get("model")
    return Log(rows, model=model and str(model), metric=metric)


def _is_less(of_metric: list[dict[str, Any]]) -> bool | None:
    """Whether less is better, by which side of the threshold is a success."""
    below: set[bool] = set()
    for of in of_metric:
        score, threshold = of.get("score"), of.get("threshold")
        if of.get("error") or not isinstance(score, int | float) or not isinstance(threshold, int | float):
            continue
        if score != threshold:
            below.add((score < threshold) == of.get("success"))
    return below.pop() if len(below) == 1 else None


def _langfuse_rows(path: Path) -> list[dict[str, Any]]:
    """Scores as the interface and the export to storage give them, or as the table of scores is exported."""
    kind = kind_of(path)
    if kind not in (Kind.COMMAS, Kind.SEMICOLONS, Kind.TABS):
        is_page = re.match(rb'\{\s*"data"\s*:\s*\[', head(path))
        return as_objects(read_object(path).get("data"), path) if is_page else json_rows(path)
    frame = read_table(path, kind)
    rows = frame.with_columns(value=read_cells(frame["value"]).scores).rows(named=True)
    texts = [row.get("metadata") or "" for row in rows]
    metadata = [parse_json(text, path) if text.startswith("{") else {} for text in texts]
    return [{**row, "metadata": of_row} for row, of_row in zip(rows, metadata, strict=True)]


_ITEMS = ("dataset_item_id", "datasetItemId", "item_id", "item")
_TRACES = ("traceId", "trace_id", "sessionId", "session_id", "datasetRunId", "dataset_run_id")


def langfuse(path: Path, settings: ReadingSettings) -> Log:
    """Read the scores that are numbers or truth values, by name."""
    whole = _langfuse_rows(path)
    rows, are_traces = [], False
    for number, row in enumerate(whole, start=1):
        if first_of(row, "dataType", "data_type") not in ("NUMERIC", "BOOLEAN", None):
            continue
        metadata = part(row, "metadata")
        item, model = first_of(metadata, *_ITEMS), metadata.get("model")
        if item is None:
            of = first_of(row, *_TRACES), first_of(row, "observationId", "observation_id")
            item, are_traces = "/".join(str(name) for name in of if name), True
            if not item:
                raise InputError(f"score {number} names no item, trace or session", where=path)
        scores, shown = {str(row.get("name")): row.get("value")}, Shown(facts={"comment": row.get("comment")})
        traits = {"environment": row.get("environment")}
        rows.append(Row(str(item), scores, shown, model and str(model), traits=traits, whole=row))
    notes = []
    if others := len(whole) - len(rows):
        notes.append(f"{path.name}: {others} scores are categories or texts, and are not read.")
    if are_traces:
        notes.append(
            f"{path.name}: Items are named by their traces, which two runs do not share; to compare models, "
            "give scores the metadata dataset_item_id."
        )
    stamps = {"score config": shared(whole, "configId") or shared(whole, "config_id")}
    return Log(rows, is_sparse=True, notes=notes, metric=Metric(stamps=stamps))


_MLFLOW = re.compile(r"(.+?)(?:/v\d+)?/score")


def mlflow(path: Path, settings: ReadingSettings) -> Log:
    """Columns of scores, those that a judge gave first."""
    table = read_object(path)
    columns, data = table.get("columns"), table.get("data")
    if not isinstance(columns, list) or not isinstance(data, list):
        raise InputError("expected lists in 'columns' and 'data'", where=path)
    names = [str(name) for name in columns]
    scored = {match[1]: name for name in names if (match := _MLFLOW.fullmatch(name))}
    judged = [n for n, column in scored.items() if f"{column.removesuffix('score')}justification" in names]
    rows = []
    for number, values in enumerate(data, start=1):
        if not isinstance(values, list) or len(values) != len(names):
            raise InputError(f"expected {len(names)} values, one a column", where=f"{path}, row {number}")
        row = dict(zip(names, values, strict=True))
        inputs = {name: row[name] for name in names[: names.index("outputs")]} if "outputs" in row else row
        question = first_of(row, "inputs", "question") or inputs
        expected = first_of(row, "targets", "ground_truth", "target", "expectations")
        facts = {name: v for name, v in row.items() if name.endswith(("/score", "/justification"))}
        shown = Shown(question, expected, first_of(row, "outputs", "prediction"), facts)
        scores = {name: row[scored[name]] for name in dict.fromkeys((*judged, *scored))}
        rows.append(Row(item_by(question), scores, shown, whole=row))
    return Log(rows, no_score="judge")


def phoenix(path: Path, settings: ReadingSettings) -> Log:
    """Read the annotations of the runs of one experiment."""
    rows = []
    for number, run in enumerate(json_rows(path), start=1):
        notes = _by_name(run.get("annotations"), f"{path}, row {number}: 'annotations'")
        failed = {name: Missing("judge") if note.get("error") else None for name, note in notes.items()}
        scores = {name: unless(run.get("error"), failed[name] or notes[name].get("score")) for name in notes}
        why = {f"{name}: why": note.get("explanation") for name, note in notes.items()}
        shown = Shown(run.get("input"), run.get("reference_output"), run.get("output"), why)
        nth = max(int(run.get("repetition_number") or 1) - 1, 0)
        rows.append(Row(str(run.get("example_id")), scores, shown, replicate=nth, whole=run))
    return Log(rows)


_FEEDBACK = "feedback."
_RAGAS_TEXT = re.compile(
    r"user_input|question|response|answer|reference|ground_truths?|\w*contexts|\w+_context_ids|rubrics|"
    r"multi_responses|reference_tool_calls|synthesizer_name|persona_name|query_style|id|"
)


def feedback_table(path: Path, settings: ReadingSettings) -> Log:
    """Read all columns of metrics; an item is LangSmith's ``example_id``, or the input with the reference."""
    frame = read_table(path, kind_of(path) or Kind.COMMAS)
    is_langsmith = any(name.startswith(_FEEDBACK) for name in frame.columns)
    metrics = {
        name.removeprefix(_FEEDBACK): read_cells(frame[name]).scores
        for name in frame.columns
        if (name.startswith(_FEEDBACK) if is_langsmith else not _RAGAS_TEXT.fullmatch(name))
        and is_number(frame[name])
    }
    if not metrics:
        raise InputError("no column of metrics holds numbers", where=path)
    asked, references = ("user_input", "question"), ("reference", "ground_truth")
    inputs = [name for name in frame.columns if name.startswith("inputs.") or name in asked]
    inputs += [name for name in frame.columns if name.startswith("reference.") or name in references]
    has_ids = "example_id" in frame.columns and not frame["example_id"].has_nulls()
    rows = []
    for row, *scores in zip(frame.rows(named=True), *metrics.values(), strict=True):
        content = [row[name] for name in inputs]
        item = row["example_id"] if has_ids else item_by(*content, text=str(content[0]) if content else "row")
        of_row = {name: unless(row.get("error"), score) for name, score in zip(metrics, scores, strict=True)}
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
