"""Right answers and mean scores of each case and model, the controls, and where two graders differ."""

from __future__ import annotations

from tellapart.longcontext.page import scores
from tellapart.longcontext.page.scores import CELLS, SIGNS
from tellapart.longcontext.page.view import View
from tellapart.report.document import Section, present
from tellapart.report.tables import Cell, Table, table


def section(view: View) -> Section:
    """All scores; of many cases their means first."""
    by_case = (scores.with_simple_signs(summary(view)),)
    shown, folded = ((), by_case) if view.many_cases else (by_case, ())
    return Section(
        "summary", "Summary", tables=(*shown, means(view), *present(controls(view))), folded=folded
    )


def summary(view: View) -> Table:
    """Right answers of checkpoints and verifications, a row for each case and model."""

    def share(row: tuple[str, str], kind: str) -> str:
        return scores.share([probe for probe in view.probes_of(*row) if probe.type == kind])

    several = f" Answers of {view.epochs} epochs are counted together." if view.epochs > 1 else ""
    return view.table(
        "summary",
        "Right answers",
        [(case, model) for case in view.cases for model in view.models],
        {
            "Case": lambda row: row[0],
            "Checkpoints": lambda row: share(row, "checkpoint"),
            "Verifications": lambda row: share(row, "verification"),
            "Score": lambda row: scores.sign(view.probes_of(*row)),
        },
        model=lambda row: row[1],
        note=f"{SIGNS}{several}",
        words=5,
    )


def means(view: View) -> Table:
    """Mean scores by case and model, with missing grades by cause and what they leave open."""
    cases = () if view.many_cases else view.cases
    rows: list[list[Cell | str]] = [
        [case, model, *scores.cells(view.probes_of(case, model))] for case in cases for model in view.models
    ]
    if len(view.cases) > 1:
        rows += [["all", model, *scores.cells(view.of_model(model))] for model in view.models]
    return table(
        "means",
        "Mean scores",
        ["Case", "Model", *CELLS],
        rows,
        note="CORRECT, PASS and NO_BIAS count 100 %, PARTIAL 50 %, other grades 0; an enumeration counts the "
        "share of its entries that are right. A missing grade is not a wrong answer: the mean leaves it out; "
        "the bounds take every one as wrong, and as right.",
        words=2,
    )


def controls(view: View) -> Table | None:
    """How the same probes are answered without the conversation."""
    rows: list[list[Cell | str]] = []
    for model in view.controls:
        probes = view.of_model(model)
        rows.append([model, scores.share(probes), *scores.cells(probes)[1:3]])
    shown = table(
        "controls",
        "Controls: the same probes without the conversation",
        ["Control", "Right", *CELLS[1:3]],
        rows,
        note="What closed-book gets right can be guessed; what oracle gets wrong cannot be answered even "
        "with nothing but the evidence.",
        words=2,
    )
    return shown if rows else None
