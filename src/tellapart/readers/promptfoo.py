"""Results of promptfoo, as JSON or JSON Lines."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tellapart.core.failure_words import cause_of
from tellapart.errors import InputError
from tellapart.files import as_object, as_objects, first_row, head, part, read_json_objects, read_object
from tellapart.readers.answers import Answer, answers_frame, item_of, shortened
from tellapart.readers.column_names import text_columns
from tellapart.readers.metric_choice import choose_metric
from tellapart.readers.reader import LogScores
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import Answered, RowTexts, as_facts, as_text, named_values

NAME = "promptfoo results"

TAKES = ("metric", "model")

KNOWN_VERSIONS = (2, 3)
"""The versions of the results that are read."""

# The first keys of a whole export, of version 3 and of older ones: enough to recognise it from its beginning.
_WHOLE = re.compile(
    rb'\{\s*("evalId"\s*:|"version"\s*:\s*\d+\s*,\s*"timestamp"\s*:\s*"[^"]*"\s*,\s*"prompts"\s*:)'
)
_ERROR = 2
"""``ResultFailureReason.ERROR``: the provider gave no answer; 0 is none and 1 a failed assertion."""

_Result = Mapping[str, Any]


def recognises(path: Path) -> bool:
    """Check whether a file is output of promptfoo, by its name and its beginning; never raises."""
    start = head(path)
    return bool(_WHOLE.match(start)) or (start.startswith(b"{") and _is_result(first_row(path)))


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Read the scores of one evaluation.

    The model is the provider, with its prompt's label where there are several prompts. An item is a test: its
    description or first variable, and a fingerprint of its variables and assertions. Where the log says that
    tests were repeated, the repeats are replicates. A test's metadata that sort tests are strata; ``cluster``
    and ``conversationId`` are the cluster. Without a score are answers with an error, and those of which
    promptfoo says that the grader failed (``judge``), which it counts as 0.
    """
    log, results = _parts(path)
    if not results:
        raise InputError("there are no results in this file", where=path)
    _check(results, path)
    named = dict.fromkeys(name for result in results for name in part(result, "namedScores"))
    metric, notes = choose_metric(["score", "success", *named], settings.metric, path)
    models, model_notes = _models(results, settings, path)
    model_items = [(models[result["promptIdx"]], _item(result)) for result in results]
    nth = _replicates(results, model_items) if _is_repeated(log, results) else [0] * len(results)
    answers = [
        _answer(result, metric, model_item, replicate, f"{path}: result {i}")
        for i, (result, model_item, replicate) in enumerate(
            zip(results, model_items, nth, strict=True), start=1
        )
    ]
    if not log and any(nth):
        model_notes = (*model_notes, f"{path.name}: identical tests count as repeats.")
    return LogScores(
        answers_frame(answers), (*model_notes, *notes), (0.0, 1.0) if metric == "success" else None
    )


def texts(path: Path, settings: ReadingSettings) -> RowTexts[Answered]:
    """The variables of each test, its assertions, and what the providers said."""
    _, results = _parts(path)
    _check(results, path)
    models, _ = _models(results, settings, path)
    return RowTexts(
        ((_item(result), _answered(result, models[result["promptIdx"]])) for result in results),
        lambda answered: answered,
    )


def _answered(result: _Result, model: str) -> Answered:
    test, grading = part(result, "testCase"), part(result, "gradingResult")
    variables = part(test, "vars") or part(result, "vars")
    columns = text_columns(list(variables))
    question = {columns["question"]: variables[columns["question"]]} if "question" in columns else variables
    expected = variables.get(columns["expected"]) if "expected" in columns else None
    assertions = test.get("assert")
    wanted = [
        f"{assertion.get('type')}: {as_text(assertion.get('value'))}"
        for assertion in (assertions if isinstance(assertions, list) else ())
        if isinstance(assertion, Mapping)
    ]
    raw = part(result, "prompt").get("raw")
    return Answered(
        model,
        named_values(question),
        "\n".join(wanted) if expected is None else as_text(expected),
        as_text(part(result, "response").get("output")),
        as_facts({"why": grading.get("reason"), "error": result.get("error"), **part(result, "namedScores")}),
        ({"role": "user", "content": as_text(raw)},) if raw else (),
    )


def _is_result(row: _Result) -> bool:
    return {"promptIdx", "testIdx", "testCase"} <= row.keys()


def _check(results: Sequence[_Result], path: Path) -> None:
    for i, result in enumerate(results, start=1):
        for key in ("provider", "promptIdx", "testIdx", "score", "success"):
            value = result.get(key)
            if value is None or (key in ("promptIdx", "testIdx") and not isinstance(value, int)):
                raise InputError(
                    f"{key!r} is {value!r}" if key in result else f"the result has no {key!r}",
                    where=f"{path}: result {i}",
                    next_step="Export the results again with a newer promptfoo",
                )


