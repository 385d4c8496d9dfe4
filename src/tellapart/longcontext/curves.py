"""How the score falls with length, distance and depth, and up to which length a model still answers.

Two definitions of the effective context length say what a score must reach: RULER's an absolute threshold,
NoLiMa's a share of the model's own score at short lengths.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean, median_low

import numpy as np

from tellapart.core.arrays import F64, I64
from tellapart.core.randomness import generator
from tellapart.core.stats import clustered_rate
from tellapart.longcontext.results import (
    CurveCell,
    Definition,
    EffectiveLength,
    EffectiveLengths,
    HeatCell,
    LengthInterval,
    ModelLengths,
    ProbeRecord,
    Status,
)

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


def _length(point: ProbeRecord) -> int | None:
    return point.intended_tokens if point.context_tokens is None else point.context_tokens


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


ABSOLUTE_THRESHOLD = 0.856
"""The score of Llama2-7B at 4K tokens, RULER's own on RULER's tasks; on other tasks a convention."""

RELATIVE_SHARE = 0.85
"""Of the base score, NoLiMa's."""

BASE_TOKENS = 1_000
"""The base score is that of all lengths up to here."""

MINIMUM_ITEMS = 5
"""Distinct questions with a score that a length must have to count."""


def _decided(
    definition: Definition, model: str, lengths: Sequence[Cell], settings: EffectiveLengths
) -> EffectiveLength:
    """RULER's ``absolute``: ``ABSOLUTE_THRESHOLD`` or more; NoLiMa's ``relative``: a share of the base."""
    counted = [length for length in lengths if len(length.scored) >= settings.minimum_items]
    base: list[int] = []
    score, threshold = None, ABSOLUTE_THRESHOLD
    if definition == "relative" and counted:
        short = [i for i, length in enumerate(counted) if length.high <= BASE_TOKENS]
        base = short or [0]
        score = fmean(value for i in base for _, value in counted[i].scored)
        threshold = RELATIVE_SHARE * score
    reason = _too_little(lengths, counted, settings, score)
    status: Status = "not_determined"
    tokens: int | None = None
    if reason is None:
        status, tokens = _status(
            counted, [fmean(v for _, v in length.scored) for length in counted], threshold
        )
        if reason := _depends(counted, base):
            status, tokens = "withheld", None
    no_interval = reason or _one_conversation(counted)
    interval = None if no_interval else _interval(definition, model, counted, settings, base)
    return EffectiveLength(
        definition,
        status,
        tokens,
        None if definition == "relative" and score is None else threshold,
        score,
        tuple(counted[i].tokens for i in base),
        any(counted[i].high > BASE_TOKENS for i in base),
        interval,
        tuple(length.tokens for length in lengths if length not in counted),
        reason,
        no_interval,
        _words(status, tokens, reason, counted),
    )


def _too_little(
    lengths: Sequence[Cell], counted: Sequence[Cell], settings: EffectiveLengths, base: float | None
) -> str | None:
    if len(counted) < 2:
        have = ", ".join(f"{length.tokens:,} tokens: {len(length.scored)}" for length in lengths) or "none"
        return (
            f"two lengths with {settings.minimum_items} scored items or more are needed, and there "
            f"{'is 1' if counted else 'are 0'} (items a length: {have})"
        )
    return "the base score is 0, and every score reaches 85 % of that" if base == 0 else None


def _status(counted: Sequence[Cell], scores: Sequence[float], limit: float) -> tuple[Status, int | None]:
    reached = int(_reach(np.array([scores]), np.array([limit]))[0])
    if reached == 0:
        return "below", None
    return "at_least" if reached == len(counted) else "determined", counted[reached - 1].tokens


def _depends(counted: Sequence[Cell], base: Sequence[int]) -> str | None:
    """Say what the answer would be with every missing score 0 and 1, where these differ."""
    low = [fmean(item.lowest for item in length.items) for length in counted]
    high = [fmean(item.highest for item in length.items) for length in counted]
    worst, best = ABSOLUTE_THRESHOLD, ABSOLUTE_THRESHOLD
    if base:
        items = [item for i in base for item in counted[i].items]
        worst = RELATIVE_SHARE * fmean(item.highest for item in items)
        best = RELATIVE_SHARE * fmean(item.lowest for item in items)
        if len(base) == 1:
            # A length that is the whole base always reaches its share of itself.
            low[base[0]] = high[base[0]]
    ends = [_status(counted, scores, limit) for scores, limit in ((low, worst), (high, best))]
    if ends[0] == ends[1]:
        return None
    missing = sum(item.lowest < item.highest for length in counted for item in length.items)
    total = sum(len(length.items) for length in counted)
    answers = [_words(*end, None, counted) for end in ends]
    lacking = f"{missing} of {total} items lack scores"
    return f"{lacking}: it is {answers[0]} if these were wrong, {answers[1]} if right"


def _one_conversation(counted: Sequence[Cell]) -> str | None:
    for length in counted:
        if len({cluster for cluster, _ in length.scored}) < 2:
            return f"all probes at {length.tokens:,} tokens are in one conversation"
    return None


