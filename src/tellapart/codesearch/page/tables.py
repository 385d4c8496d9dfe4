"""Tables of an evaluation; 95 % intervals below the figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from tellapart.codesearch.figures import (
    AreaAggregate,
    AreaMeasure,
    AssessmentSummary,
    GoldSummary,
    MeasureSummary,
    SampledRecall,
)
from tellapart.codesearch.metrics.explorations import ROLES
from tellapart.codesearch.metrics.judge import DIMENSIONS
from tellapart.codesearch.metrics.measures import JUDGE, WITHOUT_VERDICTS
from tellapart.codesearch.page.view import View
from tellapart.core.estimate import Estimate
from tellapart.report import numbers as show
from tellapart.report.figures import FIGURES, cell, ends_of, headings, interval_cell
from tellapart.report.missing_reasons import KINDS, by_cause
from tellapart.report.tables import Cell, Table, table

FAILURES = KINDS | {"recorded": "recorded as failed"}
"""Kinds of failures in words; those of other pipelines' evaluations too."""

Rows: TypeAlias = list[list[Cell | str]]


def estimate(name: str, value: Estimate | None) -> Cell:
    """An estimate of a figure, its interval below it."""
    if value is None:
        return cell(name, None)
    return interval_cell(name, value.value, value.interval, reason=value.reason or "")


def bounds_of(measure: MeasureSummary) -> str:
    """The lowest and highest mean, or the one figure that they leave: ``0.454 to 1.000``, ``0.454``."""
    shown = [show.DASH if end is None else show.decimal(end) for end in measure.bounds]
    return " to ".join(dict.fromkeys(shown))


def mean_of(name: str, measure: MeasureSummary, *, bounds: bool = False) -> Cell:
    """The mean of a measure, and with ``bounds`` these where there is none."""
    if measure.macro is None:
        detail = f"[{bounds_of(measure)}]" if bounds else ""
        return cell(name, None, detail, reason=_why(measure))
    return interval_cell(name, measure.macro, measure.interval)


def _why(measure: MeasureSummary) -> str:
    """Why there is no mean, where that is for want of verdicts."""
    return WITHOUT_VERDICTS if JUDGE in measure.missing else ""


def measures(view: View) -> Table:
    """Every measure: the original figure, our mean with its interval, its bounds, and what is missing."""
    aggregate, rows = view.metrics.aggregate, Rows()
    for name, measure in view.metrics.measures.items():
        original = cell("original", None)
        if name in ("precision", "recall"):
            original = cell(name, getattr(aggregate, name), reason=_why(measure))
        counted = cell("conversations", measure.conversations, by_cause(measure.missing))
        rows.append(
            [FIGURES[name].label, original, mean_of(name, measure), Cell(bounds_of(measure)), counted]
        )
    return table(
        "measures",
        "Precision and recall (95 % intervals)",
        ["Measure", *headings(["original", "ranked"]), "Bounds of the mean", *headings(["conversations"])],
        rows,
        note="Original: as the original pipeline computes it; a verdict that failed counts as not relevant. "
        "Below the mean: Student's t over conversations. Where verdicts are missing there is no mean, only "
        "its bounds: all that is missing taken as not relevant, and as relevant. Without verdicts: only "
        "files that an exploration found count as relevant. Below the conversations: those without a value, "
        "by cause.",
    )


def sampled_recall(sampled: SampledRecall) -> Table:
    """Recall with the sample of what nobody returned, and what it rests on."""
    rows: Rows = [
        ["recall, at least", cell("recall", sampled.recall_at_least, reason="nobody knows a relevant file")],
        ["recall, estimate", cell("recall", sampled.recall, reason=WITHOUT_VERDICTS)],
        [
            "recall by the overlap of the explorers (Chapman)",
            cell("recall", sampled.chapman_recall, reason=WITHOUT_VERDICTS),
        ],
        ["relevant files that we found", show.count(sampled.found)],
        ["files that only an explorer found", show.count(sampled.missed)],
        ["relevant files in all, at most", show.count(sampled.relevant_at_most)],
    ]
    for words, part in (("near", sampled.strata["near"]), ("far from", sampled.strata["far"])):
        verdicts = {"relevant": part.relevant, "without a verdict": part.without_verdict}
        shown = ", ".join(
            f"{show.count(n)} {what}" for what, n in verdicts.items() if n or what == "relevant"
        )
        drawn = Cell(f"{show.count(part.sampled)} of {show.count(part.files)}", shown)
        rows.append([f"sampled {words} the issue, of files that nobody returned", drawn])
    return table(
        "sampled-recall",
        f"Recall with a sample of what nobody returned (95 %, {show.plural(sampled.conversations, 'issue')})",
        ["", "Value"],
        rows,
        note="All conversations together. The lower bound holds for these conversations and this judge, "
        "whatever the explorers missed. Near: by the words that issue and file share.",
    )


