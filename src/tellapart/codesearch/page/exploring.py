"""Who explored, how far the two agree, and what calibration makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tellapart.codesearch.page.cells import UNKNOWN, causes, estimate, number, span
from tellapart.codesearch.page.record import View
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table, undefined

ROLES = ("run_a", "run_b")


def runs(view: View) -> Table:
    """What became of the explorations."""
    told, counts = view.block("exploring"), view.block("calibration")
    alone: dict[str, int | None] = {
        "run_a": counts.get("opus_only_files"),
        "run_b": counts.get("sonnet_only_files"),
    }
    rows: list[list[Cell | str]] = []
    for role in ROLES:
        one = told[role]
        failed = sum(one["failed"].values())
        found, own = one["files_found"], alone[role]
        rows.append(
            [
                view.runs[role],
                show.count(one["done"]),
                Cell(show.count(failed), causes(one["failed"])),
                Cell(show.count(len(one["suspect"])), strong=bool(one["suspect"])),
                show.count(found["total"]),
                undefined("no exploration is done") if found["median"] is None else f"{found['median']:g}",
                undefined(UNKNOWN) if own is None else show.count(own),
            ]
        )
    return table(
        "runs",
        "The two explorations of each conversation",
        ["run", "done", "failed", "suspect", "files", "files, median", "files it alone found"],
        rows,
        note="Suspect: found no file, and reports no error. Files found alone are those of all calibration "
        "iterations so far.",
    )


def agreement(view: View) -> Table:
    """How far run A and run B agree, with and without explorations that found nothing or failed."""
    told = view.block("agreement")
    words = {
        "overlap_of_a": "share of run A's files that run B found",
        "overlap_of_b": "share of run B's files that run A found",
        "jaccard": "found by both, of all files (Jaccard), mean",
        "jaccard_pooled": "the same over all files",
    }
    rows: list[list[Cell | str]] = [
        [said, estimate(told.get(name)), estimate(told.get(f"{name}_clean"))] for name, said in words.items()
    ]
    n = [show.plural(told.get(name, 0), "conversation") for name in ("conversations", "conversations_clean")]
    return table(
        "agreement",
        f"How far {view.runs['run_a']} and {view.runs['run_b']} agree (95 % interval)",
        ["", f"all {n[0]}", f"without suspect and failed runs: {n[1]}"],
        rows,
    )


def retest(view: View) -> Table | None:
    """Whether an explorer agrees better with itself than with the other; None where none was asked twice."""
    told = view.block("agreement").get("retest") or {}
    rows: list[list[Cell | str]] = []
    for role in ROLES:
        one = told.get(role)
        if one:
            differs = {True: "the other differs by more", False: "not told apart", None: "too few"}
            rows.append(
                [
                    view.runs[role],
                    differs[one["differs"]],
                    estimate(one["self"]["jaccard"]),
                    estimate(one["cross"]["jaccard"]),
                    estimate(one["difference"]),
                    Cell(
                        show.count(one["conversations"]),
                        f"{one['left_out']} left out" if one["left_out"] else "",
                    ),
                ]
            )
    if not rows:
        return None
    return table(
        "retest",
        "Asked twice: does an explorer agree with itself? (Jaccard, 95 % interval)",
        ["run", "reading", "with itself", "with the other", "difference", "conversations"],
        rows,
        words=2,
        note="Where an explorer agrees with itself no better than with the other, their disagreement says "
        "nothing about the models.",
    )


def decision(view: View) -> Table | None:
    """What calibration decides, and its doubts; None where nothing was decided."""
    told = view.block("agreement").get("decision")
    if not told:
        return None
    rows: list[list[Cell | str]] = [["decision", told["text"]]]
    rows += [["doubt", f"{doubt[:1].upper()}{doubt[1:]}."] for doubt in told.get("unsettled", ())]
    counted = show.listed([str(n) for n in told["counted_iterations"]]) or "none"
    rows += [
        ["iterations counted", f"{counted} of {told['calibration_iterations']} asked for"],
        ["overlap", _overlap(told)],
        ["overlap without suspect and failed runs", _number(told["overlap_rate_clean"])],
        ["overlap that is enough", f"{told['threshold']:g}"],
        ["overlap of run A with itself", _number(told.get("ceiling"), "not retested")],
    ]
    return table("calibration", "Calibration: is run B's explorer enough?", ["", "says"], rows, words=2)


def overlaps(view: View) -> list[tuple[int, Mapping[str, Any]]]:
    """Share of run A's files that run B found too, of each iteration of a loop by itself."""
    return [
        (n, found)
        for n, metrics in view.iterations
        if (found := (metrics.get("agreement") or {}).get("overlap_of_a")) is not None
    ]


def overlap_table(view: View) -> Table:
    """Overlap of each iteration, with who explored."""
    rows: list[list[Cell | str]] = []
    for n, metrics in view.iterations:
        told = metrics.get("agreement") or {}
        names = told.get("explorers") or {}
        who = [f"{word} {names.get(role) or UNKNOWN}" for role, word in (("run_a", "A"), ("run_b", "B"))]
        one = told.get("overlap_of_a"), told.get("overlap_of_a_clean")
        total = (told.get("decision") or {}).get("overlap_rate")
        rows.append([str(n), "; ".join(who), *map(estimate, one), number(total)])
    return table(
        "overlaps",
        "Share of run A's files that run B found, by iteration (95 % interval)",
        ["iteration", "runs", "overlap", "without suspect and failed runs", "calibration so far"],
        rows,
        words=2,
    )


def _overlap(told: Mapping[str, Any]) -> str:
    ends = told["interval"]
    shown = _number(told["overlap_rate"])
    return f"{shown} (95 % interval {span(ends)})" if ends else f"{shown}, no interval"


def _number(value: float | None, otherwise: str = "undefined") -> str:
    return otherwise if value is None else show.decimal(value)
