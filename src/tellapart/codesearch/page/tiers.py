"""Figures by how sure it is that a file is relevant, and by where in the list it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tellapart.codesearch.page.cells import bounds, causes, estimate, number, span
from tellapart.codesearch.page.record import View
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


def tiers(view: View) -> Table:
    """What we found of each tier, and which share of our files it is."""
    told = view.block("confidence")
    rows: list[list[Cell | str]] = []
    for name, words in TIERS.items():
        found = told["tiers"].get(name)
        if found:
            known = found.get("files")
            rows.append(
                [
                    words,
                    undefined("these are not relevant files that are known")
                    if known is None
                    else show.count(known),
                    show.count(found["ours"]),
                    estimate(found["recall"])
                    if "recall" in found
                    else undefined("there is nothing to recall"),
                    estimate(found["precision"]),
                ]
            )
    left = (
        f" {show.plural(told['left_out'], 'conversation')} in which a run failed left out."
        if told["left_out"]
        else ""
    )
    return table(
        "tiers",
        "Our files by who vouches for them (95 % interval)",
        ["tier", "relevant files known", "we found", "share of the known", "share of ours"],
        rows,
        note=f"Over all files, intervals by conversation; the shares of ours add up to 1.{left}",
    )


def ranking(view: View) -> Table:
    """Measures of the order in which we return files."""
    told = view.block("ranked")
    rows: list[list[Cell | str]] = []
    for name, found in (told["measures"] or {}).items():
        left = found["bounds"]
        rows.append(
            [
                name,
                _mean(found),
                undefined("it does not guess") if left is None else bounds(left),
                Cell(show.count(found["conversations"]), causes(found["missing"])),
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


def _mean(found: Mapping[str, Any]) -> Cell:
    if found["mean"] is not None:
        return number(found["mean"], detail=span(found["interval"]))
    value, n = found.get("mean_complete"), show.count(found["conversations"])
    detail = "" if value is None else f"{show.decimal(value)} over {n} complete"
    return undefined(found["interval_reason"], detail)
