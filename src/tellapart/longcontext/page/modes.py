"""Grades by failure mode: a row a mode, a column a case."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from tellapart.longcontext.page.estimates import CASES
from tellapart.longcontext.page.record import Figures, View, grouped
from tellapart.longcontext.page.scores import SIGNS, grade, grades, sign
from tellapart.report.tables import Cell, Table, table

MODES = (
    "Attention Dilution",
    "Confabulation",
    "Cross-contamination",
    "Source Attribution",
    "Recency Bias",
    "Attention Sink",
    "Lost in the Middle",
)
"""Rows of the document, in its order."""

NOTHING = "—"
"""Stands, as in the document, for a mode that a case has no probe of."""

MOST_NAMED = 12
"""Probes that are named in a cell; of more there are counts."""

UNSAID = "(no failure mode)"
_QUALIFIED = re.compile(r"\s+[—–-]\s+|\s*[,:;(]")


def modes_of(text: str | None) -> tuple[str, ...]:
    """What a probe looks for: the document's modes, and what else it names.

    ``Confabulation + Lost in the Middle — TRAP`` is two; what follows a dash, a comma or a bracket only
    qualifies, so that ``Stress test - full enumeration`` is ``Stress test``.
    """
    found: dict[str, None] = {}
    for part in re.split(r"\s*\+\s*", text or ""):
        same = _plain(part)
        known = [mode for mode in MODES if _plain(mode) in same]
        head = _QUALIFIED.split(part.strip())[0]
        found |= dict.fromkeys(known or ([head] if head else []))
    return tuple(found) or (UNSAID,)


def _plain(text: str) -> str:
    return re.sub(r"[\s_-]+", " ", text).strip().casefold()


def by_mode(probes: Sequence[Figures]) -> dict[str, list[Figures]]:
    """Probes by each mode they name: the document's in its order, then others, spelt as first met."""
    found: dict[str, list[Figures]] = {mode: [] for mode in MODES}
    spelling = {mode.casefold(): mode for mode in MODES}
    for probe in probes:
        for mode in modes_of(probe["failure_mode"]):
            name = spelling.setdefault(mode.casefold(), mode)
            found.setdefault(name, []).append(probe)
    return found


def heatmap(view: View, most: int | None = None) -> Table:
    """The document's heatmap: in each cell the sign of all grades, then each of them.

    Args:
        view: What is reported.
        most: Columns that there is room for; with more, the cases of a model share one.

    Returns:
        Rows without probes only where the document has them: for its own cases, one by one.
    """
    columns: list[tuple[tuple[str, ...], str]] = [
        ((case,), model) for case in view.cases for model in view.models
    ]
    brief = most is not None and len(columns) > most
    if brief:
        columns = [(view.cases, model) for model in view.models]
    whole = not brief and not {*view.cases}.isdisjoint(CASES)
    rows: list[list[Cell | str]] = []
    for mode, probes in by_mode(view.probes).items():
        if probes or whole:
            inside = [[p for p in probes if p["case"] in cases and p["model"] == m] for cases, m in columns]
            rows.append([mode, *map(_cell, inside)])
    headings = [_heading(view, cases, model) for cases, model in columns]
    note = f"{SIGNS} A probe that looks for several modes stands in the row of each."
    return table(
        "heatmap",
        "Grades by failure mode",
        ["Failure Mode", *headings],
        rows,
        note=note,
        words=len(columns) + 1,
    )


def _heading(view: View, cases: Sequence[str], model: str) -> str:
    name = view.labels[cases[0]] if len(cases) == 1 else f"{len(cases)} cases"
    return f"{name} · {model}" if view.several_models else name


def _cell(probes: Sequence[Figures]) -> Cell:
    if not probes:
        return Cell(NOTHING)
    groups = grouped(probes)
    if len(groups) > MOST_NAMED:
        counts = Counter(map(grade, probes))
        told = ", ".join(f"{name} {n}/{len(probes)}" for name, n in counts.most_common())
    else:
        told = ", ".join(f"{group[0]['step_id']} {grades(group)}" for group in groups)
    return Cell(f"{sign(probes)} {told}")
