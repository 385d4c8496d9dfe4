"""Whether run B's explorer may explore alone: counted over the first iterations, decided as documented."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tellapart.codesearch.calibration.counted import Counted, Rule, count
from tellapart.codesearch.calibration.decision import decide, doubts
from tellapart.codesearch.calibration.state import State, iteration_record
from tellapart.codesearch.case import Case
from tellapart.codesearch.metrics.agreement import agreement, reach
from tellapart.codesearch.metrics.calibration import calibration_block


@dataclass(frozen=True)
class Calibration:
    """What calibration says of an iteration.

    Attributes:
        block: The documented ``metrics.calibration``.
        agreement: ``metrics.agreement``: the figures of this iteration, and ``decision``.
        warnings: What to beware of.
        next_explorers: Of run A and run B in the next iteration.
    """

    block: dict[str, Any]
    agreement: dict[str, Any]
    warnings: tuple[str, ...]
    next_explorers: tuple[str | None, str | None]


def explorers_for(
    number: int, state: State | None, configured: tuple[str, str], rule: Rule
) -> tuple[str, str]:
    """Give the explorers of run A and run B in an iteration.

    Those configured; but after a calibration of just these two whose overlap reaches the threshold, run B's
    for both.

    Args:
        number: The iteration.
        state: What there was before; None without a state file.
        configured: What the user named.
        rule: When to change them.
    """
    if state is None or number <= rule.iterations:
        return configured
    counted = count(state.iterations, rule)
    same = bool(counted.records) and (counted.records[0].run_a, counted.records[0].run_b) == configured
    return (configured[1], configured[1]) if same and counted.switches(rule) else configured


def calibrate(
    cases: Sequence[Case],
    *,
    iteration: int,
    state: State | None = None,
    rule: Rule | None = None,
    seed: int = 42,
) -> Calibration:
    """Count what either run found over the calibration iterations, and decide.

    The calibration iterations are those that the state knows, and this one if it belongs to them. Where none
    is known, as without a state file, this iteration is counted alone and decides nothing.

    The documented decision keeps suspect and failed runs. These can only lower the overlap: an empty run A
    adds nothing to either count, an empty run B counts all of run A's files as missed.

    Args:
        cases: Of this iteration, in any order.
        iteration: Its number.
        state: What there was before; an earlier record of this iteration is replaced by the cases.
        rule: When run B's explorer is enough; by default as documented.
        seed: Of the resamples.
    """
    rule = rule or Rule()
    this = iteration_record(iteration, "", cases)
    before = [one for one in (state.iterations if state else ()) if one.number != iteration]
    counted = count([*before, this], rule)
    if not counted.records:
        counted = Counted((this,), complete=False)
    found = agreement(cases, seed=seed)
    decision = decide(counted, this, rule, ceiling=reach(found), seed=seed)
    return Calibration(
        calibration_block(counted.total(), threshold=rule.threshold, complete=counted.complete),
        found | {"decision": decision},
        tuple(doubts(decision)),
        (decision["next"]["run_a"], decision["next"]["run_b"]),
    )
