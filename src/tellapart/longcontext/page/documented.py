"""The report of the source document as Markdown: ``report.md.j2``, filled from a record."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from jinja2 import Environment, PackageLoader, StrictUndefined

from tellapart.core.comparison import Comparison
from tellapart.longcontext.page import findings, lengths, modes, repeated, scores, summary, tokens
from tellapart.longcontext.page.markdown import fenced, inline, plain_table, quoted
from tellapart.longcontext.page.probes import NO_ANSWER_KNOWN, further, response
from tellapart.longcontext.page.view import ORIGINAL, View
from tellapart.longcontext.results import GradingRecord, ProbeRecord
from tellapart.report import comparison as block

TITLE = "Experiment Evaluation"
_RULE = 'System prompt rule: "Never use {banned}, use {substitute} instead"'


def documented_report(
    record: GradingRecord, title: str | None = None, comparison: Comparison | None = None
) -> str:
    """Give the Markdown of the source document."""
    view = View(record, comparison=comparison)
    # The experiment's day is part of the title only where the cases are those of that day.
    if title is None:
        title = ORIGINAL["title"] if {*view.cases} <= {*ORIGINAL["cases"]} else TITLE
    # All that others wrote goes through a filter, which makes it harmless as Markdown.
    jinja = Environment(
        loader=PackageLoader("tellapart.longcontext.page", "."),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    jinja.filters |= {"inline": inline, "table": plain_table, "fenced": fenced, "quoted": quoted}
    grader = scores.grader(record)
    text = jinja.get_template("report.md.j2").render(
        view=view,
        title=title,
        grader=grader,
        graded=f"Graded by {inline(grader)}.",
        generated=generated(view),
        expected=_expected,
        rules=_rules,
        details=_details,
        section=block.section,
        **{"findings": findings, "lengths": lengths, "modes": modes, "repeated": repeated},
        **{"scores": scores, "summary": summary, "tokens": tokens},
    )
    return re.sub(r"\n{3,}", "\n\n", text.strip("\n")) + "\n"


def generated(view: View) -> str:
    """When, in UTC; ``not recorded`` where the record does not say."""
    ms = view.record.generated_at
    if ms is None:
        return "not recorded"
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _expected(groups: Sequence[repeated.Group]) -> str:
    """The answers that one question has, each once."""
    answers = ((probe.expected or NO_ANSWER_KNOWN).strip().rstrip(".") for group in groups for probe in group)
    return " / ".join(dict.fromkeys(answers))


def _rules(groups: Sequence[repeated.Group]) -> Iterator[str]:
    """What system prompts ban, quoted where it is the document's; nothing where it is not stated."""
    for word in dict.fromkeys(map(repeated.banned_by, groups)):
        if word != ORIGINAL["banned"]:
            yield f"System prompt rule: never use {inline(word)}"
        elif any(ORIGINAL["substitute"] in (group[0].expected or "") for group in groups):
            yield _RULE.format(**ORIGINAL)


def _details(probe: ProbeRecord) -> dict[str, str]:
    return {
        "Question": probe.question,
        "Expected": probe.expected or NO_ANSWER_KNOWN,
        "Actual": response(probe),
        "Score": scores.grade(probe),
        "Reason": probe.reason,
        **further(probe),
    }