def _parts(path: Path) -> tuple[_Result, list[dict[str, Any]]]:
    if _is_result(first_row(path)):
        return {}, [row for _, row in read_json_objects(path)]
    log = read_object(path)
    summary = as_object(log["results"], f"{path}: 'results'") if "evalId" in log and "results" in log else log
    version = summary.get("version")
    if version not in KNOWN_VERSIONS:
        raise InputError(
            f"the version of the results is {version!r}; expected one of "
            f"{', '.join(map(str, KNOWN_VERSIONS))}",
            where=path,
            next_step="Export them again with: promptfoo export eval ID --output results.json",
        )
    return log, as_objects(summary.get("results"), f"{path}: 'results'")


def _models(
    results: Sequence[_Result], settings: ReadingSettings, path: Path
) -> tuple[dict[int, str], tuple[str, ...]]:
    """The model of each column of promptfoo's table, which is a provider with a prompt."""
    columns = {
        result["promptIdx"]: (_provider(result["provider"]), _prompt(result))
        for result in sorted(results, key=lambda result: int(result["promptIdx"]))
    }
    if len({prompt for _, prompt in columns.values()}) == 1:
        names = {column: provider for column, (provider, _) in columns.items()}
    else:
        names = {column: f"{provider} · {prompt}" for column, (provider, prompt) in columns.items()}
    used = Counter(names.values())
    names = {column: name if used[name] == 1 else f"{name} #{column}" for column, name in names.items()}
    if settings.name is None:
        return names, ()
    if len(names) == 1:
        return dict.fromkeys(names, settings.name), ()
    return names, (
        f"{path.name}: the {len(names)} models have the names in the file, not {settings.name!r}.",
    )


def _provider(provider: object) -> str:
    if isinstance(provider, Mapping):
        return str(provider.get("label") or provider.get("id"))
    return str(provider)


def _prompt(result: _Result) -> str:
    prompt = part(result, "prompt")
    return shortened(str(prompt.get("label") or prompt.get("raw") or result["promptIdx"]))


def _is_repeated(log: _Result, results: Sequence[_Result]) -> bool:
    """Whether promptfoo was set to repeat tests; JSON Lines do not record it and are read as if it was."""
    config = part(log, "config")
    options = (
        part(log, "runtimeOptions"),
        part(config, "evaluateOptions"),
        part(config, "commandLineOptions"),
        *(part(part(result, "testCase"), "options") for result in results),
    )
    repeats = (option.get("repeat") for option in options)
    return not log or any(isinstance(times, int) and times > 1 for times in repeats)


def _replicates(results: Sequence[_Result], model_items: Sequence[tuple[str, str]]) -> list[int]:
    """Which repeat each result is: promptfoo numbers the repeats of a test as tests of their own."""
    seen: Counter[tuple[str, str]] = Counter()
    nth = [0] * len(results)
    for i in sorted(range(len(results)), key=lambda i: int(results[i]["testIdx"])):
        nth[i] = seen[model_items[i]]
        seen[model_items[i]] += 1
    return nth


def _item(result: _Result) -> str:
    test = part(result, "testCase")
    variables = part(test, "vars") or part(result, "vars")
    first = next((str(value) for value in variables.values()), "test")
    return item_of(str(test.get("description") or first), [variables, test.get("assert")])


def _answer(result: _Result, metric: str, model_item: tuple[str, str], replicate: int, where: str) -> Answer:
    metadata = part(part(result, "testCase"), "metadata")
    cluster = metadata.get("cluster", metadata.get("conversationId"))
    missing = _cause(result, where)
    score = None if missing else _score(result, metric, where)
    return Answer(
        model=model_item[0],
        item=model_item[1],
        score=score,
        missing=missing or (None if score is not None else "judge"),
        replicate=replicate,
        cluster=None if cluster is None else str(cluster),
        traits=metadata,
    )


def _cause(result: _Result, where: str) -> str | None:
    grading = part(result, "gradingResult")
    is_error = result.get("failureReason") == _ERROR or (
        "failureReason" not in result and result.get("error") and not grading
    )
    if is_error:
        message = str(result.get("error") or "")
        return cause_of(message.partition("\n")[0])
    gradings = (grading, *as_objects(grading.get("componentResults"), f"{where}: 'componentResults'"))
    return "judge" if any(part(component, "metadata").get("graderError") for component in gradings) else None


def _score(result: _Result, metric: str, where: str) -> float | None:
    value = result[metric] if metric in ("score", "success") else part(result, "namedScores").get(metric)
    if value is None:
        return None
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{metric!r} is {value!r}, expected a finite number", where=where)
    return float(value)
