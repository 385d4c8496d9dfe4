"""Explorers and judge: who explored, how far the two agree, and how the judging went."""

from __future__ import annotations

from tellapart.codesearch.figures import Agreement, AssessmentSummary
from tellapart.codesearch.page.tables import FAILURES, UNKNOWN, Rows, estimate, number, span
from tellapart.codesearch.page.view import ROLES, View
from tellapart.report import numbers as show
from tellapart.report.missing_reasons import by_cause
from tellapart.report.tables import Cell, Table, figure, table, undefined

DIMENSIONS = {
    "file_relevance": "files are relevant",
    "snippet_quality": "snippets are good",
    "service_accuracy": "the right services",
    "noise": "little noise",
    "coverage": "coverage",
    "gestalt": "as a whole",
}


def runs(view: View) -> Table:
    """What became of the explorations."""
    counted = view.metrics.calibration
    alone = (counted.opus_only_files, counted.sonnet_only_files) if counted else (None, None)
    rows: Rows = []
    for role, only_here in zip(ROLES, alone, strict=True):
        run = view.metrics.exploring.of(role)
        files = run.files_found
        rows.append(
            [
                view.runs[role],
                show.count(run.done),
                Cell(show.count(sum(run.failed.values())), by_cause(run.failed)),
                Cell(show.count(len(run.suspect)), strong=bool(run.suspect)),
                show.count(files.total),
                undefined("no exploration is done") if files.median is None else f"{files.median:g}",
                figure(only_here, show.count, UNKNOWN),
            ]
        )
    return table(
        "runs",
        "The two explorations of each conversation",
        ["Run", "Done", "Failed", "Suspect", "Files", "Files, median", "Files it alone found"],
        rows,
        note="Suspect: found no file, and reports no error. Files found alone are those of all calibration "
        "iterations so far.",
    )


def agreement(view: View, agreed: Agreement) -> Table:
    """How far run A and run B agree where both found something."""
    rows: Rows = [
        ["share of run A's files that run B found", estimate(agreed.overlap_of_a)],
        ["share of run B's files that run A found", estimate(agreed.overlap_of_b)],
        ["found by both, of all files (Jaccard), mean", estimate(agreed.jaccard)],
    ]
    left_out = f"{show.plural(agreed.left_out, 'conversation')} with a suspect or failed run left out."
    return table(
        "agreement",
        f"How far {view.runs['run_a']} and {view.runs['run_b']} agree (95 % interval)",
        ["", show.plural(agreed.conversations, "conversation")],
        rows,
        note=left_out if agreed.left_out else "",
    )


def retest(view: View) -> Table | None:
    """Whether an explorer agrees better with itself than with the other; None where none was asked twice."""
    agreed = view.metrics.agreement
    differs = {True: "the other differs by more", False: "not told apart", None: "too few"}
    rows: Rows = [
        [
            view.runs[role],
            differs[again.differs],
            *map(estimate, (again.itself, again.cross, again.difference)),
            Cell(show.count(again.conversations), f"{again.left_out} left out" if again.left_out else ""),
        ]
        for role, again in (agreed.retest if agreed else {}).items()
    ]
    if not rows:
        return None
    return table(
        "retest",
        "Asked twice: does an explorer agree with itself? (Jaccard, 95 % interval)",
        ["Run", "Reading", "With itself", "With the other", "Difference", "Conversations"],
        rows,
        words=2,
        note="Where an explorer agrees with itself no better than with the other, their disagreement says "
        "nothing about the models.",
    )


def decision(view: View) -> Table | None:
    """What calibration decides; None where nothing was decided."""
    decided = view.metrics.agreement.decision if view.metrics.agreement else None
    if decided is None:
        return None
    counted = show.listed([str(n) for n in decided.counted_iterations]) or "none"
    rate, ceiling = decided.overlap_rate, decided.ceiling
    rows: Rows = [
        ["decision", decided.text],
        ["iterations counted", f"{counted} of {decided.calibration_iterations} requested"],
        ["overlap", "undefined" if rate is None else show.decimal(rate)],
        ["overlap that is enough", f"{decided.threshold:g}"],
        ["overlap of run A with itself", "not retested" if ceiling is None else show.decimal(ceiling)],
    ]
    return table("calibration", "Calibration: is run B's explorer enough?", ["", "Says"], rows, words=2)


def verdicts(view: View) -> Table:
    """How many files were judged, what came of it, and how the judge was asked."""
    judging = view.judging
    failed, hidden = sum(judging.failed.values()), sum(judging.not_shown.values())
    rows: Rows = [
        ["files judged", show.count(judging.judged)],
        ["verdicts that failed", Cell(show.count(failed), by_cause(judging.failed), strong=bool(failed))],
        ["files not sent to the judge", show.count(judging.not_asked)],
    ]
    if hidden:
        shown = Cell(show.count(hidden), by_cause(judging.not_shown))
        rows.append(["files that may not be shown or read", shown])
    rows.append(["failed, of all requested", number(judging.share_failed, "nothing was put to the judge")])
    rates = (
        ("relevant, of those judged", judging.relevant_rate),
        ("actionable, of the relevant", judging.actionable_rate),
    )
    for words, rate in rates:
        if rate is not None:
            below = "" if rate.value is None else f"{span(rate.interval)}; n {show.count(rate.n)}"
            rows.append([words, number(rate.value, "there is no verdict", below)])
    if view.judge and view.judge.taken_over:
        rows.append(["verdicts taken over from an earlier run", show.count(view.judge.taken_over)])
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
    rows: Rows = [
        [kind, cause, show.count(len(ids)), show.count(len(set(ids)))]
        for (cause, kind), ids in sorted(counts.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
    headings = ["What happened", "Counted as", "Verdicts", "Conversations"]
    return table("failed", "Verdicts that failed", headings, rows, words=2)


def dimensions(assessment: AssessmentSummary) -> Table:
    """Mean score of each dimension."""
    order = list(DIMENSIONS)
    rows: Rows = []
    for name, dimension in sorted(
        assessment.dimensions.items(),
        key=lambda item: order.index(item[0]) if item[0] in order else len(order),
    ):
        mean, ends = dimension.mean, dimension.mean.interval
        below = f"{ends[0]:.2f}–{ends[1]:.2f}" if ends else "no interval"
        levels = [show.count(n) for _, n in sorted(dimension.counts.items())]
        shown = (
            undefined("no search has this score") if mean.value is None else Cell(f"{mean.value:.2f}", below)
        )
        rows.append([DIMENSIONS.get(name, name), shown, *levels, show.count(mean.n)])
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
    most = sorted(areas.mistaken.items(), key=lambda item: (-item[1], item[0]))[:5]
    mistakes = "; ".join(f"{pair.replace('->', '→')} {n}" for pair, n in most)
    return table(
        "classification",
        "Product areas, ours against the judge's (95 % interval)",
        ["Conversations", "Same area"],
        [[show.count(areas.accuracy.n), estimate(areas.accuracy)]],
        note=f"Most often another area, ours → the judge's: {mistakes}." if mistakes else "",
    )
