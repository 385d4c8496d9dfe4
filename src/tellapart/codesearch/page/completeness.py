"""How many relevant files there are, and how many of them are known."""

from __future__ import annotations

from tellapart.codesearch.figures import Completeness, EstimatedRecall, NoEstimate, PopulationEstimate
from tellapart.codesearch.page.cells import HasEnds, ends_of, number, span
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table, undefined

NO_ESTIMATE = "two explorations that share files are needed"


def estimates(completeness: Completeness) -> Table:
    """The estimate with its interval, coverage and recall given it."""
    coverage = completeness.coverage
    counts = (
        completeness.run_a_files,
        completeness.run_b_files,
        completeness.both_files,
        completeness.known_files,
    )
    words = ("run A", "run B", "both", "known: either")
    rows: list[list[Cell | str]] = [
        [f"relevant files, {word}", show.count(n)] for word, n in zip(words, counts, strict=True)
    ]
    rows += [
        ["relevant files, estimate", files(completeness.estimate)],
        ["known, of the estimate", number(coverage.value, NO_ESTIMATE, _ends(coverage))],
        ["recall, given the estimate", _recall(completeness.recall)],
        ["conversations", Cell(show.count(completeness.conversations), _left_out(completeness.left_out))],
    ]
    return table(
        "completeness",
        "Relevant files, known and unknown (95 % intervals)",
        ["", "Files"],
        rows,
        note="Chapman's estimate from two explorations, summed over conversations. It holds where each finds "
        "files independently of the other; explorations that miss the same files make it too small.",
    )


def files(estimate: PopulationEstimate) -> Cell:
    """An estimated number of files with its interval, which may have no end."""
    if estimate.value is None:
        return undefined(estimate.reason or NO_ESTIMATE)
    low, high = estimate.low, estimate.high
    if low is None:
        interval = "no interval"
    elif high is None:
        interval = f"≥{show.count(round(low))}"
    else:
        interval = f"{show.count(round(low))}–{show.count(round(high))}"
    return Cell(show.count(round(estimate.value)), interval)


def _recall(recall: EstimatedRecall) -> Cell:
    open_ = f"[{span(recall.bounds)}] by missing verdicts" if recall.without_verdict else ""
    return number(recall.value, "verdicts are missing", "; ".join(filter(None, [_ends(recall), open_])))


def _ends(record: HasEnds) -> str:
    ends = ends_of(record)
    return span(ends) if ends else ""


def _left_out(left: NoEstimate) -> str:
    reasons = ((left.run_failed, "a run failed"), (left.run_found_nothing, "a run found nothing"))
    return "; ".join(f"{n} left out: {reason}" for n, reason in reasons if n)
