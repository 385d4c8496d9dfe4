"""Who explored, how far the two agree, and what calibration makes of it."""

from __future__ import annotations

from tellapart.codesearch.figures import Agreement
from tellapart.codesearch.page.cells import UNKNOWN, estimate
from tellapart.codesearch.page.view import View
from tellapart.report import numbers as show
from tellapart.report.missing_reasons import by_cause
from tellapart.report.tables import Cell, Table, figure, table, undefined

ROLES = ("run_a", "run_b")


def runs(view: View) -> Table:
    """What became of the explorations."""
    calibration = view.metrics.calibration
    alone: dict[str, int | None] = {
        "run_a": calibration.opus_only_files if calibration else None,
        "run_b": calibration.sonnet_only_files if calibration else None,
    }
    rows: list[list[Cell | str]] = []
    for role in ROLES:
        run = view.metrics.exploring.of(role)
        failed = sum(run.failed.values())
        files, only_here = run.files_found, alone[role]
        rows.append(
            [
                view.runs[role],
                show.count(run.done),
                Cell(show.count(failed), by_cause(run.failed)),
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
    share_of_a, share_of_b = (
        "share of run A's files that run B found",
        "share of run B's files that run A found",
    )
    mean = "found by both, of all files (Jaccard), mean"
    rows: list[list[Cell | str]] = [
        [share_of_a, estimate(agreed.overlap_of_a)],
        [share_of_b, estimate(agreed.overlap_of_b)],
        [mean, estimate(agreed.jaccard)],
    ]
    return table(
        "agreement",
        f"How far {view.runs['run_a']} and {view.runs['run_b']} agree (95 % interval)",
        ["", show.plural(agreed.conversations, "conversation")],
        rows,
        note=f"{show.plural(agreed.left_out, 'conversation')} with a suspect or failed run left out."
        if agreed.left_out
        else "",
    )


def retest(view: View) -> Table | None:
    """Whether an explorer agrees better with itself than with the other; None where none was asked twice."""
    agreed = view.metrics.agreement
    retests = agreed.retest.by_role() if agreed and agreed.retest else {}
    if not retests:
        return None
    differs = {True: "the other differs by more", False: "not told apart", None: "too few"}
    rows: list[list[Cell | str]] = [
        [
            view.runs[role],
            differs[again.differs],
            estimate(again.itself["jaccard"]),
            estimate(again.cross["jaccard"]),
            estimate(again.difference),
            Cell(show.count(again.conversations), f"{again.left_out} left out" if again.left_out else ""),
        ]
        for role, again in retests.items()
    ]
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
    rows: list[list[Cell | str]] = [["decision", decided.text]]
    counted = show.listed([str(n) for n in decided.counted_iterations]) or "none"
    rows += [
        ["iterations counted", f"{counted} of {decided.calibration_iterations} requested"],
        ["overlap", _number(decided.overlap_rate)],
        ["overlap that is enough", f"{decided.threshold:g}"],
        ["overlap of run A with itself", _number(decided.ceiling, "not retested")],
    ]
    return table("calibration", "Calibration: is run B's explorer enough?", ["", "Says"], rows, words=2)


def _number(value: float | None, otherwise: str = "undefined") -> str:
    return otherwise if value is None else show.decimal(value)
