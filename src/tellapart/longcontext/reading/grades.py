"""What ``grade`` wrote, back to graded probes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from tellapart.errors import InputError, near_match
from tellapart.files import read_json
from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Category, Grade, GradedProbe
from tellapart.longcontext.probes import all_kinds
from tellapart.longcontext.reading.loose_json import Fields, Notes
from tellapart.longcontext.reading.results import type_by_id
from tellapart.longcontext.results import GRADES_FILE
from tellapart.longcontext.transcript import RESULTS_FILE, PlayedStep
from tellapart.store import RunDirectory

_CATEGORIES: tuple[Category, ...] = get_args(Category)
_NEXT = "Name a run directory of 'tellapart longcontext grade', or what its --json printed"


def read_grades(path: Path) -> list[GradedProbe]:
    """Read the categories and counts of grades, without responses and evidence."""
    file = _in_a_run(path) if path.is_dir() else path
    rows = _rows(read_json(file))
    if not rows:
        raise InputError(
            "there are no grades in it",
            where=file,
            next_step=_NEXT,
        )
    return [_probe(row, case, f"{file}: grade {place}") for place, (case, row) in enumerate(rows, 1)]


def _in_a_run(path: Path) -> Path:
    run = RunDirectory.open(path)
    file = run.path / GRADES_FILE
    if file.is_file():
        return file
    played = (run.path / RESULTS_FILE).is_file()
    raise InputError(
        f"this run {'was played, but not graded' if played else f'of {run.record.suite!r} has no grades'}",
        where=path,
        next_step=f"Grade it with 'tellapart longcontext grade {path}', and name that run"
        if played
        else _NEXT,
    )


def _rows(data: Any) -> list[tuple[str, Mapping[str, Any]]]:
    """Case and row of each grade; none where it is another file."""
    if not isinstance(data, Mapping):
        return []
    if isinstance(probes := data.get("probes"), list):
        return [(str(row.get("case")), row) for row in probes if isinstance(row, Mapping)]
    cases = data.get("cases")
    if not isinstance(cases, Mapping):
        return []
    counts = _counts(data.get("enumeration"))
    return [
        (name, row | counts.get((name, row.get("model"), row.get("epoch"), row.get("stepId")), {}))
        for name, rows in cases.items()
        for row in (rows if isinstance(rows, list) else [])
        if isinstance(row, dict)
    ]


def _counts(enumeration: Any) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Counts of what ``grade --json`` printed, by case, model, epoch and step of their grades."""
    by_step = enumeration.items() if isinstance(enumeration, Mapping) else ()
    return {
        (one.get("case"), one.get("model"), one.get("epoch"), step): {
            name: one.get(name) for name in ("correct", "of")
        }
        for step, counts in by_step
        if isinstance(counts, Mapping)
        for one in counts.get("each") or ()
        if isinstance(one, Mapping)
    }


def _probe(row: Mapping[str, Any], case: str, where: str) -> GradedProbe:
    fields = Fields(row, where, Notes())
    step = fields.text("stepId")
    if step is None:
        raise InputError("it has no step", where=where)
    given = row.get("category", row.get("score"))
    category = _category(given, where)
    judgings = [_category(one, where) for one in row.get("judgings") or ()]
    grades: Sequence[Grade] = [Grade(one, "", grader="judge", judging=i) for i, one in enumerate(judgings)]
    counts = next((grade for grade in grades if grade.category == category), None)
    if counts is None:
        grader = "judge" if row.get("grader") == "judge" else "rules"
        counts = Grade(
            category,
            "",
            grader=grader,  # type: ignore[arg-type]
            missing=fields.text("missing"),
            correct=fields.number("correct"),
            of=fields.number("of"),
        )
        grades = []
    return GradedProbe(
        fields.text("model") or "",
        case,
        fields.number("epoch") or 0,
        PlayedStep(
            step,
            type_by_id(step) or "message",
            fields.text("failureMode"),
            fields.text("question") or "",
            None,
        ),
        Expected(step, rule=fields.one_of("rule", tuple(all_kinds()))),
        (counts, *(grade for grade in grades if grade is not counts)),
    )


def _category(given: Any, where: str) -> Category:
    if given in _CATEGORIES:
        return given  # type: ignore[no-any-return]
    raise InputError(
        f"the category {given!r} is not known", where=where, next_step=near_match(str(given), _CATEGORIES)
    )
