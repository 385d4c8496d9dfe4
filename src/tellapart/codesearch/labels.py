"""Judged pairs of an issue and a file as a sheet for people, who do not see what the judge said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.codesearch.evaluation import NOTES, Evaluation
from tellapart.codesearch.metrics.conversation import not_shown
from tellapart.codesearch.model import Case, JudgeVerdict
from tellapart.core.randomness import generator
from tellapart.core.seed import SEED
from tellapart.errors import InputError
from tellapart.files import read_text
from tellapart.files.tables import delimited_rows

HUMAN = "human"
"""The empty column, for 1 (relevant) or 0."""

_LABELS = {"1": True, "1.0": True, "0": False, "0.0": False}

COLUMNS = ("conversation_id", "issue", "file", HUMAN)


def label_sheet(evaluation: Evaluation, *, seed: int = SEED) -> pl.DataFrame:
    """List every file that was put to the judge, or would be, in random order.

    Who returned a file, its rank and the judge's verdict are not in it, so that nobody is swayed by them.
    """
    pairs = [
        (case.id, case.issue_summary, file, None)
        for case in evaluation.cases
        for file in sorted(_to_label(case))
    ]
    if not pairs:
        raise InputError(
            "the system found no file that the explorations did not find, so there is nothing to label"
        )
    order = generator(seed, "labels").permutation(len(pairs))
    return pl.DataFrame([pairs[at] for at in order], dict.fromkeys(COLUMNS, pl.String), orient="row")


def _to_label(case: Case) -> set[str]:
    """The files that need a verdict, or have one, but for those that nobody may be shown."""
    verdicts = _verdicts(case)
    return {file for file in case.to_judge.union(verdicts) if not not_shown(verdicts.get(file))}


def _verdicts(case: Case) -> dict[str, JudgeVerdict]:
    return {**case.verdicts, **(case.rest.verdicts if case.rest else {})}


def with_labels(evaluation: Evaluation, sheet: Path) -> Evaluation:
    """Put people's verdicts in the place of the judge's, and note how often the two agree."""
    labels = read_labels(sheet)
    agreed: list[bool] = []
    used: set[tuple[str, str]] = set()

    def labelled(case: Case, files: Iterable[str], verdicts: Mapping[str, JudgeVerdict]) -> dict[str, Any]:
        """The verdicts on some files, a person's before the judge's."""
        after = dict(verdicts)
        for file in {*files, *verdicts} & _to_label(case):
            if (relevant := labels.get((case.id, file))) is None:
                continue
            used.add((case.id, file))
            before = verdicts.get(file, JudgeVerdict(None))
            if before.relevant is not None:
                agreed.append(before.relevant == relevant)
            after[file] = replace(before, relevant=relevant, reasoning="by a person", failure=None)
        return {"verdicts": after}

    def with_people(case: Case) -> Case:
        rest = case.rest
        drawn = [file for files in rest.sampled.values() for file in files] if rest else []
        rest = rest and replace(rest, **labelled(case, drawn, rest.verdicts))
        return replace(case, rest=rest, **labelled(case, case.our_unique, case.verdicts))

    cases = tuple(map(with_people, evaluation.cases))
    if strange := sorted(labels.keys() - used):
        raise InputError(
            f"{len(strange)} of {len(labels)} labels are of no file to judge, the first of {strange[0]}",
            where=sheet,
            next_step="Take the evaluation that the sheet was written from",
        )
    judge = f"the judge said the same of {sum(agreed)} of {len(agreed)}" if agreed else "there are no others"
    note = f"{len(labels)} verdicts are a person's; {judge}"
    notes = [*evaluation.facts.get(NOTES, ()), note]
    return replace(evaluation, cases=cases, facts={**evaluation.facts, NOTES: notes})


def read_labels(sheet: Path) -> dict[tuple[str, str], bool]:
    """Read a filled sheet, parted by commas, semicolons or tabs: whether each file of it is relevant."""
    lines = read_text(sheet).split("\n")
    rows = delimited_rows(lines, max(",;\t", key=lines[0].count), sheet)
    columns = [name.strip().lower() for name in next(rows, (1, list[str]()))[1]]
    needed = ("conversation_id", "file", HUMAN)
    if lacking := [name for name in needed if name not in columns]:
        raise InputError(
            f"there is no column {lacking[0]!r}",
            where=f"{sheet}:1",
            next_step="Fill a sheet of 'tellapart codesearch export --to-label'",
        )
    labels: dict[tuple[str, str], bool] = {}
    for number, row in rows:
        cells = dict(zip(columns, map(str.strip, row), strict=False))
        id_, file, label = (cells.get(name, "") for name in needed)
        if not label:
            continue
        if label not in _LABELS:
            raise InputError(f"'human' is {label!r}, expected 1, 0 or nothing", where=f"{sheet}:{number}")
        if labels.setdefault((id_, file), _LABELS[label]) != _LABELS[label]:
            raise InputError(f"{file!r} of {id_!r} is labelled 1 and 0", where=f"{sheet}:{number}")
    if not labels:
        raise InputError("no row of this sheet is labelled", where=sheet, next_step="Fill its column 'human'")
    return labels
