"""Language models as they were asked: parameters requested and sent, who served, and what it took."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tellapart.llm.models import WITHOUT_TEMPERATURE
from tellapart.report import numbers as show
from tellapart.report.document import Section
from tellapart.report.tables import Cell, Table, figure, table, undefined

Figures = dict[str, Any]

Asked = Sequence[tuple[str, str, Figures]]
"""Language models that were asked: name, what for, and what the run's record says of each."""

ON_THE_WIRE = {
    "max_tokens": ("max_tokens", "max_completion_tokens", "max_output_tokens"),
    "response_schema": ("response_format", "output_format", "output_config", "text", "format"),
    "reasoning_effort": ("reasoning_effort", "reasoning", "thinking", "output_config"),
}
"""Names that providers have for a parameter of ours; any other has the same name."""

UNSTEADY = "; its answers may vary more from one attempt to the next"

NOT_SENT = "requested but not sent"
NOT_ASKED = "not requested: added by the client or by tellapart"
NOTHING_SEEN = "nothing was sent, or it could not be observed"
NO_PRICE = "no price was given (--price)"
NO_TOKENS = "no reply said how many tokens it took"
NOT_RECORDED = "not in the record"

_LONGEST = 60
_COUNTS = {
    "input_tokens": "Tokens in",
    "output_tokens": "Tokens out",
}


def section(models: Asked, note: str) -> Section:
    """Everything about the language models of a run."""
    text = "Parameters requested from each language model, parameters sent, and calls, tokens and cost."
    return Section(
        "language-models", "Language models", text, tables=(usage(models, note), parameters(models))
    )


def parameters(models: Asked) -> Table:
    """What was requested beside what went over the wire, for each language model."""
    rows: list[list[Cell | str]] = []
    for name, task, model in models:
        effective = _seen(model)
        used: set[str] = set()
        for parameter, value in _requested(model).items():
            sent = _sent_as(parameter, effective)
            used |= {sent} if sent else set()
            rows.append([name, task, parameter, _value(value), _sent(effective, sent)])
        rows += [
            [name, task, parameter, undefined(NOT_ASKED), _value(value)]
            for parameter, value in effective.items()
            if parameter not in used
        ]
    headings = ["Model", "Task", "Parameter", "Requested", "Sent"]
    note = "Sent is what was seen on its way to the provider, not what was meant to be sent."
    return table("parameters", "Parameters requested and sent", headings, rows, note=note, words=5)


def usage(models: Asked, note: str = "") -> Table:
    """Who served each language model, and how many calls, tokens and dollars that took."""
    rows: list[list[Cell | str]] = []
    for name, task, model in models:
        served = ", ".join(model.get("served") or [])
        cost, failed = model.get("cost"), model.get("failed_calls")
        is_counted = any(model.get(key, 1) for key in _COUNTS) or not model.get("calls")
        rows.append(
            [
                name,
                task,
                served or undefined(NOT_RECORDED),
                _count(model.get("calls"), f"{show.count(failed)} failed" if failed else ""),
                *(_count(model.get(key), _cached(model, key)) for key in _COUNTS),
                undefined(NO_PRICE if is_counted else NO_TOKENS)
                if cost is None
                else show.decimal(cost, 2 if cost >= 1 else 4),
            ]
        )
    headings = ["Model", "Task", "Served as", "Replies", *_COUNTS.values(), "Cost, US $"]
    return table("usage", "Calls to language models", headings, rows, note=note, words=3)


def parameter_lines(models: Asked) -> list[str]:
    """Say for each language model which parameters were not sent as requested."""
    lines = []
    for name, _, model in models:
        effective = _seen(model)
        requested = _requested(model) if effective else {}
        unsent = [key for key in requested if _sent_as(key, effective) is None]
        # A provider's own name may have its own values.
        changed = [key for key in requested if key in effective and effective[key] != requested[key]]
        phrases = [_unsent(unsent, requested, effective)] if unsent else []
        phrases += [f"{key} {_text(requested[key])} went out as {_text(effective[key])}" for key in changed]
        if phrases:
            varied = UNSTEADY if {"temperature", "seed"} & {*unsent, *changed} else ""
            lines.append(f"{name}: {'; '.join(phrases)}{varied}.")
    return lines


def _requested(model: Figures) -> dict[str, Any]:
    """What was requested and changes a request; False and None request nothing."""
    requested: Figures = model["requested"]
    return {
        name: value
        for name, value in requested.items()
        if name not in ("model", "base_url") and value is not None and value is not False
    }


def _seen(model: Figures) -> Figures:
    """What went over the wire, empty where nothing did or nobody could see it."""
    effective: Figures = model.get("effective") or {}
    return effective if effective.get("observable", True) else {}


def _sent_as(parameter: str, effective: Figures) -> str | None:
    return next((name for name in ON_THE_WIRE.get(parameter, (parameter,)) if name in effective), None)


def _unsent(names: list[str], requested: Figures, effective: Figures) -> str:
    version = str(effective.get("anthropic_version", ""))
    dropped = "temperature" in names and version >= WITHOUT_TEMPERATURE
    why = f" (Anthropic's API of {version} takes no temperature)" if dropped else ""
    phrase = show.listed([f"{name} {_text(requested[name])}" for name in names])
    return f"{phrase} {'was' if len(names) == 1 else 'were'} requested but not sent{why}"


def _sent(effective: Figures, name: str | None) -> Cell | str:
    if not effective:
        return undefined(NOTHING_SEEN)
    return undefined(NOT_SENT) if name is None else _value(effective[name])


def _value(value: Any) -> str:
    text = _text(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{value:g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def _count(value: int | None, detail: str = "") -> Cell:
    return figure(value, show.count, NOT_RECORDED, detail)


def _cached(model: Figures, key: str) -> str:
    cached = model.get("cached_tokens") if key == "input_tokens" else None
    return "" if cached is None else f"{show.count(cached)} from a cache"
