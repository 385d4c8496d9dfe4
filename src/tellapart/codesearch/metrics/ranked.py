"""How well the system orders what it finds, as information retrieval measures it.

A file of both explorations gains 2, a file of one, or one of ours that the judge calls relevant, 1; what the
judge calls not relevant is judged 0, and a file without a verdict is not judged: see `grades`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tellapart.codesearch.figures import RankedMeasure, RankingSummary
from tellapart.codesearch.metrics.aggregate import WITHOUT_VERDICTS, never_judged
from tellapart.codesearch.metrics.conversation import INFEASIBLE, JUDGE, grades, no_run
from tellapart.codesearch.model import Case, sorted_cases
from tellapart.core.stats import clustered_mean, mean_once
from tellapart.core.trec_measures import query_scores
from tellapart.errors import MissingExtra

MEASURES = {"R@5": "R@5", "R@10": "R@10", "R@20": "R@20", "MRR": "RR", "nDCG@10": "nDCG@10"} | {
    "bpref": "Bpref",
    "Judged@10": "Judged@10",
}
"""Name as people write it, and as ir_measures does; all in [0, 1], higher is better.

R@k: share of the relevant files known that are among the first k. MRR: one over the place of the first
relevant file, 0 without one. nDCG@10: gains of the first ten, discounted by log2(place + 1), over the
greatest possible (Järvelin and Kekäläinen 2002; the gain is the grade itself, as in trec_eval). bpref: how
few files judged not relevant stand before a relevant one, mean over relevant files; files without a verdict
are passed over (Buckley and Voorhees 2004, as in trec_eval). Judged@10: share of the first ten, or of all
where there are fewer, of which it is known whether they are relevant: how far the others can be trusted.
"""

OPEN = ("R@5", "R@10", "R@20", "MRR", "nDCG@10")
"""Those that need every verdict: they have bounds, and no value in a conversation that misses one."""

NOT_A_RANKING = "the system does not rank what it finds"


def ranked(cases: Sequence[Case], *, ranks: bool = True) -> RankingSummary | None:
    """Score the order of the system's files.

    A file is in one place only, so that there are no ties.
    """
    if not cases:
        return None
    if not ranks:
        return RankingSummary(ranks=False, reason=NOT_A_RANKING, measures=None)
    ordered = sorted_cases(cases)
    try:
        scores = [_scores(case) for case in ordered]
    except MissingExtra as error:
        return RankingSummary(ranks=True, reason=str(error), measures=None)
    without = never_judged(cases)
    measures = {
        name: _over(name, [of_case[name] for of_case in scores], without=without and name in OPEN)
        for name in MEASURES
    }
    return RankingSummary(ranks=True, reason=None, measures=measures)


@dataclass(frozen=True)
class _Score:
    """One measure of one conversation; its bounds are None where it has none."""

    value: float | None
    missing: str | None
    low: float | None = None
    high: float | None = None


def _over(name: str, scores: Sequence[_Score], *, without: bool) -> RankedMeasure:
    causes = [score.missing or (JUDGE if without else None) for score in scores]
    values = [
        score.value
        for score, cause in zip(scores, causes, strict=True)
        if score.value is not None and not cause
    ]
    macro = clustered_mean(values, limits=(0, 1))
    low, high = ([getattr(score, of) for score in scores] for of in ("low", "high"))
    open_ = JUDGE in causes
    bounds = tuple(mean_once([end for end in ends if end is not None]) for ends in (low, high))
    return RankedMeasure(
        mean=None if open_ else mean_once(values),
        bounds=(bounds[0], bounds[1]) if name in OPEN else None,
        interval=None if open_ else macro.interval,
        interval_reason=WITHOUT_VERDICTS if open_ else macro.reason,
        conversations=len(values),
        missing=dict(sorted(Counter(cause for cause in causes if cause).items())),
    )


def _scores(case: Case) -> dict[str, _Score]:
    """Every measure of one conversation."""
    if no_run(case):
        failure = case.run_a.failure
        cause = failure.cause if failure else INFEASIBLE
        return {name: _Score(None, cause, *((0.0, 1.0) if name in OPEN else ())) for name in MEASURES}
    possible = list(_possible(case))
    values = _by_measure(case, MEASURES, possible[:1])
    bounds = _by_measure(case, OPEN, possible)
    return {name: _score(case, name, values[name][0], bounds.get(name, ())) for name in MEASURES}


def _score(case: Case, name: str, value: float | None, others: Sequence[float | None]) -> _Score:
    defined = [other for other in others if other is not None]
    missing = None
    if (name in OPEN and case.without_verdict) or (value is None and defined):
        missing = JUDGE
    elif value is None:
        missing = INFEASIBLE
    return _Score(None if missing else value, missing, min(defined, default=None), max(defined, default=None))


def _possible(case: Case) -> Iterator[dict[str, int]]:
    """Grades as they are, and those that missing verdicts could make the best and the worst of a measure.

    However many files without a verdict are relevant, what each adds to what could be reached is the same, so
    that a measure is highest where they are the first ones and lowest where they are the last.
    """
    judged = grades(case)
    yield judged
    open_ = [file for file in case.files if file in case.without_verdict]
    for relevant in range(1, len(open_) + 1):
        yield judged | dict.fromkeys(open_[:relevant], 1)
        yield judged | dict.fromkeys(open_[-relevant:], 1)


def _by_measure(
    case: Case, names: Iterable[str], possible: Sequence[Mapping[str, int]]
) -> dict[str, list[float | None]]:
    """Each measure under all grades that are possible; None where it is undefined."""
    files = case.files
    ranking = {file: float(len(files) - position) for position, file in enumerate(files)}
    judged = {str(n): dict(of) for n, of in enumerate(possible) if of}
    rankings = dict.fromkeys(judged, ranking) if ranking else {}
    names = list(names)
    by_name = query_scores([MEASURES[name] for name in names], judged, rankings)
    return {
        name: [_defined(name, of, bool(files), scores.get(str(n), 0.0)) for n, of in enumerate(possible)]
        for name, scores in zip(names, by_name, strict=True)
    }


def _defined(name: str, judged: Mapping[str, int], found_any: bool, score: float) -> float | None:
    there = found_any if name == "Judged@10" else any(judged.values())
    return score if there else None
