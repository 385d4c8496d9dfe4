"""Harnesses that write a row for each answer: where each has model, item, scores and texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tellapart.errors import InputError
from tellapart.files import as_object, as_objects, head, part, read_object
from tellapart.files.tables import Kind, delimited_rows, kind_of, read_table
from tellapart.readers.answers import Answer, finite_score
from tellapart.readers.reader import NoItemScores
from tellapart.readers.row_form import Metric, Row, RowForm, at, cause_of_error, json_rows

_RIGHT_OR_WRONG = Metric((0.0, 1.0))


def _by_name(entries: Any, where: object = "") -> dict[str, dict[str, Any]]:
    return {str(entry.get("name")): entry for entry in as_objects(entries, where)}


_PASSED = {"pass": 1.0, "fail": 0.0, "timeout": 0.0}
_STATUSES = ("plus_status", "base_status", "status")
"""What a solution passed, the strictest first: all tests, or those of the original benchmark."""


def _evalplus(path: Path) -> Sequence[Row]:
    report = read_object(path)
    rows = []
    for task, of_task in as_object(report.get("eval"), f"{path}: 'eval'").items():
        for number, entry in enumerate(of_task if isinstance(of_task, list) else [of_task]):
            solution = as_object(entry, where := f"{path}: 'eval', {task!r}")
            scores = {name: solution[name] for name in _STATUSES if name in solution}
            for status in scores.values():
                if status is not None and status not in _PASSED:
                    raise InputError(f"the status is {status!r}, expected pass, fail or timeout", where=where)
            scores = {name: _PASSED.get(status) for name, status in scores.items()}
            row = {"task": task, "number": number, "scores": scores, "hash": report.get("hash")}
            rows.append({**row, "solution": solution.get("solution")})
    return rows


_INSTANCES = {
    **dict.fromkeys(("empty_patch_ids", "no_generation"), "parse"),
    **dict.fromkeys(("error_ids", "no_logs", "install_fail", "reset_failed"), "judge"),
    "incomplete_ids": "provider",
}
"""Lists of SWE-bench's instances that are neither resolved nor unresolved, with the cause."""


def _swe_bench(path: Path) -> Sequence[Row]:
    report = read_object(path)
    listed: dict[str, set[str]] = {}
    for name, ids in report.items():
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
        cause = next((_INSTANCES[name] for name in _INSTANCES if name in names), None)
        is_resolved = not names.isdisjoint(("resolved_ids", "resolved"))
        score = 1.0 if is_resolved else None if cause else 0.0
        rows.append({"id": instance, "scores": {"resolved": score}, "cause": cause})
    return rows


def _swe_bench_model(path: Path) -> str:
    """What stands before the name of the run; of a submission, its folder."""
    if path.stem == "results":
        folders = [part for part in path.absolute().parts[:-1] if part != "results"]
        return folders[-1] if folders else path.stem
    return path.stem.rpartition(".")[0] or path.stem


def _swe_bench_note(rows: Sequence[Row], answers: Sequence[Answer]) -> str | None:
    missing = sum(answer.missing is not None for answer in answers)
    if not missing:
        return None
    return (
        f"{missing} of {len(answers)} instances have no patch or were not tested, and count as missing; "
        "SWE-bench itself counts them as not resolved."
    )


def _alpaca_eval(path: Path) -> Sequence[Row]:
    rows = []
    for number, row in enumerate(json_rows(path), start=1):
        where = f"{path}, row {number}"
        preference = finite_score(row.get("preference"), "preference", where)
        if preference is not None and not 1 <= preference <= 2:
            raise InputError(f"the preference is {preference:g}, expected 1 to 2, or null", where=where)
        rows.append({**row, "scores": {"preference": None if preference is None else preference - 1}})
    return rows


def _braintrust(path: Path) -> Sequence[Row]:
    """The rows, without spans below them; rows of several models are of the file."""
    rows = [row for row in json_rows(path) if row.get("span_id") == row.get("root_span_id")]
    models = {str(part(row, "metadata").get("model")) for row in rows}
    return [
        {**row, "model": models.copy().pop() if len(models) == 1 and models != {"None"} else None}
        for row in rows
    ]


_NUMBERED = re.compile(r"(conversational_)?test_case_\d+")


