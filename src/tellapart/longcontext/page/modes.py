"""Failure modes: the document's heatmap of grades, and mean scores."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tellapart.core.stats import clustered_rate
from tellapart.longcontext.page import scores
from tellapart.longcontext.page.repeated import grouped, times
from tellapart.longcontext.page.scores import CELLS, SIGNS
from tellapart.longcontext.page.view import ORIGINAL, View
from tellapart.longcontext.results import ProbeRecord
from tellapart.report import numbers as show
from tellapart.report.document import Section
from tellapart.report.tables import Cell, Table, table

MOST_NAMED = 12
"""Probes that are named in a cell; of more there are counts."""

UNSAID = "(no failure mode)"
_QUALIFIED = re.compile(r"(?<!\s)(?:\s++[—–-]\s|\s*+[,:;(])")


def section(view: View, most_columns: int = 8) -> Section:
    """Scores and grades by failure mode."""
    grades = scores.with_simple_signs(heatmap(view, most_columns))
    return Section("modes", "Failure modes", tables=(mode_scores(view), grades))


def modes_of(text: str | None) -> tuple[str, ...]:
    """The modes that a probe looks for: the document's, and others that it names.

    ``Confabulation + Lost in the Middle — TRAP`` is two; what follows a dash, a comma or a bracket only
    qualifies, so that ``Stress test - full enumeration`` is ``Stress test``.
    """
    modes: dict[str, None] = {}
    for part in (text or "").split("+"):
        documented = [mode for mode in ORIGINAL["modes"] if _plain(mode) in _plain(part)]
        head = _QUALIFIED.split(part.strip())[0]
        modes |= dict.fromkeys(documented or ([head] if head else []))
    return tuple(modes) or (UNSAID,)


def _plain(text: str) -> str:
    return re.sub(r"[\s_-]+", " ", text).strip().casefold()


def by_mode(probes: Sequence[ProbeRecord]) -> dict[str, list[ProbeRecord]]:
    """Probes by mode: the document's in its order, then others, spelt as first met."""
    by_name: dict[str, list[ProbeRecord]] = {mode: [] for mode in ORIGINAL["modes"]}
    spelling = {mode.casefold(): mode for mode in ORIGINAL["modes"]}
    for probe in probes:
        for mode in modes_of(probe.failure_mode):
            by_name.setdefault(spelling.setdefault(mode.casefold(), mode), []).append(probe)
    return by_name


def mode_scores(view: View) -> Table:
    """Mean score by failure mode and model, with its interval."""
    rows: list[list[Cell | str]] = []
    for mode, probes in by_mode(view.probes).items():
        for model in view.models:
            if of_model := [probe for probe in probes if probe.model == model]:
                scored = [(probe.value, probe.case) for probe in of_model if probe.value is not None]
                interval = clustered_rate([v for v, _ in scored], [case for _, case in scored]).interval
                ends = "no interval" if interval is None else show.rate_range(interval)
                named = [model] if view.several_models else []
                rows.append([mode, *named, *scores.cells(of_model, ends)])
    named = ["Model"] if view.several_models else []
    return table(
        "mode-scores",
        "Mean scores by failure mode",
        ["Failure Mode", *named, *CELLS],
        rows,
        note="With the mean: its 95 % interval, which allows for probes that share a case. A probe that "
        "looks for several modes counts in each. Bounds: missing scores as 0, and as 1.",
        words=1 + len(named),
    )


def heatmap(view: View, most: int | None = None) -> Table:
    """The document's heatmap: the sign of all grades and each grade, by mode and by case and model."""
    columns: list[tuple[tuple[str, ...], str]] = [((c,), model) for c in view.cases for model in view.models]
    brief = most is not None and len(columns) > most
    if brief:
        columns = [(view.cases, model) for model in view.models]
    whole = not brief and not {*view.cases}.isdisjoint(ORIGINAL["cases"])
    headings = ["Failure Mode"]
    for cases, model in columns:
        name = view.labels[cases[0]] if len(cases) == 1 else f"{len(cases)} cases"
        headings.append(f"{name} · {model}" if view.several_models else name)
    rows: list[list[Cell | str]] = [
        [
            mode,
            *(_cell([p for p in probes if p.case in cases and p.model == m]) for cases, m in columns),
        ]
        for mode, probes in by_mode(view.probes).items()
        if probes or whole
    ]
    note = f"{SIGNS} A probe that looks for several modes stands in the row of each."
    return table("heatmap", "Grades by failure mode", headings, rows, note=note, words=len(headings))


def _cell(probes: Sequence[ProbeRecord]) -> str:
    """The grade of each probe; where steps share a name, their mean score and how many have each grade."""
    if not probes:
        return "—"
    groups = grouped(probes)
    if len({probe.step_id for probe in probes}) < times(probes):
        value = scores.mean(probes)
        text = f"{show.DASH if value is None else show.percent(value)}: "
        text += scores.counted([str(probe.category) for probe in probes])
    elif len(groups) > MOST_NAMED:
        text = scores.counted([scores.grade(probe) for probe in probes])
    else:
        text = ", ".join(f"{group[0].step_id} {scores.grades(group)}" for group in groups)
    return f"{scores.sign(probes)} {text}"
