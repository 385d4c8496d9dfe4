"""System, explorers and judge held against gold files: Acc@k, recall@k, MRR, nDCG, precision and recall.

Gold is what an issue is known to be about, such as the files that its fix touched. It is seldom all that is
relevant: precision against gold is a lower bound of precision.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from tellapart.codesearch.figures import (
    Bounds,
    ExplorersAgainstGold,
    GoldSummary,
    JudgeAgainstGold,
    RankedAgainstGold,
    SetAgainstGold,
)
from tellapart.codesearch.metrics.aggregate import mean_bounds
from tellapart.codesearch.metrics.conversation import INFEASIBLE, no_run
from tellapart.codesearch.metrics.ranked import NOT_A_RANKING
from tellapart.codesearch.model import Case, Gold, sorted_cases
from tellapart.core.estimate import Estimate
from tellapart.core.stats import clustered_mean, clustered_rate, mean_once, wilson

RECALL_AT = (5, 10, 20)
ACC_AT = (1, 5, 10)
NDCG_AT = 10

PREFIX = "gold_"
"""Of the names of score tables of these measures."""

NO_GOLD, NOT_IN_TREE, LEFT_OUT, SEARCH = "no_gold", "not_in_tree", "left_out", "search"

Ranking: TypeAlias = Callable[[Sequence[str], Collection[str]], float]


def recall_at(k: int, ranked: Sequence[str], gold: Collection[str]) -> float:
    """Share of gold, one at least, among the first ``k``."""
    return len(set(ranked[:k]) & set(gold)) / len(gold)


def acc_at(k: int, ranked: Sequence[str], gold: Collection[str]) -> float:
    """1 where all of gold is among the first ``k``, else 0.

    Source: Xia et al. 2024, "Agentless", and Chen et al. 2025, "LocAgent", section 5.1.
    """
    return float(set(gold) <= set(ranked[:k]))


def mrr(ranked: Sequence[str], gold: Collection[str]) -> float:
    """One over the rank of the first that is gold; 0 without one."""
    return next((1 / rank for rank, file in enumerate(ranked, 1) if file in gold), 0.0)


def ndcg_at(k: int, ranked: Sequence[str], gold: Collection[str]) -> float:
    """Each gold file among the first ``k`` gains 1 / log2(rank + 1), over the greatest sum possible."""
    gains = sum(1 / math.log2(rank + 1) for rank, file in enumerate(ranked[:k], 1) if file in gold)
    return gains / sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(gold)) + 1))


def f1(ranked: Sequence[str], gold: Collection[str]) -> float:
    """Harmonic mean of precision and recall of all files, whatever their order."""
    return 2 * len(set(ranked) & set(gold)) / (len(ranked) + len(gold))


MEASURES: dict[str, Ranking] = {
    **{f"{PREFIX}recall_at_{k}": partial(recall_at, k) for k in RECALL_AT},
    **{f"{PREFIX}acc_at_{k}": partial(acc_at, k) for k in ACC_AT},
    f"{PREFIX}mrr": mrr,
    f"{PREFIX}ndcg_at_{NDCG_AT}": partial(ndcg_at, NDCG_AT),
    f"{PREFIX}f1": f1,
}
"""By the name of the score table."""

RANKED_MEASURE, UNRANKED_MEASURE = f"{PREFIX}recall_at_10", f"{PREFIX}f1"
"""The measure to compare systems by that rank what they find, and where one does not."""


@dataclass(frozen=True)
class GoldScore:
    """One measure of one conversation.

    Attributes:
        value: In [0, 1]; None where ``cause`` says why.
        low: The lowest value possible: gold that the tree does not hold counts as not found. None where the
            conversation has no gold that counts: then it is no item of the measure, for any system.
        cause: One of ``NO_GOLD``, ``NOT_IN_TREE`` and ``LEFT_OUT``; None where there is a value.
    """

    value: float | None
    low: float | None
    high: float | None
    cause: str | None = None

    @property
    def missing(self) -> str | None:
        """The cause as a score table has it; None where the conversation is no item of it."""
        return INFEASIBLE if self.cause == NOT_IN_TREE else None


def why_missing(gold: Gold | None) -> str | None:
    """Why a conversation has no score against gold; None where it has one."""
    if gold is None:
        return NO_GOLD
    if gold.files:
        return None
    return NOT_IN_TREE if gold.absent else LEFT_OUT


def score(case: Case, measure: Ranking) -> GoldScore:
    """Score the order of a system's files."""
    cause = why_missing(case.gold)
    if cause or case.gold is None:
        return (
            GoldScore(None, 0.0, 1.0, cause) if cause == NOT_IN_TREE else GoldScore(None, None, None, cause)
        )
    value = measure(case.files, case.gold.files)
    low = measure(case.files, (*case.gold.files, *case.gold.absent))
    return GoldScore(value, min(low, value), value)


def has_gold(cases: Iterable[Case]) -> bool:
    """Whether any conversation has a score against gold."""
    return any(why_missing(case.gold) is None for case in cases)


