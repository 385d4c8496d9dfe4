"""System and explorers held against gold files: Acc@k, recall@k, MRR, nDCG, precision and recall.

Gold is what an issue is known to be about, such as the files that its fix touched. It is seldom all that is
relevant: precision against gold is a lower bound of precision.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import TypeAlias

from tellapart.codesearch.figures import (
    ExplorersAgainstGold,
    GoldSummary,
    Measure,
    SetAgainstGold,
)
from tellapart.codesearch.metrics.measures import INFEASIBLE, count_rate, mean_over, no_run
from tellapart.codesearch.metrics.ranked import NOT_A_RANKING
from tellapart.codesearch.model import Case, Gold, sorted_cases
from tellapart.core.estimate import Estimate
from tellapart.core.stats.intervals import mean_once

RECALL_AT = (5, 10, 20)
ACC_AT = (1, 5, 10)
NDCG_AT = 10

PREFIX = "gold_"  # Of the names of score tables of these measures
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


def why_missing(gold: Gold | None) -> str | None:
    """Why a conversation has no score against gold; None where it has one."""
    if gold is None:
        return NO_GOLD
    if gold.files:
        return None
    return NOT_IN_TREE if gold.absent else LEFT_OUT


def score(case: Case, measure: Ranking) -> Measure:
    """Score the order of a system's files."""
    cause = why_missing(case.gold)
    if cause == NOT_IN_TREE:
        return Measure(value=None, bounds=(0.0, 1.0), missing=INFEASIBLE)
    if cause or case.gold is None:
        return Measure(value=None, bounds=(None, None), missing=None)
    value = measure(case.files, case.gold.files)
    low = measure(case.files, (*case.gold.files, *case.gold.absent))
    return Measure(value=value, bounds=(min(low, value), value), missing=None)


def has_gold(cases: Iterable[Case]) -> bool:
    """Whether any conversation has a score against gold."""
    return any(why_missing(case.gold) is None for case in cases)


def against_gold(
    cases: Sequence[Case], *, form: str, failed: int = 0, ranks: bool = True, at_base: bool = False
) -> GoldSummary | None:
    """Hold system and explorers against gold; lines only in the trees before the fixes."""
    ordered = sorted_cases(cases)
    golds = [case.gold for case in ordered if case.gold is not None]
    if not golds:
        return None
    scored = [case for case in ordered if case.gold is not None and case.gold.files]
    missing = Counter(cause for case in ordered if (cause := why_missing(case.gold)))
    missing[SEARCH] += failed
    left_out: Counter[str] = Counter()
    for gold in golds:
        left_out.update(gold.left_out)

    def ranked(name: str) -> Estimate:
        if not ranks:
            return Estimate(None, None, None, 0, NOT_A_RANKING)
        values = [MEASURES[f"{PREFIX}{name}"](case.files, case.gold.files) for case in scored if case.gold]
        return count_rate(round(sum(values)), len(values)) if name.startswith("acc") else mean_over(values)

    lines = [share for case in scored if (share := changed_lines(case)) is not None] if at_base else []
    return GoldSummary(
        form=form,
        conversations=len(scored),
        files=sum(len(gold.files) for gold in golds),
        absent=sum(len(gold.absent) for gold in golds),
        left_out=dict(sorted(left_out.items())),
        missing={cause: count for cause, count in sorted(missing.items()) if count},
        recall_at={str(k): ranked(f"recall_at_{k}") for k in RECALL_AT},
        acc_at={str(k): ranked(f"acc_at_{k}") for k in ACC_AT},
        mrr=ranked("mrr"),
        ndcg=ranked(f"ndcg_at_{NDCG_AT}"),
        system_against_gold=_sets(scored, lambda case: case.ours),
        explorers_against_gold=ExplorersAgainstGold(
            run_a=_sets(scored, lambda case: None if case.run_a.failure else case.run_a.files),
            run_b=_sets(scored, lambda case: None if case.run_b.failure else case.run_b.files),
            union=_sets(scored, lambda case: None if no_run(case) else case.ground_truth),
        ),
        lines=mean_over(lines) if lines else None,
    )


def changed_lines(case: Case) -> float | None:
    """Share of the lines that the system named that the fix changed; None without any of either."""
    changed = case.gold.lines if case.gold else {}
    named = [(file, line) for file, lines in case.lines.items() for line in lines]
    if not changed or not named:
        return None
    return mean_once([any(a <= line <= b for a, b in changed.get(file, ())) for file, line in named])


def _sets(cases: Sequence[Case], files_of: Callable[[Case], Collection[str] | None]) -> SetAgainstGold:
    """Recall and precision of all files that somebody found; a failed exploration has none of them."""
    pairs = [
        (set(files), set(case.gold.files))
        for case in cases
        if case.gold and (files := files_of(case)) is not None
    ]
    return SetAgainstGold(
        recall=mean_over([len(files & gold) / len(gold) for files, gold in pairs]),
        precision=mean_over([len(files & gold) / len(files) for files, gold in pairs if files]),
    )
