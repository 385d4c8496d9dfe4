"""An evaluated search as a report: which figures stand where."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from tellapart.codesearch.page import exploring, gold, tables, trend
from tellapart.codesearch.page.browser import browser
from tellapart.codesearch.page.charts import areas_chart, trend_chart
from tellapart.codesearch.page.verdict import MOST_WARNINGS, headline, sentences
from tellapart.codesearch.page.view import View
from tellapart.codesearch.scoring import WITHHELD
from tellapart.report import comparison as block
from tellapart.report import model_parameters
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section, present
from tellapart.report.missing_reasons import by_cause


def document(view: View) -> Document:
    """Arrange an evaluation: the verdict, what it rests on, every conversation, and how it was made."""
    return Document(
        "codesearch: what a search finds, against two blind explorations",
        headline(view),
        tuple(sentences(view)),
        _facts(view),
        (*_doubts(view), *_figures(view), *_explained(view)),
        _origin(view),
        _commands(view),
    )


def _doubts(view: View) -> Iterator[Section]:
    """Warnings, then the loop, and whether its last iteration differs from the one before."""
    rest = tables.warnings(view, MOST_WARNINGS) if len(view.warnings) > MOST_WARNINGS else None
    left_out = tables.unusable(view) if view.evaluation.unusable else None
    if rest or left_out:
        yield Section("beware", "Warnings", tables=present(rest, left_out))
    if view.history is not None:
        yield Section(
            "trend",
            "Loop",
            " ".join(view.history.notes),
            charts=present(trend_chart(view)),
            tables=present(trend.gates_table(view), trend.trend(view)),
        )
    compared = trend.comparison(view)
    if compared is not None:
        title = f"Does the last iteration differ? By {trend.compared_by(view)}"
        yield block.section(compared, title=title, what="iterations")


def _figures(view: View) -> Iterator[Section]:
    """Against gold, against the explorers, by area."""
    if view.evaluation.gold is not None:
        yield Section(
            "against-gold",
            "Gold files",
            "What is known of these issues by other means, such as the files that their fixes touched: how "
            "well we find it, and how well the blind explorations do, on which everything else here rests.",
            tables=tuple(gold.tables(view, view.evaluation.gold)),
        )
    sampled = view.metrics.sampled_recall
    yield Section(
        "measures",
        "Precision and recall",
        "Precision: of the files that we found, the share that is relevant. Recall: of the files known to be "
        "relevant, the share that we found. Relevant is what an exploration found, or the judge calls so.",
        tables=present(tables.measures(view), tables.sampled_recall(sampled) if sampled else None),
    )
    if view.metrics.areas:
        yield Section("areas", "Areas", charts=(areas_chart(view),), tables=(tables.areas(view),))


def _explained(view: View) -> Iterator[Section]:
    """Explorers, order and judge, what was learnt, and every conversation."""
    agreed, ranked, assessed = view.metrics.agreement, view.metrics.ranked, view.metrics.assessment
    yield Section(
        "explorers",
        "Explorers",
        "Two explorations that never see our files make the ground truth: what either found.",
        tables=present(
            exploring.runs(view),
            exploring.decision(view),
            exploring.retest(view),
            exploring.agreement(view, agreed) if agreed else None,
        ),
    )
    if ranked is not None:
        text = "" if ranked.measures else f"There are no ranked figures: {ranked.reason}."
        shown = (tables.ranking(ranked.measures),) if ranked.measures else ()
        yield Section("ranking", "Order of the files", text, tables=shown)
    yield Section(
        "judging",
        "Judge",
        "It rules on the files that only we found. A verdict that failed is missing here; the original "
        "pipeline counts it as not relevant.",
        tables=present(
            exploring.verdicts(view),
            exploring.why_failed(view),
            exploring.dimensions(assessed) if assessed else None,
            exploring.classification(assessed) if assessed else None,
        ),
    )
    if view.learnings is not None:
        notes = " ".join(f"{show.capital(note)}." for note in view.learnings.notes)
        yield Section("learnings", "Learnings", notes, tables=tables.learnt(view.learnings))
    if view.language_models:
        note = "Messages and replies are in run.db of the run directory."
        yield model_parameters.section(view.language_models, note)
    folded = (tables.conversations(view),)
    yield Section("conversations", "Conversations", folded=folded, widget=browser(view))


def _facts(view: View) -> dict[str, str]:
    verdicts, runs = view.judging, view.metrics.exploring
    facts = {
        "Iteration": str(view.iteration),
        "Conversations": show.count(len(view.cases)),
        "Run A": runs.run_a.explorer or show.DASH,
        "Run B": runs.run_b.explorer or show.DASH,
        "Files we found": show.count(sum(len(conversation.files) for conversation in view.cases)),
        "Verdicts": f"{show.count(verdicts.judged)}, {show.count(sum(verdicts.failed.values()))} failed",
    }
    withheld = view.evaluation.facts.get(WITHHELD)
    if isinstance(withheld, dict) and withheld:
        facts["Withheld as secrets"] = f"{show.plural(sum(withheld.values()), 'file')}: {by_cause(withheld)}"
    if view.config.get("judge"):
        facts["Judge"] = str(view.config["judge"]["model"])
    if view.evaluation.gold:
        facts["Gold files"] = f"{show.count(view.evaluation.gold.files)}, {view.evaluation.gold.form}"
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


def _commands(view: View) -> tuple[str, ...]:
    """Lines that make this report again; what was searched is not in the record."""
    config, lines = view.config, []
    if config:
        words = ["evaluate", "--in", "search_results.json", "--run", "RUN"]
        words += ["--explorer-a", str(config["run_a"]), "--explorer-b", str(config["run_b"])]
        words += ["--judge", str(config["judge"]["model"])] if config.get("judge") else []
        for option, name in (("--retest", "retest"), ("--sample-rest", "sample_rest")):
            words += [option, str(config[name])] if config.get(name) else []
        words += ["--gold", "FILE"] if view.record and "gold" in view.record.inputs else []
        words += ["--at-base"] if config.get("at_base") else []
        lines.append(words)
    name = "RUN" if config else "DIR" if view.history else "evaluation.json"
    lines.append(["report", name, "--html", "report.html", "--markdown", "report.md"])
    return tuple(f"tellapart codesearch {shlex.join(line)}" for line in lines)
