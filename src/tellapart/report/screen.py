"""What a reader sees before scrolling: the ranking beside the verdict, and how far apart the models are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.core.comparison import Comparison, PairComparison, Verdict
from tellapart.report import numbers as show
from tellapart.report.comparison import VERDICTS, PairLink, Scale, by_rank
from tellapart.report.spans import Span, Spans, ticks_over
from tellapart.report.tables import Cell, Column

MOST_MODELS = 10
"""Of more models only neighbours in the ranking are shown with their difference."""

MOST_ROWS = 45


@dataclass(frozen=True)
class Place:
    """A model in the ranking.

    Attributes:
        ranks: The best and the worst rank that it may have; None where it has no score.
    """

    model: str
    ranks: tuple[int, int] | None
    mean: float | None
    interval: Sequence[float] | None


def ranking(places: Sequence[Place], scale: Scale) -> Spans | None:
    """The models, best first; the first stands out where no other may be it."""
    known = [place for place in places if place.mean is not None]
    if not known:
        return None
    ends = [end for place in known for end in (place.mean, *(place.interval or ())) if end is not None]
    rows = [
        Span(
            (
                Cell(place.model, strong=place.ranks == (1, 1) and len(places) > 1),
                Cell(show.DASH if place.ranks is None else _between(place.ranks)),
                Cell(show.DASH if place.mean is None else scale.mean(place.mean)),
                Cell(scale.span(place.interval) if place.interval else ""),
            ),
            place.mean,
            *(tuple(place.interval) if place.interval else (None, None)),
        )
        for place in places
    ]
    columns = (
        Column("Model", numeric=False),
        Column("Rank"),
        Column(f"Mean{scale.unit}"),
        Column("95 % interval"),
    )
    return Spans("first-ranking", "Ranking", columns, tuple(rows), ticks_over(ends, scale.tick))


def differences(comparison: Comparison, scale: Scale, items: PairLink | None = None) -> Spans | None:
    """The pairs with the interval of their difference: neighbours in the ranking, then the others if few."""
    pairs = [pair for pair in by_rank(comparison.primary.pairs) if pair.difference is not None]
    order = list(dict.fromkeys(name for pair in pairs for name in (pair.ahead, pair.behind)))
    ranked = {name: place for place, name in enumerate(_best_first(pairs, order))}
    beside = [pair for pair in pairs if abs(ranked[pair.ahead] - ranked[pair.behind]) == 1]
    if comparison.baseline:
        beside = []
    few = len(order) <= MOST_MODELS
    shown = (
        [*beside, *(pair for pair in pairs if pair not in beside)] if few or comparison.baseline else beside
    )
    shown = shown[:MOST_ROWS]
    if not shown:
        return None
    ends = [0.0, comparison.sesoi, -comparison.sesoi]
    rows = []
    for pair in shown:
        lead, interval = pair.of(pair.ahead)
        low, high = (interval.low, interval.high) if interval else (None, None)
        ends += [end for end in (lead, low, high) if end is not None]
        rows.append(_difference(pair, lead, (low, high), scale, items))
    columns = (
        Column("Pair", numeric=False),
        Column("Difference"),
        Column("Interval"),
        Column("Verdict", numeric=False),
    )
    left = len(pairs) - len(shown)
    return Spans(
        "differences",
        f"Differences, in {scale.gap_unit}",
        columns,
        tuple(rows),
        ticks_over(ends, scale.gap_tick),
        band=(-comparison.sesoi, comparison.sesoi) if comparison.sesoi else None,
        rules=(0.0,),
        note=f"Grey: up to {scale.size(comparison.sesoi)}, the smallest difference that matters. A filled "
        "mark: the two are separated, or equivalent."
        + (f" Neighbours in the ranking; the other {show.count(left)} pairs are below." if left else ""),
    )


def _difference(
    pair: PairComparison,
    lead: float | None,
    ends: tuple[float | None, float | None],
    scale: Scale,
    items: PairLink | None,
) -> Span:
    low, high = ends
    cells = (
        Cell(f"{pair.ahead} {show.MINUS} {pair.behind}"),
        Cell(
            show.DASH if lead is None else scale.gap(lead),
            link=items(pair.ahead, pair.behind) if items else "",
        ),
        Cell("no interval" if low is None or high is None else scale.gap_span((low, high))),
        Cell(VERDICTS[pair.verdict], strong=not pair.is_separated),
    )
    return Span(cells, lead, low, high, strong=pair.is_separated or pair.verdict is Verdict.EQUIVALENT)


def _best_first(pairs: Sequence[PairComparison], names: Sequence[str]) -> list[str]:
    """The models by the number that they are ahead of."""
    ahead = [pair.ahead for pair in pairs]
    return sorted(names, key=lambda name: -ahead.count(name))


def _between(ranks: tuple[int, int]) -> str:
    return str(ranks[0]) if ranks[0] == ranks[1] else show.between(ranks, lambda rank: str(int(rank)))
