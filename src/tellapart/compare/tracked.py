"""The figures of a comparison for experiment trackers."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.compare.results import CompareRecord
from tellapart.core.gate_outcome import GateOutcome
from tellapart.report.tracked import Figure, Tracked, tracked, with_ends


def tracked_comparison(record: CompareRecord) -> Tracked:
    """Give the means, and each candidate's difference from the baseline, as its gate has it.

    ``passed`` is 1 or 0, and undefined where the gate is unclear; without a gate there is none.
    """
    return tracked("compare", _figures(record))


def _figures(record: CompareRecord) -> Iterator[Figure]:
    if record.outcome is not None:
        yield (
            ("passed",),
            None if record.outcome is GateOutcome.UNCLEAR else record.outcome is GateOutcome.PASSED,
        )
    for model in record.models:
        yield (model, "mean"), record.means[model]
        yield (model, "missing"), sum(record.missing.get(model, {}).values())
    for gate in record.gates:
        low, high = gate.interval or (None, None)
        ends = None if low is None or high is None else (0.0 - high, 0.0 - low)
        difference = None if gate.drop is None else 0.0 - gate.drop
        yield from with_ends((gate.candidate, "difference"), difference, ends)
        yield (gate.candidate, "n"), gate.n
        yield (gate.candidate, "detectable"), gate.detectable
        if gate.outcome is not None:
            yield (gate.candidate, "passed"), gate.passed
