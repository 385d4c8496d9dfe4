"""How the score falls: by length of the context, by distance of the evidence, by depth and length."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median_low

from tellapart.core.stats import clustered_rate
from tellapart.longcontext.case import AnswerKey
from tellapart.longcontext.grades import GradedProbe, intended_tokens
from tellapart.longcontext.grading_record import probe_record
from tellapart.longcontext.probes import kind_of
from tellapart.longcontext.results import CurveCell, HeatCell, ProbeRecord

DEPTHS = 5
"""Rows of the heatmap: equal parts of the conversation, the beginning first."""

FIRST_BIN_TOKENS = 1_000
"""The first bin is everything up to here, and every further bin ends at twice the end of the one before."""


def points_of(graded: Iterable[GradedProbe], key: AnswerKey) -> list[ProbeRecord]:
    """The probes that ask for what messages said, in order.

    A banned word, whose evidence is the system prompt, and a question of early and late are none.
    """
    return [
        probe_record(probe, intended_tokens(probe, key))
        for probe in graded
        if kind_of(probe.step, probe.expected).one_answer
    ]


@dataclass(frozen=True)
class Span:
    """Tokens above ``low`` and up to ``high``; ``low == high`` is a length that was asked for."""

    low: int
    high: int


@dataclass(frozen=True)
class ItemScore:
    """One question of one cell: the mean score of its askings, and with every missing score 0 and 1."""

    item: str
    cluster: str
    value: float | None
    lowest: float
    highest: float


SpanOf = Callable[[ProbeRecord], Span | None]


def are_intended(points: Sequence[ProbeRecord]) -> bool:
    """Whether every probe says how long its context was meant to be, so that these lengths are the cells."""
    return bool(points) and all(point.intended_tokens is not None for point in points)


def binned(tokens: int) -> Span:
    """The bin that holds so many tokens: up to 1,000, then up to 2,000, 4,000 and so on."""
    high = FIRST_BIN_TOKENS
    while tokens > high:
        high *= 2
    # Bins double, as lengths do in experiments, so that each holds about as many of them.
    return Span(0 if high == FIRST_BIN_TOKENS else high // 2, high)


def place_of_length(as_intended: bool) -> SpanOf:
    """Give what places a probe by the length of its context, with None where the length is not known."""

    def span_of(point: ProbeRecord) -> Span | None:
        if as_intended and point.intended_tokens is not None:
            return Span(point.intended_tokens, point.intended_tokens)
        tokens = _length(point)
        return None if tokens is None else binned(tokens)

    return span_of


def by_length(points: Sequence[ProbeRecord], as_intended: bool) -> tuple[CurveCell, ...]:
    """The score by the length of the context, the shortest first; lengths without probes are left out."""
    cells = grouped(points, place_of_length(as_intended))
    return tuple(_cell(span, cells[span], _length) for span in cells)


def by_distance(points: Sequence[ProbeRecord]) -> tuple[CurveCell, ...]:
    """The score by the distance from the nearest evidence, in bins, the nearest first."""
    cells = grouped(points, lambda p: None if p.distance_tokens is None else binned(p.distance_tokens))
    return tuple(_cell(span, cells[span], lambda p: p.distance_tokens) for span in cells)


def heatmap(points: Sequence[ProbeRecord], as_intended: bool, depths: int = DEPTHS) -> tuple[HeatCell, ...]:
    """The score by depth and length: every row for every length, by length and then by depth."""
    columns = grouped([p for p in points if p.depth is not None], place_of_length(as_intended))
    return tuple(
        _heat_cell(_name(span, inside, _length), row, depths, inside)
        for span, inside in columns.items()
        for row in range(depths)
    )


def grouped(points: Iterable[ProbeRecord], span_of: SpanOf) -> dict[Span, list[ProbeRecord]]:
    """Probes by cell, in the order of the cells; those without one are left out."""
    by_span = defaultdict(list)
    for point in points:
        if (span := span_of(point)) is not None:
            by_span[span].append(point)
    return {span: by_span[span] for span in sorted(by_span, key=lambda span: span.high)}


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


def _cell(span: Span, inside: list[ProbeRecord], tokens_of: Callable[[ProbeRecord], int | None]) -> CurveCell:
    items = item_scores(inside)
    scored = [(item.value, item.cluster) for item in items if item.value is not None]
    rate = clustered_rate([value for value, _ in scored], [cluster for _, cluster in scored])
    measured = [p.context_tokens if tokens_of is _length else tokens_of(p) for p in inside]
    counted = [tokens for tokens in measured if tokens is not None]
    return CurveCell(
        _name(span, inside, tokens_of),
        span.low,
        span.high,
        round(fmean(counted)) if counted else None,
        rate.value,
        rate.interval,
        len(scored),
        len(items) - len(scored),
        dict(sorted(Counter(p.missing or "unknown" for p in inside if p.value is None).items())),
        len({cluster for _, cluster in scored}),
        fmean(item.lowest for item in items),
        fmean(item.highest for item in items),
        rate.reason,
    )


def _heat_cell(tokens: int, row: int, depths: int, column: list[ProbeRecord]) -> HeatCell:
    inside = [p for p in column if p.depth is not None and min(int(p.depth * depths), depths - 1) == row]
    items = item_scores(inside)
    values = [item.value for item in items if item.value is not None]
    return HeatCell(
        tokens,
        row / depths,
        (row + 1) / depths,
        fmean(values) if values else None,
        len(values),
        len(items) - len(values),
        fmean(item.lowest for item in items) if items else None,
        fmean(item.highest for item in items) if items else None,
    )


def _name(span: Span, inside: list[ProbeRecord], tokens_of: Callable[[ProbeRecord], int | None]) -> int:
    if span.low == span.high:
        return span.high
    return median_low([tokens for p in inside if (tokens := tokens_of(p)) is not None])


def _length(point: ProbeRecord) -> int | None:
    return point.intended_tokens if point.context_tokens is None else point.context_tokens
