"""Experiment results as JSON, by our own ``run`` or by anybody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tellapart.errors import InputError, quoted
from tellapart.files import check_record, parse_json, read_text
from tellapart.longcontext.reading.answers import check_file_kind
from tellapart.longcontext.transcript import RESULTS_FILE, SUITE, PlayedCase, Results
from tellapart.store import RunDirectory
from tellapart.store.growing import partial_path

_EXPECTED = "Results are an object with a list 'cases', each of them an object with 'steps'"


def read_results(path: Path) -> Results:
    """Read the results of an experiment."""
    file, stem = _file_of(path)
    text = read_text(file)
    check_file_kind("results", text, file)
    data, notes = _with_cases(parse_json(text, file), file), list[str]()
    cases = list(_named(data["cases"], notes))
    if not cases:
        raise InputError(f"none of its cases has a step; {'; '.join(notes[:3])}", where=file)
    results = check_record({**data, "cases": cases}, Results, file)
    played = tuple(replace(case, model=case.model or stem) for case in results.cases)
    _check_distinct(played, file)
    return replace(results, cases=played, source=str(path), notes=tuple(notes))


def _file_of(path: Path) -> tuple[Path, str]:
    """The JSON file, and what to call a model that it does not name."""
    if path.is_file() or not (path.is_dir() or partial_path(path).is_dir()):
        return path, path.stem
    run = RunDirectory.open(path)
    file = path / RESULTS_FILE
    if run.record.suite != SUITE or not file.is_file():
        raise InputError(
            f"this run directory of {run.record.suite!r} holds no results of an experiment",
            where=path,
            next_step="Name one that 'tellapart longcontext run' wrote, or its JSON file",
        )
    return file, path.name


def _with_cases(data: Any, file: Path) -> dict[str, Any]:
    """An object with a list of cases."""
    what = f"this is {quoted(data)}, expected an object with a list 'cases' and a case in it"
    if isinstance(data, dict):
        if {"probes", "findings"} <= data.keys():
            what = "this is what 'grade' records, expected the results that it graded"
        elif isinstance(data.get("cases"), list) and data["cases"]:
            return data
    raise InputError(what, where=file, next_step=_EXPECTED)


def _named(cases: Sequence[Any], notes: list[str]) -> Iterator[Any]:
    """Cases with names; one without a step is left out."""
    for number, case in enumerate(cases, 1):
        if not isinstance(case, Mapping):
            yield case
            continue
        name = case.get("caseName") or case.get("case_name") or case.get("name")
        if name is None:
            name = f"case_{number}"
            notes.append(f"case #{number}: it has no 'caseName', and is called {name!r}")
        if case.get("steps") == []:
            notes.append(f"{name}: left out, as it has no step")
            continue
        yield {key: value for key, value in case.items() if value is not None} | {"caseName": name}


def _check_distinct(cases: Sequence[PlayedCase], file: Path) -> None:
    """See that no case was played twice as the same epoch, and that no step of one has the id of another."""
    played = Counter((case.model, case.name, case.epoch, case.control) for case in cases)
    (model, name, epoch, _), n = played.most_common(1)[0]
    if n > 1:
        raise InputError(
            f"the case {name!r} of {model!r} is here {n} times with the same epoch, {epoch}",
            where=file,
            next_step="Number its attempts in 'epoch', from 0, or name the models in 'model'",
        )
    for case in cases:
        id_, n = Counter(step.id for step in case.steps).most_common(1)[0]
        if n > 1:
            raise InputError(
                f"{case.name} has two steps {id_!r}",
                where=file,
                next_step="Give each an id of its own; a repeat of M1 is M1-R1",
            )
