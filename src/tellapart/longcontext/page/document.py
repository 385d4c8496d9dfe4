"""Graded conversations as a document of sections, as JSON, and as the Markdown of the original experiment."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from tellapart.core.comparison import Comparison, to_json
from tellapart.files import write_text
from tellapart.longcontext.case import ORIGINAL
from tellapart.longcontext.lint import counts
from tellapart.longcontext.page import lengths, probes, repeated, scores, tokens, verdict
from tellapart.longcontext.page.probes import NO_ANSWER_KNOWN, further, response
from tellapart.longcontext.page.view import MOST_CASES, View
from tellapart.longcontext.results import GradingRecord, ProbeRecord
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Document, Links, Section, opening, pair_address, present
from tellapart.report.markdown import escape, fenced, table_line
from tellapart.report.output import write
from tellapart.report.screen import differences, ranking
from tellapart.report.tables import Cell, Table

_TITLE = "Experiment Evaluation"
_RULE = 'System prompt rule: "Never use {banned}, use {substitute} instead"'


def documented_report(record: GradingRecord, comparison: Comparison | None = None) -> str:
    """Give the Markdown of the original experiment."""
    view = View(record, comparison=comparison)
    # All that others wrote goes through a filter, which makes it harmless as Markdown.
    jinja = Environment(
        loader=PackageLoader("tellapart.longcontext.page", "."),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    jinja.filters |= {"inline": inline, "table": plain_table, "fenced": fenced, "quoted": quoted}
    jinja.filters["signs"] = _documented_signs
    grader = scores.grader(record)
    text = jinja.get_template("report.md.j2").render(
        view=view,
        # The experiment's day is part of the title only where the cases are those of that day.
        title=ORIGINAL["title"] if {*view.cases} <= {*ORIGINAL["cases"]} else _TITLE,
        grader=grader,
        graded=f"Graded by {inline(grader)}.",
        generated=generated(view),
        expected=_expected,
        rules=_rules,
        details=_details,
        section=block.section,
        **{"lengths": lengths, "repeated": repeated, "scores": scores, "tokens": tokens, "verdict": verdict},
    )
    return re.sub(r"\n{3,}", "\n\n", text.strip("\n")) + "\n"


def generated(view: View) -> str:
    """When, in UTC; ``not recorded`` where the record does not say."""
    ms = view.record.generated_at
    if ms is None:
        return "not recorded"
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _documented_signs(text: str) -> str:
    return text.translate(scores.DOCUMENTED_SIGNS)


def _expected(groups: Sequence[repeated.Group]) -> str:
    """The answers that one question has, each once."""
    answers = ((probe.expected or NO_ANSWER_KNOWN).strip().rstrip(".") for group in groups for probe in group)
    return " / ".join(dict.fromkeys(answers))


def _rules(groups: Sequence[repeated.Group]) -> Iterator[str]:
    """What system prompts ban, as a whole sentence of the original experiment's; nothing where not stated."""
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


_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f]")
_OPENING = re.compile(r"^(?:([#+=-])|(\d{1,9})([.)]))")
_ABOUT = re.compile(r"(?<!\S)\\~(?=\d)")
_BLANK = "\N{NO-BREAK SPACE}"


