"""The report of the source document, section by section, from the rows of a record, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from tellapart.core.comparison import Comparison
from tellapart.longcontext.page import lengths, tables, tokens, warnings
from tellapart.longcontext.page.markdown import fenced, inline, plain_table, quoted
from tellapart.longcontext.page.scores import grade, grader
from tellapart.longcontext.page.tables import heatmap
from tellapart.longcontext.page.view import View
from tellapart.longcontext.results import ConversationRecord, GradingRecord, ProbeRecord
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.tables import Table

DOCUMENTED_TITLE = "Day 8 Experiment Evaluation"
TITLE = "Experiment Evaluation"
_RULE = 'System prompt rule: "Never use EXCELLENT, use NOTABLE instead"'


def documented_report(
    record: GradingRecord, title: str | None = None, comparison: Comparison | None = None
) -> str:
    """Give the Markdown of the source document.

    What the document does not have stands behind what it has: columns at the end of a table, lines at the
    end of a probe, and sections before the summary (which models differ, errors and warnings) and before the
    details (effective context length, where two graders disagree, and information).
    """
    view = View(record, comparison=comparison)
    # The experiment's day is part of the title only where the cases are those of that day.
    if title is None:
        title = DOCUMENTED_TITLE if {*view.cases} <= {*tables.DOCUMENTED_CASES} else TITLE
    parts = [
        f"# {inline(title)}\nGenerated: {generated(view)}\nEvaluator: {inline(grader(record))}",
        *_comparison(view),
        *_findings(view),
        *_summary(view),
        *_dilution(view),
        *_sink(view),
        "## Failure Mode Heatmap",
        _graded(view),
        plain_table(heatmap(view, tables.MOST_CASES if tables.many_cases(view) else None)),
        "### Mean scores by failure mode",
        plain_table(tables.mode_scores(view)),
        *_tokens(view),
        *_lengths(view),
        *_conflicts(view),
        *_information(view),
        "## Detailed Results",
        _graded(view),
        *detailed(view),
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def generated(view: View) -> str:
    """When, in UTC; ``not recorded`` where the record does not say."""
    ms = view.record.generated_at
    if ms is None:
        return "not recorded"
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _graded(view: View) -> str:
    return f"Graded by {inline(grader(view.record))}."


def _comparison(view: View) -> list[str]:
    if view.comparison is None:
        return []
    shown = block.section(view.comparison, order=view.lengths)
    parts = [plain_table(shown_table) for shown_table in (*shown.tables, *shown.folded)]
    return ["## Which Models Differ", inline(shown.text), *parts]


def _findings(view: View) -> list[str]:
    findings = warnings.grave(view)
    return (
        ["## Findings", f"{warnings.counted(view)}.", plain_table(warnings.findings_table(findings))]
        if findings
        else []
    )


def _information(view: View) -> list[str]:
    findings, elsewhere = warnings.information(view), warnings.left_out(view)
    parts = [elsewhere] if elsewhere else []
    parts += [plain_table(warnings.findings_table(findings))] if findings else []
    return ["## For Information", *parts] if parts else []


def _summary(view: View) -> list[str]:
    parts = ["## Summary", _graded(view), plain_table(tables.summary(view))]
    if warnings.any_missing(view) or view.several_models or view.epochs > 1:
        parts += [
            "### Mean scores and missing grades",
            plain_table(warnings.means(view, by_case=not tables.many_cases(view))),
        ]
    controls = warnings.controls(view)
    return parts + (["### Controls", plain_table(controls)] if controls else [])


def _dilution(view: View) -> list[str]:
    parts = ["## Attention Dilution Tracking", _graded(view)]
    groups = tables.most_asked(view)
    if not groups:
        return [*parts, "No question was asked more than once."]
    probes = [probe for group in groups for probe in group]
    times = tables.times_asked(groups)
    answers = dict.fromkeys((probe.expected or NO_ANSWER_KNOWN).strip().rstrip(".") for probe in probes)
    return [
        *parts,
        f'Same question asked {times} times: "{inline(tables.question_of(probes[0]))}"\n'
        f"Expected answer: {inline(' / '.join(answers))}",
        plain_table(tables.dilution(view, groups)),
    ]


def _sink(view: View) -> list[str]:
    parts = ["## Attention Sink Tracking", "Graded by rules, no model."]
    groups = tables.sink_probes(view)
    if not groups:
        return [*parts, "No probe looks for a banned word."]
    rules = dict.fromkeys(filter(None, (_rule(group[0]) for group in groups)))
    return [*parts, *rules, plain_table(tables.sink(view, groups))]


def _rule(probe: ProbeRecord) -> str:
    """What the system prompt bans, quoted where it is the document's; empty where it is not stated."""
    word = tables.banned_by(probe)
    if word == tables.EXCELLENT:
        return _RULE if "NOTABLE" in (probe.expected or "") else ""
    return f"System prompt rule: never use {inline(word)}"


