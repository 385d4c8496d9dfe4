"""How the judging went, and what the judge says of whole searches."""

from __future__ import annotations

from collections.abc import Mapping

from tellapart.codesearch.figures import (
    AssessmentSummary,
    Dimension,
    JudgeSummary,
    Rate,
)
from tellapart.codesearch.page.cells import FAILURES, NO_INTERVAL, number, span
from tellapart.codesearch.page.view import View
from tellapart.report import numbers as show
from tellapart.report.missing_reasons import by_cause
from tellapart.report.tables import Cell, Table, table, undefined

DIMENSIONS = {
    "file_relevance": "files are relevant",
    "snippet_quality": "snippets are good",
    "service_accuracy": "the right services",
    "noise": "little noise",
    "coverage": "coverage",
    "gestalt": "as a whole",
}
NO_VERDICTS = "there is no verdict"


def verdicts(view: View) -> Table:
    """How many files were judged, and what came of it."""
    judging = view.judging
    failed = sum(judging.failed.values())
    shown = Cell(show.count(sum(judging.not_shown.values())), by_cause(judging.not_shown))
    hidden: list[list[Cell | str]] = (
        [["files that may not be shown or read", shown]] if judging.not_shown else []
    )
    rates = (
        ("relevant, of those judged", judging.relevant_rate),
        ("actionable, of the relevant", judging.actionable_rate),
    )
    shares: list[list[Cell | str]] = [[words, _rate(rate)] for words, rate in rates if rate is not None]
    rows: list[list[Cell | str]] = [
        ["files judged", show.count(judging.judged)],
        ["verdicts that failed", Cell(show.count(failed), by_cause(judging.failed), strong=bool(failed))],
        ["files not sent to the judge", show.count(judging.not_asked)],
        *hidden,
        ["failed, of all requested", number(judging.share_failed, "nothing was put to the judge")],
        *shares,
        *_asking(view.judge),
    ]
    return table("verdicts", "Verdicts on files that only we found (95 % intervals)", ["", "n"], rows)


def why_failed(view: View) -> Table | None:
    """What became of the verdicts that failed, by kind; None where none did."""
    counts: dict[tuple[str, str], list[str]] = {}
    for conversation in view.cases:
        for verdict in conversation.verdicts.values():
            if (failure := verdict.failure) is not None:
                kind = FAILURES.get(failure.kind, failure.kind or "unknown")
                counts.setdefault((failure.cause, kind), []).append(conversation.id)
    if not counts:
        return None
    rows: list[list[Cell | str]] = [
        [kind, cause, show.count(len(ids)), show.count(len(set(ids)))]
        for (cause, kind), ids in sorted(counts.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
    headings = ["What happened", "Counted as", "Verdicts", "Conversations"]
    return table("failed", "Verdicts that failed", headings, rows, words=2)


def dimensions(assessment: AssessmentSummary) -> Table:
    """Mean score of each dimension."""
    rows: list[list[Cell | str]] = []
    for name, dimension in _ordered(assessment.dimensions):
        ends = dimension.interval
        shown = f"{ends[0]:.2f}–{ends[1]:.2f}" if ends else NO_INTERVAL
        mean = (
            undefined("no search has this score")
            if dimension.mean is None
            else Cell(f"{dimension.mean:.2f}", shown)
        )
        levels = [show.count(n) for _, n in sorted(dimension.counts.items())]
        rows.append([DIMENSIONS.get(name, name), mean, *levels, show.count(dimension.n)])
    failed = by_cause(assessment.failed)
    return table(
        "dimensions",
        "Searches as a whole, 1 (worst) to 5 (95 % interval)",
        ["Dimension", "Mean", "1", "2", "3", "4", "5", "Searches"],
        rows,
        note=f"Assessments that failed: {failed}." if failed else "",
    )


def classification(assessment: AssessmentSummary) -> Table | None:
    """Whether the judge would have chosen the same product areas; None where it was not asked."""
    areas = assessment.classification
    if areas is None:
        return None
    ends = span(areas.interval) if areas.accuracy is not None else ""
    rows: list[list[Cell | str]] = [
        [show.count(areas.n), number(areas.accuracy, "there is no such conversation", ends)]
    ]
    most = sorted(areas.mistaken.items(), key=lambda item: (-item[1], item[0]))[:5]
    mistakes = "; ".join(f"{pair.replace('->', '→')} {n}" for pair, n in most)
    return table(
        "classification",
        "Product areas, ours against the judge's (95 % interval)",
        ["Conversations", "Same area"],
        rows,
        note=f"Most often another area, ours → the judge's: {mistakes}." if mistakes else "",
    )


def _rate(rate: Rate) -> Cell:
    if rate.rate is None:
        return undefined(NO_VERDICTS)
    return Cell(show.decimal(rate.rate), f"{span(rate.interval)}; n {show.count(rate.n)}")


def _asking(judge: JudgeSummary | None) -> list[list[Cell | str]]:
    """How the judge was asked, of runs of ours."""
    if judge is None:
        return []
    rows: list[list[Cell | str]] = [["times that each file was judged", show.count(judge.repeats)]]
    if judge.taken_over:
        rows.append(["verdicts taken over from an earlier run", show.count(judge.taken_over)])
    flips = number(
        judge.flip_rate,
        "files were judged once; 'judge_repeats' in config.json measures it",
        span(judge.flip_ci) if judge.flip_ci else "",
    )
    return [*rows, ["files whose verdict changed when judged again", flips]]


def _ordered(scored: Mapping[str, Dimension]) -> list[tuple[str, Dimension]]:
    order = list(DIMENSIONS)
    return sorted(scored.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order))
