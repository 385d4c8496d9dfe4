"""A finished ranking, as its page reads it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.excluding import Exclusion
from tellapart.contrastive.ranking.combined import Combined
from tellapart.contrastive.ranking.results import RankingRecord
from tellapart.core.comparison import Comparison


@dataclass(frozen=True)
class Ranked:
    """Writers of summaries, ranked, and what that rests on.

    Attributes:
        combined: The evidence, unit by unit.
        runs: Where the evidence lies.
        version: Of the program that wrote the first of them.
        exclusion: Items that were left out; None where none was.
    """

    record: RankingRecord
    comparison: Comparison
    combined: Combined
    benchmark: Benchmark
    runs: tuple[Path, ...]
    version: str
    exclusion: Exclusion | None = None
