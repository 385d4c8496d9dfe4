"""What became of a measure from one iteration to a later one, on the conversations that both have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tellapart.codesearch.case import Case
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.metrics.aggregate import never_judged
from tellapart.codesearch.metrics.conversation import INFEASIBLE, JUDGE, MEASURES, Measure, Share
from tellapart.codesearch.metrics.score_tables import AREA
from tellapart.codesearch.results.loop import ChangeRecord
from tellapart.core.comparison import ALPHA, Comparison, ComparisonSettings, PairComparison, Verdict, compare
from tellapart.core.scores import ScoreTable
from tellapart.core.seed import SEED
from tellapart.core.stats import Interval, mean_once

LEVEL = ALPHA / 2
"""Chance of any false claim by one of two measures: precision and recall are two looks at one change."""

Pairs = Sequence[tuple[Case, Case]]
"""Conversations in both iterations, the earlier case first."""


@dataclass(frozen=True)
class Change:
    """A measure before and after.

    Attributes:
        before: Mean over the ``n`` conversations; None without any.
        after: The same of the later iteration.
        difference: ``after`` less ``before``: above 0 where it got better.
        interval: Of the difference, at the level at which `core.comparison` tested it; None where ``reason``
            says why.
        p: Two-sided, of no change; None below two conversations.
        p_adjusted: The same, adjusted over the areas where it is that of one; else ``p``.
        verdict: ``better``, ``worse``, ``equivalent``, ``not_separated`` or ``withheld``.
        items_needed: Conversations that would separate the two iterations; None where no number would.
        reason: Why there is no interval, or empty.
        n: Conversations that have the measure in both.
        open: Conversations that have it before, and after it for want of verdicts alone do not.
        bounds: Least and greatest difference over the ``n`` and the open ones, by what the missing verdicts
            could say; None without any.
    """

    before: float | None = None
    after: float | None = None
    difference: float | None = None
    interval: Interval | None = None
    p: float | None = None
    p_adjusted: float | None = None
    verdict: str = "not_separated"
    items_needed: int | None = None
    reason: str = ""
    n: int = 0
    open: int = 0
    bounds: tuple[float, float] | None = None

    @property
    def beyond_chance(self) -> bool | None:
        """Whether the two iterations are separated; None where so few conversations could not be."""
        if self.verdict in ("better", "worse"):
            return True
        return None if self.p is None or self.interval is None else False

    def fields(self) -> dict[str, Any]:
        """The fields of its record."""
        low, high = (self.interval.low, self.interval.high) if self.interval else (None, None)
        return {
            **vars(self),
            "interval": (low, high) if self.interval else None,
            "low": low,
            "high": high,
            "beyond_chance": self.beyond_chance,
        }

    def record(self) -> ChangeRecord:
        """The same as it is stored."""
        return ChangeRecord(**self.fields())


@dataclass(frozen=True)
class Changes:
    """A measure before and after, overall and by product area as the later iteration has it.

    Attributes:
        whole: Over all conversations.
        areas: In ascending order of names.
        comparison: Of the two iterations, as `core.comparison` gives it for the score tables of the two; None
            where one of them has no score.
    """

    whole: Change
    areas: Mapping[str, Change]
    comparison: Comparison | None


def changes(
    before: Evaluation, now: Evaluation, name: str, *, alpha: float = LEVEL, seed: int = SEED
) -> Changes:
    """Compare a measure on the conversations that have it in both iterations.

    Args:
        before: The earlier iteration.
        now: The later one.
        name: One of `metrics.conversation.MEASURES`.
        alpha: Chance of any false claim, overall and over the areas.
        seed: Of what is drawn.
    """
    pairs = common(before, now)
    measured = [(MEASURES[name](old), MEASURES[name](new)) for old, new in pairs]
    return _compared(pairs, measured, iteration_names(before, now), alpha, seed)


def iteration_names(before: Evaluation, now: Evaluation) -> tuple[str, str]:
    """What two iterations are called where they are compared."""
    return f"iteration {before.iteration}", f"iteration {now.iteration}"


def _compared(
    pairs: Pairs, measured: Sequence[tuple[Measure, Measure]], names: tuple[str, str], alpha: float, seed: int
) -> Changes:
    areas = [new.conversation.product_area for _, new in pairs]
    comparison = None
    if all(any(two[which].value is not None for two in measured) for which in (0, 1)):
        table = ScoreTable.from_frame(_frame(pairs, measured, areas, names))
        by = AREA if len(set(areas)) > 1 else None
        comparison = compare(table, ComparisonSettings(by=by, alpha=alpha, seed=seed))
    whole = comparison.primary.pairs[0] if comparison else None
    of_area = dict.fromkeys(areas, whole)
    if comparison and comparison.secondary:
        of_area = {str(pair.stratum): pair for pair in comparison.secondary.pairs}
    return Changes(
        _change(measured, whole, names[1]),
        {
            area: _change(
                [two for two, its in zip(measured, areas, strict=True) if its == area],
                of_area.get(area),
                names[1],
            )
            for area in sorted(set(areas))
        },
        comparison,
    )


def _frame(
    pairs: Pairs, measured: Sequence[tuple[Measure, Measure]], areas: Sequence[str], names: tuple[str, str]
) -> pl.DataFrame:
    rows = [
        (names[which], new.conversation.id, two[which].value, two[which].missing, area)
        for which in (0, 1)
        for (_, new), two, area in zip(pairs, measured, areas, strict=True)
    ]
    schema = {
        "model": pl.String,
        "item": pl.String,
        "score": pl.Float64,
        "missing": pl.String,
        AREA: pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def _change(measured: Sequence[tuple[Measure, Measure]], pair: PairComparison | None, now: str) -> Change:
    values = [
        (old.value, new.value) for old, new in measured if old.value is not None and new.value is not None
    ]
    ends = [ends for old, new in measured if (ends := _ends(old, new)) is not None]
    least, most = (mean_once([end[k] for end in ends]) for k in (0, 1))
    difference, interval = (None, None) if pair is None else pair.of(now)
    return Change(
        before=mean_once([old for old, _ in values]),
        after=mean_once([new for _, new in values]),
        difference=difference,
        interval=interval,
        p=pair.p if pair else None,
        p_adjusted=pair.p_adjusted if pair else None,
        verdict=_verdict(pair, now),
        items_needed=pair.items_needed if pair else None,
        reason=pair.reason if pair else "",
        n=len(values),
        open=len(ends) - len(values),
        bounds=None if least is None or most is None else (least, most),
    )


def _ends(old: Measure, new: Measure) -> tuple[float, float] | None:
    """Least and greatest difference; None where the measure is missing for another reason than verdicts."""
    if old.value is None:
        return None
    if new.value is not None:
        return new.value - old.value, new.value - old.value
    if new.missing != JUDGE:
        return None
    if new.high is None:
        return None
    # A share of nothing, unless a verdict defines it, has no lower end.
    return (new.high if new.low is None else new.low) - old.value, new.high - old.value


def _verdict(pair: PairComparison | None, now: str) -> str:
    if pair is None:
        return Verdict.NOT_SEPARATED.value
    if pair.is_separated:
        return "better" if pair.ahead == now else "worse"
    return pair.verdict.value


def names_of(*evaluations: Evaluation, among: Sequence[Evaluation] = ()) -> tuple[str, str]:
    """Choose the measures of some iterations: precision and recall, or those that need no verdict.

    These where one of the iterations was never judged; and where nobody judged anything at all, even if all
    files of an iteration were explored too, so that a loop without a judge has one name for it.

    Args:
        *evaluations: The iterations that are to be measured alike.
        among: Further ones whose verdicts show that there is a judge.
    """
    every = (*evaluations, *among)
    any_verdicts = any(case.verdicts for one in every for case in one.cases)
    suffix = "" if any_verdicts and not any(never_judged(one.cases) for one in evaluations) else "_union"
    return f"precision{suffix}", f"recall{suffix}"


def common(before: Evaluation, after: Evaluation) -> list[tuple[Case, Case]]:
    """The conversations that both iterations have, by id."""
    later = {case.conversation.id: case for case in after.cases}
    both = [(case, later[case.conversation.id]) for case in before.cases if case.conversation.id in later]
    return sorted(both, key=lambda pair: pair[0].conversation.id)


def on_one_truth(
    before: Evaluation, now: Evaluation, *, judged: bool, seed: int = SEED
) -> dict[str, Changes]:
    """Compare two iterations against one ground truth: what was explored, or judged relevant, in either.

    What remains is the change of the system's own files; a changed explorer, or one that finds something else
    every time, moves both iterations alike.

    Args:
        before: The earlier iteration.
        now: The later one.
        judged: Whether verdicts count; only where both iterations were judged, else they favour one. A file
            that one of them found and nobody has a verdict on then leaves its conversation open.
        seed: Of what is drawn.

    Returns:
        ``precision``, the share of the system's files in that ground truth, and ``recall``, the share of it
        that the system found.
    """
    pairs = common(before, now)
    measured: dict[str, list[tuple[Measure, Measure]]] = {"precision": [], "recall": []}
    for old, new in pairs:
        truth = old.ground_truth | new.ground_truth
        open_: frozenset[str] = frozenset()
        if judged:
            truth |= old.our_unique_relevant | new.our_unique_relevant
            ruled = {file for case in (old, new) for file in case.our_unique - case.without_verdict}
            open_ = (old.without_verdict | new.without_verdict) - truth - ruled
        both = [_against_truth(case, truth, open_) for case in (old, new)]
        for name, its in measured.items():
            its.append((both[0][name], both[1][name]))
    return {
        name: _compared(pairs, its, iteration_names(before, now), LEVEL, seed)
        for name, its in measured.items()
    }


def _against_truth(case: Case, truth: frozenset[str], open_: frozenset[str]) -> dict[str, Measure]:
    """Precision and recall of a system; a file without a verdict may be part of the truth."""
    own = open_ & case.ours
    hits, ours, others = len(case.ours & truth), len(own), len(open_ - own)
    of = len(case.ours)
    return {
        "precision": _bounded(Share(hits, of), Share(hits + ours, of), own),
        "recall": _bounded(Share(hits, len(truth) + others), Share(hits + ours, len(truth) + ours), open_),
    }


def _bounded(least: Share, most: Share, open_: frozenset[str]) -> Measure:
    missing = JUDGE if open_ else INFEASIBLE if least.value is None else None
    return Measure(least, most, missing)
