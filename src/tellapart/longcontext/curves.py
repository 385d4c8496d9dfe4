"""How the score falls with length, distance and depth, and up to which length a model still answers.

Two definitions of the effective context length say what a score must reach: RULER's an absolute threshold,
NoLiMa's a share of the model's own score at short lengths.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
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

ABSOLUTE_THRESHOLD = 0.856
"""The score of Llama2-7B at 4K tokens, RULER's own on RULER's tasks; on other tasks a convention."""

RELATIVE_SHARE = 0.85
"""Of the base score, NoLiMa's."""

BASE_TOKENS = 1_000
"""The base score is that of all lengths up to here."""

MINIMUM_ITEMS = 5
"""Distinct questions with a score that a length must have to count."""

LEVEL = 0.95
"""Of all intervals."""


@dataclass(frozen=True)
class ItemScore:
    """One question of one cell: the mean score of its askings, and with every missing score 0 and 1."""

    item: str
    cluster: str
    value: float | None
    lowest: float
    highest: float


def item_scores(points: Iterable[ProbeRecord]) -> list[ItemScore]:
    """The items of some askings, by name; askings of the same question are one item."""
    askings = defaultdict[str, list[ProbeRecord]](list)
    for point in points:
        askings[point.item].append(point)
    items = []
    for item, asked in sorted(askings.items()):
        values = [point.value for point in asked if point.value is not None]
        lowest, lost = sum(values) / len(asked), (len(asked) - len(values)) / len(asked)
        cluster = min(point.case for point in asked)
        items.append(ItemScore(item, cluster, fmean(values) if values else None, lowest, lowest + lost))
    return items


