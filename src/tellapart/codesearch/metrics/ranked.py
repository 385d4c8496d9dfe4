"""How well the system orders what it finds, as information retrieval measures it.

A file of both explorations gains 2, a file of one, or one of ours that the judge calls relevant, 1; what the
judge calls not relevant is judged 0, and a file without a verdict is not judged: see `grades`.
"""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.codesearch.figures import RankingSummary
from tellapart.codesearch.metrics.measures import WITHOUT_VERDICTS, grades, mean_over, never_judged, no_run
from tellapart.codesearch.model import Case, sorted_cases
from tellapart.core.estimate import Estimate
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

WITH_GAPS = ("bpref", "Judged@10")
"""Those that need not every verdict; the others have no value where one is missing."""

NOT_A_RANKING = "the system does not rank what it finds"


def ranked(cases: Sequence[Case], *, ranks: bool = True) -> RankingSummary | None:
    """Score the order of the system's files; a file is in one place only, so that there are no ties."""
    if not cases:
        return None
    if not ranks:
        return RankingSummary(reason=NOT_A_RANKING, measures=None)
    explored = [case for case in sorted_cases(cases) if not no_run(case)]
    try:
        scores = [_scores(case) for case in explored]
    except MissingExtra as error:
        return RankingSummary(reason=str(error), measures=None)
    is_open = never_judged(cases) or any(case.without_verdict for case in explored)
    estimates = {
        name: mean_over([value for each in scores if (value := each[name]) is not None])
        if name in WITH_GAPS or not is_open
        else Estimate(None, None, None, 0, WITHOUT_VERDICTS)
        for name in MEASURES
    }
    return RankingSummary(measures=estimates)


def _scores(case: Case) -> dict[str, float | None]:
    """Every measure of one conversation; None where it is undefined."""
    files, judged = case.files, grades(case)
    ranking = {"q": {file: float(len(files) - place) for place, file in enumerate(files)}} if files else {}
    of_query = query_scores(list(MEASURES.values()), {"q": judged} if judged else {}, ranking)
    relevant = any(judged.values())
    return {
        name: values.get("q", 0.0) if (bool(files) if name == "Judged@10" else relevant) else None
        for name, values in zip(MEASURES, of_query, strict=True)
    }
