"""How the judging went, and what the judge says of whole searches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tellapart.codesearch.page.cells import FAILURES, NO_INTERVAL, causes, number, span
from tellapart.codesearch.page.record import View
from tellapart.report import numbers as show
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
    told = view.judging
    failed = sum(told["failed"].values())
    rates = {
        "relevant, of those judged": "relevant_rate",
        "actionable, of the relevant": "actionable_rate",
        "actionable or maybe": "maybe_actionable_rate",
    }
    shares: list[list[Cell | str]] = [[words, _rate(told[of])] for words, of in rates.items() if of in told]
    rows: list[list[Cell | str]] = [
        ["files judged", show.count(told["judged"])],
        ["verdicts that failed", Cell(show.count(failed), causes(told["failed"]), strong=bool(failed))],
        ["files that nobody put to the judge", show.count(told["not_asked"])],
        ["failed, of those asked for", number(told["share_failed"], "nothing was put to the judge")],
        *shares,
        *_asking(view.block("judge")),
    ]
    return table("verdicts", "Verdicts on files that only we found (95 % intervals)", ["", "n"], rows)


def why_failed(view: View) -> Table | None:
    """What became of the verdicts that failed, by kind; None where none did."""
    counts: dict[tuple[str, str], list[str]] = {}
    for one in view.conversations:
        for verdict in one.our_unique_judgments:
            if verdict.failed_cause is not None:
                kind = FAILURES.get(verdict.failed_kind or "", verdict.failed_kind or "unknown")
                counts.setdefault((verdict.failed_cause, kind), []).append(one.conversation_id)
    if not counts:
        return None
    rows: list[list[Cell | str]] = [
        [kind, cause, show.count(len(ids)), show.count(len(set(ids)))]
        for (cause, kind), ids in sorted(counts.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
    headings = ["what happened", "counted as", "verdicts", "conversations"]
    return table("failed", "Verdicts that failed", headings, rows, words=2)


def dimensions(view: View) -> Table:
    """Mean score of each dimension."""
    told = view.block("assessment")
    rows: list[list[Cell | str]] = []
    for name, found in _ordered(told["dimensions"]):
        ends = found["interval"]
        shown = f"{ends[0]:.2f}–{ends[1]:.2f}" if ends else NO_INTERVAL
        mean = (
            undefined("no search has this score")
            if found["mean"] is None
            else Cell(f"{found['mean']:.2f}", shown)
        )
        levels = [show.count(n) for _, n in sorted(found["counts"].items())]
        rows.append([DIMENSIONS.get(name, name), mean, *levels, show.count(found["n"])])
    failed = causes(told["failed"])
    return table(
        "dimensions",
        "Searches as a whole, 1 (worst) to 5 (95 % interval)",
        ["dimension", "mean", "1", "2", "3", "4", "5", "searches"],
        rows,
        note=f"Assessments that failed: {failed}." if failed else "",
    )


def classification(view: View) -> Table | None:
    """Whether the judge would have chosen the same product areas; None where it was not asked."""
    told = view.block("assessment").get("classification")
    if not told:
        return None
    rows: list[list[Cell | str]] = [["all", *_accuracy(told), number(told.get("kappa"), "areas do not vary")]]
    if told.get("certain"):
        rows.append(
            ["with an area of their own", *_accuracy(told["certain"]), undefined("given for all alone")]
        )
    mistaken = told.get("mistaken") or {}
    most = sorted(mistaken.items(), key=lambda item: (-item[1], item[0]))[:5]
    said = "; ".join(f"{pair.replace('->', '→')} {n}" for pair, n in most)
    return table(
        "classification",
        "Product areas, ours against the judge's (95 % interval)",
        ["conversations", "n", "same area", "Cohen's κ"],
        rows,
        note=f"Most often another area, ours → the judge's: {said}." if said else "",
    )


def _rate(found: Mapping[str, Any]) -> Cell:
    if found["rate"] is None:
        return undefined(NO_VERDICTS)
    return Cell(show.decimal(found["rate"]), f"{span(found['interval'])}; n {show.count(found['n'])}")


def _asking(told: Mapping[str, Any]) -> list[list[Cell | str]]:
    """How the judge was asked, of runs of ours."""
    if not told:
        return []
    rows: list[list[Cell | str]] = [["times that each file was judged", show.count(told.get("repeats", 1))]]
    if told.get("taken_over"):
        rows.append(["verdicts taken over from an earlier run", show.count(told["taken_over"])])
    if told.get("unreadable"):
        rows.append(["files that could not be read", show.count(told["unreadable"])])
    ends = told.get("flip_ci")
    flips = number(
        told.get("flip_rate"),
        "files were judged once; --judge-repeats 3 measures it",
        span(ends) if ends else "",
    )
    return [*rows, ["files whose verdict changed when judged again", flips]]


def _accuracy(told: Mapping[str, Any]) -> list[Cell | str]:
    ends = span(told["interval"]) if told["accuracy"] is not None else ""
    return [show.count(told["n"]), number(told["accuracy"], "there is no such conversation", ends)]


def _ordered(found: Mapping[str, Any]) -> list[tuple[str, Any]]:
    order = list(DIMENSIONS)
    return sorted(found.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order))
