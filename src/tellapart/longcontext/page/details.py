"""The document's details of each probe, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping

from tellapart.longcontext.page import tables
from tellapart.longcontext.page.quoting import inline, told
from tellapart.longcontext.page.record import Figures, View
from tellapart.longcontext.page.scores import grade
from tellapart.report import numbers as show

NO_ANSWER_KNOWN = "(no answer is known)"


def detailed(view: View) -> list[str]:
    """A part a case, model and epoch, and below it one a probe."""
    parts = []
    for playing in view.playings:
        parts.append(f"### {inline(_heading(view, playing))}")
        probes = [
            probe
            for probe in view.asked(playing["name"], playing["model"])
            if probe["epoch"] == playing["epoch"]
        ]
        many = tables.many_cases(view)
        parts += [_probe(probe, far=_distance(probe) if many else {}) for probe in probes] or [
            "No checkpoint and no verification was asked."
        ]
    return parts


def _heading(view: View, playing: Figures) -> str:
    parts = [f"Case {view.numbers[playing['name']]}: {playing['name']}"]
    parts += [playing["model"]] if view.several_models else []
    parts += [f"epoch {playing['epoch']}"] if view.epochs > 1 else []
    return " · ".join(parts)


def _probe(probe: Figures, far: Mapping[str, str]) -> str:
    mode = f" ({probe['failure_mode']})" if probe["failure_mode"] else ""
    lines = [f"#### {inline(probe['step_id'] + mode)}"]
    named = {
        "Question": probe["question"],
        "Expected": probe["expected"] or NO_ANSWER_KNOWN,
        "Actual": response(probe),
        "Score": grade(probe),
        "Reason": probe["reason"],
        **further(probe),
        **far,
    }
    lines += [f"- **{name}:**{told(text)}" for name, text in named.items()]
    return "\n".join(lines)


def _distance(probe: Figures) -> dict[str, str]:
    """How far the nearest evidence is, in one line; empty where nobody knows."""
    if probe["distance_tokens"] is None:
        return {}
    told = f"~{show.count(probe['distance_tokens'])} tokens before the question"
    if probe["context_tokens"] is not None:
        told += f", context {show.count(probe['context_tokens'])}"
    if probe["depth"] is not None:
        told += f", depth {show.whole_percent(probe['depth'])}"
    return {"Evidence": told}


def response(probe: Figures) -> str:
    """What came back, or why nothing did."""
    if probe["response"] is not None:
        return str(probe["response"])
    status = f"HTTP {probe['http_status']}" if probe["http_status"] is not None else None
    why = ", ".join(filter(None, (status, probe["error"])))
    return f"(no response: {why})" if why else "(no response)"


def further(probe: Figures) -> dict[str, str]:
    """What the document does not ask for: the detail, who graded, and what to beware of."""
    found = {"Key detail": probe["key_detail"], "Grader": probe["grader"], "Note": probe["note"]}
    beside = probe["by_rules"]
    if beside:
        differs = "" if beside["category"] == probe["category"] else f" {beside['reason']}"
        found["By rules"] = f"{beside['category']}.{differs}"
    if len(probe["judgings"]) > 1:
        found["Judgings"] = ", ".join(probe["judgings"])
    if probe["missing"]:
        found["Missing"] = probe["missing"]
    return {name: text for name, text in found.items() if text}
