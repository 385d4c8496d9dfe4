"""Whether run B's explorer may explore alone: counted over the first iterations, decided as documented."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tellapart.codesearch.figures import Agreement, CalibrationBlock, CalibrationDecision, Explorers
from tellapart.codesearch.looping.state import IterationRecord, State, iteration_record
from tellapart.codesearch.metrics.explorations import Overlap, agreement, calibration_block, reach, total
from tellapart.codesearch.model import Case

FEWEST = 10
"""Conversations, suspect and failed ones not counted, below which no overlap settles anything."""


@dataclass(frozen=True)
class CalibrationRule:
    """When run B's explorer may explore alone."""

    iterations: int = 2
    threshold: float = 0.9


@dataclass(frozen=True)
class _Counted:
    """The calibration iterations that are known, all of the same two explorers."""

    records: tuple[IterationRecord, ...]
    complete: bool

    @property
    def pair(self) -> tuple[str | None, str | None]:
        return self.records[-1].run_a, self.records[-1].run_b

    @property
    def total(self) -> Overlap:
        return total([record.total for record in self.records])

    def switches(self, rule: CalibrationRule) -> bool:
        """Whether the documented rule lets run B's explorer explore alone from now on."""
        rate = self.total.rate
        return self.complete and rate is not None and rate >= rule.threshold


def _count(records: Iterable[IterationRecord], rule: CalibrationRule) -> _Counted:
    """Take those of the calibration iterations that the last one's explorers explored."""
    within = sorted(
        (record for record in records if record.number <= rule.iterations), key=lambda record: record.number
    )
    same = tuple(
        record for record in within if (record.run_a, record.run_b) == (within[-1].run_a, within[-1].run_b)
    )
    return _Counted(same, 0 < rule.iterations == len({record.number for record in same}))


def explorers_for(
    number: int, state: State | None, configured: tuple[str, str], rule: CalibrationRule
) -> tuple[str, str]:
    """Give the explorers of an iteration: those configured, or run B's for both.

    The latter after a calibration of just these two whose overlap reaches the threshold.
    """
    if state is None or number <= rule.iterations:
        return configured
    counted = _count(state.iterations, rule)
    same = bool(counted.records) and counted.pair == configured
    return (configured[1], configured[1]) if same and counted.switches(rule) else configured


@dataclass(frozen=True)
class Calibration:
    """What calibration says of an iteration."""

    block: CalibrationBlock
    agreement: Agreement
    warnings: tuple[str, ...]


def calibrate(
    cases: Sequence[Case],
    *,
    iteration: int,
    state: State | None = None,
    rule: CalibrationRule | None = None,
) -> Calibration:
    """Count what either run found over the calibration iterations that are known, and decide.

    The documented decision keeps suspect and failed runs, which can only lower the overlap. Where none is
    known, this iteration is counted alone and decides nothing.
    """
    rule = rule or CalibrationRule()
    this = iteration_record(iteration, "", cases)
    before = [earlier for earlier in (state.iterations if state else ()) if earlier.number != iteration]
    counted = _count([*before, this], rule)
    if not counted.records:
        counted = _Counted((this,), complete=False)
    agreed = agreement(cases)
    (run_a, run_b), own = counted.pair, (this.run_a, this.run_b)
    switches = counted.switches(rule) and own in ((run_a, run_b), (run_b, run_a))
    clean = {
        name for record in counted.records for name, found in record.conversations.items() if found.clean
    }
    decision = CalibrationDecision(
        explorers=Explorers(run_a=run_a, run_b=run_b),
        iteration=iteration,
        counted_iterations=tuple(record.number for record in counted.records),
        calibration_iterations=rule.iterations,
        complete=counted.complete,
        threshold=rule.threshold,
        overlap_rate=counted.total.rate,
        conversations=len(clean),
        ceiling=reach(agreed),
        switches=switches,
        next=Explorers(run_a=this.run_b if switches else this.run_a, run_b=this.run_b),
    )
    decision = decision.model_copy(update={"text": _text(decision)})
    return Calibration(
        calibration_block(counted.total, threshold=rule.threshold, complete=counted.complete),
        agreed.model_copy(update={"decision": decision}),
        tuple(_doubts(decision)),
    )


def _text(decision: CalibrationDecision) -> str:
    a, b = decision.explorers.run_a, decision.explorers.run_b
    rate, threshold = decision.overlap_rate, decision.threshold
    if rate is None:
        overlap = f"Run A ({a}) found nothing, so there is no overlap with run B ({b})"
    else:
        overlap = (
            f"Run B ({b}) found {rate:.3f} of the files of run A ({a}), and {threshold:g} would be enough"
        )
    done, of = ", ".join(map(str, decision.counted_iterations)), decision.calibration_iterations
    then = f"both explorers stay until calibration is complete (counted: iteration {done}, requested: {of})"
    if decision.complete:
        then = f"{b} explores as both runs from now on" if decision.switches else "both explorers stay"
    return f"{overlap}: {then}."


def _doubts(decision: CalibrationDecision) -> Iterator[str]:
    """Say what to beware of in a decision."""
    a, b, n = decision.explorers.run_a, decision.explorers.run_b, decision.conversations
    if n < FEWEST:
        yield (
            f"The overlap of {a} and {b} settles nothing: it rests on only "
            f"{n} {'conversation' if n == 1 else 'conversations'}."
        )
    if decision.ceiling is not None and decision.ceiling < decision.threshold:
        yield (
            f"{a} finds only {decision.ceiling:.2f} of its own files again: an overlap of "
            f"{decision.threshold:g} is out of reach, whatever run B is."
        )