def _sizes(view: View) -> Table:
    return tokens.sizes_together(view) if tables.many_cases(view) else tokens.sizes(view)


def _tokens(view: View) -> list[str]:
    parts = ["## Token Analysis & Observations", plain_table(_sizes(view))]
    for observation in tokens.observations(view):
        text = inline(observation.text).replace(tokens.SILENT, f"**{tokens.SILENT}**", 1)
        points = "".join(f"\n- {inline(point)}" for point in observation.points)
        parts.append(f"**Key observation:** {text}{points}")
        parts += [fenced(block) for block in observation.warnings[: tokens.MOST_WARNINGS]]
        left = len(observation.warnings) - tokens.MOST_WARNINGS
        if left > 0:
            parts.append(f"The same at {left} further steps of this conversation.")
    return parts


def _lengths(view: View) -> list[str]:
    if not lengths.has_curves(view):
        return []
    parts = ["## Effective Context Length", _graded(view), plain_table(lengths.lengths(view))]
    for shown in (lengths.curve(view, "by_length"), lengths.curve(view, "by_distance")):
        parts += [f"### {inline(shown.title)}", plain_table(shown)] if shown.rows else []
    return parts


def _conflicts(view: View) -> list[str]:
    conflicts = warnings.conflicts(view)
    return ["## Rules and Judge", plain_table(conflicts)] if conflicts else []


NO_ANSWER_KNOWN = "(no answer is known)"


def detailed(view: View) -> list[str]:
    """A part a case, model and epoch, and below it one a probe."""
    parts = []
    for playing in view.conversations:
        parts.append(f"### {inline(_heading(view, playing))}")
        probes = [
            probe for probe in view.probes_of(playing.name, playing.model) if probe.epoch == playing.epoch
        ]
        many = tables.many_cases(view)
        parts += [_probe(probe, far=_distance(probe) if many else {}) for probe in probes] or [
            "No checkpoint and no verification was asked."
        ]
    return parts


def _heading(view: View, playing: ConversationRecord) -> str:
    parts = [f"Case {view.numbers[playing.name]}: {playing.name}"]
    parts += [playing.model] if view.several_models else []
    parts += [f"epoch {playing.epoch}"] if view.epochs > 1 else []
    return " · ".join(parts)


def _probe(probe: ProbeRecord, far: Mapping[str, str]) -> str:
    mode = f" ({probe.failure_mode})" if probe.failure_mode else ""
    lines = [f"#### {inline(probe.step_id + mode)}"]
    named = {
        "Question": probe.question,
        "Expected": probe.expected or NO_ANSWER_KNOWN,
        "Actual": response(probe),
        "Score": grade(probe),
        "Reason": probe.reason,
        **further(probe),
        **far,
    }
    lines += [f"- **{name}:**{quoted(text)}" for name, text in named.items()]
    return "\n".join(lines)


def _distance(probe: ProbeRecord) -> dict[str, str]:
    """How far the nearest evidence is, in one line; empty where it is not known."""
    if probe.distance_tokens is None:
        return {}
    distance = f"~{show.count(probe.distance_tokens)} tokens before the question"
    if probe.context_tokens is not None:
        distance += f", context {show.count(probe.context_tokens)}"
    if probe.depth is not None:
        distance += f", depth {show.whole_percent(probe.depth)}"
    return {"Evidence": distance}


def response(probe: ProbeRecord) -> str:
    """What came back, or why nothing did."""
    if probe.response is not None:
        return str(probe.response)
    status = f"HTTP {probe.http_status}" if probe.http_status is not None else None
    why = ", ".join(filter(None, (status, probe.error)))
    return f"(no response: {why})" if why else "(no response)"


def further(probe: ProbeRecord) -> dict[str, str]:
    """What the document does not ask for: the detail, who graded, and what to beware of."""
    details = {"Key detail": probe.key_detail, "Grader": probe.grader, "Note": probe.note}
    beside = probe.by_rules
    if beside:
        differs = "" if beside.category == probe.category else f" {beside.reason}"
        details["By rules"] = f"{beside.category}.{differs}"
    if len(probe.judgings) > 1:
        details["Judgings"] = ", ".join(probe.judgings)
    if probe.missing:
        details["Missing"] = probe.missing
    return {name: text for name, text in details.items() if text}
