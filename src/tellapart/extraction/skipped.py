"""What was left out on the way from a repository to its units, by cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

NAMED_PER_CAUSE = 100


@dataclass(frozen=True)
class Skipped:
    """How much was left out and why.

    Attributes:
        counts: Cause to number of things, causes in alphabetical order; empty when nothing was left out.
        examples: Cause to the first hundred names, in the order in which they were met.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass
class Tally:
    """Collects names by cause until ``freeze``."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def after(cls, earlier: Skipped) -> Tally:
        """Go on counting where an earlier step stopped."""
        return cls(Counter(earlier.counts), {cause: list(names) for cause, names in earlier.examples.items()})

    def add(self, cause: str, name: str) -> None:
        """Count one more thing left out for ``cause``."""
        self.counts[cause] += 1
        names = self.examples.setdefault(cause, [])
        if len(names) < NAMED_PER_CAUSE:
            names.append(name)

    def freeze(self) -> Skipped:
        """Return what was collected."""
        causes = sorted(self.counts)
        return Skipped(
            {cause: self.counts[cause] for cause in causes},
            {cause: tuple(self.examples[cause]) for cause in causes},
        )