def areas(view: View) -> Table:
    """Each product area, and how far it is below the whole."""
    rows: Rows = []
    for area, figures in view.metrics.areas.items():
        documented = view.metrics.by_product_area.get(area, AreaAggregate())
        row: list[Cell | str] = [area, cell("n", documented.count)]
        for name in view.names:
            row += _of_area(name, figures[name])
        rows.append(row)
    heads = [head for name in view.names for head in headings([name, "gap"])]
    return table(
        "areas",
        "By product area (95 % intervals)",
        ["Area", *headings(["n"]), *heads],
        rows,
        note="n: conversations; one or two say nothing of an area. Gap: the whole less the area. Far below: "
        "by more than 0.15, the original threshold; a range is what missing verdicts leave open.",
    )


def _of_area(name: str, measure: AreaMeasure) -> tuple[Cell, Cell]:
    """The mean, and how far it is below the whole, or the range that missing verdicts leave."""
    ends = [FIGURES["gap"].form(end) for end in measure.gap if end is not None]
    mean = interval_cell(name, measure.mean, measure.interval, reason=WITHOUT_VERDICTS if ends else "")
    if not ends:
        return mean, cell("gap", None)
    far = "far below" if measure.anomaly else ""
    return mean, Cell(" to ".join(dict.fromkeys(ends)), far, strong=bool(far))


def gold(view: View, gold: GoldSummary) -> tuple[Table, ...]:
    """The order of our files, who finds gold, and the judge on gold."""
    order = {f"Acc@{k}": figure for k, figure in gold.acc_at.items()}
    order |= {f"recall@{k}": figure for k, figure in gold.recall_at.items()}
    order |= {"MRR": gold.mrr, "nDCG@10": gold.ndcg}
    order |= {"changed lines": gold.lines} if gold.lines else {}
    explorers = gold.explorers_against_gold
    found = {
        "we": gold.system_against_gold,
        view.runs["run_a"]: explorers.run_a,
        view.runs["run_b"]: explorers.run_b,
        "either run": explorers.union,
    }
    sources: Rows = [
        [
            name,
            estimate("recall", scores.recall),
            estimate("precision", scores.precision),
            cell("conversations", scores.recall.n),
        ]
        for name, scores in found.items()
    ]
    tables = [
        _estimates(
            "gold",
            f"What we found against gold: {gold.form} (95 % intervals)",
            ("against_gold", "conversations"),
            order.items(),
            note="Acc@k: all gold files are among the first k. recall@k: share of the gold files among the "
            "first k. MRR: mean of 1/rank of the first gold file. Changed lines: share of the named lines "
            "that the fix changed.",
        ),
        table(
            "gold-sources",
            "Who finds the gold files (95 % intervals)",
            ["Who", *headings(["recall", "precision", "conversations"])],
            sources,
            note="Of all files that somebody found, whatever their order. What either run finds is the "
            "ground truth of this report: its recall says how far that can be trusted. A fix seldom touches "
            "all that is relevant, so precision against gold is a lower bound.",
        ),
    ]
    return tuple(tables)


def _estimates(
    name: str,
    title: str,
    columns: tuple[str, str],
    rows: Iterable[tuple[str, Estimate]],
    note: str = "",
) -> Table:
    """A table of estimates and of how many each rests on."""
    shown: Rows = [[label, estimate(columns[0], each), cell(columns[1], each.n)] for label, each in rows]
    return table(name, title, ["Measure", *headings(columns)], shown, note=note)


