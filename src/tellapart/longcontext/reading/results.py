"""Experiment results as JSON, by our own ``run`` or by anybody."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tellapart.errors import InputError
from tellapart.longcontext.case import StepType
from tellapart.longcontext.played import PlayedCase, PlayedStep, Results, Usage
from tellapart.longcontext.reading.texts import read_text


def read_results(path: Path) -> Results:
    """Read the results; keys may be in camelCase or snake_case, and most of them may be absent.

    Raises:
        InputError: It cannot be read, is no JSON, or holds no cases with steps.
    """
    try:
        data = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise InputError(f"this is no JSON: {error.msg}", where=f"{path}:{error.lineno}") from None
    cases = [_case(case, path) for case in _get(data, "cases")]
    return Results(cases, _get(data, "generatedAt"), str(path))


def _case(data: Mapping[str, Any], path: Path) -> PlayedCase:
    sums = ("totalMessages", "peakTokens", "totalSteps", "failedSteps")
    return PlayedCase(
        _get(data, "caseName"),
        tuple(_step(step) for step in _get(data, "steps")),
        _get(data, "systemPrompt"),
        _get(data, "model") or path.stem,
        _get(data, "epoch") or 0,
        _get(data, "startedAt"),
        _get(data, "finishedAt"),
        tuple((name, value) for name in sums if (value := _get(data, name)) is not None),
        _get(data, "control"),
    )


def _step(data: Mapping[str, Any]) -> PlayedStep:
    usage = _get(data, "usage")
    return PlayedStep(
        _get(data, "stepId"),
        _get(data, "stepType") or _type_of(_get(data, "stepId")),
        _get(data, "failureMode"),
        _get(data, "userMessage"),
        _get(data, "assistantResponse"),
        None if usage is None else _usage(usage),
        _get(data, "httpStatus"),
        _get(data, "errorMessage"),
        _get(data, "conversationLength"),
        _get(data, "timestamp"),
        bool(_get(data, "forked")),
        _get(data, "cause"),
    )


def _usage(data: Mapping[str, Any]) -> Usage:
    return Usage(
        _get(data, "promptTokens"),
        _get(data, "completionTokens"),
        _get(data, "totalTokens"),
        _get(data, "promptCacheHitTokens"),
        _get(data, "promptCacheMissTokens"),
    )


def _get(data: Mapping[str, Any], name: str) -> Any:
    snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
    return data.get(name, data.get(snake))


def _type_of(step_id: str) -> StepType:
    return {"C": "checkpoint", "V": "verification"}.get(step_id[:1], "message")  # type: ignore[return-value]
