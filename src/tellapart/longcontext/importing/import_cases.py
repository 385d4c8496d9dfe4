"""From the file of a data set to a directory of case files, and the account of what was not taken over."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from tellapart.core.progress import SILENT, Progress, counted
from tellapart.core.record import Record
from tellapart.errors import InputError, UsageError
from tellapart.files import sha256_of
from tellapart.longcontext.case import Case, Origin
from tellapart.longcontext.design import ImportSettings
from tellapart.longcontext.importing.form import Form, Tally
from tellapart.longcontext.reading.yaml_cases import write_case


class ImportRecord(Record):
    """What was made of the file of a data set.

    Attributes:
        over_the_limit: Records that were not looked at, since there were as many cases as were asked for.
        questions: How many of each failure mode.
        left_out: Records of which no case was made, by cause.
        changes: What was changed or left out inside the records, with counts.
    """

    form: str
    data_set: str
    licence: str
    file: str
    sha256: str
    records: int
    cases: int
    over_the_limit: int
    questions: dict[str, int]
    left_out: dict[str, tuple[str, ...]]
    changes: dict[str, int]
    out: str


def import_cases(
    path: Path, form: Form, out: Path, settings: ImportSettings, *, progress: Progress = SILENT
) -> ImportRecord:
    """Write the cases of a data set, a file each."""
    if out.exists() and not out.is_dir():
        raise UsageError("this is a file, expected a directory", where=out, next_step="Choose another --out")
    records = form.records(path, settings)
    if not records:
        raise InputError("there is no record in this file", where=path)
    origin = Origin(form.data_set, form.licence, path.name, sha256_of(path), "")
    tally, modes, left_out = Tally(), Counter[str](), dict[str, list[str]]()
    written: dict[str, str] = {}
    unknown = set(settings.wrong_keys)
    order: Sequence[int] = range(len(records))
    if settings.seed is not None and settings.limit is not None:
        order = np.random.default_rng(settings.seed).permutation(len(records)).tolist()
    for index in counted(order, progress, "imported", unit="records"):
        if settings.limit is not None and len(written) >= settings.limit:
            break
        label = str(records[index].get(form.id_key) or f"row {index + 1}")
        # What is changed in a record that is left out after all is no change.
        of_case = Tally()
        try:
            case = form.case(records[index], index + 1, settings, of_case)
            name = re.sub(r"[^\w.-]+", "_", case.name).strip("._") or "case"
            case = replace(case, name=name, origin=replace(origin, record=label))
            case = _without_wrong_keys(case, label, settings.wrong_keys, unknown, of_case)
            if case.name in written:
                raise InputError(f"another record of this name comes before, {written[case.name]}")
            write_case(case, out)
        except InputError as cause:
            left_out.setdefault(cause.what, []).append(label)
            continue
        written[case.name] = label
        modes.update(probe.failure_mode or "" for probe in case.probes)
        tally.update(of_case)
    if not written:
        why, labels = next(iter(left_out.items()))
        raise InputError(
            f"none of its {len(records):,} records can be used; the first, {labels[0]}: {why}",
            where=path,
            next_step=f"Is it a file of {form.data_set}?",
        )
    tally["wrong keys that belong to no question that was read"] += len(unknown)
    return ImportRecord(
        form=form.name,
        data_set=form.data_set,
        licence=form.licence,
        file=str(path),
        sha256=origin.sha256,
        records=len(records),
        cases=len(written),
        over_the_limit=len(records) - len(written) - sum(map(len, left_out.values())),
        questions=dict(sorted(modes.items())),
        left_out={why: tuple(labels) for why, labels in sorted(left_out.items())},
        changes=dict(sorted((+tally).items())),
        out=str(out),
    )


def _without_wrong_keys(
    case: Case, label: str, wrong_keys: Sequence[str], unknown: set[str], tally: Tally
) -> Case:
    """Leave out the probes whose answer key is known to be wrong; ids that were met are not unknown."""
    right = []
    for step in case.steps:
        ids = (
            {id_ for name in (case.name, label) for id_ in (name, f"{name}/{step.id}")}
            if step.is_probe
            else set()
        )
        unknown -= ids
        if ids.isdisjoint(wrong_keys):
            right.append(step)
    kept = replace(case, steps=tuple(right))
    if not kept.probes:
        raise InputError("its answer key is known to be wrong")
    left_out = len(case.probes) - len(kept.probes)
    tally["questions left out: their answer key is known to be wrong"] += left_out
    return kept
