"""An evaluated search as a document and as JSON: which figures stand where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tellapart.codesearch.evaluation import WITHHELD
from tellapart.codesearch.page import compared, tables
from tellapart.codesearch.page.browser import browser
from tellapart.codesearch.page.verdict import headline, remarks, sentences
from tellapart.codesearch.page.view import View
from tellapart.report import model_parameters
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section, present
from tellapart.report.missing_reasons import by_cause


def document(view: View, *, browsed: bool = True) -> Document:
    """Arrange an evaluation: the verdict, what it rests on, every conversation, and how it was made."""
    source = "RUN" if view.config else "DIR" if view.history else "evaluation.json"
    every = (Section("conversations", "Conversations", widget=browser(view)),) if browsed else ()
    return Document(
        "codesearch: what a search finds, against two blind explorations",
        headline(view),
        tuple(sentences(view)),
        _facts(view),
        (*_figures(view), *_explained(view), *every),
        _origin(view),
        (f"tellapart codesearch report {source} --html report.html --markdown report.md",),
    )


def _figures(view: View) -> Iterator[Section]:
    """What to beware of, then the loop, then the figures: against gold, against the explorers, by area."""
    beware = tables.remarks(remarks(view))
    left_out = tables.unusable(view) if view.evaluation.unusable else None
    if beware or left_out:
        yield Section("beware", "What to know first", tables=present(beware, left_out), in_terminal=True)
    if view.history is not None:
        yield from compared.sections(view.history)
    if view.evaluation.gold is not None:
        yield Section(
            "against-gold",
            "Gold files",
            "Gold files are known by other means, such as the files that a fix touched. The tables show how "
            "many the search found, and how many the two blind explorations, on which all other figures "
            "rest.",
            tables=tables.gold(view, view.evaluation.gold),
            in_terminal=True,
        )
    sampled = view.metrics.sampled_recall
    yield Section(
        "measures",
        "Precision and recall",
        "Precision: of the files that we found, the share that is relevant. Recall: of the files known to be "
        "relevant, the share that we found. Relevant is what an exploration found, or the judge calls so.",
        tables=present(tables.measures(view), tables.sampled_recall(sampled) if sampled else None),
        in_terminal=True,
    )
    if view.metrics.areas:
        yield Section("areas", "Areas", tables=(tables.areas(view),), in_terminal=True)


def _explained(view: View) -> Iterator[Section]:
    """Explorers, order and judge."""
    agreed, ranked, assessed = view.metrics.agreement, view.metrics.ranked, view.metrics.assessment
    decided = agreed.decision if agreed else ""
    text = "Two explorations that never see our files make the ground truth: what either found."
    runs = (tables.runs(view),)
    yield Section("explorers", "Explorers", f"{text} {decided}".strip(), tables=runs, in_terminal=True)
    if ranked is not None:
        text = "" if ranked.measures else f"There are no ranked figures: {ranked.reason}."
        shown = (tables.ranking(ranked.measures),) if ranked.measures else ()
        yield Section("ranking", "Order of the files", text, tables=shown)
    yield Section(
        "judging",
        "Judge",
        "It rules on the files that only we found. A verdict that failed is missing here; the original "
        "pipeline counts it as not relevant.",
        tables=(tables.verdicts(view), *(tables.assessment(assessed) if assessed else ())),
    )
    if view.language_models:
        note = "Messages and replies are in run.db of the run directory."
        yield model_parameters.section(view.language_models, note)


def _facts(view: View) -> dict[str, str]:
    evaluation, verdicts, runs = view.evaluation, view.metrics.judging, view.metrics.exploring
    facts = {
        "Iteration": str(evaluation.iteration),
        "Conversations": show.count(len(evaluation.cases)),
        "Run A": runs.run_a.explorer or show.DASH,
        "Run B": runs.run_b.explorer or show.DASH,
        "Files we found": show.count(sum(len(case.files) for case in evaluation.cases)),
        "Verdicts": f"{show.count(verdicts.judged)}, {show.count(sum(verdicts.failed.values()))} failed",
    }
    withheld = evaluation.facts.get(WITHHELD)
    if isinstance(withheld, dict) and withheld:
        facts["Withheld as secrets"] = f"{show.plural(sum(withheld.values()), 'file')}: {by_cause(withheld)}"
    if view.config.get("judge"):
        facts["Judge"] = str(view.config["judge"]["model"])
    if evaluation.gold:
        facts["Gold files"] = f"{show.count(evaluation.gold.files)}, {evaluation.gold.form}"
    if view.config.get("system"):
        facts["System"] = str(view.config["system"])
    return facts


def _origin(view: View) -> dict[str, str]:
    origin = {"Evaluation (SHA-256)": view.fingerprint}
    if view.evaluation.timestamp:
        origin["Evaluated"] = str(view.evaluation.timestamp)
    if view.record is not None:
        origin |= {"tellapart": view.record.tellapart_version, "Seed": str(view.record.seed)}
        origin |= {f"Input {name} (SHA-256)": str(value) for name, value in view.record.inputs.items()}
    return origin


def figures(view: View) -> dict[str, Any]:
    """Everything that is reported, for programs: the figures and warnings as stored, and the trend."""
    stored = view.evaluation.to_json()
    record: dict[str, Any] = {
        "iteration_number": view.evaluation.iteration,
        "headline": headline(view),
        "metrics": stored["metrics"],
        **({"gold": stored["gold"]} if "gold" in stored else {}),
        "warnings": list(view.evaluation.warnings),
    }
    return record if view.history is None else record | {"history": view.history.to_json()}
