"""Every probe with its question and answer, to be browsed on the page."""

from __future__ import annotations

from typing import Any

from tellapart.longcontext.case import about
from tellapart.longcontext.page import scores
from tellapart.longcontext.page.scores import modes_of
from tellapart.longcontext.page.view import View
from tellapart.longcontext.results import ProbeRecord
from tellapart.report.browser import Choice, clipped, fitting, item_browser, pair_choices
from tellapart.report.document import Section

_ROOM, _LEAST, _MOST = 6_000_000, 400, 20_000
"""Characters that all texts may take on a page; of one text so many are always shown, and never more."""

_RIGHT, _PART, _WRONG, _MISSING = range(4)

NO_ANSWER_KNOWN = "(no answer is known)"


def section(view: View) -> Section:
    """Browse probes by case, category, failure mode, model, and by text."""
    data = _browser_data(view)
    # Half marks make a scale of more values than two.
    graded = any(_mark(probe) == _PART for probe in view.probes)
    pairs = (Choice.of("model", "Model A", view.models), *pair_choices(view.models, graded=graded))
    orders = {"worst": "worst first", "longest": "longest context first"}
    orders |= {"farthest": "farthest evidence first"}
    widget = item_browser(
        data,
        noun="probe",
        choices=(
            Choice.of("case", "Case", data["cases"]),
            Choice.of("category", "Grade", data["categories"]),
            Choice.of("mode", "Failure mode", data["modes"]),
            *(pairs if view.several_models else ()),
            Choice("sort", "Order", orders, "as asked"),
        ),
        searched="question, answers or reason",
        text="Every probe with its question, the expected and the actual answer.",
        package="tellapart.longcontext.page",
    )
    return Section("probes", "Probes", widget=widget)


def _browser_data(view: View) -> dict[str, Any]:
    """Write every text once, with positions in place of repeated ones."""
    written = {
        text for probe in view.probes for text in (probe.question, probe.expected, probe.response) if text
    }
    cut = fitting(written, _ROOM, _LEAST, _MOST)
    texts: dict[str, int] = {}
    categories = list(dict.fromkeys(probe.category for probe in view.probes))
    modes = list(dict.fromkeys(mode for probe in view.probes for mode in modes_of(probe.failure_mode)))

    def row(probe: ProbeRecord) -> dict[str, Any]:
        wordings = {
            "question": probe.question,
            "expected": probe.expected or NO_ANSWER_KNOWN,
            "actual": response(probe),
            "reason": probe.reason,
        }
        address = [probe.case, probe.step_id]
        address += [probe.model] if view.several_models else []
        address += [str(probe.epoch)] if view.epochs > 1 else []
        tokens: dict[str, Any] = {
            "context, intended": probe.intended_tokens
            and about(probe.intended_tokens, probe.intended_most_tokens),
            "context, measured": probe.context_tokens,
            "since the nearest evidence": probe.distance_tokens,
            "depth of that evidence": probe.depth,
        }
        return {
            "id": "/".join(address),
            "model": view.models.index(probe.model),
            "case": view.cases.index(probe.case),
            "epoch": probe.epoch,
            "step": probe.step_id,
            "type": probe.type,
            "mode": probe.failure_mode,
            "modes": [modes.index(mode) for mode in modes_of(probe.failure_mode)],
            "category": categories.index(probe.category),
            "mark": _mark(probe),
            "shown": scores.grade(probe),
            **{name: texts.setdefault(clipped(text, cut), len(texts)) for name, text in wordings.items()},
            "more": [[name, clipped(text, cut)] for name, text in further(probe).items()],
            "tokens": [[name, value] for name, value in tokens.items() if value is not None],
        }

    rows = list(map(row, view.probes))
    named = {"models": list(view.models), "cases": list(view.cases), "modes": modes, "categories": categories}
    return {**named, "texts": list(texts), "epochs": view.epochs > 1, "probes": rows}


def response(probe: ProbeRecord) -> str:
    """What came back, or why nothing did."""
    if probe.response is not None:
        return probe.response
    status = f"HTTP {probe.http_status}" if probe.http_status is not None else None
    why = ", ".join(filter(None, (status, probe.error)))
    return f"(no response: {why})" if why else "(no response)"


def further(probe: ProbeRecord) -> dict[str, str]:
    """What the original experiment does not ask for: the detail, who graded, and what to beware of."""
    judgings = ", ".join(probe.judgings) if len(probe.judgings) > 1 else ""
    named = {"Key detail": probe.key_detail, "Grader": probe.grader, "Note": probe.note}
    named |= {"Judgings": judgings, "Missing": probe.missing}
    return {name: text for name, text in named.items() if text}


def _mark(probe: ProbeRecord) -> int:
    if probe.value is None:
        return _MISSING
    return _RIGHT if probe.value == 1 else _PART if probe.value else _WRONG
