"""Grades in the document's words: right answers, mean scores, and both by case and by failure mode."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from tellapart.core.stats import clustered_rate
from tellapart.longcontext.grades import VALUES
from tellapart.longcontext.page.view import ORIGINAL, View
from tellapart.longcontext.results import GradingRecord, ProbeRecord
from tellapart.report import numbers as show
from tellapart.report.document import Section, present
from tellapart.report.tables import Cell, Table, figure, table

_GOOD, _MIXED, _BAD = "✅", "⚠️", "❌"
_SIGNS = (
    f"{_GOOD} all right, {_MIXED} at least half, {_BAD} less than half; {show.DASH} where missing grades "
    "leave that open."
)
"""How to read the signs: the rule that the document's own example rows follow."""

_SIMPLE = {_GOOD: "✓", _MIXED: "◐", _BAD: "✗"}
_CELLS = ("Probes", "Mean score, %", "Missing", "Bounds, %")

_MOST_NAMED = 12
"""Probes that are named in a cell; of more there are counts."""

UNSAID = "(no failure mode)"
_QUALIFIED = re.compile(r"(?<!\s)(?:\s++[—–-]\s|\s*+[,:;(])")


def right(probes: Sequence[ProbeRecord]) -> int:
    """How many answers have full marks."""
    return sum(probe.value == 1 for probe in probes)


def missing(probes: Sequence[ProbeRecord]) -> int:
    """How many answers have no score."""
    return sum(probe.value is None for probe in probes)


def causes(probes: Sequence[ProbeRecord]) -> str:
    """Why grades are missing, counted: ``judge 2, provider 1``."""
    counts = Counter(probe.missing or "not said" for probe in probes if probe.value is None)
    return ", ".join(f"{cause} {n}" for cause, n in sorted(counts.items()))


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


def grade(probe: ProbeRecord) -> str:
    """The category, with a score that is measured; ``7/25 correct`` of an enumeration."""
    if probe.correct is not None and probe.value is not None:
        return f"{probe.correct}/{probe.of} correct"
    if probe.value is not None and probe.value != VALUES[probe.category]:
        return f"{probe.category} {probe.value:.2f}"
    return str(probe.category)


def grades(probes: Sequence[ProbeRecord]) -> str:
    """Grades of one probe over its epochs."""
    return grade(probes[0]) if len(probes) == 1 else _counted([grade(probe) for probe in probes])


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


def _counted(names: Sequence[str]) -> str:
    """``CORRECT 3/4, PARTIAL 1/4``."""
    return ", ".join(f"{name} {n}/{len(names)}" for name, n in Counter(names).most_common())


def _sign(probes: Sequence[ProbeRecord]) -> str:
    """The sign by ``_SIGNS`` that missing grades cannot change, else a dash."""
    n, least = len(probes), right(probes)
    counts = (least, least + missing(probes))
    signs = {_GOOD if count == n else _MIXED if 2 * count >= n else _BAD for count in counts}
    return signs.pop() if probes and len(signs) == 1 else show.DASH


def _share(probes: Sequence[ProbeRecord]) -> str:
    """Right answers of all, as the document counts them: ``3/4 CORRECT + 1 PASS``; missing ones behind."""
    if not probes:
        return "0/0"
    counts = Counter(probe.category for probe in probes if probe.value == 1)
    parts = [f"{counts.pop('CORRECT', 0)}/{len(probes)} CORRECT"]
    parts += [f"{n} {name}" for name, n in sorted(counts.items())]
    lost = missing(probes)
    return " + ".join(parts) + (f" ({lost} missing)" if lost else "")


def _cells(probes: Sequence[ProbeRecord], interval: str = "") -> list[Cell | str]:
    """The figures of ``_CELLS``."""
    return [
        show.count(len(probes)),
        figure(mean(probes), show.rate, "no answer was graded", interval),
        Cell(show.count(missing(probes)), causes(probes)),
        figure(bounds(probes), show.rate_range, "nothing was asked"),
    ]


def _with_simple_signs(shown: Table) -> Table:
    """Replace signs by those that every font has and that are one column wide in a terminal."""

    def simple(text: str) -> str:
        for sign, letter in _SIMPLE.items():
            text = text.replace(sign, letter)
        return text

    rows = tuple(tuple(replace(cell, text=simple(cell.text)) for cell in row) for row in shown.rows)
    return replace(shown, rows=rows, note=simple(shown.note))


def summary_section(view: View) -> Section:
    """All scores; of many cases their means first."""
    by_case = (_with_simple_signs(summary(view)),)
    shown, folded = ((), by_case) if view.many_cases else (by_case, ())
    tables = (*shown, means(view), *present(controls(view)))
    return Section("summary", "Summary", tables=tables, folded=folded)


