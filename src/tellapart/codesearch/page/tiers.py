"""Figures by how sure it is that a file is relevant, and by where in the list it stands."""

from __future__ import annotations

from tellapart.codesearch.page.cells import UNKNOWN, bounds, causes, estimate, number, span
from tellapart.codesearch.results.metrics import Confidence, Ranked, RankedMeasure
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table, undefined

TIERS = {
    "both_runs": "found by both runs",
    "one_run": "found by one run",
    "judge_only": "relevant by the judge alone",
    "irrelevant": "not relevant by the judge",
    "no_verdict": "no verdict",
}
"""Surest first, then the rest of our files."""


def tiers(confidence: Confidence) -> Table:
    """What we found of each tier, and which share of our files it is."""
    rows: list[list[Cell | str]] = []
    for name, words in TIERS.items():
        tier = confidence.tiers.get(name)
        if tier:
            rows.append(
                [
                    words,
                    undefined("these are not relevant files that are known")
                    if tier.files is None
                    else show.count(tier.files),
                    show.count(tier.ours),
                    undefined("there is nothing to recall") if tier.recall is None else estimate(tier.recall),
                    estimate(tier.precision),
                ]
            )
    left = (
        f" {show.plural(confidence.left_out, 'conversation')} in which a run failed left out."
        if confidence.left_out
        else ""
    )
    return table(
        "tiers",
        "Our files by who vouches for them (95 % interval)",
        ["tier", "relevant files known", "we found", "share of the known", "share of ours"],
        rows,
        note=f"Over all files, intervals by conversation; the shares of ours add up to 1.{left}",
    )


def ranking(ranked: Ranked) -> Table:
    """Measures of the order in which we return files."""
    rows: list[list[Cell | str]] = []
    for name, measure in (ranked.measures or {}).items():
        rows.append(
            [
                name,
                _mean(measure),
                undefined("it does not guess") if measure.bounds is None else bounds(measure.bounds),
                Cell(show.count(measure.conversations), causes(measure.missing)),
            ]
        )
    return table(
        "ranking",
        "How well the order is (95 % bootstrap interval)",
        ["measure", "mean", "bounds", "conversations"],
        rows,
        note="A file of both runs gains 2, one of a single run or of the judge 1. Judged@10: of how many of "
        "the first ten it is known whether they are relevant. Bounds: files without a verdict taken as not "
        "relevant, and as relevant.",
    )


def _mean(measure: RankedMeasure) -> Cell:
    if measure.mean is not None:
        return number(measure.mean, detail=span(measure.interval))
    value, n = measure.mean_complete, show.count(measure.conversations)
    detail = "" if value is None else f"{show.decimal(value)} over {n} complete"
    return undefined(measure.interval_reason or UNKNOWN, detail)