def _deepeval(path: Path) -> Sequence[Row]:
    whole = read_object(path)
    run = part(whole, "testRunData") or whole
    rows = []
    for name in ("testCases", "conversationalTestCases"):
        for case in as_objects(run.get(name), f"{path}: {name!r}"):
            metrics = _by_name(case.get("metricsData"), f"{path}: 'metricsData'")
            given = str(case.get("name") or "")
            case["id"] = given if not _NUMBERED.fullmatch(given) else None
            case["model"] = part(run, "hyperparameters").get("model")
            case["scores"] = {n: None if m.get("error") else m.get("score") for n, m in metrics.items()}
            case["errors"] = {n: m.get("error") for n, m in metrics.items()}
            rows.append(case)
    return rows


def _deepeval_facts(case: Row) -> dict[str, Any]:
    metrics = _by_name(case.get("metricsData"))
    reasons = {
        f"{name}: why": metric.get("error") or metric.get("reason") for name, metric in metrics.items()
    }
    return {"context": case.get("retrievalContext") or case.get("context"), **reasons}


def _live_code_bench(path: Path) -> Sequence[Row]:
    if head(path).startswith(b'[{"pass@1"') or re.match(rb'\[\s*\{\s*"pass@1"', head(path)):
        raise NoItemScores(
            "this file holds the averages of a run, and no scores of items",
            where=path,
            next_step="Give the file beside it whose name ends in _eval_all.json",
        )
    rows = []
    for number, row in enumerate(json_rows(path), start=1):
        grades = row.get("graded_list")
        if not isinstance(grades, list):
            raise NoItemScores(
                f"row {number} has answers and no 'graded_list'",
                where=path,
                next_step="Run LiveCodeBench with --evaluate, and give its _eval_all.json",
            )
        answers = row.get("code_list") or []
        rows += [
            {**row, "number": n, "scores": {"pass@1": grade}, "code": (answers[n : n + 1] or [None])[0]}
            for n, grade in enumerate(grades)
        ]
    return rows


def _every_eval_ever(path: Path) -> Sequence[Row]:
    """Rows of instances with their entry in the aggregate file beside them, which records limits."""
    rows = json_rows(path)
    ids: dict[str, set[str]] = {}
    for row in rows:
        ids.setdefault(str(row.get("evaluation_name")), set()).add(str(row.get("evaluation_result_id")))
    several = any(len(of_one) > 1 for of_one in ids.values())
    beside = path.with_name(f"{re.sub('_samples$', '', path.stem)}.json")
    aggregate = read_object(beside) if beside.is_file() else {}
    results = as_objects(aggregate.get("evaluation_results"), f"{beside}: 'evaluation_results'")
    by_id = {str(entry.get("evaluation_result_id")): entry for entry in results}
    for row in rows:
        name = str(row.get("evaluation_name"))
        grade = part(row, "evaluation")
        scores = {"score": grade.get("score"), "is_correct": grade.get("is_correct")}
        if several:
            scores = {str(row.get("evaluation_result_id")): grade.get("score")}
        failed = bool(row.get("error"))
        row["scores"] = {metric: None if failed else value for metric, value in scores.items()}
        row["item"] = f"{name}/{row.get('sample_id')}"
        of_row = by_id.get(str(row.get("evaluation_result_id")), results[0] if len(results) == 1 else {})
        row["metric"], row["library"] = part(of_row, "metric_config"), part(aggregate, "eval_library")
    return rows


def _eee_metric(row: Row, metric: str) -> Metric:
    config = row["metric"]
    if metric == "is_correct":
        return _RIGHT_OR_WRONG
    low, high = config.get("min_score"), config.get("max_score")
    limits = (float(low), float(high)) if low is not None and high is not None and low < high else None
    return Metric(limits, config.get("lower_is_better") is True)


def _every_eval_ever_averages(path: Path) -> Sequence[Row]:
    detailed = part(read_object(path), "detailed_evaluation_results").get("file_path")
    raise NoItemScores(
        "this file of Every Eval Ever holds the averages of evaluations, and no scores of items",
        where=path,
        next_step=f"Give its scores of items, {detailed}"
        if detailed
        else "Its source published no scores of items; compare averages with: tellapart leaderboard",
    )


_MLFLOW = re.compile(r"(.+?)(?:/v\d+)?/score")