def summary(view: View) -> Table:
    """Right answers of checkpoints and verifications, a row for each case and model."""

    def share(row: tuple[str, str], kind: str) -> str:
        return _share([probe for probe in view.probes_of(*row) if probe.type == kind])

    several = f" Answers of {view.epochs} epochs are counted together." if view.epochs > 1 else ""
    return view.table(
        "summary",
        "Right answers",
        [(case, model) for case in view.cases for model in view.models],
        {
            "Case": lambda row: row[0],
            "Checkpoints": lambda row: share(row, "checkpoint"),
            "Verifications": lambda row: share(row, "verification"),
            "Score": lambda row: _sign(view.probes_of(*row)),
        },
        model=lambda row: row[1],
        note=f"{_SIGNS}{several}",
        words=5,
    )


def means(view: View) -> Table:
    """Mean scores by case and model, with missing grades by cause and what they leave open."""
    cases = () if view.many_cases else view.cases
    rows: list[list[Cell | str]] = [
        [case, model, *_cells(view.probes_of(case, model))] for case in cases for model in view.models
    ]
    if len(view.cases) > 1:
        rows += [["all", model, *_cells(view.of_model(model))] for model in view.models]
    return table(
        "means",
        "Mean scores",
        ["Case", "Model", *_CELLS],
        rows,
        note="CORRECT, PASS and NO_BIAS count 100 %, PARTIAL 50 %, other grades 0; an enumeration counts the "
        "share of its entries that are right. A missing grade is not a wrong answer: the mean leaves it out; "
        "the bounds take every one as wrong, and as right.",
        words=2,
    )


def controls(view: View) -> Table | None:
    """How the same probes are answered without the conversation."""
    by_control = {model: view.of_model(model) for model in view.controls}
    shown = table(
        "controls",
        "Controls: the same probes without the conversation",
        ["Control", "Right", *_CELLS[1:3]],
        [[model, _share(probes), *_cells(probes)[1:3]] for model, probes in by_control.items()],
        note="What closed-book gets right can be guessed; what oracle gets wrong cannot be answered even "
        "with nothing but the evidence.",
        words=2,
    )
    return shown if by_control else None


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


def _by_mode(probes: Sequence[ProbeRecord]) -> dict[str, list[ProbeRecord]]:
    """Probes by mode: the document's in its order, then others, spelt as first met."""
    by_name: dict[str, list[ProbeRecord]] = {mode: [] for mode in ORIGINAL["modes"]}
    spelling = {mode.casefold(): mode for mode in ORIGINAL["modes"]}
    for probe in probes:
        for mode in modes_of(probe.failure_mode):
            by_name.setdefault(spelling.setdefault(mode.casefold(), mode), []).append(probe)
    return by_name


def modes_section(view: View, most_columns: int = 8) -> Section:
    """Scores and grades by failure mode."""
    tables = (mode_scores(view), _with_simple_signs(heatmap(view, most_columns)))
    return Section("modes", "Failure modes", tables=tables)


def mode_scores(view: View) -> Table:
    """Mean score by failure mode and model, with its interval."""
    rows: list[list[Cell | str]] = []
    for mode, probes in _by_mode(view.probes).items():
        for model in view.models:
            if of_model := [probe for probe in probes if probe.model == model]:
                scored = [(probe.value, probe.case) for probe in of_model if probe.value is not None]
                interval = clustered_rate([v for v, _ in scored], [case for _, case in scored]).interval
                ends = "no interval" if interval is None else show.rate_range(interval)
                rows.append([mode, *([model] if view.several_models else []), *_cells(of_model, ends)])
    named = ["Model"] if view.several_models else []
    return table(
        "mode-scores",
        "Mean scores by failure mode",
        ["Failure Mode", *named, *_CELLS],
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
    rows = [
        [mode, *(_grades([p for p in probes if p.case in cases and p.model == m]) for cases, m in columns)]
        for mode, probes in _by_mode(view.probes).items()
        if probes or whole
    ]
    note = f"{_SIGNS} A probe that looks for several modes stands in the row of each."
    return table("heatmap", "Grades by failure mode", headings, rows, note=note, words=len(headings))


def _grades(probes: Sequence[ProbeRecord]) -> str:
    """The grade of each probe; where steps share a name, their mean score and how many have each grade."""
    if not probes:
        return "—"
    places = list(dict.fromkeys((probe.case, probe.step_id) for probe in probes))
    if len({probe.step_id for probe in probes}) < len(places):
        value = mean(probes)
        text = f"{show.DASH if value is None else show.percent(value)}: "
        text += _counted([str(probe.category) for probe in probes])
    elif len(places) > _MOST_NAMED:
        text = _counted([grade(probe) for probe in probes])
    else:
        of = {place: [p for p in probes if (p.case, p.step_id) == place] for place in places}
        text = ", ".join(f"{step} {grades(of[case, step])}" for case, step in places)
    return f"{_sign(probes)} {text}"
