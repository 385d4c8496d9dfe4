"""Grades in the original experiment's words: right answers and mean scores, by case and by failure mode."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import product

from tellapart.core.stats import clustered_rate
from tellapart.longcontext.case import ORIGINAL
from tellapart.longcontext.grades import VALUES
from tellapart.longcontext.page.view import MOST_CASES, View
from tellapart.longcontext.results import GradingRecord, ProbeRecord
from tellapart.report import numbers as show
from tellapart.report.document import Section, present
from tellapart.report.figures import cell, headings, interval_cell
from tellapart.report.tables import Cell, Table, table

_GOOD, _MIXED, _BAD = "✓", "◐", "✗"
"""Signs that every font has and that are one column wide in a terminal."""

DOCUMENTED_SIGNS = {ord(_GOOD): "✅", ord(_MIXED): "⚠️", ord(_BAD): "❌"}

_SIGNS = (
    f"{_GOOD} all right, {_MIXED} at least half, {_BAD} less than half; {show.DASH} where missing grades "
    "leave that open."
)

_FIGURES = ("probes", "score", "missing", "bounds")

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
    said = {"rules": "rules, no model", "auto": f"rules, and by {judge} where they cannot tell"}
    return said.get(record.grader, judge)


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
    """Right answers of all: ``3/4 CORRECT + 1 PASS``; missing ones behind."""
    if not probes:
        return "0/0"
    counts = Counter(probe.category for probe in probes if probe.value == 1)
    parts = [f"{counts.pop('CORRECT', 0)}/{len(probes)} CORRECT"]
    parts += [f"{n} {name}" for name, n in sorted(counts.items())]
    lost = missing(probes)
    return " + ".join(parts) + (f" ({lost} missing)" if lost else "")


def _cells(probes: Sequence[ProbeRecord], score: Cell | None = None) -> list[Cell | str]:
    """The ``_FIGURES`` of probes; bounds take every missing grade as wrong, and as right."""
    n, lost, total = len(probes), missing(probes), sum(probe.value or 0 for probe in probes)
    score = score or cell("score", mean(probes))
    bounds = show.rate_range((total / n, (total + lost) / n)) if n else show.DASH
    return [show.count(n), score, Cell(show.count(lost), causes(probes)), bounds]


def summary_section(view: View) -> Section:
    """All scores; of many cases their means first."""
    by_case = (summary(view),)
    shown, folded = ((), by_case) if view.many_cases else (by_case, ())
    tables = (*shown, means(view), *present(controls(view)))
    return Section("summary", "Summary", tables=tables, folded=folded, in_terminal=True)


def summary(view: View) -> Table:
    """Right answers of checkpoints and verifications, a row for each case and model."""

    def share(row: tuple[str, str], kind: str) -> str:
        return _share([probe for probe in view.by_case_and_model[row] if probe.type == kind])

    several = f" Answers of {view.epochs} epochs are counted together." if view.epochs > 1 else ""
    return view.table(
        "summary",
        "Right answers",
        list(view.by_case_and_model),
        {
            "Case": lambda row: row[0],
            "Checkpoints": lambda row: share(row, "checkpoint"),
            "Verifications": lambda row: share(row, "verification"),
            "Score": lambda row: _sign(view.by_case_and_model[row]),
        },
        model=lambda row: row[1],
        note=f"{_SIGNS}{several}",
        words=5,
    )


def means(view: View) -> Table:
    """Mean scores by case and model, with missing grades by cause and what they leave open."""
    rows: list[list[Cell | str]] = []
    if not view.many_cases:
        rows += [[*place, *_cells(probes)] for place, probes in view.by_case_and_model.items()]
    if len(view.cases) > 1:
        rows += [["all", model, *_cells(view.of_model(model))] for model in view.models]
    note = "PARTIAL counts 50 %. The score leaves missing grades out; bounds take all as wrong, and as right."
    columns = ["Case", "Model", *headings(_FIGURES)]
    return table("means", "Mean scores", columns, rows, note=note, words=2)


def controls(view: View) -> Table | None:
    """How the same probes are answered without the conversation."""
    names = [name for name in view.record.models if name in view.record.controls]
    rows = [[name, *_cells(view.of_model(name))] for name in names]
    return table("controls", "Controls", ["Control", *headings(_FIGURES)], rows) if rows else None


def modes_of(text: str | None) -> tuple[str, ...]:
    """The modes that a probe looks for: the original experiment's, and others that it names.

    ``Confabulation + Lost in the Middle — TRAP`` is two; what follows a dash, a comma or a bracket qualifies.
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
    """Probes by mode: the original experiment's in its order, then others, spelt as first met."""
    by_name: dict[str, list[ProbeRecord]] = {mode: [] for mode in ORIGINAL["modes"]}
    spelling = {mode.casefold(): mode for mode in ORIGINAL["modes"]}
    for probe in probes:
        for mode in modes_of(probe.failure_mode):
            by_name.setdefault(spelling.setdefault(mode.casefold(), mode), []).append(probe)
    return by_name


