"""What ``compare --json`` prints: several systems on the same conversations."""

from __future__ import annotations

from tellapart.codesearch.results.metrics import Explorers
from tellapart.codesearch.results.types import Bounds, Number
from tellapart.core.comparison import ComparisonRecord
from tellapart.core.record import StoredRecord


class SystemMean(StoredRecord):
    """The mean of one system by one ruler, and its bounds over files without a verdict."""

    mean: Number | None
    bounds: Bounds
    conversations: int


class RulerPair(StoredRecord):
    """Two systems by one ruler: who is ahead there, without a test; see `metrics.pooling.by_ruler`."""

    a: str
    b: str
    difference: Number | None
    bounds: Bounds
    conversations: int
    ahead: str | None
    open: bool


class Ruler(StoredRecord):
    """All systems by one ruler."""

    systems: dict[str, SystemMean]
    pairs: tuple[RulerPair, ...]

    def pair(self, a: str, b: str) -> RulerPair:
        """Two systems, in either order."""
        return next(pair for pair in self.pairs if {pair.a, pair.b} == {a, b})


class Order(StoredRecord):
    """Whether the same system is ahead by every ruler.

    Attributes:
        ahead: Who is in the comparison; None for nobody.
        holds: False where a ruler reverses it, None where one leaves it open or nobody is ahead, else True.
        views: By ruler ``same``, ``reversed``, ``tied``, ``open`` or ``unknown``.
    """

    a: str
    b: str
    ahead: str | None
    holds: bool | None
    views: dict[str, str]


class SystemsRecord(StoredRecord):
    """The whole comparison; see `system_comparison.compare`.

    Attributes:
        comparison: Of the score tables of the evaluations; None until they are compared.
    """

    systems: tuple[str, ...]
    conversations: int
    only_in: dict[str, int]
    explorers: dict[str, Explorers]
    same_explorers: bool
    ground_truth_differs: int
    measure: str
    without_gold: int = 0
    median_files: dict[str, Number | None] = {}
    pooled: dict[str, Ruler]
    tiers: dict[str, Ruler]
    alpha: Number | None = None
    comparison: ComparisonRecord | None = None
    orders: tuple[Order, ...] = ()
    sentences: tuple[str, ...] = ()
