"""How the score falls: by length of the context, by distance of the evidence, by depth and length."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, median_low

from tellapart.core.stats import clustered_rate
from tellapart.longcontext.results import CurveCell, HeatCell, ProbeRecord

DEPTHS = 5
"""Rows of the heatmap: equal parts of the conversation, the beginning first."""

FIRST_BIN_TOKENS = 1_000
"""The first bin is everything up to here, and every further bin ends at twice the end of the one before."""


@dataclass(frozen=True)
class ItemScore:
    """One question of one cell: the mean score of its askings, and with every missing score 0 and 1."""

    item: str
    cluster: str
    value: float | None
    lowest: float
    highest: float


TokensOf = Callable[[ProbeRecord], int | None]


@dataclass(frozen=True)
class Cell:
    """Probes above ``low`` and up to ``high`` tokens; ``low == high`` is a length that was asked for."""

    low: int
    high: int
    probes: tuple[ProbeRecord, ...]
    tokens_of: TokensOf

    @property
    def tokens(self) -> int:
        """What the cell is called."""
        if self.low == self.high:
            return self.high
        return median_low([tokens for p in self.probes if (tokens := self.tokens_of(p)) is not None])

    @cached_property
    def items(self) -> list[ItemScore]:
        """Its questions, by name."""
        return item_scores(self.probes)

    @cached_property
    def scored(self) -> list[tuple[str, float]]:
        """Conversation and score of the questions that have one."""
        return [(item.cluster, item.value) for item in self.items if item.value is not None]

    @property
    def curve(self) -> CurveCell:
        """Its point of a curve."""
        rate = clustered_rate([value for _, value in self.scored], [cluster for cluster, _ in self.scored])
        measured = [p.context_tokens if self.tokens_of is _length else self.tokens_of(p) for p in self.probes]
        counted = [tokens for tokens in measured if tokens is not None]
        return CurveCell(
            self.tokens,
            self.low,
            self.high,
            round(fmean(counted)) if counted else None,
            rate.value,
            rate.interval,
            len(self.scored),
            len(self.items) - len(self.scored),
            dict(sorted(Counter(p.missing or "unknown" for p in self.probes if p.value is None).items())),
            len({cluster for cluster, _ in self.scored}),
            fmean(item.lowest for item in self.items),
            fmean(item.highest for item in self.items),
            rate.reason,
        )


def are_intended(points: Sequence[ProbeRecord]) -> bool:
    """Whether every probe says how long its context was meant to be, so that these lengths are the cells."""
    return bool(points) and all(point.intended_tokens is not None for point in points)


def binned(tokens: int) -> tuple[int, int]:
    """The ends of the bin that holds so many tokens: up to 1,000, then up to 2,000, 4,000 and so on."""
    high = FIRST_BIN_TOKENS
    while tokens > high:
        high *= 2
    # Bins double, as lengths do in experiments, so that each holds about as many of them.
    return (0 if high == FIRST_BIN_TOKENS else high // 2), high


def by_length(points: Iterable[ProbeRecord], as_intended: bool) -> list[Cell]:
    """Probes by the length of the context, the shortest first; those of no known length are left out."""
    return _cells(points, _length, as_intended=as_intended)


def by_distance(points: Iterable[ProbeRecord]) -> list[Cell]:
    """Probes by the distance from the nearest evidence, in bins, the nearest first."""
    return _cells(points, lambda point: point.distance_tokens)


def _cells(points: Iterable[ProbeRecord], tokens_of: TokensOf, *, as_intended: bool = False) -> list[Cell]:
    by_ends = defaultdict[tuple[int, int], list[ProbeRecord]](list)
    for point in points:
        if as_intended and point.intended_tokens is not None:
            by_ends[point.intended_tokens, point.intended_tokens].append(point)
        elif (tokens := tokens_of(point)) is not None:
            by_ends[binned(tokens)].append(point)
    in_order = sorted(by_ends, key=lambda ends: ends[1])
    return [Cell(low, high, tuple(by_ends[low, high]), tokens_of) for low, high in in_order]


def heatmap(points: Iterable[ProbeRecord], as_intended: bool) -> tuple[HeatCell, ...]:
    """The score by depth and length: every row for every length, by length and then by depth."""
    columns = by_length([p for p in points if p.depth is not None], as_intended)
    return tuple(_heat_cell(column, row) for column in columns for row in range(DEPTHS))


def _heat_cell(column: Cell, row: int) -> HeatCell:
    items = item_scores(
        [p for p in column.probes if p.depth is not None and min(int(p.depth * DEPTHS), DEPTHS - 1) == row]
    )
    values = [item.value for item in items if item.value is not None]
    return HeatCell(
        column.tokens,
        row / DEPTHS,
        (row + 1) / DEPTHS,
        fmean(values) if values else None,
        len(values),
        len(items) - len(values),
        fmean(item.lowest for item in items) if items else None,
        fmean(item.highest for item in items) if items else None,
    )


def item_scores(points: Iterable[ProbeRecord]) -> list[ItemScore]:
    """The items of some askings, by name; askings of the same question are one item."""
    askings = defaultdict(list)
    for point in points:
        askings[point.item].append(point)
    return [_item(item, askings[item]) for item in sorted(askings)]


def _item(item: str, askings: list[ProbeRecord]) -> ItemScore:
    values = [point.value for point in askings if point.value is not None]
    lost = len(askings) - len(values)
    return ItemScore(
        item,
        min(point.case for point in askings),
        fmean(values) if values else None,
        sum(values) / len(askings),
        (sum(values) + lost) / len(askings),
    )


def _length(point: ProbeRecord) -> int | None:
    return point.intended_tokens if point.context_tokens is None else point.context_tokens
