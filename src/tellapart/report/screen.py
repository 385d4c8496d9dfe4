"""What a reader sees before scrolling: the ranking beside the verdict, and how far apart the models are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tellapart.core.comparison import Comparison, PairComparison, Verdict
from tellapart.core.comparison.gates import Gate
from tellapart.core.comparison.pairs import negated
from tellapart.core.gate_outcome import GateOutcome
from tellapart.report import numbers as show
from tellapart.report.comparison import PairLink, by_rank, sentence, verdict_cell
from tellapart.report.figures import FIGURES
from tellapart.report.numbers import Scale
from tellapart.report.tables import Cell, Column, Span, Spans, ticks_over, undefined

MOST_MODELS = 10
"""Of more models only neighbours in the ranking are shown with their difference."""

MOST_ROWS = 45


class Placed(Protocol):
    """A model in a ranking, as an audit has it; without a score it has nothing but its name."""

    @property
    def model(self) -> str:
        """Its name."""

    @property
    def rank_ci(self) -> tuple[int, int] | None:
        """The best and the worst rank that it may have."""

    @property
    def mean(self) -> float | None:
        """Its mean score."""

    @property
    def ci(self) -> tuple[float, float] | None:
        """The interval of its mean."""


def ranking(places: Sequence[Placed], scale: Scale) -> Spans | None:
    """The models, best first; the first stands out where no other may be it."""
    known = [place for place in places if place.mean is not None]
    if not known:
        return None
    rows = [
        Span(
            (
                Cell(place.model, strong=place.rank_ci == (1, 1) and len(places) > 1),
                Cell("–".join(map(str, dict.fromkeys(place.rank_ci or (show.DASH,))))),
                Cell(show.DASH if place.mean is None else scale.mean(place.mean)),
                Cell(scale.span(place.ci) if place.ci else ""),
            ),
            place.mean,
            place.ci,
        )
        for place in places
    ]
    columns = (
        Column("Model", numeric=False),
        Column(FIGURES["rank"].label),
        Column(f"{FIGURES['mean'].label}{scale.unit}"),
        Column(interval_head()),
    )
    note = "The best model's lower end allows for luck in being the best." if len(known) > 1 else ""
    ends = [*_ends(rows), *([0.0] if scale.rates else [])]
    ticks = ticks_over(ends, scale.tick, most=3, steps=(1, 2, 2.5, 5, 10))
    return Spans("first-ranking", "Ranking", columns, tuple(rows), ticks, note=note)


def differences(
    comparison: Comparison | None, scale: Scale | None = None, items: PairLink | None = None
) -> Spans | None:
    """The pairs with the interval of their difference; None without any. Their table is below.

    Neighbours in the ranking come first, and then the others if they are few. Of a baseline, what each other
    has more than it.
    """
    if comparison is None or not comparison.primary.declared:
        return None
    scale = scale or Scale()
    pairs = [pair for pair in by_rank(comparison.primary.pairs) if pair.difference is not None]
    shown = pairs if comparison.baseline else _beside_first(pairs)
    shown = shown[:MOST_ROWS]
    if not shown:
        return None
    rows = [_difference(pair, comparison.baseline, scale, items) for pair in shown]
    least = comparison.sesoi
    notes = [f"Grey: differences up to {scale.size(least)}, too small to matter. An open mark: cannot tell."]
    if len(pairs) > 1:
        notes.append(f"Intervals are corrected for {show.count(len(pairs))} pairs.")
    if len(pairs) > len(shown):
        notes.append(f"The other {show.count(len(pairs) - len(shown))} pairs are below.")
    return Spans(
        "differences",
        f"Differences, in {scale.gap_unit}",
        _columns("Verdict", 1 - comparison.alpha if len(pairs) == 1 else None),
        tuple(rows),
        ticks_over([*_ends(rows), 0.0, least, -least], scale.gap_tick),
        band=(-least, least) if least else None,
        rules=(0.0,),
        note=" ".join(notes),
        is_told_elsewhere=True,
    )


def changes(gates: Sequence[Gate], scale: Scale) -> Spans | None:
    """What each candidate has more than the baseline, with the interval and the limit of its gate."""
    rows = []
    for gate in gates:
        if gate.drop is None:
            continue
        span = None if gate.interval is None else negated(gate.interval)
        cells = (
            Cell(f"{gate.candidate} {show.MINUS} {gate.baseline}"),
            Cell(scale.gap(-gate.drop)),
            Cell(scale.gap_span(span)) if span else undefined(_no_interval(gate.reason)),
            Cell("" if gate.outcome is None else gate.outcome.value, strong=True),
        )
        strong = gate.outcome is not GateOutcome.UNCLEAR
        rows.append(Span(cells, -gate.drop, span, strong=strong))
    levels = {gate.level for gate in gates if gate.interval is not None}
    limits = sorted({-gate.limit for gate in gates if gate.limit is not None})
    if not rows:
        return None
    return Spans(
        "differences",
        f"Change, in {scale.gap_unit}",
        _columns("Gate", levels.pop() if len(levels) == 1 else None),
        tuple(rows),
        ticks_over([*_ends(rows), *limits, 0.0], scale.gap_tick),
        rules=(*limits, 0.0),
        note=f"The line at {' and '.join(map(scale.gap_tick, limits))} is the limit." if any(limits) else "",
    )


def interval_head(level: float | None = 0.95) -> str:
    """The head of a column of intervals at a level."""
    label = FIGURES["interval"].label
    return label if level is None else f"{100 * level:.3g} % {label.lower()}"


def _columns(last: str, level: float | None) -> tuple[Column, ...]:
    figures = (Column(FIGURES["difference"].label), Column(interval_head(level)))
    return Column("Pair", numeric=False), *figures, Column(last, numeric=False)


def _no_interval(reason: str) -> str:
    why = sentence(reason) or "too few items or clusters"
    return why if "interval" in why else f"no interval: {why}"


def _ends(rows: Sequence[Span]) -> list[float]:
    return [end for row in rows for end in (row.value, *(row.ends or ())) if end is not None]


def _difference(pair: PairComparison, baseline: str | None, scale: Scale, items: PairLink | None) -> Span:
    """A pair as the model ahead less the other one; with a baseline, as the other one less it."""
    front, back = (pair.a, pair.b) if pair.ahead == pair.a else (pair.b, pair.a)
    if baseline is not None:
        front, back = (pair.b, pair.a) if pair.a == baseline else (pair.a, pair.b)
    lead, interval = pair.of(front)
    cells = (
        Cell(f"{front} {show.MINUS} {back}"),
        Cell(scale.gap(lead or 0.0), link=items(pair.ahead, pair.behind) if items else ""),
        Cell(scale.gap_span(interval)) if interval else undefined(_no_interval(pair.reason)),
        verdict_cell(pair),
    )
    strong = pair.is_separated or pair.verdict is Verdict.EQUIVALENT
    return Span(cells, lead, interval, strong=strong)


def _beside_first(pairs: Sequence[PairComparison]) -> list[PairComparison]:
    """Neighbours in the ranking, then the other pairs unless the models are many."""
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.ahead, pair.behind)))
    ahead = [pair.ahead for pair in pairs]
    place = {name: i for i, name in enumerate(sorted(names, key=lambda name: -ahead.count(name)))}
    beside = [pair for pair in pairs if place[pair.behind] - place[pair.ahead] == 1]
    return beside if len(names) > MOST_MODELS else [*beside, *(pair for pair in pairs if pair not in beside)]
