"""Graded conversations as a document of sections, as JSON, and in files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tellapart.core.comparison import to_json
from tellapart.files import write_text
from tellapart.longcontext.lint import counts
from tellapart.longcontext.page import lengths, probes, repeated, scores, tokens, verdict
from tellapart.longcontext.page.documented import documented_report, generated
from tellapart.longcontext.page.view import MOST_CASES, View
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Document, Links, Section, opening, pair_address, present
from tellapart.report.output import write
from tellapart.report.screen import differences, ranking


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
    path = "RUN" if view.run else "grades.json"
    title, rest = opening(verdict.headline_sentences(view))
    return Document(
        "longcontext: what a model still knows of a conversation that grows",
        title,
        (*rest, *verdict.sentences(view)),
        _facts(view),
        present(*(section(view) for section in _SECTIONS)),
        _origin(view),
        (f"tellapart longcontext report {path} --html page.html --out report.md",),
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
    origin |= {"Grades (SHA-256)": view.fingerprint} if view.fingerprint else {}
    if view.run is None:
        return origin
    origin |= {"tellapart": view.run.tellapart_version, "Seed": str(view.run.seed)}
    if len(view.run.inputs) > MOST_CASES:
        return origin | {"Inputs": f"{show.count(len(view.run.inputs))} files, see the run's record"}
    return origin | {f"Input {name} (SHA-256)": value for name, value in view.run.inputs.items()}