@dataclass(frozen=True)
class Cell:
    """Probes above ``low`` and up to ``high`` tokens; ``low == high`` is a length that was asked for."""

    low: int
    high: int
    tokens: int
    probes: tuple[ProbeRecord, ...]

    @cached_property
    def items(self) -> list[ItemScore]:
        """Its questions, by name."""
        return item_scores(self.probes)

    @cached_property
    def scored(self) -> list[tuple[str, float]]:
        """Conversation and score of the questions that have one."""
        return [(item.cluster, item.value) for item in self.items if item.value is not None]

    @cached_property
    def mean(self) -> float:
        """The mean over these questions."""
        return fmean(value for _, value in self.scored)

    def curve(self, measured_of: Callable[[ProbeRecord], int | None]) -> CurveCell:
        """Its point of a curve."""
        rate = clustered_rate(
            [value for _, value in self.scored], [cluster for cluster, _ in self.scored], level=LEVEL
        )
        measured = [tokens for p in self.probes if (tokens := measured_of(p)) is not None]
        return CurveCell(
            self.tokens,
            self.low,
            self.high,
            round(fmean(measured)) if measured else None,
            rate.value,
            rate.interval,
            len(self.scored),
            dict(sorted(Counter(p.missing or "unknown" for p in self.probes if p.value is None).items())),
            fmean(item.lowest for item in self.items),
            fmean(item.highest for item in self.items),
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
    if as_intended:
        return _cells(points, lambda point: point.intended_tokens, lambda tokens: (tokens, tokens))
    return _cells(points, lambda p: p.intended_tokens if p.context_tokens is None else p.context_tokens)


def by_distance(points: Iterable[ProbeRecord]) -> list[Cell]:
    """Probes by the distance from the nearest evidence, in bins, the nearest first."""
    return _cells(points, lambda point: point.distance_tokens)


def _cells(
    points: Iterable[ProbeRecord],
    tokens_of: Callable[[ProbeRecord], int | None],
    ends_of: Callable[[int], tuple[int, int]] = binned,
) -> list[Cell]:
    by_ends = defaultdict[tuple[int, int], list[tuple[int, ProbeRecord]]](list)
    for point in points:
        if (tokens := tokens_of(point)) is not None:
            by_ends[ends_of(tokens)].append((tokens, point))
    return [
        Cell(low, high, median_low([tokens for tokens, _ in held]), tuple(point for _, point in held))
        for (low, high), held in sorted(by_ends.items(), key=lambda cell: cell[0])
    ]


def heatmap(points: Iterable[ProbeRecord], as_intended: bool) -> tuple[HeatCell, ...]:
    """The score by depth and length: every row for every length, by length and then by depth."""
    columns = by_length([p for p in points if p.depth is not None], as_intended)
    return tuple(_heat_cell(column, row) for column in columns for row in range(DEPTHS))


def _heat_cell(column: Cell, row: int) -> HeatCell:
    items = item_scores(p for p in column.probes if min(int((p.depth or 0) * DEPTHS), DEPTHS - 1) == row)
    values = [item.value for item in items if item.value is not None]
    value = fmean(values) if values else None
    ends = row / DEPTHS, (row + 1) / DEPTHS
    return HeatCell(column.tokens, *ends, value, len(values), len(items) - len(values))


def effective_length(
    points: Sequence[ProbeRecord], *, seed: int = 0, draws: int = 4_000, minimum_items: int = MINIMUM_ITEMS
) -> EffectiveLengths:
    """Give curves, heatmap and effective context length of every model.

    Source:
        Hsieh et al. 2024, "RULER: What's the Real Context Size of Your Long-Context Language Models?",
        section 4, for ``absolute``: a fixed threshold, 85.6, that Llama2-7B reaches at 4K tokens. Modarressi
        et al. 2025, "NoLiMa: Long-Context Evaluation Beyond Literal Matching", section 4.3, for ``relative``:
        85 % of the score at the shortest contexts, 250, 500 and 1K tokens. Deviations: all shorter lengths
        must pass too, where both papers take the longest that does; the base score is the mean over items of
        all the short lengths, not over the maxima of each item, which chance lifts; and where there is no
        length up to 1K the shortest stands in.
    """
    useful = [point for point in points if _counts(point)]
    # Where every probe says how long its context was meant to be, these lengths are the cells.
    as_intended = all(point.intended_tokens is not None for point in useful)
    models = sorted({point.model for point in points})
    return EffectiveLengths(
        LEVEL,
        tuple(
            _of_model(
                *(model, [point for point in useful if point.model == model], as_intended),
                *(seed, draws, minimum_items),
            )
            for model in models
        ),
    )


def _counts(point: ProbeRecord) -> bool:
    """Whether it has evidence, or failed before that is known."""
    failed = point.value is None and point.missing != "infeasible"
    return point.distance_tokens is not None or failed


def _of_model(
    model: str, points: Sequence[ProbeRecord], as_intended: bool, seed: int, draws: int, minimum_items: int
) -> ModelLengths:
    lengths = by_length(points, as_intended)
    counted = [length for length in lengths if len(length.scored) >= minimum_items]
    short = [i for i, length in enumerate(counted) if length.high <= BASE_TOKENS]
    bases: dict[Definition, list[int]] = {"absolute": [], "relative": short or [0][: len(counted)]}
    too_few = _too_few(lengths, counted, minimum_items)
    absolute, relative = (
        _decided(
            *(definition, counted, base, too_few),
            *(generator(seed, "longcontext", "effective length", definition, model), draws),
        )
        for definition, base in bases.items()
    )
    return ModelLengths(
        model,
        tuple(length.curve(lambda point: point.context_tokens) for length in lengths),
        tuple(cell.curve(lambda point: point.distance_tokens) for cell in by_distance(points)),
        heatmap(points, as_intended),
        absolute,
        relative,
    )


def _decided(
    definition: Definition,
    counted: Sequence[Cell],
    base: Sequence[int],
    reason: str | None,
    rng: np.random.Generator,
    draws: int,
) -> EffectiveLength:
    """RULER's ``absolute``, or NoLiMa's ``relative`` to the lengths at ``base``, unless there is a reason."""
    score = fmean(value for i in base for _, value in counted[i].scored) if base else None
    threshold = ABSOLUTE_THRESHOLD if score is None else RELATIVE_SHARE * score
    if reason is None and score == 0:
        reason = "the base score is 0, and every score reaches 85 % of that"
    status: Status = "not_determined"
    tokens: int | None = None
    if reason is None:
        status, tokens = _status(counted, [length.mean for length in counted], threshold)
        if reason := _depends(counted, base):
            status, tokens = "withheld", None
    no_interval = reason or _one_conversation(counted)
    return EffectiveLength(
        definition,
        status,
        tokens,
        None if definition == "relative" and score is None else threshold,
        score,
        tuple(counted[i].tokens for i in base),
        None if no_interval else _interval(counted, base, rng, draws),
        reason,
        no_interval,
    )


def _too_few(lengths: Sequence[Cell], counted: Sequence[Cell], minimum_items: int) -> str | None:
    if len(counted) >= 2:
        return None
    have = ", ".join(f"{length.tokens:,} tokens: {len(length.scored)}" for length in lengths) or "none"
    return (
        f"two lengths with {minimum_items} scored items or more are needed, and there "
        f"{'is 1' if counted else 'are 0'} (items a length: {have})"
    )


def _status(counted: Sequence[Cell], scores: Sequence[float], limit: float) -> tuple[Status, int | None]:
    reached = int(_reach(np.array([scores]), np.array([limit]))[0])
    if reached == 0:
        return "below", None
    return "at_least" if reached == len(counted) else "determined", counted[reached - 1].tokens


def _depends(counted: Sequence[Cell], base: Sequence[int]) -> str | None:
    """Say so where the answer with every missing score 0 is not that with every one 1."""
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
    return f"{missing} of {total} items lack scores, and it depends on them"


def _one_conversation(counted: Sequence[Cell]) -> str | None:
    for length in counted:
        if len({cluster for cluster, _ in length.scored}) < 2:
            return f"all probes at {length.tokens:,} tokens are in one conversation"
    return None


def _interval(
    counted: Sequence[Cell], base: Sequence[int], rng: np.random.Generator, draws: int
) -> LengthInterval:
    right, weight = resampled([length.scored for length in counted], rng, draws)
    limit = np.full(draws, ABSOLUTE_THRESHOLD)
    if base:
        limit = RELATIVE_SHARE * right[:, base].sum(axis=1) / weight[:, base].sum(axis=1)
    reached = _reach(right / weight, limit)
    tail = (1 - LEVEL) / 2
    # Quantiles of lengths that exist: an effective length between two tested ones was not observed.
    low, high = np.quantile(reached, [tail, 1 - tail], method="inverted_cdf").astype(int).tolist()
    ends = [counted[end - 1].tokens if end else None for end in (low, high)]
    return LengthInterval(ends[0], ends[1], high == len(counted), LEVEL)


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
