"""Grades in the document's words: shares of right answers, their signs, and mean scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from tellapart.longcontext.grades import VALUES
from tellapart.longcontext.results import GradingRecord, ProbeRecord
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, figure

GOOD, MIXED, BAD = "✅", "⚠️", "❌"
SIGNS = (
    f"{GOOD} all right, {MIXED} at least half, {BAD} less than half; {show.DASH} where missing grades leave "
    "that open."
)
"""How to read the signs: the rule that the document's own example rows follow."""

_SIMPLE = {GOOD: "✓", MIXED: "◐", BAD: "✗"}


def with_simple_signs(shown: Table) -> Table:
    """Replace signs by those that every font has and that are one column wide in a terminal."""

    def simple(text: str) -> str:
        for sign_, letter in _SIMPLE.items():
            text = text.replace(sign_, letter)
        return text

    rows = tuple(tuple(replace(cell, text=simple(cell.text)) for cell in row) for row in shown.rows)
    return replace(shown, rows=rows, note=simple(shown.note))


def right(probes: Sequence[ProbeRecord]) -> int:
    """How many answers have full marks."""
    return sum(probe.value == 1 for probe in probes)


def missing(probes: Sequence[ProbeRecord]) -> int:
    """How many answers have no score."""
    return sum(probe.value is None for probe in probes)


def sign(probes: Sequence[ProbeRecord]) -> str:
    """The sign by ``SIGNS`` that missing grades cannot change, else a dash."""
    n, least = len(probes), right(probes)
    signs = {
        GOOD if count == n else MIXED if 2 * count >= n else BAD for count in (least, least + missing(probes))
    }
    return signs.pop() if probes and len(signs) == 1 else show.DASH


def share(probes: Sequence[ProbeRecord]) -> str:
    """Right answers of all, as the document counts them: ``3/4 CORRECT + 1 PASS``; missing ones behind."""
    if not probes:
        return "0/0"
    counts = Counter(probe.category for probe in probes if probe.value == 1)
    parts = [f"{counts.pop('CORRECT', 0)}/{len(probes)} CORRECT"]
    parts += [f"{n} {name}" for name, n in sorted(counts.items())]
    lost = missing(probes)
    return " + ".join(parts) + (f" ({lost} missing)" if lost else "")


def grade(probe: ProbeRecord) -> str:
    """The category, with a score that is measured; ``7/25 correct`` of an enumeration."""
    if probe.correct is not None and probe.value is not None:
        return f"{probe.correct}/{probe.of} correct"
    if probe.value is not None and probe.value != VALUES[probe.category]:
        return f"{probe.category} {probe.value:.2f}"
    return str(probe.category)


def counted(names: Sequence[str]) -> str:
    """``CORRECT 3/4, PARTIAL 1/4``."""
    return ", ".join(f"{name} {n}/{len(names)}" for name, n in Counter(names).most_common())


def grades(probes: Sequence[ProbeRecord]) -> str:
    """Grades of one probe over its epochs."""
    return grade(probes[0]) if len(probes) == 1 else counted([grade(probe) for probe in probes])


def mean(probes: Sequence[ProbeRecord]) -> float | None:
    """Mean score of the graded ones; None where none is graded."""
    values = [probe.value for probe in probes if probe.value is not None]
    return sum(values) / len(values) if values else None


def bounds(probes: Sequence[ProbeRecord]) -> tuple[float, float] | None:
    """Mean score with every missing grade taken as 0, and as 1; None of no probes."""
    if not probes:
        return None
    total = sum(probe.value for probe in probes if probe.value is not None)
    return total / len(probes), (total + missing(probes)) / len(probes)


def causes(probes: Sequence[ProbeRecord]) -> str:
    """Why grades are missing, counted: ``judge 2, provider 1``."""
    counts = Counter(probe.missing or "not said" for probe in probes if probe.value is None)
    return ", ".join(f"{cause} {n}" for cause, n in sorted(counts.items()))


CELLS = ("Probes", "Mean score, %", "Missing", "Bounds, %")


def cells(probes: Sequence[ProbeRecord], interval: str = "") -> list[Cell | str]:
    """The figures of ``CELLS``."""
    return [
        show.count(len(probes)),
        figure(mean(probes), show.rate, "no answer was graded", interval),
        Cell(show.count(missing(probes)), causes(probes)),
        figure(bounds(probes), show.rate_range, "nothing was asked"),
    ]


def grader(record: GradingRecord) -> str:
    """Who graded, in a few words; a judge as people call it, with its full name behind."""
    judge = record.judge or "a judge whose name is not recorded"
    parts = judge.rsplit("/", 1)[-1].split("-")
    if parts[0] == "claude" and len(parts) >= 4:
        version = ".".join(part for part in parts[2:] if len(part) < 3)
        judge = f"Claude {parts[1].capitalize()} {version} ({judge})"
    return {
        "rules": "rules, no model",
        "judge": judge,
        "auto": f"rules, and by {judge} where they cannot tell",
    }.get(record.grader, record.grader)
