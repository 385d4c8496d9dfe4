"""Language models as they were asked: parameters requested and sent, who served, and what it took."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tellapart.report import figures
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

NOT_RECORDED = "not in the record"
_LONGEST = 60


def section(models: Asked, note: str) -> Section:
    """Everything about the language models of a run."""
    text = " ".join(["Parameters requested and sent, and calls, tokens and cost.", *not_as_requested(models)])
    tables = (usage(models, note), parameters(models))
    return Section("language-models", "Language models", text, tables=tables)


def parameters(models: Asked) -> Table:
    """What was requested beside what went over the wire, for each language model."""
    rows: list[list[Cell | str]] = []
    added = undefined("not requested: added by the client or by tellapart")
    for name, task, model in models:
        sent = _seen(model)
        not_sent = undefined(
            "requested but not sent" if sent else "nothing was sent, or it could not be observed"
        )
        used = set()
        for parameter, value, wire in _requested(model):
            used.add(wire)
            shown = Cell(_text(sent[wire])) if wire else not_sent
            rows.append([name, task, parameter, _text(value), shown])
        rows += [[name, task, wire, added, _text(value)] for wire, value in sent.items() if wire not in used]
    headings = ["Model", "Task", "Parameter", "Requested", "Sent"]
    note = "Sent is what was seen on its way to the provider, not what was meant to be sent."
    return table("parameters", "Parameters requested and sent", headings, rows, note=note, words=5)


def not_as_requested(models: Asked) -> list[str]:
    """Say for each language model which parameters were not sent, or with another value."""
    lines = []
    for name, _, model in models:
        sent, phrases = _seen(model), []
        for parameter, value, wire in _requested(model) if sent else ():
            if not wire:
                phrases.append(f"{parameter} {_text(value)} was requested but not sent")
            # A provider's own name may have its own values.
            elif wire == parameter and sent[wire] != value:
                phrases.append(f"{parameter} {_text(value)} went out as {_text(sent[wire])}")
        lines += [f"{name}: {'; '.join(phrases)}."] if phrases else []
    return lines


def _seen(model: Figures) -> Figures:
    """What went over the wire; empty where nothing was sent, or nobody could see it."""
    sent: Figures = model.get("effective") or {}
    return sent if sent.get("observable", True) else {}


def _requested(model: Figures) -> Iterator[tuple[str, Any, str]]:
    """What was requested, with the name under which it was sent, empty if it was not."""
    sent = _seen(model)
    for parameter, value in model["requested"].items():
        # False and None request nothing.
        if parameter not in ("model", "base_url") and value is not None and value is not False:
            names = ON_THE_WIRE.get(parameter, (parameter,))
            yield parameter, value, next((wire for wire in names if wire in sent), "")


def usage(models: Asked, note: str = "") -> Table:
    """Who served each language model, and how many calls, tokens and dollars that took."""
    rows: list[list[Cell | str]] = []
    for name, task, model in models:
        failed, cached = model.get("failed_calls"), model.get("cached_tokens")
        has_tokens = any(model.get(key, 1) for key in ("input_tokens", "output_tokens"))
        no_cost = "" if has_tokens or not model.get("calls") else "no reply said how many tokens it took"
        details = {
            "calls": f"{show.count(failed)} failed" if failed else "",
            "input_tokens": "" if cached is None else f"{show.count(cached)} from a cache",
            "output_tokens": "",
        }
        rows.append(
            [
                name,
                task,
                ", ".join(model.get("served") or []) or undefined(NOT_RECORDED),
                *(figure(model.get(key), show.count, NOT_RECORDED, said) for key, said in details.items()),
                figures.cell("cost", model.get("cost"), reason=no_cost),
            ]
        )
    heads = ["Model", "Task", "Served as", "Replies", "Tokens in", "Tokens out", figures.FIGURES["cost"].axis]
    return table("usage", "Calls to language models", heads, rows, note=note, words=3)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        value = f"{value:g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)
    return value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…"
