"""Harnesses whose logs are simple: the marks of each, and how its rows are read."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tellapart.errors import InputError
from tellapart.files import as_object, as_objects, head, parse_json, part, read_object
from tellapart.files.tables import Kind, kind_of, read_table
from tellapart.readers.cells import read_cells
from tellapart.readers.reader import NoItemScores
from tellapart.readers.row_form import (
    Form,
    Log,
    Metric,
    Missing,
    Row,
    Shown,
    averages,
    first_of,
    from_0_to_1,
    item_by,
    json_rows,
    score_or_cause,
)
from tellapart.readers.settings import ReadingSettings


def _marked(*marks: str, start: str = "") -> Callable[[Path], bool]:
    """Check for all keys, or columns, of one of these marks, and for how a file of JSON starts."""

    def is_marked(path: Path) -> bool:
        text = head(path).decode(errors="replace")
        if text[:1] not in ("[", "{"):
            columns = {name.strip().strip('"') for name in re.split("[,\t;]", text.partition("\n")[0])}
            return not start and any(columns >= {*keys.split()} for keys in marks)
        keys_there = [all(re.search(rf'"{re.escape(key)}"\s*:', text) for key in m.split()) for m in marks]
        return re.match(start or r"[\[{]", text) is not None and any(keys_there or [True])

    return is_marked


def _by_name(entries: Any, where: object) -> dict[str, dict[str, Any]]:
    return {str(entry.get("name")): entry for entry in as_objects(entries, where)}


def _unless(error: object, score: Any) -> Any:
    """Give the score unless there is an error, whatever the score."""
    return score_or_cause(None if error else score, error)


def _shared(rows: list[dict[str, Any]], name: str) -> Any:
    """The value that all rows have; None where they differ."""
    return rows[0].get(name) if rows and all(row.get(name) == rows[0].get(name) for row in rows) else None


def _alpaca_eval(path: Path, settings: ReadingSettings) -> Log:
    whole, rows = json_rows(path), []
    for row in whole:
        question, preference = row.get("instruction"), row.get("preference")
        score = preference - 1 if isinstance(preference, int | float) else preference
        item, shown = item_by(question, row.get("dataset")), Shown(question, answer=row.get("output_2"))
        rows.append(Row(item, {"preference": score}, shown, model=row.get("generator_2"), whole=row))
    reference = _shared(whole, "generator_1")
    metric = Metric((0.0, 1.0), stamps={"judge": _shared(whole, "annotator"), "reference": reference})
    note = f"{path.name}: the score is the preference over {reference}, from 0 to 1."
    return Log(rows, notes=(note,), no_score="judge", metric=lambda _: metric)


def _braintrust(path: Path, settings: ReadingSettings) -> Log:
    """The rows, without spans below them; rows of several models are of the file."""
    whole = [row for row in json_rows(path) if row.get("span_id") == row.get("root_span_id")]
    rows = []
    for row in whole:
        error, given = row.get("error"), part(row, "scores")
        scores = {name: score_or_cause(score, error) for name, score in given.items()}
        shown = Shown(row.get("input"), row.get("expected"), row.get("output"), {**given, "error": error})
        traits = {name: value for name, value in part(row, "metadata").items() if name != "model"}
        item = item_by(row.get("input"), row.get("expected"))
        rows.append(Row(item, scores, shown, traits=traits, whole=row))
    model = _shared([dict(part(row, "metadata")) for row in whole], "model")
    return Log(rows, model=model and str(model), metric=from_0_to_1)


_NUMBERED = re.compile(r"(conversational_)?test_case_\d+|")


def _deepeval(path: Path, settings: ReadingSettings) -> Log:
    whole = read_object(path)
    run = part(whole, "testRunData") or whole
    rows, judges = [], list[tuple[str, Any]]()
    cases = [
        case for name in ("testCases", "conversationalTestCases") for case in as_objects(run.get(name), path)
    ]
    for case in cases:
        metrics = _by_name(case.get("metricsData"), f"{path}: 'metricsData'")
        judges += [(name, of.get("evaluationModel")) for name, of in metrics.items()]
        facts = {f"{name}: why": first_of(of, "error", "reason") for name, of in metrics.items()}
        facts["context"] = first_of(case, "retrievalContext", "context")
        expected = first_of(case, "expectedOutput", "expectedOutcome")
        question = first_of(case, "input", "scenario", "turns")
        content = (case.get(key) for key in ("input", "expectedOutput", "scenario", "turns"))
        name = str(case.get("name") or "")
        rows.append(
            Row(
                item_by(*content) if _NUMBERED.fullmatch(name) else name,
                {name: _unless(of.get("error"), of.get("score")) for name, of in metrics.items()},
                Shown(question, expected, case.get("actualOutput"), facts),
                traits=part(case, "metadata"),
                whole=case,
            )
        )

    def metric(name: str) -> Metric:
        of_metric = [{"judge": judge} for judged, judge in judges if judged == name]
        return Metric(stamps={"judge": _shared(of_metric, "judge")})

    model = part(run, "hyperparameters").get("model")
    return Log(rows, model=model and str(model), metric=metric)


_STATUSES = ("plus_status", "base_status", "status")
"""The strictest first: all tests, then those of the original benchmark."""

_PASSED = {"pass": 1.0, "fail": 0.0, "timeout": 0.0}


def _evalplus(path: Path, settings: ReadingSettings) -> Log:
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
    return Log(rows, called=called, no_score="judge", metric=lambda _: metric)


def _every_eval_ever(path: Path, settings: ReadingSettings) -> Log:
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
        result, error, answer = str(row.get("evaluation_result_id")), row.get("error"), part(row, "output")
        names = {result: "score"} if several else {"score": "score", "is_correct": "is_correct"}
        rows.append(
            Row(
                f"{name}/{row.get('sample_id')}",
                {metric: _unless(error, grade.get(key)) for metric, key in names.items()},
                Shown(
                    question.get("raw"),
                    question.get("reference"),
                    first_of({**row, **answer}, "raw", "messages"),
                ),
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
        return Metric(limits, name if config.get("lower_is_better") is True else None, stamps)

    return Log(rows, is_sparse=True, metric=metric)


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


def _langfuse(path: Path, settings: ReadingSettings) -> Log:
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
    stamps = {"score config": _shared(whole, "configId") or _shared(whole, "config_id")}
    return Log(rows, is_sparse=True, notes=notes, metric=lambda _: Metric(stamps=stamps))


def _live_code_bench(path: Path, settings: ReadingSettings) -> Log:
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
    return Log(rows, called=path.absolute().parent.name, metric=from_0_to_1)


_MLFLOW = re.compile(r"(.+?)(?:/v\d+)?/score")


def _mlflow(path: Path, settings: ReadingSettings) -> Log:
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


def _phoenix(path: Path, settings: ReadingSettings) -> Log:
    rows = []
    for number, run in enumerate(json_rows(path), start=1):
        notes = _by_name(run.get("annotations"), f"{path}, row {number}: 'annotations'")
        failed = {name: Missing("judge") if note.get("error") else None for name, note in notes.items()}
        scores = {name: _unless(run.get("error"), failed[name] or notes[name].get("score")) for name in notes}
        why = {f"{name}: why": note.get("explanation") for name, note in notes.items()}
        shown = Shown(run.get("input"), run.get("reference_output"), run.get("output"), why)
        nth = max(int(run.get("repetition_number") or 1) - 1, 0)
        rows.append(Row(str(run.get("example_id")), scores, shown, replicate=nth, whole=run))
    return Log(rows)


_UNTESTED = {
    **dict.fromkeys(("empty_patch_ids", "no_generation"), "parse"),
    **dict.fromkeys(("error_ids", "no_logs", "install_fail", "reset_failed"), "judge"),
    "incomplete_ids": "provider",
}
"""Lists of SWE-bench's instances that are neither resolved nor unresolved, with the cause."""