def _mlflow(path: Path) -> Sequence[Row]:
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
        row["asked"] = row.get("inputs", row.get("question")) or inputs
        row["scores"] = {name: row[scored[name]] for name in dict.fromkeys((*judged, *scored))}
        rows.append(row)
    return rows


def _phoenix(path: Path) -> Sequence[Row]:
    rows = json_rows(path)
    for number, row in enumerate(rows, start=1):
        notes = _by_name(row.get("annotations"), f"{path}, row {number}: 'annotations'")
        row["scores"] = {name: None if row.get("error") else a.get("score") for name, a in notes.items()}
        row["annotations"] = notes
        row["number"] = max(int(row.get("repetition_number") or 1) - 1, 0)
    return rows


def _langfuse(path: Path) -> Sequence[Row]:
    """Scores of one trace or observation under each other, each of its own name."""
    kind = kind_of(path)
    if kind in (Kind.COMMAS, Kind.SEMICOLONS, Kind.TABS):
        rows = read_table(path, kind).rows(named=True)
    elif head(path).startswith(b"{") and (whole := _page(path)) is not None:
        rows = as_objects(whole, f"{path}: 'data'")
    else:
        rows = json_rows(path)
    read: list[dict[str, Any]] = []
    categories = 0
    for number, row in enumerate(rows, start=1):
        value = at(row, ("value",))
        if isinstance(value, str):
            try:
                value = {"true": 1.0, "false": 0.0}.get(value.casefold())
                value = float(row["value"]) if value is None else value
            except ValueError:
                value = None
        kind_of_score = str(at(row, ("dataType", "data_type")) or "NUMERIC")
        if kind_of_score in ("CATEGORICAL", "TEXT"):
            categories += 1
            continue
        metadata = part(row, "metadata")
        item = at(metadata, ("dataset_item_id", "datasetItemId", "item_id", "item"))
        trace = "/".join(str(v) for p in (_TRACE, _OBSERVATION) if (v := at(row, p)) is not None)
        if item is None and not trace:
            raise InputError("this score has neither a trace nor a session", where=f"{path}, row {number}")
        row = {**row, "scores": {str(row.get("name")): value}, "model": metadata.get("model")}
        read.append({**row, "item": item or trace, "is_trace": item is None})
    if rows and not read:
        raise InputError(
            "all scores of this export are categories",
            where=path,
            next_step="Give scores that are numbers or truth values",
        )
    return [{**row, "categories": categories} for row in read]


_TRACE = ("traceId", "trace_id", "sessionId", "session_id", "datasetRunId", "dataset_run_id")
_OBSERVATION = ("observationId", "observation_id")


def _page(path: Path) -> Any:
    """The scores of an answer of Langfuse's API; None of JSON Lines."""
    try:
        return read_object(path).get("data")
    except InputError:
        return None


def _langfuse_note(rows: Sequence[Row], answers: Sequence[Answer]) -> str | None:
    notes = []
    if categories := rows[0]["categories"]:
        notes.append(f"{categories} scores are categories or texts, and are not read.")
    if any(row["is_trace"] for row in rows):
        notes.append(
            "Items are named by their traces, which two runs do not share; to compare models, give scores "
            "the metadata dataset_item_id."
        )
    return " ".join(notes) or None


_CELL = re.compile(r"\[(PASS|FAIL|ERROR)\] ?(.*)", re.DOTALL)
_HEAD = re.compile(r"\[([^\]]+)\] (.*)", re.DOTALL)


