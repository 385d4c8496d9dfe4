"""A grading as it is reported: its record without controls, and the comparison of its models."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from tellapart.audit.results import Ranked
from tellapart.core.comparison import Comparison
from tellapart.errors import InputError
from tellapart.files import check_record, parse_json, read_bytes
from tellapart.longcontext.results import GRADES_FILE, ConversationRecord, GradingRecord, ProbeRecord
from tellapart.longcontext.transcript import SUITE
from tellapart.report.tables import Cell, Table, table
from tellapart.store import RunDirectory, RunRecord

T = TypeVar("T")

_NUMBERED = re.compile(r"case[ _-]?(\d+)(?!\d)", re.I)

MOST_CASES = 12
"""Cases that a report shows one by one; more are shown together."""


@dataclass(frozen=True)
class View:
    """Graded conversations to be reported; controls are left out, unless there is nothing else."""

    record: GradingRecord
    run: RunRecord | None = None
    comparison: Comparison | None = None
    ranking: tuple[Ranked, ...] = ()
    others: tuple[View, ...] = ()

    @cached_property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(name for name in self.record.models if name not in self.record.controls)

    @cached_property
    def conversations(self) -> tuple[ConversationRecord, ...]:
        """Conversations, one for each model, case and epoch."""
        return tuple(case for case in self.record.cases if case.model in self.models)

    @cached_property
    def probes(self) -> tuple[ProbeRecord, ...]:
        """Graded probes of these conversations."""
        return tuple(probe for probe in self.record.probes if probe.model in self.models)

    @cached_property
    def cases(self) -> tuple[str, ...]:
        """Names of the cases."""
        return tuple(dict.fromkeys(case.name for case in self.conversations))

    @cached_property
    def epochs(self) -> int:
        """How often the same was played, at most."""
        return len({case.epoch for case in self.conversations})

    @property
    def several_models(self) -> bool:
        """Whether there are several models."""
        return len(self.models) > 1

    @property
    def many_cases(self) -> bool:
        """Whether there are too many cases to show them one by one."""
        return len(self.cases) > MOST_CASES

    def of_model(self, model: str) -> list[ProbeRecord]:
        """All probes of one model, or of one control."""
        return [probe for probe in self.record.probes if probe.model == model]

    @cached_property
    def by_case_and_model(self) -> dict[tuple[str, str], list[ProbeRecord]]:
        """Probes of each case and model, over all epochs."""
        probes = {(case, model): list[ProbeRecord]() for case in self.cases for model in self.models}
        for probe in self.probes:
            probes[probe.case, probe.model].append(probe)
        return probes

    @cached_property
    def numbers(self) -> dict[str, str]:
        """By case the number in its name, or its position where not every name has a number of its own."""
        numbers = [match[1] for name in self.cases if (match := _NUMBERED.match(name))]
        if len(set(numbers)) < len(self.cases):
            numbers = [str(position) for position in range(1, len(self.cases) + 1)]
        return dict(zip(self.cases, numbers, strict=True))

    def label(self, case: str) -> str:
        """``Case 1``, or the name of a case where not every name begins with a number."""
        return f"Case {self.numbers[case]}" if all(map(_NUMBERED.match, self.cases)) else case

    @cached_property
    def lengths(self) -> tuple[str, ...]:
        """Lengths by which models are compared, the shortest first."""
        secondary = self.comparison.secondary if self.comparison else None
        pairs = secondary.pairs if secondary and secondary.by == "length" else ()
        named = {pair.stratum or "" for pair in pairs}
        return tuple(sorted(named, key=lambda length: int(length.replace(",", ""))))

    def has_answers_of(self, other: View) -> bool:
        """Whether another grading is of the same answers."""
        mine, theirs = (
            {(*probe.place, probe.response) for probe in view.record.probes} for view in (self, other)
        )
        return mine == theirs

    def name_of(self, conversation: ConversationRecord) -> str:
        """Its case, with model and epoch where there are several."""
        model = [conversation.model] if self.several_models else []
        epoch = [f"epoch {conversation.epoch}"] if self.epochs > 1 else []
        return " · ".join([conversation.name, *model, *epoch])

    def table(
        self,
        name: str,
        title: str,
        rows: Sequence[T],
        columns: Mapping[str, Callable[[T], Cell | str]],
        *,
        model: Callable[[T], str] | None = None,
        note: str = "",
        words: int = 1,
    ) -> Table:
        """Make a table of columns; several models have a column of their own, the last."""
        shown = {**columns, "Model": model} if model and self.several_models else columns
        cells = [[cell(row) for cell in shown.values()] for row in rows]
        return table(name, title, list(shown), cells, note=note, words=words)


def load(path: Path) -> View:
    """Read what ``grade`` wrote; a run directory is opened only if its files are all what was written."""
    if path.is_file():
        run_path = path.absolute().parent.parent
        where = f" {run_path}" if run_path / GRADES_FILE == path.absolute() else " that grade wrote"
        raise InputError("this is a file", where=path, next_step=f"Give the run directory{where}")
    run = RunDirectory.open(path, SUITE)
    file = path / GRADES_FILE
    content = read_bytes(file, "the grades", next_step="Is it a run of longcontext grade?")
    return View(check_record(parse_json(content, file), GradingRecord, file, "record of grades"), run.record)
