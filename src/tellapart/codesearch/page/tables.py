"""Tables of an evaluation; figures with three decimals, 95 % intervals below them."""

from __future__ import annotations

from collections.abc import Sequence
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
from tellapart.codesearch.metrics.score_tables import measure_in_words
from tellapart.codesearch.page.view import View
from tellapart.core.estimate import Estimate
from tellapart.report import numbers as show
from tellapart.report.missing_reasons import KINDS, by_cause
from tellapart.report.tables import Cell, Table, figure, table, undefined

FAILURES = KINDS | {"turns": "turns used up", "recorded": "recorded as failed"}
"""Kinds of failures in words; those of explorers and of other pipelines' evaluations too."""

UNKNOWN = "it is not known"
NOT_JUDGED = "verdicts are missing"

_OURS_ALONE = "the original pipeline has no such figure"
_FOUND_NOTHING = "nothing was found, or nothing is known to be relevant"

_DIMENSIONS = {
    "file_relevance": "files are relevant",
    "snippet_quality": "snippets are good",
    "service_accuracy": "the right services",
    "noise": "little noise",
    "coverage": "coverage",
    "gestalt": "as a whole",
}

Rows: TypeAlias = list[list[Cell | str]]


def number(value: float | None, reason: str | None = None, detail: str = "") -> Cell:
    """A figure, or a dash with the reason why there is none."""
    return undefined(reason or UNKNOWN, detail) if value is None else Cell(show.decimal(value), detail)


def span(ends: Sequence[float | None] | None) -> str:
    """An interval or bounds, or the one figure that they leave: ``0.454–1.000``, ``0.454``."""
    if ends is None:
        return "no interval"
    shown = [show.DASH if end is None else show.decimal(end) for end in ends]
    return "–".join(dict.fromkeys(shown))


def to(ends: Sequence[float | None]) -> str:
    """An interval in a sentence: ``0.454 to 1.000``."""
    return " to ".join(show.DASH if end is None else show.decimal(end) for end in ends)


def estimate(record: Estimate | None) -> Cell:
    """A value, its interval below it."""
    if record is None:
        return undefined("it was not measured")
    return number(record.value, record.reason, "" if record.value is None else span(record.interval))


def is_open(measure: MeasureSummary) -> bool:
    """Whether missing verdicts or explorations could change a mean."""
    low, high = measure.bounds
    return low is not None and high is not None and round(high - low, 9) > 0


def measures(view: View) -> Table:
    """Every measure: the original figure, our mean with its interval, its bounds, and what is missing."""
    aggregate = view.metrics.aggregate
    documented = {"precision": aggregate.precision, "recall": aggregate.recall}
    rows: Rows = [
        [
            measure_in_words(name),
            number(documented[name], NOT_JUDGED) if name in documented else undefined(_OURS_ALONE),
            number(
                measure.macro,
                NOT_JUDGED if "judge" in measure.missing else _FOUND_NOTHING,
                "" if measure.macro is None else span(measure.interval),
            ),
            span(measure.bounds),
            Cell(show.count(measure.conversations), by_cause(measure.missing)),
        ]
        for name, measure in view.metrics.measures.items()
    ]
    return table(
        "measures",
        "Precision and recall (95 % intervals)",
        ["Measure", "Original", "Mean", "Bounds of the mean", "Conversations"],
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
        ["recall, at least", number(sampled.recall_at_least, "nobody knows a relevant file")],
        ["recall, estimate", number(sampled.recall, NOT_JUDGED)],
        ["recall by the overlap of the explorers (Chapman)", number(sampled.chapman_recall, NOT_JUDGED)],
        ["relevant files that we found", show.count(sampled.found)],
        ["files that only an explorer found", show.count(sampled.missed)],
        ["relevant files in all, at most", show.count(sampled.relevant_at_most)],
    ]
    for words, part in (("near", sampled.strata["near"]), ("far from", sampled.strata["far"])):
        shown = f"{show.count(part.relevant)} relevant"
        if part.without_verdict:
            shown += f", {show.count(part.without_verdict)} without a verdict"
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
        row: list[Cell | str] = [area, figure(documented.count, show.count, UNKNOWN)]
        for name in view.names:
            of_area = figures.get(name)
            row += _of_area(of_area) if of_area else [undefined(UNKNOWN), undefined(UNKNOWN)]
        rows.append(row)
    headings = ["Area", "n"]
    for name in view.names:
        headings += [show.capital(measure_in_words(name)), "Below the whole"]
    return table(
        "areas",
        "By product area (95 % intervals)",
        headings,
        rows,
        note="n: conversations; one or two say nothing of an area. Far below: by more than 0.15, the "
        "original threshold; a range is what missing verdicts leave open.",
    )


def _of_area(measure: AreaMeasure) -> tuple[Cell, Cell]:
    """The mean, and how far it is below the whole, or the range that missing verdicts leave."""
    interval = "" if measure.mean is None else span(measure.interval)
    mean = number(measure.mean, NOT_JUDGED, interval)
    ends = [f"{end:+.3f}".replace("-", show.MINUS) for end in measure.gap if end is not None]
    if not ends:
        return mean, undefined(_FOUND_NOTHING)
    far = "far below" if measure.anomaly else ""
    return mean, Cell(" to ".join(dict.fromkeys(ends)), far, strong=bool(far))


