"""The report of the source document as Markdown: ``report.md.j2``, filled from the rows of a record."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from jinja2 import Environment, PackageLoader, StrictUndefined

from tellapart.core.comparison import Comparison
from tellapart.longcontext.page import lengths, tables, tokens, warnings
from tellapart.longcontext.page.markdown import fenced, inline, plain_table, quoted
from tellapart.longcontext.page.scores import grade, grader, is_missing
from tellapart.longcontext.page.view import View
from tellapart.longcontext.results import ConversationRecord, GradingRecord, ProbeRecord
from tellapart.report import comparison as block

DOCUMENTED_TITLE = "Day 8 Experiment Evaluation"
TITLE = "Experiment Evaluation"
NO_ANSWER_KNOWN = "(no answer is known)"
_RULE = 'System prompt rule: "Never use EXCELLENT, use NOTABLE instead"'


def documented_report(
    record: GradingRecord, title: str | None = None, comparison: Comparison | None = None
) -> str:
    """Give the Markdown of the source document."""
    view = View(record, comparison=comparison)
    # The experiment's day is part of the title only where the cases are those of that day.
    if title is None:
        title = DOCUMENTED_TITLE if {*view.cases} <= {*tables.DOCUMENTED_CASES} else TITLE
    # All that others wrote goes through a filter, which makes it harmless as Markdown.
    jinja = Environment(
        loader=PackageLoader("tellapart.longcontext.page", "."),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    jinja.filters |= {"inline": inline, "table": plain_table, "fenced": fenced, "quoted": quoted}
    who = grader(record)
    parts = (generated, expected, rules, heading, details)
    text = jinja.get_template("report.md.j2").render(
        {part.__name__: part for part in parts},
        view=view,
        title=title,
        grader=who,
        any_missing=any(map(is_missing, view.probes)),
        graded=f"Graded by {inline(who)}.",
        section=block.section,
        **{"tables": tables, "tokens": tokens, "warnings": warnings, "lengths": lengths},
    )
    return re.sub(r"\n{3,}", "\n\n", text.strip("\n")) + "\n"


def generated(view: View) -> str:
    """When, in UTC; ``not recorded`` where the record does not say."""
    ms = view.record.generated_at
    if ms is None:
        return "not recorded"
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def expected(groups: Sequence[Sequence[ProbeRecord]]) -> str:
    """The answers that one question has, each once."""
    answers = ((probe.expected or NO_ANSWER_KNOWN).strip().rstrip(".") for group in groups for probe in group)
    return " / ".join(dict.fromkeys(answers))


def rules(groups: Sequence[Sequence[ProbeRecord]]) -> Iterator[str]:
    """What system prompts ban, quoted where it is the document's; nothing where it is not stated."""
    for word in dict.fromkeys(tables.banned_by(group[0]) for group in groups):
        if word != tables.EXCELLENT:
            yield f"System prompt rule: never use {inline(word)}"
        elif any("NOTABLE" in (group[0].expected or "") for group in groups):
            yield _RULE


def heading(view: View, playing: ConversationRecord) -> str:
    """Case, and where there are several model and epoch."""
    return f"Case {view.numbers[playing.name]}: {tokens.name_of(view, playing)}"


def details(probe: ProbeRecord) -> dict[str, str]:
    """What is said of one probe."""
    return {
        "Question": probe.question,
        "Expected": probe.expected or NO_ANSWER_KNOWN,
        "Actual": response(probe),
        "Score": grade(probe),
        "Reason": probe.reason,
        **further(probe),
    }


def response(probe: ProbeRecord) -> str:
    """What came back, or why nothing did."""
    if probe.response is not None:
        return str(probe.response)
    status = f"HTTP {probe.http_status}" if probe.http_status is not None else None
    why = ", ".join(filter(None, (status, probe.error)))
    return f"(no response: {why})" if why else "(no response)"


def further(probe: ProbeRecord) -> dict[str, str]:
    """What the document does not ask for: the detail, who graded, and what to beware of."""
    named = {"Key detail": probe.key_detail, "Grader": probe.grader, "Note": probe.note}
    if beside := probe.by_rules:
        differs = "" if beside.category == probe.category else f" {beside.reason}"
        named["By rules"] = f"{beside.category}.{differs}"
    if len(probe.judgings) > 1:
        named["Judgings"] = ", ".join(probe.judgings)
    return {name: text for name, text in (named | {"Missing": probe.missing}).items() if text}
