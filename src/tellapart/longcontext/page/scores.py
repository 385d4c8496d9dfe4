"""Grades in the document's words: shares of right answers, and the sign of each."""

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
    """Give a table with signs that every font has and that are one column wide in a terminal."""

    def simple(text: str) -> str:
        for sign_, letter in _SIMPLE.items():
            text = text.replace(sign_, letter)
        return text

    rows = tuple(tuple(replace(cell, text=simple(cell.text)) for cell in row) for row in shown.rows)
    return replace(shown, rows=rows, note=simple(shown.note))


def is_right(probe: ProbeRecord) -> bool:
    """Whether an answer has full marks."""
    return bool(probe.value == 1)


def is_missing(probe: ProbeRecord) -> bool:
    """Whether there is no grade that says something of the answer."""
    return probe.value is None


def sign(probes: Sequence[ProbeRecord]) -> str:
    """Sign of some answers by ``SIGNS``: what missing grades cannot change; a dash of none at all."""
    right, missing = sum(map(is_right, probes)), sum(map(is_missing, probes))
    signs = {
        GOOD if n == len(probes) else MIXED if 2 * n >= len(probes) else BAD for n in (right, right + missing)
    }
    return signs.pop() if probes and len(signs) == 1 else show.DASH


def share(probes: Sequence[ProbeRecord]) -> str:
    """Count right answers as the document does: ``3/4 CORRECT + 1 PASS``; ``0/0`` of none.

    Categories with full marks besides ``CORRECT`` follow by name.

    All probes are counted below the line; missing ones are named behind it.
    """
    if not probes:
        return "0/0"
    counts = Counter(probe.category for probe in probes if is_right(probe))
    parts = [f"{counts.pop('CORRECT', 0)}/{len(probes)} CORRECT"]
    parts += [f"{n} {name}" for name, n in sorted(counts.items())]
    missing = sum(map(is_missing, probes))
    return " + ".join(parts) + (f" ({missing} missing)" if missing else "")


def grade(probe: ProbeRecord) -> str:
    """One grade: its category, with a score that is measured, or ``7/25 correct`` of an enumeration."""
    if probe.correct is not None and not is_missing(probe):
        return f"{probe.correct}/{probe.of} correct"
    if probe.value is not None and probe.value != VALUES[probe.category]:
        return f"{probe.category} {probe.value:.2f}"
    return str(probe.category)


def grades(probes: Sequence[ProbeRecord]) -> str:
    """Grades of one probe over its epochs: one alone, or each with its share, the most frequent first."""
    if len(probes) == 1:
        return grade(probes[0])
    counts = Counter(map(grade, probes))
    if len(counts) == 1:
        return f"{next(iter(counts))} {len(probes)}/{len(probes)}"
    return ", ".join(f"{name} {n}/{len(probes)}" for name, n in counts.most_common())


def mean(probes: Sequence[ProbeRecord]) -> float | None:
    """Mean score of the graded ones; None where none is graded."""
    values = [probe.value for probe in probes if probe.value is not None]
    return sum(values) / len(values) if values else None


def bounds(probes: Sequence[ProbeRecord]) -> tuple[float, float] | None:
    """Mean score with every missing grade taken as 0, and as 1; None of no probes."""
    if not probes:
        return None
    total = sum(probe.value for probe in probes if probe.value is not None)
    missing = sum(map(is_missing, probes))
    return total / len(probes), (total + missing) / len(probes)


def causes(probes: Sequence[ProbeRecord]) -> str:
    """Why grades are missing, counted: ``judge 2, provider 1``; empty where none is."""
    counts = Counter(probe.missing or "not said" for probe in probes if is_missing(probe))
    return ", ".join(f"{cause} {n}" for cause, n in sorted(counts.items()))


def cells(probes: Sequence[ProbeRecord], interval: str = "") -> list[Cell | str]:
    """How many probes, their mean score, what is missing by cause, and what that leaves open."""
    return [
        show.count(len(probes)),
        figure(mean(probes), show.rate, "no answer was graded", interval),
        Cell(show.count(sum(map(is_missing, probes))), causes(probes)),
        figure(bounds(probes), show.rate_range, "nothing was asked"),
    ]


def grader(record: GradingRecord) -> str:
    """Who graded, in a few words."""
    judge = judge_name(record.judge)
    return {
        "rules": "rules, no model",
        "judge": judge,
        "both": f"{judge}, compared with rules",
        "auto": f"rules, and by {judge} where they cannot tell",
    }.get(record.grader, record.grader)


def judge_name(name: str | None) -> str:
    """A judge as people call it, and behind that as it was asked."""
    if not name:
        return "a judge whose name is not recorded"
    parts = name.rsplit("/", 1)[-1].split("-")
    if parts[0] != "claude" or len(parts) < 4:
        return name
    version = ".".join(part for part in parts[2:] if len(part) < 3)
    return f"Claude {parts[1].capitalize()} {version} ({name})"