def _promptfoo_heads(path: Path) -> list[str]:
    """The columns of promptfoo's models, among all of a table."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        try:
            _, names = next(delimited_rows(file, ",", path), (0, list[str]()))
        except InputError:
            return []
    return [name.strip() for name in names]


def _promptfoo(path: Path) -> Sequence[Row]:
    """Each cell of a model as a row."""
    names = _promptfoo_heads(path)
    models = [name for name in names if _HEAD.fullmatch(name)]
    frame = read_table(path, Kind.COMMAS, models)
    asked = [name for name in names[: names.index(models[0])] if name != "Description"]
    labels = {name: (match[1], match[2]) for name in models if (match := _HEAD.fullmatch(name))}
    only = len({label for _, label in labels.values()}) == 1
    rows = []
    for number, values in enumerate(frame.rows(named=True), start=1):
        variables = {name: values.get(name) for name in asked}
        for name in models:
            cell = values.get(name)
            match = _CELL.fullmatch(cell or "")
            if cell and not match:
                raise InputError(
                    f"{name!r} is {cell!r:.60}, expected [PASS], [FAIL] or [ERROR] before the answer",
                    where=f"{path}, row {number}",
                )
            result, text = match.groups() if match else ("", "")
            rows.append(
                {
                    "model": labels[name][0] if only else " · ".join(labels[name]),
                    "description": values.get("Description"),
                    "variables": variables,
                    "scores": {"success": {"PASS": 1.0, "FAIL": 0.0}.get(result)},
                    "error": text.partition("\n")[0] if result == "ERROR" else None,
                    "answer": "" if result == "ERROR" else text,
                    "row": number,
                }
            )
    return rows


class _PromptfooTable(RowForm):
    """promptfoo's table, whose columns are called after the models in it."""

    def recognises(self, path: Path) -> bool:
        """Check for a column ``[provider] prompt`` and for cells with an outcome."""
        if not path.is_file() or not re.search(rb"\[(PASS|FAIL|ERROR)\]", head(path)):
            return False
        return head(path)[:1] not in b"[{" and any(map(_HEAD.fullmatch, _promptfoo_heads(path)))


def _votes(path: Path) -> Sequence[Row]:
    raise NoItemScores(
        "these are votes on pairs of models, each on a question of its own, so no two models have scores on "
        "the same items",
        where=path,
        next_step="Give scores of each model on the same items, such as a judge's, with columns model, item "
        "and score; a ranking by votes is not computed here",
    )


