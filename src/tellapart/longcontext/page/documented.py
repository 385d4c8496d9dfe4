"""The report of the source document, section by section, from the rows of a record."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tellapart.core.comparison import Comparison
from tellapart.longcontext.page import doubts, lengths, tables, tokens
from tellapart.longcontext.page.details import NO_ANSWER_KNOWN, detailed
from tellapart.longcontext.page.estimates import CASES
from tellapart.longcontext.page.modes import heatmap
from tellapart.longcontext.page.quoting import fenced, inline, plain_table
from tellapart.longcontext.page.record import Figures, View
from tellapart.longcontext.page.scores import grader
from tellapart.report import comparison as block
from tellapart.report.tables import Table

DOCUMENTED_TITLE = "Day 8 Experiment Evaluation"
TITLE = "Experiment Evaluation"
_RULE = 'System prompt rule: "Never use EXCELLENT, use NOTABLE instead"'


def documented_report(
    record: Mapping[str, Any], title: str | None = None, comparison: Comparison | None = None
) -> str:
    """Give the Markdown of the source document.

    What the document does not have stands behind what it has: columns at the end of a table, lines at the
    end of a probe, and sections before the summary (which models differ, errors and warnings) and before the
    details (effective context length, where two graders disagree, and information).

    Args:
        record: As ``grades.json`` has it.
        title: The first heading; the document's own where every case is one of its three, and else the same
            without the day.
        comparison: Whether the models differ; None of one model.
    """
    view = View(record, comparison=comparison)
    if title is None:
        title = DOCUMENTED_TITLE if {*view.cases} <= {*CASES} else TITLE
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
    ms = view.record["generated_at"]
    if ms is None:
        return "not recorded"
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _graded(view: View) -> str:
    return f"Graded by {inline(grader(view.record))}."


def _comparison(view: View) -> list[str]:
    if view.comparison is None:
        return []
    shown = block.section(view.comparison, order=view.lengths)
    parts = [plain_table(one) for one in (*shown.tables, *shown.folded)]
    return ["## Which Models Differ", inline(shown.text), *parts]


def _findings(view: View) -> list[str]:
    found = doubts.grave(view)
    return (
        ["## Findings", f"{doubts.counted(view)}.", plain_table(doubts.findings_table(found))]
        if found
        else []
    )


def _information(view: View) -> list[str]:
    found, elsewhere = doubts.information(view), doubts.left_out(view)
    parts = [elsewhere] if elsewhere else []
    parts += [plain_table(doubts.findings_table(found))] if found else []
    return ["## For Information", *parts] if parts else []


def _summary(view: View) -> list[str]:
    parts = ["## Summary", _graded(view), plain_table(tables.summary(view))]
    if doubts.any_missing(view) or view.several_models or view.epochs > 1:
        parts += [
            "### Mean scores and missing grades",
            plain_table(doubts.means(view, by_case=not tables.many_cases(view))),
        ]
    controls = doubts.controls(view)
    return parts + (["### Controls", plain_table(controls)] if controls else [])


def _dilution(view: View) -> list[str]:
    parts = ["## Attention Dilution Tracking", _graded(view)]
    groups = tables.asked_most(view)
    if not groups:
        return [*parts, "No question was asked more than once."]
    probes = [probe for group in groups for probe in group]
    times = tables.times_asked(groups)
    answers = dict.fromkeys((probe["expected"] or NO_ANSWER_KNOWN).strip().rstrip(".") for probe in probes)
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


def _rule(probe: Figures) -> str:
    """What the system prompt bans, quoted where it is the document's; empty where nobody says."""
    word = tables.banned_by(probe)
    if word == tables.EXCELLENT:
        return _RULE if "NOTABLE" in (probe["expected"] or "") else ""
    return f"System prompt rule: never use {inline(word)}"


def _sizes(view: View) -> Table:
    return tokens.sizes_together(view) if tables.many_cases(view) else tokens.sizes(view)


def _tokens(view: View) -> list[str]:
    parts = ["## Token Analysis & Observations", plain_table(_sizes(view))]
    for one in tokens.observations(view):
        text = inline(one.text).replace(tokens.SILENT, f"**{tokens.SILENT}**", 1)
        points = "".join(f"\n- {inline(point)}" for point in one.points)
        parts.append(f"**Key observation:** {text}{points}")
        parts += [fenced(block) for block in one.warnings[: tokens.MOST_WARNINGS]]
        left = len(one.warnings) - tokens.MOST_WARNINGS
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
    found = doubts.conflicts(view)
    return ["## Rules and Judge", plain_table(found)] if found else []
