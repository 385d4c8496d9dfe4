"""What a comparison gives: what ``tellapart compare --json`` prints."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from tellapart.audit.results import Caution
from tellapart.compare.pass_k import PassK
from tellapart.core.comparison import Comparison, Gate, GateOutcome
from tellapart.core.gate_outcome import SEVERITY
from tellapart.core.record import Record
from tellapart.report.tracked import Figure, Tracked, tracked, with_ends


class FlipRecord(Record):
    """An item on which a candidate, with the score ``b``, differs from the baseline, with ``a``."""

    item: str
    a: float
    b: float
    candidate: str


class CompareRecord(Record):
    """A comparison with its gates.

    Attributes:
        comparison: What every command that compares prints under this name.
        gate: The gate that decides: the worst, and of equal ones that with the greatest drop.
        other_gates: Those of the other candidates, in ascending order of names.
        outcome: Of all gates together; None without a limit.
        flips: Items on which a candidate and the baseline differ, by candidate, the most decisive first.
        models: The baseline, then the candidates.
        means: Mean score by model over all its items, or None where nothing was scored.
        missing: Rows without a score by model and cause.
        warnings: What to know before any figure, such as items that not all models were given.
        limits: Lowest and highest possible score; None where there is no limit on that side.
        sources: The form of each file that was read, by its path; empty for scores in memory.
        notes: What reading them made necessary; sentences.
        pass_k: How steadily the models are right, where items are scored by that; else None.
    """

    comparison: Comparison
    gate: Gate
    other_gates: tuple[Gate, ...]
    outcome: GateOutcome | None
    flips: tuple[FlipRecord, ...]
    models: tuple[str, ...]
    means: dict[str, float | None]
    missing: dict[str, dict[str, int]]
    warnings: tuple[Caution, ...]
    limits: tuple[float | None, float | None]
    sources: dict[str, str]
    notes: tuple[str, ...]
    pass_k: PassK | None = None

    @property
    def gates(self) -> list[Gate]:
        """That of each candidate, the one that decides first, of equal ones that with the greatest drop."""
        return sorted((self.gate, *self.other_gates), key=severity)

    @property
    def tracked(self) -> Tracked:
        """The means, and each candidate's difference from the baseline, as its gate has it.

        ``passed`` is 1 or 0, and undefined where the gate is unclear; without a gate there is none.
        """
        return tracked("compare", self._figures())

    def _figures(self) -> Iterator[Figure]:
        if self.outcome is not None:
            yield ("passed",), _passed(self.outcome)
        for model in self.models:
            yield (model, "mean"), self.means[model]
            yield (model, "missing"), sum(self.missing.get(model, {}).values())
        for gate in sorted(self.gates, key=lambda gate: gate.candidate):
            ends = gate.interval and (0.0 - gate.interval[1], 0.0 - gate.interval[0])
            difference = None if gate.drop is None else 0.0 - gate.drop
            yield from with_ends((gate.candidate, "difference"), difference, ends)
            yield (gate.candidate, "n"), gate.n
            yield (gate.candidate, "detectable"), gate.detectable
            if gate.outcome is not None:
                yield (gate.candidate, "passed"), _passed(gate.outcome)


def severity(gate: Gate) -> tuple[int, float]:
    """Sort gates: the worst outcome first, of equal ones the greatest drop."""
    return SEVERITY.index(gate.outcome) if gate.outcome else 0, inf if gate.drop is None else -gate.drop


def _passed(outcome: GateOutcome) -> bool | None:
    return None if outcome is GateOutcome.UNCLEAR else outcome.is_passed
