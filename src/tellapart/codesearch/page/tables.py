"""Precision and recall over all conversations, by area, by rank, and of each conversation."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.codesearch.figures import (
    AreaAggregate,
    GapBelow,
    MeasureSummary,
    RankedMeasure,
    RankingSummary,
    SampledRecall,
)
from tellapart.codesearch.metrics.score_tables import measure_in_words
from tellapart.codesearch.metrics.warnings import interval_of
from tellapart.codesearch.model import Case, MeasureRecord
from tellapart.codesearch.page.cells import (
    NO_INTERVAL,
    UNKNOWN,
    bounds,
    is_open,
    number,
    span,
)
from tellapart.codesearch.page.view import View
from tellapart.report import numbers as show
from tellapart.report.missing_reasons import by_cause
from tellapart.report.tables import Cell, Table, figure, table, undefined

OURS_ALONE = "the original pipeline has no such figure"
NOT_JUDGED = "verdicts are missing"
FOUND_NOTHING = "nothing was found, or nothing is known to be relevant"


def measures(view: View) -> Table:
    """Every measure: the original figure, our mean with its intervals, its bounds, and what is missing."""
    aggregate = view.metrics.aggregate
    documented = {"precision": aggregate.precision, "recall": aggregate.recall}
    rows: list[list[Cell | str]] = []
    for name, measure in view.metrics.measures.items():
        rows.append(
            [
                measure_in_words(name),
                number(documented[name], NOT_JUDGED) if name in documented else undefined(OURS_ALONE),
                _macro(measure),
                bounds((measure.low, measure.high)),
                Cell(show.count(measure.conversations), by_cause(measure.missing)),
            ]
        )
    headings = ["Measure", "Original", "Mean", "Bounds of the mean", "Conversations"]
    return table(
        "measures",
        "Precision and recall (95 % intervals)",
        headings,
        rows,
        note="Original: as the original pipeline computes it; a verdict that failed counts as not relevant. "
        "Below the mean: Student's t over conversations. "
        "Where verdicts are missing there is no mean, only its bounds. "
        "Bounds: all that is missing taken as not relevant, and as relevant. Without verdicts: only files "
        "that an exploration found count as relevant. Below the conversations: those without a value, by "
        "cause.",
    )


def sampled_recall(sampled: SampledRecall) -> Table:
    """Recall with the sample of what nobody returned, and what it rests on."""
    near, far = sampled.strata["near"], sampled.strata["far"]
    rows: list[list[Cell | str]] = [
        ["recall, at least", number(sampled.recall_at_least, "nobody knows a relevant file")],
        ["recall, estimate", number(sampled.recall, NOT_JUDGED)],
        ["recall by the overlap of the explorers (Chapman)", number(sampled.chapman_recall, NOT_JUDGED)],
        ["relevant files that we found", show.count(sampled.found)],
        ["files that only an explorer found", show.count(sampled.missed)],
        ["relevant files in all, at most", show.count(sampled.relevant_at_most)],
    ]
    for words, part in (("near", near), ("far from", far)):
        verdicts = {"relevant": part.relevant, "without a verdict": part.without_verdict}
        shown = [f"{show.count(n)} {what}" for what, n in verdicts.items() if n or what == "relevant"]
        drawn = Cell(f"{show.count(part.sampled)} of {show.count(part.files)}", ", ".join(shown))
        rows.append([f"sampled {words} the issue, of files that nobody returned", drawn])
    return table(
        "sampled-recall",
        f"Recall with a sample of what nobody returned (95 %, {show.plural(sampled.conversations, 'issue')})",
        ["", "Value"],
        rows,
        note="All conversations together. The lower bound holds for these conversations and this judge, "
        "whatever the explorers missed. Near: by the words that issue and file share.",
    )


def areas(view: View, brief: bool = False) -> Table:
    """Original and own figures of each product area, and how far it is below the whole."""
    with_documented = view.judged and not brief
    names = view.names
    rows: list[list[Cell | str]] = []
    for area, figures in view.metrics.areas.items():
        row: list[Cell | str] = [area, show.count(figures.count)]
        documented = view.metrics.by_product_area.get(area, AreaAggregate())
        for name in names:
            if with_documented:
                row.append(number(getattr(documented, name), NOT_JUDGED))
            row += [_macro(figures.measures[name], brief=True), below(figures.below_aggregate[name])]
        rows.append(row)
    headings = ["Area", "n"]
    for name in names:
        headings += [f"{show.capital(measure_in_words(name))}, original"] if with_documented else []
        headings += [show.capital(measure_in_words(name)), "Below the whole"]
    return table(
        "areas",
        "By product area (95 % intervals, bounds in brackets)",
        headings,
        rows,
        note="n: conversations; one or two say nothing of an area. Original: as the original pipeline "
        "computes it. Far below: by more than 0.15, the original threshold. Whether chance could do that "
        "with so few conversations is tested by assigning areas at random, corrected for their number.",
    )


def conversations(view: View) -> Table:
    """Each conversation in a line."""
    rows: list[list[Cell | str]] = []
    for case in view.cases:
        counts = counts_of(case)
        doubt = "; ".join(_doubts(case))
        rows.append(
            [
                Cell(case.id, doubt),
                case.product_area,
                *(_share(case, name) for name in view.names),
                show.count(len(case.files)),
                *(show.count(counts[what]) for what in ("found", "relevant", "noise", "open")),
                Cell(show.count(len(case.ground_truth)), f"{show.count(len(case.in_both_runs))} by both"),
                show.count(len(case.ground_truth_unique)),
            ]
        )
    headings = ["Conversation", "Area", *(show.capital(measure_in_words(name)) for name in view.names)]
    headings += ["We found", "Known to a run"]
    headings += ["Relevant by the judge", "Not relevant", "No verdict", "The runs found", "We missed"]
    return table("conversations", "Every conversation", headings, rows, words=2)


def warnings(view: View, shown: int) -> Table:
    """Warnings that the top of the report has no room for."""
    rows = [[str(i), text] for i, text in enumerate(view.warnings[shown:], start=shown + 1)]
    return table("warnings", "Further warnings", ["", "Warning"], rows, words=2)


def unusable(view: View) -> Table:
    """Conversations that could not be used."""
    rows = [[left.conversation, left.why] for left in view.evaluation.unusable]
    return table("unusable", "Conversations left out", ["Conversation", "Why"], rows, words=2)


def below(area: GapBelow) -> Cell:
    """How far an area is below the whole, and whether chance does that."""
    gap = area.gap
    if gap is None:
        ends = [end for end in area.gap_bounds if end is not None]
        shown = " to ".join(dict.fromkeys(f"{end:+.3f}".replace("-", show.MINUS) for end in ends))
        far = "; far below" if area.anomaly else ""
        return undefined(NOT_JUDGED, f"[{shown}]{far}" if ends else "")
    shown = f"{gap:+.3f}".replace("-", show.MINUS)
    if area.withheld:
        return Cell(shown, "open: verdicts; are missing")
    if not area.anomaly:
        return Cell(shown)
    beyond, p = area.beyond_chance, area.p
    if beyond is None or p is None:
        return Cell(shown, "far below; chance not testable")
    return Cell(shown, f"far below; {'beyond' if beyond else 'within'} chance; p {show.p_value(p)}", beyond)


def _macro(measure: MeasureSummary, brief: bool = False) -> Cell:
    left = f"[{bounds((measure.low, measure.high))}]"
    if measure.macro is None:
        reason = NOT_JUDGED if "judge" in measure.missing else FOUND_NOTHING
        return undefined(reason, left if brief else "")
    if brief:
        ends = [span(interval_of(measure)), left if is_open(measure) else ""]
        return Cell(show.decimal(measure.macro), "; ".join(filter(None, ends)))
    return Cell(show.decimal(measure.macro), span(measure.interval) if measure.interval else NO_INTERVAL)


def _share(case: Case, name: str) -> Cell:
    measure = case.measures.get(name, MeasureRecord())
    left = f"[{span(measure.bounds)}]" if measure.bounds[0] != measure.bounds[1] else ""
    return number(measure.value, NOT_JUDGED if measure.missing == "judge" else FOUND_NOTHING, left)


def counts_of(case: Case) -> dict[str, int]:
    """Our files: ``found`` by a run too, and of the others ``relevant``, ``noise`` and without a verdict."""
    relevant, open_ = len(case.our_unique_relevant), len(case.without_verdict)
    return {
        "found": len(case.intersection),
        "relevant": relevant,
        "noise": len(case.our_unique) - relevant - open_,
        "open": open_,
    }


def _doubts(case: Case) -> Iterator[str]:
    for name, run in (("Run A", case.run_a), ("Run B", case.run_b)):
        if run.failure is not None:
            yield f"{name} ({run.explorer}) failed"
        elif run.suspect:
            yield f"{name} ({run.explorer}) is suspect"


def ranking(ranked: RankingSummary) -> Table:
    """Measures of the order in which we return files."""
    rows: list[list[Cell | str]] = []
    for name, measure in (ranked.measures or {}).items():
        rows.append(
            [
                name,
                _mean(measure),
                figure(measure.bounds, bounds, "it does not guess"),
                Cell(show.count(measure.conversations), by_cause(measure.missing)),
            ]
        )
    return table(
        "ranking",
        "How good the ranking is (95 % interval)",
        ["Measure", "Mean", "Bounds", "Conversations"],
        rows,
        note="A file of both runs gains 2, one of a single run or of the judge 1. Judged@10: share of the "
        "first ten that have a verdict. Bounds: files without a verdict taken as not relevant, and as "
        "relevant.",
    )


def _mean(measure: RankedMeasure) -> Cell:
    if measure.mean is not None:
        return number(measure.mean, detail=span(measure.interval))
    return undefined(measure.interval_reason or UNKNOWN)
