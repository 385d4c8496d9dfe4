"""What the calibration iterations found, and the rule that is applied to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tellapart.codesearch.calibration.state import IterationRecord
from tellapart.codesearch.metrics.calibration import Overlap, total


@dataclass(frozen=True)
class Rule:
    """When run B's explorer may explore alone.

    Attributes:
        iterations: How many iterations are counted; 0 decides nothing, ever.
        threshold: The overlap from which on it may, in [0, 1].
    """

    iterations: int = 2
    threshold: float = 0.9


@dataclass(frozen=True)
class Counted:
    """The calibration iterations that are known, all of the same two explorers.

    Attributes:
        records: In ascending order of numbers; empty where none is known.
        complete: Whether they are all that the rule asks for.
        left_out: Numbers of calibration iterations that other explorers explored.
    """

    records: tuple[IterationRecord, ...]
    complete: bool
    left_out: tuple[int, ...] = ()

    def total(self, *, clean: bool = False) -> Overlap:
        """Files of all of them, by which run found them."""
        return total([record.total(clean=clean) for record in self.records])

    def by_conversation(self) -> dict[str, Overlap]:
        """The same of each conversation over the iterations, without suspect and failed runs."""
        found: dict[str, Overlap] = {}
        for record in self.records:
            for name, counts in record.conversations.items():
                if counts.clean:
                    found[name] = found.get(name, Overlap()) + counts.overlap
        return dict(sorted(found.items()))

    def switches(self, rule: Rule) -> bool:
        """Whether the documented rule lets run B's explorer explore alone from now on."""
        rate = self.total().rate
        return self.complete and rate is not None and rate >= rule.threshold


def count(records: Iterable[IterationRecord], rule: Rule) -> Counted:
    """Take those of the calibration iterations that the last one's explorers explored."""
    within = sorted((one for one in records if one.number <= rule.iterations), key=lambda one: one.number)
    same = tuple(one for one in within if (one.run_a, one.run_b) == (within[-1].run_a, within[-1].run_b))
    numbers = {one.number for one in same}
    complete = 0 < rule.iterations == len(numbers)
    return Counted(same, complete, tuple(one.number for one in within if one.number not in numbers))