def gold(view: View, gold: GoldSummary) -> tuple[Table, ...]:
    """The order of our files, who finds gold, and the judge on gold."""
    order = {f"Acc@{k}": figure for k, figure in gold.acc_at.items()}
    order |= {f"recall@{k}": figure for k, figure in gold.recall_at.items()}
    order |= {"MRR": gold.mrr, "nDCG@10": gold.ndcg}
    order |= {"changed lines": gold.lines} if gold.lines else {}
    found = {view.runs[role]: gold.explorers_against_gold[role] for role in ROLES}
    found = {"we": gold.system_against_gold, **found, "either run": gold.explorers_against_gold["union"]}
    sources: Rows = [
        [name, estimate(scores.recall), estimate(scores.precision), show.count(scores.recall.n)]
        for name, scores in found.items()
    ]
    tables = [
        table(
            "gold",
            f"What we found against gold: {gold.form} (95 % intervals)",
            ["Measure", "Files", "Conversations"],
            [[name, estimate(each), show.count(each.n)] for name, each in order.items()],
            note="Acc@k: all gold files are among the first k. recall@k: share of the gold files among the "
            "first k. MRR: one over the place of the first gold file. Changed lines: share of the lines "
            "that we named that the fix changed.",
        ),
        table(
            "gold-sources",
            "Who finds the gold files (95 % intervals)",
            ["Who", "Recall", "Precision", "Conversations"],
            sources,
            note="Of all files that somebody found, whatever their order. What either run finds is the "
            "ground truth of this report: its recall says how far that can be trusted. A fix seldom touches "
            "all that is relevant, so precision against gold is a lower bound.",
        ),
    ]
    if (judge := gold.judge_against_gold) is not None:
        shares = {
            "gold files that the judge calls relevant": judge.recall,
            "files it calls relevant that are gold": judge.precision,
            "verdicts that agree with gold": judge.agreement,
        }
        rows: Rows = [[name, estimate(share), show.count(share.n)] for name, share in shares.items()]
        title = "The judge against gold, on the files that only we found (95 % intervals)"
        tables.append(table("gold-judge", title, ["", "Share", "Files"], rows))
    return tuple(tables)


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
                show.count(run.done),
                Cell(show.count(sum(run.failed.values())), by_cause(run.failed)),
                Cell(show.count(len(run.suspect)), strong=bool(run.suspect)),
                show.count(run.files),
                figure(only_here, show.count, UNKNOWN),
            ]
        )
    return table(
        "runs",
        "The two explorations of each conversation",
        ["Run", "Done", "Failed", "Suspect", "Files", "Files it alone found"],
        rows,
        note="Suspect: found no file, and reports no error. Files found alone are those of all calibration "
        "iterations so far.",
    )


def ranking(ranked: dict[str, Estimate]) -> Table:
    """Measures of the order in which we return files."""
    return table(
        "ranking",
        "How good the ranking is (95 % interval)",
        ["Measure", "Mean", "Conversations"],
        [[name, estimate(measure), show.count(measure.n)] for name, measure in ranked.items()],
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
        ["failed, of all requested", number(judging.share_failed, "nothing was put to the judge")],
        ["files not sent to the judge", show.count(judging.not_asked)],
    ]
    if judging.not_shown:
        shown = Cell(show.count(sum(judging.not_shown.values())), by_cause(judging.not_shown))
        rows.append(["files that may not be shown or read", shown])
    return table("verdicts", "Verdicts on files that only we found", ["", "n"], rows)


def assessment(assessment: AssessmentSummary) -> tuple[Table, ...]:
    """Mean score of each dimension, and whether the judge would have chosen the same product areas."""
    rows: Rows = []
    for name in sorted(assessment.dimensions, key=lambda name: ([*_DIMENSIONS, name].index(name), name)):
        dimension = assessment.dimensions[name]
        mean, ends = dimension.mean, dimension.mean.interval
        below = f"{ends[0]:.2f}–{ends[1]:.2f}" if ends else "no interval"
        levels = [show.count(n) for _, n in sorted(dimension.counts.items())]
        shown = figure(mean.value, "{:.2f}".format, "no search has this score", below)
        rows.append([_DIMENSIONS.get(name, name), shown, *levels, show.count(mean.n)])
    failed = by_cause(assessment.failed)
    tables = [
        table(
            "dimensions",
            "Searches as a whole, 1 (worst) to 5 (95 % interval)",
            ["Dimension", "Mean", "1", "2", "3", "4", "5", "Searches"],
            rows,
            note=f"Assessments that failed: {failed}." if failed else "",
        )
    ]
    if (areas := assessment.classification) is not None:
        most = sorted(areas.mistaken.items(), key=lambda item: (-item[1], item[0]))[:5]
        mistakes = "; ".join(f"{pair.replace('->', '→')} {n}" for pair, n in most)
        note = f"Most often another area, ours → the judge's: {mistakes}." if mistakes else ""
        title = "Product areas, ours against the judge's (95 % interval)"
        row: list[Cell | str] = [show.count(areas.accuracy.n), estimate(areas.accuracy)]
        tables.append(table("classification", title, ["Conversations", "Same area"], [row], note=note))
    return tuple(tables)


def unusable(view: View) -> Table:
    """Conversations that could not be used."""
    rows = [[left.conversation, left.why] for left in view.evaluation.unusable]
    return table("unusable", "Conversations left out", ["Conversation", "Why"], rows, words=2)
