"""Results of promptfoo, as JSON, as JSON Lines or as the table that it exports."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from tellapart.errors import InputError
from tellapart.files import as_object, as_objects, first_row, part, read_json_objects, read_object
from tellapart.files.tables import Kind, delimited_rows, read_table
from tellapart.readers.column_names import text_columns
from tellapart.readers.log import (
    SHARE,
    SPENDING,
    Log,
    Metric,
    Missing,
    Row,
    Shown,
    item_by,
    score_or_cause,
)
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import as_text, shortened

_VERSIONS = (2, 3)
_ERROR = 2
"""``ResultFailureReason.ERROR``: the provider gave no answer; 0 is none and 1 a failed assertion."""

_SPENT = ("cost", "latencyMs")
"""What an answer took, in US dollars and milliseconds: read where it is asked for."""

_Result = Mapping[str, Any]
T = TypeVar("T")


def results(path: Path, settings: ReadingSettings) -> Log:
    """Read the results of one evaluation.

    The model is the provider, with its prompt's label where there are several prompts. An item is a test: its
    description or first variable, and a fingerprint of its variables and assertions; tests that are alike are
    replicates. A test's metadata that sort tests are strata; ``cluster`` and ``conversationId`` are the
    cluster. Without a score are answers with an error, and those of which promptfoo says that the grader
    failed (``judge``), which it counts as 0.
    """
    results = _rows(path)
    models = _models(results)
    named = dict.fromkeys(name for result in results for name in part(result, "namedScores"))
    spent = [name for name in _SPENT if name == settings.metric]
    seen: Counter[tuple[str, str]] = Counter()
    rows: dict[int, Row] = {}
    # promptfoo numbers the repeats of a test as tests of their own.
    for i in sorted(range(len(results)), key=lambda i: results[i]["testIdx"]):
        result, where = results[i], f"{path}: result {i + 1}"
        test, model = part(result, "testCase"), models[result["promptIdx"]]
        variables, metadata = part(test, "vars") or part(result, "vars"), part(test, "metadata")
        first = next((str(value) for value in variables.values()), "test")
        item = item_by(variables, test.get("assert"), text=str(test.get("description") or first))
        scores, cause = {**result, **part(result, "namedScores")}, _cause(result, where)
        cluster = metadata.get("cluster", metadata.get("conversationId"))
        rows[i] = Row(
            item,
            {name: cause or scores.get(name) for name in ("score", "success", *named, *spent)},
            _shown(result, test, variables),
            model,
            replicate=seen[model, item],
            cluster=None if cluster is None else str(cluster),
            traits=metadata,
            where=where,
        )
        seen[model, item] += 1
    return Log(
        [rows[i] for i in range(len(results))],
        metric=lambda name: SPENDING if name in spent else Metric((0.0, 1.0) if name == "success" else None),
        no_score="judge",
    )


def _shown(result: _Result, test: _Result, variables: _Result) -> Shown:
    grading, raw = part(result, "gradingResult"), part(result, "prompt").get("raw")
    columns = text_columns(list(variables))
    question = {columns["question"]: variables[columns["question"]]} if "question" in columns else variables
    expected = variables.get(columns["expected"]) if "expected" in columns else None
    assertions = test.get("assert")
    wanted = [
        f"{assertion.get('type')}: {as_text(assertion.get('value'))}"
        for assertion in (assertions if isinstance(assertions, list) else ())
        if isinstance(assertion, Mapping)
    ]
    return Shown(
        question,
        "\n".join(wanted) if expected is None else expected,
        part(result, "response").get("output"),
        {"why": grading.get("reason"), "error": result.get("error"), **part(result, "namedScores")},
        [{"role": "user", "content": raw}] if raw else (),
    )


def _rows(path: Path) -> list[dict[str, Any]]:
    if {"promptIdx", "testIdx", "testCase"} <= first_row(path).keys():
        results = [row for _, row in read_json_objects(path)]
    else:
        log = read_object(path)
        has_id = "evalId" in log and "results" in log
        summary = as_object(log["results"], f"{path}: 'results'") if has_id else log
        if summary.get("version") not in _VERSIONS:
            raise InputError(
                f"the version of the results is {summary.get('version')!r}; expected one of "
                f"{', '.join(map(str, _VERSIONS))}",
                where=path,
                next_step="Export them again with: promptfoo export eval ID --output results.json",
            )
        results = as_objects(summary.get("results"), f"{path}: 'results'")
    for i, result in enumerate(results, start=1):
        for key in ("provider", "promptIdx", "testIdx", "score", "success"):
            value = result.get(key)
            if value is None or (key.endswith("Idx") and not isinstance(value, int)):
                raise InputError(
                    f"{key!r} is {value!r}" if key in result else f"the result has no {key!r}",
                    where=f"{path}: result {i}",
                    next_step="Export the results again with a newer promptfoo",
                )
    return results


def _models(results: Sequence[_Result]) -> dict[int, str]:
    """The model of each column of promptfoo's table."""
    columns: dict[int, tuple[str, str]] = {}
    for result in results:
        provider, prompt = result["provider"], part(result, "prompt")
        if isinstance(provider, Mapping):
            provider = provider.get("label") or provider.get("id")
        label = shortened(str(prompt.get("label") or prompt.get("raw") or result["promptIdx"]))
        columns[result["promptIdx"]] = str(provider), label
    return _named(columns)


