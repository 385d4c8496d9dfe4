"""How far a decision of calibration can be trusted, in figures and in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tellapart.codesearch.calibration.counted import Counted, Rule
from tellapart.codesearch.calibration.state import IterationRecord
from tellapart.codesearch.metrics.calibration import Overlap
from tellapart.core.randomness import generator
from tellapart.core.stats import BootstrapEstimate, bca_statistic
from tellapart.core.stats.samples import F64

FEWEST = 10
"""Conversations, suspect and failed ones not counted, below which no overlap settles anything."""


def decide(
    counted: Counted, this: IterationRecord, rule: Rule, *, ceiling: float | None, seed: int
) -> dict[str, Any]:
    """Apply the documented rule, and say whether it could have come out otherwise.

    Args:
        counted: What is known of the calibration iterations.
        this: The iteration that was just evaluated.
        rule: When run B's explorer is enough.
        ceiling: The overlap that run A reaches with itself; None where it was not retested.
        seed: Of the resamples.

    Returns:
        ``overlap_rate``, unrounded, and ``overlap_rate_clean`` without suspect and failed runs, each with
        whether it ``reaches`` the threshold; ``interval`` of the clean one (95 %, conversations resampled) or
        ``interval_reason``; whether the rule ``switches``; ``next`` explorers; ``unsettled``, the reasons for
        doubt, and ``settled``, which takes a complete calibration and no doubt; ``text`` for people.
    """
    last = counted.records[-1]
    rate, clean = counted.total().rate, counted.total(clean=True).rate
    conversations = counted.by_conversation()
    spread = _spread(list(conversations.values()), seed)
    pair = (last.run_a, last.run_b)
    switches = counted.switches(rule) and (this.run_a, this.run_b) in (pair, (last.run_b, last.run_b))
    decision: dict[str, Any] = {
        "explorers": {"run_a": last.run_a, "run_b": last.run_b},
        "iteration": this.number,
        "counted_iterations": [one.number for one in counted.records],
        "left_out_iterations": list(counted.left_out),
        "calibration_iterations": rule.iterations,
        "complete": counted.complete,
        "threshold": rule.threshold,
        "overlap_rate": rate,
        "overlap_rate_clean": clean,
        "interval": [spread.interval.low, spread.interval.high] if spread.interval else None,
        "interval_reason": spread.reason,
        "conversations": len({name for one in counted.records for name in one.conversations}),
        "conversations_clean": len(conversations),
        "reaches": _reaches(rate, rule),
        "reaches_clean": _reaches(clean, rule),
        "ceiling": ceiling,
        "switches": switches,
        "next": {"run_a": this.run_b if switches else this.run_a, "run_b": this.run_b},
    }
    unsettled = list(_unsettled(decision, list(conversations.values()), rule))
    decision |= {"unsettled": unsettled, "settled": counted.complete and not unsettled}
    return decision | {"text": _text(decision)}


def _spread(overlaps: list[Overlap], seed: int) -> BootstrapEstimate:
    """The overlap with its interval, conversations resampled whole, over all their iterations."""
    parts = np.array([(one.both, one.both + one.a_only) for one in overlaps], dtype=np.float64).reshape(-1, 2)
    if not overlaps:
        return BootstrapEstimate(None, None, None, 0, 0, "no conversation has two explorations")

    def rate(weights: F64) -> F64:
        sums = np.einsum("rg,gf->fr", weights, parts)
        shares: F64 = np.divide(
            sums[0], sums[1], out=np.full(len(weights), np.nan), where=np.asarray(sums[1]) > 0
        )
        return shares[:, None]

    (found,) = bca_statistic(rate, len(overlaps), rng=generator(seed, "codesearch calibration"))
    return found


def _reaches(rate: float | None, rule: Rule) -> bool | None:
    return None if rate is None else rate >= rule.threshold


def _unsettled(decision: dict[str, Any], overlaps: Sequence[Overlap], rule: Rule) -> Iterator[str]:
    n, ends = decision["conversations_clean"], decision["interval"]
    if n < FEWEST:
        yield f"only {n} {'conversation carries' if n == 1 else 'conversations carry'} it"
    elif ends is None:
        sides = {_reaches(one.rate, rule) for one in overlaps if one.rate is not None}
        if len(sides) != 1:
            yield f"it has no interval ({decision['interval_reason']})"
    elif ends[0] < rule.threshold <= ends[1]:
        yield f"the threshold is within its interval, {ends[0]:.2f} to {ends[1]:.2f} (95 %)"
    if decision["reaches"] != decision["reaches_clean"]:
        yield "without suspect and failed runs it comes out otherwise"


def _text(decision: dict[str, Any]) -> str:
    a, b = decision["explorers"]["run_a"], decision["explorers"]["run_b"]
    rate, threshold = decision["overlap_rate"], decision["threshold"]
    if rate is None:
        said = f"Run A ({a}) found nothing at all, so that there is no overlap with run B ({b})"
    else:
        said = f"Run B ({b}) found {rate:.3f} of the files of run A ({a}), and {threshold:g} would be enough"
    if decision["switches"]:
        then = f"{b} explores as both runs from now on"
    elif decision["complete"]:
        then = "both explorers stay"
    else:
        done, of = _numbers(decision["counted_iterations"]), decision["calibration_iterations"]
        then = (
            f"both explorers stay until calibration is complete (counted: iteration {done}, asked for: {of})"
        )
    doubts = f"; not settled, since {' and '.join(decision['unsettled'])}" if decision["unsettled"] else ""
    return f"{said}: {then}{doubts}."


def doubts(decision: dict[str, Any]) -> Iterator[str]:
    """Say what to beware of in a decision of `decide`.

    Yields:
        Sentences. That a calibration is not complete is none of them; few conversations are, even so.
    """
    a, b = decision["explorers"]["run_a"], decision["explorers"]["run_b"]
    threshold = decision["threshold"]
    few = decision["conversations_clean"] < FEWEST
    if decision["unsettled"] and (few or decision["complete"]):
        yield f"The overlap of {a} and {b} settles nothing: {' and '.join(decision['unsettled'])}."
    if decision["reaches"] != decision["reaches_clean"]:
        yield (
            f"The overlap is {_shown(decision['overlap_rate'])} with suspect and failed runs, as documented, "
            f"and {_shown(decision['overlap_rate_clean'])} without them, on the other side of {threshold:g}."
        )
    if decision["left_out_iterations"]:
        yield (
            f"Calibration leaves out iteration {_numbers(decision['left_out_iterations'])}, which other "
            f"explorers than {a} and {b} explored."
        )
    ceiling = decision["ceiling"]
    if ceiling is not None and ceiling < threshold:
        yield (
            f"{a} finds only {ceiling:.2f} of its own files again: an overlap of {threshold:g} is out of "
            "reach, whatever run B is."
        )


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _shown(rate: float | None) -> str:
    return "undefined" if rate is None else f"{rate:.3f}"
