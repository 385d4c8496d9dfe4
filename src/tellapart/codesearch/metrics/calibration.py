"""Which run found a file, counted; and the documented block that is made of the counts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from tellapart.codesearch.case import Case, Explored

KEEP = "Keep Opus-Sonnet hybrid or Opus-only"
SWITCH = "Switch to dual-Sonnet for cost efficiency"
CALIBRATING = "Keep Opus-Sonnet hybrid until calibration is complete"


@dataclass(frozen=True)
class Overlap:
    """Files of one conversation, or of several together, by which of two runs found them.

    Attributes:
        a_only: Files that only the first run found.
        b_only: Files that only the second one found.
        both: Files that both found.
    """

    a_only: int = 0
    b_only: int = 0
    both: int = 0

    def __add__(self, other: Overlap) -> Overlap:
        """Count the files of further conversations too."""
        return Overlap(self.a_only + other.a_only, self.b_only + other.b_only, self.both + other.both)

    @property
    def rate(self) -> float | None:
        """Share of the first run's files that the second found too; None where the first found nothing.

        Source:
            The source document, Calibration Data: overlap_rate = both_models / total_opus_files.
        """
        found = self.both + self.a_only
        return self.both / found if found else None

    @property
    def jaccard(self) -> float | None:
        """Share of all files that both found; None where neither found any."""
        found = self.both + self.a_only + self.b_only
        return self.both / found if found else None


def overlap_of(first: Collection[str], second: Collection[str]) -> Overlap:
    """Count the files of two runs; a file that a run names twice counts once."""
    a, b = set(first), set(second)
    return Overlap(len(a - b), len(b - a), len(a & b))


def total(overlaps: Collection[Overlap]) -> Overlap:
    """Count the files of all conversations together."""
    return sum(overlaps, Overlap())


def has_found(*runs: Explored) -> bool:
    """Whether each run came to its end and found a file, so that its agreement can be spoken of."""
    return all(run.files and run.failure is None for run in runs)


def is_clean(case: Case) -> bool:
    """Whether neither exploration is suspect or failed."""
    return has_found(case.run_a, case.run_b)


def calibration_block(found: Overlap, *, threshold: float, complete: bool) -> dict[str, Any]:
    """Give the documented block.

    Args:
        found: Over the calibration iterations; suspect explorations included, as documented.
        threshold: From this rate on, unrounded, run B's explorer is enough; in [0, 1].
        complete: Whether all calibration iterations are in ``found``.

    Returns:
        The five documented fields; ``overlap_rate`` rounded to 3 decimals, None where run A found nothing.

    Source:
        The source document, Output Format and Calibration Data.
    """
    rate = found.rate
    enough = rate is not None and rate >= threshold
    return {
        "opus_only_files": found.a_only,
        "sonnet_only_files": found.b_only,
        "both_models_files": found.both,
        "overlap_rate": None if rate is None else round(rate, 3),
        "recommendation": (SWITCH if complete else CALIBRATING) if enough else KEEP,
    }