def _named(columns: Mapping[T, tuple[str, str]]) -> dict[T, str]:
    """Name models by their providers, with the prompts where there are several, and by what else differs."""
    is_one = len({prompt for _, prompt in columns.values()}) == 1
    names = {column: pair[0] if is_one else " · ".join(pair) for column, pair in columns.items()}
    used = Counter(names.values())
    return {column: name if used[name] == 1 else f"{name} #{column}" for column, name in names.items()}


def _cause(result: _Result, where: str) -> Any:
    grading, error = part(result, "gradingResult"), result.get("error")
    if result.get("failureReason") == _ERROR or ("failureReason" not in result and error and not grading):
        return score_or_cause(None, str(error or "unknown").partition("\n")[0])
    gradings = (grading, *as_objects(grading.get("componentResults"), f"{where}: 'componentResults'"))
    has_failed = any(part(component, "metadata").get("graderError") for component in gradings)
    return Missing("judge") if has_failed else None


_CELL = re.compile(r"(?:\[(PASS|FAIL|ERROR)\] ?(.*))?", re.DOTALL)
_HEAD = re.compile(r"\[([^\]]+)\] (.*)", re.DOTALL)


def _columns(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        try:
            _, names = next(delimited_rows(file, ",", path), (0, list[str]()))
        except InputError:
            return []
    return [name.strip() for name in names]


def has_columns_of_models(path: Path) -> bool:
    """Check for a column ``[provider] prompt``."""
    return any(map(_HEAD.fullmatch, _columns(path)))


def table(path: Path, settings: ReadingSettings) -> Log:
    """Read each cell of a model as a row."""
    columns = _columns(path)
    heads = {name: (match[1], match[2]) for name in columns if (match := _HEAD.fullmatch(name))}
    models = _named(heads)
    variable_names = [name for name in columns[: columns.index(next(iter(heads)))] if name != "Description"]
    rows = []
    for number, values in enumerate(read_table(path, Kind.COMMAS, list(heads)).rows(named=True), start=1):
        variables, where = {name: values.get(name) for name in variable_names}, f"{path}, row {number}"
        item = item_by(values.get("Description"), variables)
        for name, model in models.items():
            cell = values.get(name) or ""
            if (match := _CELL.fullmatch(cell)) is None:
                what = f"{name!r} is {cell!r:.60}, expected [PASS], [FAIL] or [ERROR] before the answer"
                raise InputError(what, where=where)
            result, text = match.groups()
            error, answer = (text.partition("\n")[0], None) if result == "ERROR" else (None, text)
            scores = {"success": score_or_cause({"PASS": 1.0, "FAIL": 0.0}.get(result), error)}
            rows.append(Row(item, scores, Shown(variables, answer=answer), model=model, where=where))
    return Log(rows, no_score="provider", metric=SHARE)
