"""From the file of a data set, in a form that a module of this package describes, to case files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Literal

import numpy as np

from tellapart.core.progress import SILENT, Progress, counted
from tellapart.core.record import Record
from tellapart.errors import InputError, UsageError, near_match
from tellapart.files import as_objects, head, read_json, refuse_foreign, sha256_of
from tellapart.longcontext.case import Case, Origin
from tellapart.longcontext.design import ImportSettings
from tellapart.longcontext.reading.cases import write_case

ACKNOWLEDGED = "OK."
"""The given reply to material that has none of its own, so that the model under test is not asked for one."""

Role = Literal["user", "assistant"]

Records = Sequence[Mapping[str, Any]]

Tally = Counter[str]
"""What was changed or left out inside a record whose case is made, counted by cause."""


def _objects(path: Path, _: ImportSettings) -> Records:
    return as_objects(read_json(path), path)


@dataclass(frozen=True)
class Form:
    """The form in which a data set was published.

    The beginning of a file has all marks of one of the groups. A record whose ``case`` raises ``InputError``
    is left out, for that cause. ``takes`` are fields of `ImportSettings` that not every form can use.
    """

    name: str
    data_set: str
    licence: str
    marks: tuple[tuple[bytes, ...], ...]
    case: Callable[[Any, int, ImportSettings, Tally], Case]
    id_key: str
    records: Callable[[Path, ImportSettings], Records] = _objects
    takes: tuple[str, ...] = ()


@cache
def all_forms() -> Mapping[str, Form]:
    """Return every form that a module of this package describes, by name; a new module is all it takes."""
    package = import_module(__name__.rpartition(".")[0])
    names = sorted(module.name for module in iter_modules(package.__path__))
    modules = [import_module(f"{package.__name__}.{name}") for name in names]
    forms: list[Form] = [module.FORM for module in modules if hasattr(module, "FORM")]
    return {form.name: form for form in forms}


def form_called(name: str) -> Form:
    """Return a form by its name."""
    forms = all_forms()
    if name not in forms:
        raise UsageError(f"there is no form {name!r}", next_step=near_match(name, forms))
    return forms[name]


def form_of(path: Path) -> Form:
    """Recognise the form of a file."""
    start = head(path)
    forms = all_forms().values()
    matching = [form for form in forms if any(all(mark in start for mark in group) for group in form.marks)]
    if len(matching) == 1:
        return matching[0]
    refuse_foreign(start, path, "a data set")
    raise InputError(
        "the form of this data set is not recognised",
        where=path,
        next_step=f"Name it before the file, one of: {', '.join(all_forms())}",
    )


def exchanges(turns: Iterable[tuple[Role, str]], opening: str, tally: Tally) -> list[tuple[str, str]]:
    """Pair the recorded turns of one session: what a user said, and the reply."""
    stripped = [(role, text.strip()) for role, text in turns]
    tally["turns without text, left out"] += sum(not text for _, text in stripped)
    joined: list[tuple[Role, str]] = []
    for role, group in groupby((turn for turn in stripped if turn[1]), key=lambda turn: turn[0]):
        texts = [text for _, text in group]
        tally["turns joined with the one before, which has the same role"] += len(texts) - 1
        joined.append((role, "\n\n".join(texts)))
    if not joined:
        return []
    if joined[0][0] == "assistant":
        part = "the date" if opening else "'…'"
        tally[f"sessions that an assistant begins: the user's part is {part}"] += 1
        joined.insert(0, ("user", "" if opening else "…"))
    if joined[-1][0] == "user":
        tally[f"sessions that a user ends: the reply is {ACKNOWLEDGED!r}"] += 1
        joined.append(("assistant", ACKNOWLEDGED))
    if opening:
        joined[0] = ("user", f"{opening}\n\n{joined[0][1]}".strip())
    return [(user, reply) for (_, user), (_, reply) in zip(joined[::2], joined[1::2], strict=True)]


class ImportRecord(Record):
    """What was made of the file of a data set."""

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
    names = {case.name, label}
    ids = {step.id: names | {f"{name}/{step.id}" for name in names} for step in case.probes}
    unknown.difference_update(*ids.values())
    right = (step for step in case.steps if ids.get(step.id, set()).isdisjoint(wrong_keys))
    kept = replace(case, steps=tuple(right))
    if not kept.probes:
        raise InputError("its answer key is known to be wrong")
    left_out = len(case.probes) - len(kept.probes)
    tally["questions left out: their answer key is known to be wrong"] += left_out
    return kept
