"""The grades as ``grade --json`` prints them, for scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def grades_json(record: Mapping[str, Any]) -> dict[str, Any]:
    """Give what scripts read of a record.

    Args:
        record: As ``record.grading_record`` makes it.

    Returns:
        ``cases``: by case its probes in the order in which they were asked, model after model.
        ``truncation``: every step at which context was lost. ``enumeration``: by step id how many entries are
        right; of several conversations with such a step the first, and all of them in ``each``.
    """
    cases: dict[str, list[dict[str, Any]]] = {case["name"]: [] for case in record["cases"]}
    enumeration: dict[str, dict[str, Any]] = {}
    for probe in record["probes"]:
        cases[probe["case"]].append(_probe(probe))
        if probe["of"] is not None:
            first = {"correct": probe["correct"], "of": probe["of"], "each": []}
            own = {name: probe[name] for name in ("model", "case", "epoch", "correct", "of")}
            enumeration.setdefault(probe["step_id"], first)["each"].append(own)
    return {
        "cases": cases,
        "truncation": [_cut(case, found) for case in record["cases"] for found in case["truncations"]],
        "enumeration": enumeration,
        "conflicts": list(record["conflicts"]),
    }


def _probe(probe: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "stepId": probe["step_id"],
        "failureMode": probe["failure_mode"],
        "score": probe["category"],
        "reason": probe["reason"],
        "keyDetail": probe["key_detail"],
        "grader": probe["grader"],
        "promptTokens": probe["context_tokens"],
        "evidenceDistanceTokens": probe["distance_tokens"],
        "missing": probe["missing"],
        "value": probe["value"],
        "note": probe["note"],
        "model": probe["model"],
        "epoch": probe["epoch"],
    }


def _cut(case: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "case": case["name"],
        "stepId": found["step_id"],
        "previousPromptTokens": found["previous_prompt_tokens"],
        "promptTokens": found["prompt_tokens"],
        "conversationLength": found["conversation_length"],
        "rule": found["rule"],
        "model": case["model"],
        "epoch": case["epoch"],
    }
