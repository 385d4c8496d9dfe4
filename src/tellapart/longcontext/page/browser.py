"""Every probe with its question and answer: the data of the browser on the page."""

from __future__ import annotations

from typing import Any

from tellapart.longcontext.page import scores, tokens
from tellapart.longcontext.page.documented import NO_ANSWER_KNOWN, further, response
from tellapart.longcontext.page.tables import modes_of
from tellapart.longcontext.page.view import View
from tellapart.longcontext.results import ProbeRecord
from tellapart.report.browser import Choice, clipped, fitting, item_browser, pair_choices
from tellapart.report.document import Widget

ROOM = 6_000_000
"""Letters that all texts may take on a page."""

LEAST, MOST = 400, 20_000
"""Letters of one text: so many are always shown, and never more."""

RIGHT, PART, WRONG, MISSING = range(4)
"""How an answer is marked."""


def browser(view: View) -> Widget:
    """Browse probes by case, category, failure mode, model, and by text."""
    data = browser_data(view)
    # Half marks make a scale of more values than two.
    graded = any(_mark(probe) == PART for probe in view.probes)
    pairs = (Choice.of("model", "Model A", view.models), *pair_choices(view.models, graded=graded))
    models = pairs if view.several_models else ()
    orders = {
        "worst": "worst first",
        "longest": "longest context first",
        "farthest": "farthest evidence first",
    }
    return item_browser(
        data,
        noun="probe",
        choices=(
            Choice.of("case", "Case", data["cases"]),
            Choice.of("category", "Grade", data["categories"]),
            Choice.of("mode", "Failure mode", data["modes"]),
            *models,
            Choice("sort", "Order", orders, "as asked"),
        ),
        searched="question, answers or reason",
        text="Every probe with its question, the expected and the actual answer.",
        package="tellapart.longcontext.page",
    )


def browser_data(view: View) -> dict[str, Any]:
    """Say every text once, with positions in place of repeated ones."""
    written = {
        text for probe in view.probes for text in (probe.question, probe.expected, probe.response) if text
    }
    cut = fitting(written, ROOM, LEAST, MOST)
    texts: dict[str, int] = {}
    categories = list(dict.fromkeys(probe.category for probe in view.probes))
    modes = list(dict.fromkeys(mode for probe in view.probes for mode in modes_of(probe.failure_mode)))
    rows = []
    for probe in view.probes:
        wordings = {
            "question": probe.question,
            "expected": probe.expected or NO_ANSWER_KNOWN,
            "actual": response(probe),
            "reason": probe.reason,
        }
        rows.append(
            {
                "id": _id(view, probe),
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
                "tokens": _tokens(probe),
            }
        )
    return {
        "models": list(view.models),
        "cases": list(view.cases),
        "modes": modes,
        "categories": categories,
        "texts": list(texts),
        "epochs": view.epochs > 1,
        "probes": rows,
    }


def _id(view: View, probe: ProbeRecord) -> str:
    """What is in the address of a probe; distinct."""
    parts = [probe.case, probe.step_id]
    parts += [probe.model] if view.several_models else []
    parts += [str(probe.epoch)] if view.epochs > 1 else []
    return "/".join(parts)


def _mark(probe: ProbeRecord) -> int:
    if scores.is_missing(probe):
        return MISSING
    if scores.is_right(probe):
        return RIGHT
    return PART if probe.value else WRONG


def _tokens(probe: ProbeRecord) -> list[list[Any]]:
    named: dict[str, Any] = {
        "context, intended": None if probe.intended_tokens is None else tokens.of_probe(probe),
        "context, measured": probe.context_tokens,
        "since the nearest evidence": probe.distance_tokens,
        "depth of that evidence": probe.depth,
    }
    return [[name, value] for name, value in named.items() if value is not None]
