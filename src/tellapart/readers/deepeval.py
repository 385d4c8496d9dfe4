"""Test runs of DeepEval, as ``DEEPEVAL_RESULTS_FOLDER`` and ``.deepeval`` keep them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tellapart.core.failure_words import cause_of
from tellapart.errors import InputError
from tellapart.files import as_objects, head, part, read_object
from tellapart.readers.answers import Answer, answers_frame, finite_score, item_of, numbered
from tellapart.readers.metric_choice import choose_metric
from tellapart.readers.reader import LogScores
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import Answered, RowTexts, as_facts, as_text

NAME = "DeepEval test run"

TAKES = ("metric", "model")

_RUN = re.compile(rb'\{\s*("testRunData"\s*:\s*\{\s*)?("testFile"\s*:[^,]*,\s*)?"testCases"\s*:\s*\[')
_NUMBERED = re.compile(r"(conversational_)?test_case_\d+")


def recognises(path: Path) -> bool:
    """Check whether a file begins as a test run does; never raises."""
    return bool(_RUN.match(head(path)))


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Read the scores of one metric.

    The model is ``settings.name``, or ``model`` of the run's hyperparameters, or the name of the file. An
    item is a test case: its name, or, where DeepEval only numbered it, its input with a fingerprint of input
    and expected output. A metric that failed on a case is missing, for the cause that its error tells.
    """
    run, cases = _parts(path)
    of_case = [
        {
            str(entry.get("name")): entry
            for entry in as_objects(case.get("metricsData"), f"{path}: 'metricsData'")
        }
        for case in cases
    ]
    names = list(dict.fromkeys(name for metrics in of_case for name in metrics))
    if not names:
        raise InputError("no test case has a metric", where=path)
    metric, notes = choose_metric(names, settings.metric, path)
    model = _model(run, settings, path)
    answers = [
        _answer(case, metrics.get(metric, {}), model, f"{path}: {metric!r} of test case {i}")
        for i, (case, metrics) in enumerate(zip(cases, of_case, strict=True), start=1)
    ]
    answers, repeated = numbered(answers, path)
    return LogScores(answers_frame(answers), (*notes, *repeated))


def texts(path: Path, settings: ReadingSettings) -> RowTexts[Mapping[str, Any]]:
    """The input of each test case, the expected output and the actual one."""
    run, cases = _parts(path)
    return RowTexts(((_item(case), case) for case in cases), partial(_answered, _model(run, settings, path)))


def _answered(model: str, case: Mapping[str, Any]) -> Answered:
    metrics = [metric for metric in case.get("metricsData") or () if isinstance(metric, Mapping)]
    reasons = {
        f"{metric.get('name')}: why": metric.get("error") or metric.get("reason") for metric in metrics
    }
    facts = {"context": case.get("retrievalContext") or case.get("context"), **reasons}
    return Answered(
        model,
        as_text(case.get("input") or case.get("scenario") or case.get("turns")),
        as_text(case.get("expectedOutput") or case.get("expectedOutcome")),
        as_text(case.get("actualOutput")),
        as_facts(facts),
    )


def _parts(path: Path) -> tuple[Mapping[str, Any], list[dict[str, Any]]]:
    whole = read_object(path)
    run = part(whole, "testRunData") or whole
    cases = [
        *as_objects(run.get("testCases"), f"{path}: 'testCases'"),
        *as_objects(run.get("conversationalTestCases"), f"{path}: 'conversationalTestCases'"),
    ]
    if not cases:
        raise InputError("the test run has no test cases", where=path)
    return run, cases


def _model(run: Mapping[str, Any], settings: ReadingSettings, path: Path) -> str:
    return str(settings.name or part(run, "hyperparameters").get("model") or path.stem)


def _item(case: Mapping[str, Any]) -> str:
    name, text = str(case.get("name") or ""), str(case.get("input") or case.get("scenario") or "test case")
    content = [case.get("input"), case.get("expectedOutput"), case.get("scenario"), case.get("turns")]
    return name if name and not _NUMBERED.fullmatch(name) else item_of(text, content)


def _answer(case: Mapping[str, Any], metric: Mapping[str, Any], model: str, where: str) -> Answer:
    error = metric.get("error")
    score = None if error else finite_score(metric.get("score"), str(metric.get("name")), where)
    return Answer(
        model=model,
        item=_item(case),
        score=score,
        missing=None if score is not None else cause_of(str(error)) if error else "unknown",
        traits=part(case, "metadata"),
    )