def _swe_bench(path: Path, settings: ReadingSettings) -> Log:
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
    return Log(rows, called=called, metric=from_0_to_1, notes=(note,) if missing else ())


def _refused(what: str, next_step: str) -> Callable[[Path, ReadingSettings], Log]:
    """Refuse a form that holds no scores of items."""

    def refuse(path: Path, settings: ReadingSettings) -> Log:
        raise NoItemScores(what, where=path, next_step=next_step)

    return refuse


FORMS = (
    Form("AlpacaEval annotations", _marked("instruction generator_2 output_2", start=r"\["), _alpaca_eval),
    Form(
        "Braintrust experiment",
        _marked(
            *(f"input scores {mark}" for mark in ("span_id", "experiment_id", "span_attributes", "_xact_id")),
            start=r"[\[{]",
        ),
        _braintrust,
    ),
    Form(
        "DeepEval test run",
        _marked(start=r'\{\s*("testRunData"\s*:\s*\{\s*)?("testFile"\s*:[^,]*,\s*)?"testCases"\s*:\s*\['),
        _deepeval,
    ),
    Form(
        "EvalPlus or BigCodeBench results",
        _marked(start=r'(?s)\{.*?"eval"\s*:\s*\{\s*"[^"]*"\s*:\s*\[?\s*\{\s*"task_id"'),
        _evalplus,
    ),
    Form(
        "Every Eval Ever instances",
        _marked("schema_version evaluation_id model_id sample_id interaction_type", start=r"\{"),
        _every_eval_ever,
    ),
    Form(
        "Every Eval Ever averages",
        _marked("schema_version evaluation_id model_info evaluation_results", start=r"\{"),
        _refused(
            "this file holds the averages of a run, and no scores of items",
            "Give its file of instances, *_samples.jsonl, where its source published one; or compare "
            "averages with: tellapart leaderboard",
        ),
    ),
    Form(
        "Langfuse scores",
        _marked("name value traceId dataType", "name value trace_id data_type"),
        _langfuse,
    ),
    Form(
        "LiveCodeBench results",
        _marked("question_title question_id contest_id difficulty", "pass@1 detail", start=r"\["),
        _live_code_bench,
    ),
    Form(
        "MLflow evaluation table",
        _marked(start=r'\{\s*"columns"\s*:\s*\[[^\]]*/score"[^\]]*\]\s*,\s*"data"\s*:'),
        _mlflow,
    ),
    Form(
        "MLflow traces",
        _marked(
            "trace_id trace_location trace_metadata",
            "request_id experiment_id timestamp_ms execution_time_ms",
            "trace_id client_request_id execution_duration",
        ),
        _refused(
            "these are traces of MLflow, and not the scores of an evaluation",
            "Give the evaluation's table, eval_results_table.json; or a table of the assessments in them, "
            "with columns model, item and score",
        ),
    ),
    Form(
        "Phoenix experiment",
        _marked("example_id repetition_number reference_output annotations", start=r"\["),
        _phoenix,
    ),
    Form(
        "SWE-bench report",
        _marked("resolved_ids submitted_instances", "resolved no_generation", start=r"\{"),
        _swe_bench,
    ),
    Form(
        "figures of whole runs of bundles",
        _marked("eval_header overall", "capsules", start=r"\{"),
        _refused(
            "this holds figures of whole runs, and an audit compares item by item",
            "Give the *.scores.parquet beside it; or compare the runs in it: tellapart bundles seeds FILE",
        ),
    ),
    Form(
        "votes on pairs of models",
        _marked(
            *(
                f"model_a model_b winner {mark}"
                for mark in ("conversation_a", "judge", "evaluation_session_id")
            ),
            "model_a model_b response_a winner_model_a",
        ),
        _refused(
            "these are votes on pairs of models, each on a question of its own, so no two models have scores "
            "on the same items",
            "Give scores of each model on the same items, such as a judge's, with columns model, item and "
            "score; a ranking by votes is not computed here",
        ),
    ),
)