def against_gold(
    cases: Sequence[Case], *, form: str, failed: int = 0, ranks: bool = True
) -> GoldSummary | None:
    """Hold system, explorers and judge against gold."""
    if all(case.gold is None for case in cases):
        return None
    ordered = sorted_cases(cases)
    scored = [case for case in ordered if case.gold is not None and case.gold.files]
    golds = [case.gold for case in ordered if case.gold is not None]
    missing = Counter(cause for case in ordered if (cause := why_missing(case.gold)))
    missing[SEARCH] += failed
    left_out: Counter[str] = Counter()
    for gold in golds:
        left_out.update(gold.left_out)
    return GoldSummary(
        **_ranked(ordered, failed=failed, ranks=ranks).__dict__,
        form=form,
        conversations=len(scored),
        files=sum(len(gold.files) for gold in golds),
        absent=sum(len(gold.absent) for gold in golds),
        left_out=dict(sorted(left_out.items())),
        missing={cause: count for cause, count in sorted(missing.items()) if count},
        system_against_gold=_sets(scored, lambda case: case.ours),
        explorers_against_gold=ExplorersAgainstGold(
            run_a=_sets(scored, lambda case: _found(case, "run_a")),
            run_b=_sets(scored, lambda case: _found(case, "run_b")),
            union=_sets(scored, lambda case: None if no_run(case) else case.ground_truth),
        ),
        judge_against_gold=_judge(scored),
    )


def _ranked(cases: Sequence[Case], *, failed: int, ranks: bool) -> RankedAgainstGold:
    scores = {name: [score(case, measure) for case in cases] for name, measure in MEASURES.items()}
    bounds: dict[str, Bounds] = {
        name: mean_bounds(
            [*((estimate.low, estimate.high) for estimate in of_cases), *([(0.0, 1.0)] * failed)]
        )
        for name, of_cases in scores.items()
    }
    values = {
        name: [estimate.value for estimate in of_cases if estimate.value is not None]
        for name, of_cases in scores.items()
    }
    return _block(values, bounds, ranks=ranks)


def _block(values: dict[str, list[float]], bounds: dict[str, Bounds], *, ranks: bool) -> RankedAgainstGold:
    def of(name: str) -> Estimate:
        if not ranks:
            return Estimate(None, None, None, 0, NOT_A_RANKING)
        return rate(values[name]) if "_acc_" in name else mean(values[name])

    return RankedAgainstGold(
        recall_at={str(k): of(f"{PREFIX}recall_at_{k}") for k in RECALL_AT},
        acc_at={str(k): of(f"{PREFIX}acc_at_{k}") for k in ACC_AT},
        mrr=of(f"{PREFIX}mrr"),
        ndcg=of(f"{PREFIX}ndcg_at_{NDCG_AT}"),
        bounds=bounds if ranks else {},
    )


NOTHING = "no conversation has a value"


def rate(values: Sequence[float]) -> Estimate:
    """Share of ones, with Wilson's interval."""
    interval = wilson(sum(values), len(values))
    if interval is None:
        return Estimate(None, None, None, 0, NOTHING)
    return Estimate(mean_once(values), interval.low, interval.high, len(values))


def mean(values: Sequence[float]) -> Estimate:
    """Mean over conversations in [0, 1], with Student's interval."""
    if not values:
        return Estimate(None, None, None, 0, NOTHING)
    estimate = clustered_mean(values, limits=(0, 1))
    return Estimate(mean_once(values), estimate.low, estimate.high, len(values), estimate.reason)


def _found(case: Case, role: str) -> Collection[str] | None:
    run = case.run_a if role == "run_a" else case.run_b
    return None if run.failure else run.files


def _sets(cases: Sequence[Case], files_of: Callable[[Case], Collection[str] | None]) -> SetAgainstGold:
    """Recall, precision and F1 of all files that somebody found; a failed exploration has none of them."""
    recalls, precisions, f1s = [], [], []
    for case in cases:
        files = files_of(case)
        if files is None or case.gold is None:
            continue
        gold = set(case.gold.files)
        hits, size = len(gold & set(files)), len(set(files))
        recalls.append(hits / len(gold))
        f1s.append(2 * hits / (size + len(gold)))
        if size:
            precisions.append(hits / size)
    return SetAgainstGold(
        recall=mean(recalls),
        precision=mean(precisions),
        f1=mean(f1s),
    )


def _judge(cases: Sequence[Case]) -> JudgeAgainstGold | None:
    judged = [
        (number, bool(verdict.relevant), file in (case.gold.files if case.gold else ()))
        for number, case in enumerate(cases)
        for file, verdict in sorted(case.verdicts.items())
        if verdict.relevant is not None and file in case.our_unique
    ]
    if not judged:
        return None
    return JudgeAgainstGold(
        recall=_share([(n, relevant) for n, relevant, gold in judged if gold]),
        precision=_share([(n, gold) for n, relevant, gold in judged if relevant]),
        agreement=_share([(n, relevant == gold) for n, relevant, gold in judged]),
    )


def _share(hits: Sequence[tuple[int, bool]]) -> Estimate:
    """A share of files, some of which share a conversation."""
    if not hits:
        return Estimate(None, None, None, 0, "there is no such file")
    numbers, values = zip(*hits, strict=True)
    estimate = clustered_rate(np.array(values, dtype=np.float64), np.array(numbers))
    return Estimate(estimate.value, estimate.low, estimate.high, len(hits), estimate.reason)
