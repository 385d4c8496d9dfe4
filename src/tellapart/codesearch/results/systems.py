"""What ``compare --json`` prints: several systems on the same conversations."""

from __future__ import annotations

from tellapart.codesearch.results.metrics import Explorers
from tellapart.codesearch.results.types import Number
from tellapart.core.comparison import Comparison
from tellapart.core.record import StoredRecord


class SystemsRecord(StoredRecord):
    """The whole comparison; see `system_comparison.compare`."""

    systems: tuple[str, ...]
    conversations: int
    only_in: dict[str, int]
    explorers: dict[str, Explorers]
    same_explorers: bool
    ground_truth_differs: int
    measure: str
    without_gold: int = 0
    median_files: dict[str, Number | None] = {}
    alpha: Number
    comparison: Comparison
    sentences: tuple[str, ...] = ()