def runs(view: View) -> Table:
    """What became of the explorations."""
    counted = view.metrics.calibration
    alone = (counted.opus_only_files, counted.sonnet_only_files) if counted else (None, None)
    rows: Rows = []
    for role, only_here in zip(ROLES, alone, strict=True):
        run = view.metrics.exploring.of(role)
        rows.append(
            [
                view.runs[role],
                cell("done", run.done),
                cell("failed", sum(run.failed.values()), by_cause(run.failed)),
                Cell(show.count(len(run.suspect)), strong=bool(run.suspect)),
                cell("files", run.files),
                cell("found_alone", only_here),
            ]
        )
    return table(
        "runs",
        "The two explorations of each conversation",
        ["Run", *headings(["done", "failed", "suspect", "files", "found_alone"])],
        rows,
        note="Suspect: found no file, and reports no error. Files found alone are those of all calibration "
        "iterations so far.",
    )


def ranking(ranked: dict[str, Estimate]) -> Table:
    """Measures of the order in which we return files."""
    return _estimates(
        "ranking",
        "How good the ranking is (95 % interval)",
        ("ranked", "conversations"),
        ranked.items(),
        note="A file of both runs gains 2, one of a single run or of the judge 1. Judged@10: share of the "
        "first ten that have a verdict. Only it and bpref need not every verdict.",
    )


def verdicts(view: View) -> Table:
    """How many files were judged, and what came of it."""
    judging = view.metrics.judging
    failed = sum(judging.failed.values())
    rows: Rows = [
        ["files judged", show.count(judging.judged)],
        ["relevant", show.count(judging.relevant)],
        ["actionable", show.count(judging.actionable.get("yes", 0))],
        ["verdicts that failed", Cell(show.count(failed), by_cause(judging.failed), strong=bool(failed))],
        [
            f"failed, {FIGURES['share_failed'].unit} of all requested",
            cell("share_failed", judging.share_failed),
        ],
        ["files not sent to the judge", show.count(judging.not_asked)],
    ]
    if hidden := judging.not_shown:
        rows.append(
            ["files that may not be shown or read", cell("n", sum(hidden.values()), by_cause(hidden))]
        )
    return table("verdicts", "Verdicts on files that only we found", ["", *headings(["n"])], rows)


def assessment(assessment: AssessmentSummary) -> tuple[Table, ...]:
    """Mean score of each dimension, and whether the judge would have chosen the same product areas."""
    rows: Rows = []
    for name in sorted(assessment.dimensions, key=[*DIMENSIONS, *sorted(assessment.dimensions)].index):
        dimension = assessment.dimensions[name]
        levels = [show.count(n) for _, n in sorted(dimension.counts.items())]
        words, searches = DIMENSIONS.get(name, name), cell("searches", dimension.mean.n)
        rows.append([words, estimate("grade", dimension.mean), *levels, searches])
    failed = by_cause(assessment.failed)
    tables = [
        table(
            "dimensions",
            "Searches as a whole, 1 (worst) to 5 (95 % interval)",
            ["Dimension", *headings(["grade"]), "1", "2", "3", "4", "5", *headings(["searches"])],
            rows,
            note=f"Assessments that failed: {failed}." if failed else "",
        )
    ]
    if (areas := assessment.classification) is not None:
        most = sorted(areas.mistaken.items(), key=lambda item: (-item[1], item[0]))[:5]
        mistakes = "; ".join(f"{pair.replace('->', '→')} {n}" for pair, n in most)
        note = f"Most often another area, ours → the judge's: {mistakes}." if mistakes else ""
        title = "Product areas, ours against the judge's (95 % interval)"
        same = [("same area", areas.accuracy)]
        tables.append(_estimates("classification", title, ("share", "conversations"), same, note))
    return tuple(tables)


def remarks(sentences: Sequence[str]) -> Table | None:
    """Sentences that limit the figures, one a row; None without any."""
    rows = [[show.capital(f"{text.removesuffix('.')}.")] for text in sentences]
    return table("remarks", "What to beware of", ["Remark"], rows, words=1) if rows else None


def unusable(view: View) -> Table:
    """Conversations that could not be used."""
    rows = [[left.conversation, left.why] for left in view.evaluation.unusable]
    return table("unusable", "Conversations left out", ["Conversation", "Why"], rows, words=2)


def percent(estimate: Estimate) -> str:
    """A share in a sentence, with its interval."""
    if estimate.value is None:
        return show.DASH
    ends = estimate.interval
    interval = f" (95 % interval {show.between(ends, show.whole_percent)})" if ends else ""
    return show.whole_percent(estimate.value) + interval


def interval_in_words(name: str, ends: Sequence[float] | None) -> str:
    """An interval in a sentence."""
    return f"95 % interval {ends_of(name, ends)}" if ends else "no interval"