FORMS: tuple[RowForm, ...] = (
    RowForm(
        NAME="AlpacaEval annotations",
        start=r"\[",
        marks=(("instruction", "generator_2", "output_2"),),
        rows=_alpaca_eval,
        model=("generator_2",),
        content=("instruction", "dataset"),
        no_score="judge",
        question=("instruction",),
        answer=("output_2",),
        metric=lambda row, metric: _RIGHT_OR_WRONG,
        stamps=lambda row, metric: {"judge": row.get("annotator"), "reference": row.get("generator_1")},
        note=lambda rows, answers: (
            f"the score is the preference over {rows[0].get('generator_1')}, from 0 to 1."
        ),
    ),
    RowForm(
        NAME="Braintrust experiment",
        marks=tuple(
            ("input", "scores", own)
            for own in ("span_id", "root_span_id", "experiment_id", "span_attributes", "_xact_id")
        ),
        rows=_braintrust,
        content=("input", "expected"),
        model=("model",),
        traits=lambda row: {k: v for k, v in part(row, "metadata").items() if k != "model"},
        question=("input",),
        expected=("expected",),
        answer=("output",),
        facts=lambda row: {**part(row, "scores"), "error": row.get("error")},
        metric=lambda row, metric: _RIGHT_OR_WRONG,
    ),
    RowForm(
        NAME="DeepEval test run",
        start=r'\{\s*("testRunData"\s*:\s*\{\s*)?("testFile"\s*:[^,]*,\s*)?"testCases"\s*:\s*\[',
        marks=((),),
        rows=_deepeval,
        item=("id",),
        content=("input", "expectedOutput", "scenario", "turns"),
        model=("model",),
        cause=lambda case, metric: cause_of_error(case["errors"].get(metric)),
        traits=lambda case: part(case, "metadata"),
        question=("input", "scenario", "turns"),
        expected=("expectedOutput", "expectedOutcome"),
        answer=("actualOutput",),
        facts=_deepeval_facts,
        stamps=lambda case, metric: {
            "judge": _by_name(case.get("metricsData")).get(metric, {}).get("evaluationModel")
        },
    ),
    RowForm(
        NAME="EvalPlus or BigCodeBench results",
        start=r'(?s)\{.*?"eval"\s*:\s*\{\s*"[^"]*"\s*:\s*\[?\s*\{\s*"task_id"',
        marks=((),),
        rows=_evalplus,
        item=("task",),
        replicate=("number",),
        no_score="judge",
        model_of_file=lambda path: re.sub(r"(\.eval|_eval)?(_results)?$", "", path.stem),
        answer=("solution",),
        metric=lambda row, metric: _RIGHT_OR_WRONG,
        stamps=lambda row, metric: {"data set": row["hash"]},
    ),
    RowForm(
        NAME="Every Eval Ever instances",
        start=r"\{",
        marks=(("schema_version", "evaluation_id", "model_id", "sample_id", "interaction_type"),),
        rows=_every_eval_ever,
        item=("item",),
        model=("model_id",),
        is_sparse=True,
        traits=lambda row: {"evaluation": row.get("evaluation_name"), **part(row, "metadata")},
        question=("input.raw",),
        expected=("input.reference",),
        answer=("output.raw", "messages"),
        metric=_eee_metric,
        stamps=lambda row, metric: {
            "harness": " ".join(
                str(v) for k in ("name", "version") if (v := row["library"].get(k, "unknown")) != "unknown"
            )
            or None
        },
    ),
    RowForm(
        NAME="Every Eval Ever averages",
        start=r"\{",
        marks=(("schema_version", "evaluation_id", "model_info", "evaluation_results"),),
        rows=_every_eval_ever_averages,
    ),
    RowForm(
        NAME="Langfuse scores",
        start="",
        marks=(("name", "value", "traceId", "dataType"), ("name", "value", "trace_id", "data_type")),
        rows=_langfuse,
        item=("item",),
        model=("model",),
        is_sparse=True,
        traits=lambda row: {"environment": row.get("environment")},
        facts=lambda row: {"comment": row.get("comment")},
        stamps=lambda row, metric: {"score config": at(row, ("configId", "config_id"))},
        note=_langfuse_note,
    ),
    RowForm(
        NAME="LiveCodeBench results",
        start=r"\[",
        marks=(("question_title", "question_id", "contest_id", "difficulty"), ("pass@1", "detail")),
        rows=_live_code_bench,
        item=("question_id",),
        replicate=("number",),
        model_of_file=lambda path: path.absolute().parent.name,
        traits=lambda row: {"difficulty": row.get("difficulty"), "platform": row.get("platform")},
        question=("question_content",),
        answer=("code",),
        metric=lambda row, metric: _RIGHT_OR_WRONG,
    ),
    RowForm(
        NAME="MLflow evaluation table",
        start=r'\{\s*"columns"\s*:\s*\[[^\]]*/score"[^\]]*\]\s*,\s*"data"\s*:',
        marks=((),),
        rows=_mlflow,
        content=("asked",),
        no_score="judge",
        question=("asked",),
        expected=("targets", "ground_truth", "target", "expectations"),
        answer=("outputs", "prediction"),
        facts=lambda row: {k: v for k, v in row.items() if k.endswith(("/score", "/justification"))},
    ),
    RowForm(
        NAME="Phoenix experiment",
        start=r"\[",
        marks=(("example_id", "repetition_number", "reference_output", "annotations"),),
        rows=_phoenix,
        item=("example_id",),
        replicate=("number",),
        cause=lambda row, metric: (
            cause_of_error(row.get("error"))
            or ("judge" if row["annotations"].get(metric, {}).get("error") else None)
        ),
        question=("input",),
        expected=("reference_output",),
        answer=("output",),
        facts=lambda row: {f"{name}: why": a.get("explanation") for name, a in row["annotations"].items()},
    ),
    RowForm(
        NAME="SWE-bench report",
        start=r"\{",
        marks=(("resolved_ids", "submitted_instances"), ("resolved", "no_generation")),
        rows=_swe_bench,
        item=("id",),
        model_of_file=_swe_bench_model,
        cause=lambda row, metric: row["cause"],
        metric=lambda row, metric: _RIGHT_OR_WRONG,
        note=_swe_bench_note,
    ),
    RowForm(
        NAME="votes on pairs of models",
        start="",
        marks=(
            ("model_a", "model_b", "winner", "conversation_a"),
            ("model_a", "model_b", "winner", "judge"),
            ("model_a", "model_b", "winner", "evaluation_session_id"),
            ("model_a", "model_b", "response_a", "winner_model_a"),
        ),
        rows=_votes,
    ),
    _PromptfooTable(
        NAME="promptfoo table",
        marks=(),
        rows=_promptfoo,
        content=("description", "variables"),
        model=("model",),
        no_score="provider",
        question=("variables",),
        answer=("answer",),
        metric=lambda row, metric: _RIGHT_OR_WRONG,
    ),
)
"""By the alphabet."""
