"""Which iterations there were, in a state file, and whether run B's explorer may explore alone after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import Field, model_validator

from tellapart.codesearch.config import Config
from tellapart.codesearch.figures import Agreement, CalibrationBlock
from tellapart.codesearch.metrics.explorations import (
    Overlap,
    agreement,
    explorer_names,
    is_clean,
    overlap_of,
    total,
)
from tellapart.codesearch.model import Case, sorted_cases
from tellapart.core.fingerprint import sha256
from tellapart.core.record import Record
from tellapart.errors import UsageError
from tellapart.files import check_record, make_directory, read_json, storage, write_text
from tellapart.files.writing import alone
from tellapart.report.numbers import plural

FEWEST = 10  # Conversations, suspect and failed ones not counted, below which no overlap settles anything
KEEP = "Keep Opus-Sonnet hybrid or Opus-only"
SWITCH = "Switch to dual-Sonnet for cost efficiency"
CALIBRATING = "Keep Opus-Sonnet hybrid until calibration is complete"


class IterationRecord(Record):
    """One iteration that was evaluated."""

    number: int = Field(ge=1)
    fingerprint: str = ""
    run_a: str | None
    run_b: str | None
    conversations: dict[str, Overlap]

    @property
    def explorers(self) -> tuple[str | None, str | None]:
        """Run A's and run B's."""
        return self.run_a, self.run_b


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


class CalibrationRule(Record):
    """When run B's explorer may explore alone, and the iterations before this one."""

    iterations: int = 2
    threshold: float = 0.9
    before: tuple[IterationRecord, ...] = ()

    @classmethod
    def of(cls, config: Config) -> CalibrationRule:
        """The rule that is configured."""
        return cls(iterations=config.calibration_iterations, threshold=config.calibration_overlap_threshold)

    def knowing(self, state: State | None, number: int) -> CalibrationRule:
        """The rule with what a state has of the iterations before one."""
        earlier = [record for record in (state.iterations if state else ()) if record.number < number]
        # Which search results these were of does not count here.
        before = (record.model_dump(exclude={"fingerprint"}) for record in earlier)
        return self.model_copy(update={"before": tuple(map(IterationRecord.model_validate, before))})

    def is_enough(self, overlap: Overlap) -> bool:
        """Whether an overlap reaches the threshold."""
        return overlap.rate is not None and overlap.rate >= self.threshold

    def counted(self, records: Sequence[IterationRecord]) -> tuple[tuple[IterationRecord, ...], bool]:
        """The calibration iterations that the last one's explorers explored, and whether these are all."""
        within = sorted(
            (record for record in records if record.number <= self.iterations), key=lambda each: each.number
        )
        same = tuple(record for record in within if record.explorers == within[-1].explorers)
        return same, 0 < self.iterations == len({record.number for record in same})


def explorers_for(number: int, configured: tuple[str, str], rule: CalibrationRule) -> tuple[str, str]:
    """Give the explorers of an iteration: those configured, or run B's for both."""
    counted, complete = rule.counted(rule.before)
    calibrated = number > rule.iterations and complete and counted[-1].explorers == configured
    return (configured[1], configured[1]) if calibrated and rule.is_enough(_total(counted)) else configured


def _total(records: Sequence[IterationRecord]) -> Overlap:
    return total([overlap for record in records for overlap in record.conversations.values()])


def calibrate(
    cases: Sequence[Case], *, iteration: int, rule: CalibrationRule | None = None
) -> tuple[CalibrationBlock, Agreement, list[str]]:
    """Count what either run found over the calibration iterations that are known, and decide.

    The documented decision keeps suspect and failed runs, which can only lower the overlap. Where none is
    known, this iteration is counted alone and decides nothing. Given are the documented block, how far the
    runs agree with the decision in words, and what to beware of.
    """
    rule = rule or CalibrationRule()
    this = iteration_record(iteration, "", cases)
    counted, complete = rule.counted([*(each for each in rule.before if each.number != iteration), this])
    counted = counted or (this,)
    overlap, (a, b) = _total(counted), counted[-1].explorers
    enough = rule.is_enough(overlap)
    block = CalibrationBlock(
        opus_only_files=overlap.a_only,
        sonnet_only_files=overlap.b_only,
        both_models_files=overlap.both,
        overlap_rate=None if overlap.rate is None else round(overlap.rate, 3),
        recommendation=(SWITCH if complete else CALIBRATING) if enough else KEEP,
    )
    found = f"Run A ({a}) found nothing, so there is no overlap with run B ({b})"
    if overlap.rate is not None:
        found = (
            f"Run B ({b}) found {overlap.rate:.3f} of the files of run A ({a}), and {rule.threshold:g} would "
            "be enough"
        )
    then = "both explorers stay"
    if not complete:
        done = ", ".join(str(record.number) for record in counted)
        then += f" until calibration is complete (counted: iteration {done}, requested: {rule.iterations})"
    elif enough and {*this.explorers} == {a, b}:
        then = f"{b} explores as both runs from now on"
    agreed = agreement(cases).model_copy(update={"decision": f"{found}: {then}."})
    doubts = []
    clean = {name for record in counted for name, each in record.conversations.items() if each.clean}
    if len(clean) < FEWEST:
        few = plural(len(clean), "conversation")
        doubts.append(f"The overlap of {a} and {b} settles nothing: it rests on only {few}.")
    again = agreed.retest.get("run_a")
    if again and again.again.value is not None and again.again.value < rule.threshold:
        doubts.append(
            f"{a} finds only {again.again.value:.2f} of its own files again: an overlap of "
            f"{rule.threshold:g} is out of reach, whatever run B is."
        )
    return block, agreed, doubts


def iteration_record(number: int, fingerprint: str, cases: Sequence[Case]) -> IterationRecord:
    """Note what an iteration found."""
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
    """Decide which iteration some search results are."""
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
    """Add an iteration to a state file, or replace it if it is of the same input."""
    with storage(path):
        make_directory(path.parent)
    with alone(path):
        state = read_state(path)
        _refuse_other_input(record.number, record.fingerprint, state)
        others = [other for other in state.iterations if other.number != record.number]
        state = State(iterations=tuple(sorted([*others, record], key=lambda other: other.number)))
        write_text(path, state.model_dump_json(indent=2) + "\n")
    return state
