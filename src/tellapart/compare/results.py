"""What a comparison gives: what ``tellapart compare --json`` prints."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.audit.results import Caution
from tellapart.core.comparison import Comparison, GateOutcome, OnUnclear
from tellapart.core.comparison.gates import Gate
from tellapart.core.record import Record
from tellapart.report.tracked import Figure, Tracked, tracked, with_ends

_Ends = tuple[float, float]


class GateRecord(Record):
    """Whether a candidate fell by more than is allowed: the figures of a `Gate`, as drops.

    Attributes:
        passed: None where that is unclear; as all that follows from a limit, None where there is no gate.
        limit: The largest drop that is allowed, in score units.
        drop: Mean of baseline - candidate on the items that both have scores on, or None.
        n: These items.
    """

    candidate: str
    scope: str
    passed: bool | None
    outcome: GateOutcome | None
    limit: float | None
    drop: float | None
    interval: _Ends | None
    n: int
    items_needed: int | None
    items_to_settle: int | None
    detectable: float | None
    items_for_limit: int | None
    can_fire: bool | None
    reason: str | None

    @classmethod
    def of(cls, gate: Gate, *, has_limit: bool) -> GateRecord:
        """Give a gate as JSON holds it: the drop is baseline - candidate."""
        passed = None if gate.outcome is GateOutcome.UNCLEAR else gate.outcome.is_passed
        return cls(
            candidate=gate.candidate,
            scope=gate.scope,
            passed=passed if has_limit else None,
            outcome=gate.outcome if has_limit else None,
            limit=gate.max_drop if has_limit else None,
            drop=gate.drop,
            interval=gate.drop_interval,
            n=gate.n,
            items_needed=gate.items_needed if has_limit else None,
            items_to_settle=gate.items_to_settle if has_limit else None,
            detectable=gate.detectable,
            items_for_limit=gate.items_for_limit if has_limit else None,
            can_fire=gate.can_fire if has_limit else None,
            reason=(gate.reason or None) if has_limit else None,
        )


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
        outcome: Of all gates together, with ``on_unclear`` applied; None without a limit.
        flips: Items on which a candidate and the baseline differ, by candidate, the most decisive first.
        models: The baseline, then the candidates.
        means: Mean score by model over all its items, or None where nothing was scored.
        missing: Rows without a score by model and cause.
        warnings: What to know before any figure, such as items that not all models were given.
        limits: Lowest and highest possible score; None where there is no limit on that side.
        sources: The form of each file that was read, by its path; empty for scores in memory.
        notes: What reading them made necessary; sentences.
    """

    comparison: Comparison
    gate: GateRecord
    other_gates: tuple[GateRecord, ...]
    on_unclear: OnUnclear
    outcome: GateOutcome | None
    flips: tuple[FlipRecord, ...]
    models: tuple[str, ...]
    means: dict[str, float | None]
    missing: dict[str, dict[str, int]]
    warnings: tuple[Caution, ...]
    limits: tuple[float | None, float | None]
    sources: dict[str, str]
    notes: tuple[str, ...]

    @property
    def gates(self) -> list[GateRecord]:
        """That of each candidate, in ascending order of names."""
        return sorted((self.gate, *self.other_gates), key=lambda gate: gate.candidate)

    @property
    def tracked(self) -> Tracked:
        """The means, and each candidate's difference from the baseline, as its gate has it.

        ``passed`` is 1 or 0, and undefined where the gate is unclear; without a gate there is none.
        """
        return tracked("compare", self._figures())

    def _figures(self) -> Iterator[Figure]:
        if self.outcome is not None:
            is_clear = self.outcome is not GateOutcome.UNCLEAR
            yield ("passed",), self.outcome.is_passed if self.outcome and is_clear else None
        for model in self.models:
            yield (model, "mean"), self.means[model]
            yield (model, "missing"), sum(self.missing.get(model, {}).values())
        for gate in self.gates:
            ends = gate.interval and (0.0 - gate.interval[1], 0.0 - gate.interval[0])
            difference = None if gate.drop is None else 0.0 - gate.drop
            yield from with_ends((gate.candidate, "difference"), difference, ends)
            yield (gate.candidate, "n"), gate.n
            yield (gate.candidate, "detectable"), gate.detectable
            if gate.outcome is not None:
                yield (gate.candidate, "passed"), gate.passed