def inline(text: object) -> str:
    """Escape what Markdown and HTML would read as markup; line ends become spaces."""
    return _ABOUT.sub("~", escape(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", str(text))))


def quoted(text: str) -> str:
    """Give a text behind a name on the same line, or, where it has line ends, as a quotation below it."""
    lines = text.strip("\r\n").splitlines()
    if not text.strip():
        return " (empty)"
    if len(lines) == 1:
        return f" {inline(lines[0].strip())}"
    follow = [bool(line.strip()) for line in lines[1:]] + [False]
    quoted = [_line(line, breaks=breaks) for line, breaks in zip(lines, follow, strict=True)]
    return "\n\n" + "\n".join(quoted) + "\n"


def _line(line: str, *, breaks: bool) -> str:
    bare = line.expandtabs(4).rstrip()
    body = bare.lstrip(" ")
    if not body:
        return "  >"
    shown = _OPENING.sub(lambda m: f"\\{m[1]}" if m[1] else f"{m[2]}\\{m[3]}", inline(body))
    return f"  > {_BLANK * (len(bare) - len(body))}{shown}" + ("\\" if breaks else "")


def plain_table(table: Table) -> str:
    """Give a table without its title, as the original experiment has them; its notes follow."""

    def shown(cell: Cell) -> str:
        text = inline(table.shown(cell))
        return f"{text} ({inline(cell.detail)})" if cell.detail else text

    headings = table_line([inline(column.title) for column in table.columns])
    lines = [headings, "|" + "---|" * len(table.columns)]
    lines += [table_line(map(shown, cells)) for cells in table.rows]
    for note in table.notes():
        lines += ["", inline(note)]
    return "\n".join(lines)


def _comparison(view: View) -> Section | None:
    if view.comparison is None:
        return None
    return block.section(view.comparison, order=view.lengths, items=pair_address)


_SECTIONS: tuple[Callable[[View], Section | None], ...] = (
    *(_comparison, verdict.findings_section, lengths.lengths_section, scores.summary_section),
    *(lengths.curves_section, repeated.dilution_section, repeated.sink_section, scores.modes_section),
    *(tokens.section, probes.section),
)


def document(view: View, links: Links = ()) -> Document:
    """Arrange a grading."""
    title, rest = opening(verdict.headline_sentences(view))
    return Document(
        "longcontext: what a model remembers as a conversation grows",
        title,
        (*rest, *verdict.sentences(view)),
        _facts(view),
        present(*(section(view) for section in _SECTIONS)),
        _origin(view),
        ("tellapart longcontext report RUN --html page.html --out report.md",),
        links,
        ranking=ranking(view.ranking, block.Scale()),
        differences=differences(view.comparison),
    )


def figures(view: View) -> dict[str, Any]:
    """Give the verdict in words, the comparison of several models, and the record.

    ``finding_counts`` counts findings that say the same of several steps as one, ``findings`` has each.
    """
    compared = {} if view.comparison is None else {"comparison": to_json(view.comparison)}
    return {
        "headline": verdict.headline(view),
        "sentences": verdict.sentences(view),
        "finding_counts": counts(view.record.findings),
        **compared,
        **view.record.model_dump(),
    }


def write_report(
    view: View, html: Path | None = None, markdown: Path | None = None, *, links: Links = ()
) -> list[Path]:
    """Write a page and the documented Markdown."""
    written = write(lambda: document(view, links), html=html)
    if markdown is None:
        return written
    write_text(markdown, documented_report(view.record, comparison=view.comparison))
    return [*written, markdown]


def _facts(view: View) -> dict[str, str]:
    missing, n = scores.missing(view.probes), show.count(len(view.probes))
    facts = {
        "Models" if view.several_models else "Model": ", ".join(view.models) or show.DASH,
        "Cases": show.count(len(view.cases)) if view.many_cases else ", ".join(view.cases),
        "Epochs": str(view.epochs),
        "Probes": f"{n}, {show.count(missing)} without a grade" if missing else n,
        "Grader": scores.grader(view.record),
        "Controls": ", ".join(sorted(view.record.controls)),
    }
    return {name: fact for name, fact in facts.items() if fact}


def _origin(view: View) -> dict[str, str]:
    """When and by which version it was graded, and hashes of what was read; of many files their number."""
    origin = {"Graded": generated(view)}
    if view.run is None:
        return origin
    origin |= {"tellapart": view.run.tellapart_version, "Seed": str(view.run.seed)}
    if len(view.run.inputs) > MOST_CASES:
        return origin | {"Inputs": f"{show.count(len(view.run.inputs))} files, see the run's record"}
    return origin | {f"Input {name} (SHA-256)": value for name, value in view.run.inputs.items()}