def modes_section(view: View) -> Section:
    """Scores and grades by failure mode."""
    wide = len(view.cases) * len(view.models) > MOST_CASES
    tables = (mode_scores(view), heatmap(view, together=wide))
    return Section("modes", "Failure modes", tables=tables, in_terminal=True)


def mode_scores(view: View) -> Table:
    """Mean score by failure mode and model, with its interval, which allows for probes that share a case."""
    rows: list[list[Cell | str]] = []
    for (mode, probes), model in product(_by_mode(view.probes).items(), view.models):
        if of_model := [probe for probe in probes if probe.model == model]:
            scored = [(probe.value, probe.case) for probe in of_model if probe.value is not None]
            interval = clustered_rate([value for value, _ in scored], [case for _, case in scored]).interval
            cells = _cells(of_model, interval_cell("score", mean(of_model), interval))
            rows.append([mode, *([model] if view.several_models else []), *cells])
    names = ["Failure Mode", *(["Model"] if view.several_models else [])]
    columns, note = [*names, *headings(_FIGURES)], "With the score: its 95 % interval."
    return table("mode-scores", "Mean scores by failure mode", columns, rows, note=note, words=len(names))


def heatmap(view: View, *, together: bool) -> Table:
    """The original heatmap: the sign of all grades and each grade, by mode and by case and model."""
    columns = list(product([view.cases] if together else [(case,) for case in view.cases], view.models))
    whole = not together and not {*view.cases}.isdisjoint(ORIGINAL["cases"])
    heads = ["Failure Mode"]
    for cases, model in columns:
        name = view.label(cases[0]) if len(cases) == 1 else f"{len(cases)} cases"
        heads.append(f"{name} · {model}" if view.several_models else name)
    rows = [
        [mode, *(_grades([p for p in probes if p.case in cases and p.model == m]) for cases, m in columns)]
        for mode, probes in _by_mode(view.probes).items()
        if probes or whole
    ]
    return table("heatmap", "Grades by failure mode", heads, rows, note=_SIGNS, words=len(heads))


def _grades(probes: Sequence[ProbeRecord]) -> str:
    """The grade of each probe; of several cases or many probes their mean and how many have each grade."""
    if not probes:
        return "—"
    steps: dict[str, list[ProbeRecord]] = {}
    for probe in probes:
        steps.setdefault(probe.step_id, []).append(probe)
    if len({probe.case for probe in probes}) > 1 or len(steps) > MOST_CASES:
        value = mean(probes)
        text = f"{show.DASH if value is None else show.percent(value)}: "
        text += _counted([str(probe.category) for probe in probes])
    else:
        text = ", ".join(f"{step} {grades(of)}" for step, of in steps.items())
    return f"{_sign(probes)} {text}"
