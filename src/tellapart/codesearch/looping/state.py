"""The state file: which iterations there were, of what input, and what either run found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import Field, model_validator

from tellapart.codesearch.metrics.explorations import Overlap, explorer_names, is_clean, overlap_of, total
from tellapart.codesearch.model import Case, sorted_cases
from tellapart.core.fingerprint import sha256
from tellapart.core.record import Record
from tellapart.errors import UsageError
from tellapart.files import check_record, make_directory, read_json, storage, write_text
from tellapart.files.writing import alone


class IterationRecord(Record):
    """One iteration that was evaluated."""

    number: int = Field(ge=1)
    fingerprint: str = ""
    run_a: str | None
    run_b: str | None
    conversations: dict[str, Overlap]

    @property
    def total(self) -> Overlap:
        """Count all conversations together."""
        return total(self.conversations.values())


class CalibrationBasis(Record):
    """What calibration rests on beside the iteration that is evaluated."""

    iterations: int
    threshold: float
    before: tuple[IterationRecord, ...]


class State(Record):
    """All iterations so far, in ascending order of their numbers."""

    iterations: tuple[IterationRecord, ...] = ()

    @model_validator(mode="after")
    def _in_order(self) -> State:
        numbers = [iteration.number for iteration in self.iterations]
        if numbers != sorted(set(numbers)):
            raise ValueError(f"the iterations are {numbers}, expected each once and in ascending order")
        return self

    @property
    def next(self) -> int:
        """The number that follows."""
        return self.iterations[-1].number + 1 if self.iterations else 1

    def find(self, number: int) -> IterationRecord | None:
        """The iteration of this number; None where there is none."""
        return next((record for record in self.iterations if record.number == number), None)


def iteration_record(number: int, fingerprint: str, cases: Sequence[Case]) -> IterationRecord:
    """Note what an iteration found; see `IterationRecord`."""
    explorers = explorer_names(cases)
    return IterationRecord(
        number=number,
        fingerprint=fingerprint,
        run_a=explorers.run_a,
        run_b=explorers.run_b,
        conversations={
            case.id: replace(overlap_of(case.run_a.files, case.run_b.files), clean=is_clean(case))
            for case in sorted_cases(cases)
        },
    )


def input_fingerprint(source: bytes) -> str:
    """Fingerprint search results as they were written; 16 hexadecimal digits."""
    return sha256(source)[:16]


def iteration_number(
    fingerprint: str, *, stated: int | None, requested: int | None = None, state: State | None = None
) -> int:
    """Decide which iteration some search results are.

    Their own ``iteration_number`` decides, else ``--iteration``, else the state: input that it knows is the
    iteration it was, other input is the next one. Without a state it is the first.
    """
    for name, number in (("iteration_number of the input", stated), ("--iteration", requested)):
        if number is not None and number < 1:
            raise UsageError(f"{name} is {number!r}, expected 1 or more")
    if stated is not None and requested is not None and stated != requested:
        raise UsageError(
            f"the input says that it is iteration {stated}, --iteration says {requested}",
            next_step="Leave --iteration out, or correct the input's 'iteration_number'",
        )
    number = stated or requested
    if number is not None:
        _refuse_other_input(number, fingerprint, state)
        return number
    if state is None:
        return 1
    same_input = [record.number for record in state.iterations if record.fingerprint == fingerprint]
    return same_input[-1] if same_input else state.next


def _refuse_other_input(number: int, fingerprint: str, state: State | None) -> None:
    recorded = state.find(number) if state else None
    if state is None or recorded is None or recorded.fingerprint == fingerprint:
        return
    raise UsageError(
        f"this is given as iteration {number}, but the state has iteration {number} of other search "
        f"results ({recorded.fingerprint}, these are {fingerprint})",
        next_step=f"The next one is iteration {state.next}; to start over, use another state file",
    )


def read_state(path: Path) -> State:
    """Read a state file; one that is not there is the beginning."""
    if not path.exists():
        return State()
    step = "Restore it, or move it away to start over"
    return check_record(
        read_json(path, "the state file", next_step=step), State, path, "state file", next_step=step
    )


def record_iteration(path: Path, record: IterationRecord) -> State:
    """Add an iteration to a state file, or replace it if it is of the same input.

    The file is read again and written under a lock, so that two evaluations at once lose nothing.
    """
    with storage(path):
        make_directory(path.parent)
    with alone(path):
        state = read_state(path)
        _refuse_other_input(record.number, record.fingerprint, state)
        others = [other for other in state.iterations if other.number != record.number]
        state = State(iterations=tuple(sorted([*others, record], key=lambda other: other.number)))
        write_text(path, state.model_dump_json(indent=2) + "\n")
    return state