def _interval(
    definition: Definition,
    model: str,
    counted: Sequence[Cell],
    settings: EffectiveLengths,
    base: list[int],
) -> LengthInterval:
    rng = generator(settings.seed, "longcontext", "effective length", definition, model)
    right, weight = resampled([length.scored for length in counted], rng, settings.draws)
    limit = np.full(settings.draws, ABSOLUTE_THRESHOLD)
    if base:
        limit = RELATIVE_SHARE * right[:, base].sum(axis=1) / weight[:, base].sum(axis=1)
    reached = _reach(right / weight, limit)
    tail = (1 - settings.level) / 2
    # Quantiles of lengths that exist: an effective length between two tested ones was not observed.
    low, high = np.quantile(reached, [tail, 1 - tail], method="inverted_cdf").astype(int).tolist()
    ends = [counted[end - 1].tokens if end else None for end in (low, high)]
    return LengthInterval(ends[0], ends[1], high == len(counted), settings.level)


def _words(status: Status, tokens: int | None, reason: str | None, counted: Sequence[Cell]) -> str:
    if status in ("determined", "at_least"):
        return f"{'at least ' * (status == 'at_least')}{tokens:,} tokens"
    if status == "below":
        return f"below {counted[0].tokens:,} tokens"
    return f"{status.replace('_', ' ')}: {reason}"


_ROUNDING = 1e-9
"""A score that misses its limit by less reaches it: 0.85 times a base is not exact."""


def _reach(scores: F64, limits: F64) -> I64:
    """How many lengths pass, from the shortest up to the first that does not."""
    passing = scores >= limits[:, None] - _ROUNDING
    reached: I64 = np.cumprod(passing, axis=1).sum(axis=1)
    return reached


def resampled(
    lengths: Sequence[Sequence[tuple[str, float]]], rng: np.random.Generator, draws: int
) -> tuple[F64, F64]:
    """Draw experiments: every conversation is worth a random share, with all of its items.

    Weights are exponential, so that no length is ever without items, as it could be if conversations were
    drawn with replacement. Half an item that is right and half an item that is wrong join each length:
    without them a length at which everything is right would be so in every draw, however few items it has.

    Source:
        Rubin 1981, "The Bayesian bootstrap", with whole conversations in place of single values. The halves
        are Jeffreys's prior of a rate: where every item has a conversation of its own, a score is drawn from
        Beta(right + 1/2, wrong + 1/2), as in Brown, Cai and DasGupta 2001, "Interval estimation for a
        binomial proportion", section 3.1.2.
    """
    clusters = sorted({cluster for items in lengths for cluster, _ in items})
    index = {cluster: i for i, cluster in enumerate(clusters)}
    values, counts = np.zeros((2, len(clusters), len(lengths)))
    for column, items in enumerate(lengths):
        for cluster, value in items:
            values[index[cluster], column] += value
            counts[index[cluster], column] += 1
    weights = rng.standard_exponential((draws, len(clusters)))
    right, wrong = rng.standard_gamma(0.5, (2, draws, len(lengths)))
    sums = np.einsum("dc,cl->dl", weights, values) + right
    return sums, np.einsum("dc,cl->dl", weights, counts) + right + wrong


def effective_length(
    points: Sequence[ProbeRecord],
    *,
    seed: int = 0,
    draws: int = 4_000,
    level: float = 0.95,
    minimum_items: int = MINIMUM_ITEMS,
) -> EffectiveLengths:
    """Give curves, heatmap and effective context length of every model.

    Source:
        Hsieh et al. 2024, "RULER: What's the Real Context Size of Your Long-Context Language Models?",
        section 4, for ``absolute``: a fixed threshold, 85.6, that Llama2-7B reaches at 4K tokens. Modarressi
        et al. 2025, "NoLiMa: Long-Context Evaluation Beyond Literal Matching", section 4.3, for ``relative``:
        85 % of the score at the shortest contexts, 250, 500 and 1K tokens. Deviations: all shorter lengths
        must pass too, where both papers take the longest that does; the base score is the mean over items of
        all the short lengths, not over the maxima of each item, which chance lifts; and where there is no
        length up to 1K the shortest stands in, and the result says so.
    """
    # Where every probe says how long its context was meant to be, these lengths are the cells.
    meant = [point.intended_tokens for point in points if _counts(point)]
    as_intended = bool(meant) and None not in meant
    settings = EffectiveLengths(as_intended, level, draws, seed, minimum_items, ())
    models = sorted({point.model for point in points})
    return replace(
        settings,
        models=tuple(_of_model(name, [p for p in points if p.model == name], settings) for name in models),
    )


def _of_model(model: str, points: Sequence[ProbeRecord], settings: EffectiveLengths) -> ModelLengths:
    useful = [point for point in points if _counts(point)]
    lengths = by_length(useful, settings.asked)
    return ModelLengths(
        model,
        len(points),
        len(points) - len(useful),
        len(useful) - sum(len(length.probes) for length in lengths),
        tuple(length.curve for length in lengths),
        tuple(cell.curve for cell in by_distance(useful)),
        heatmap(useful, settings.asked),
        _decided("absolute", model, lengths, settings),
        _decided("relative", model, lengths, settings),
    )


def _counts(point: ProbeRecord) -> bool:
    failed = point.value is None and point.missing != "infeasible"
    return point.distance_tokens is not None or failed
