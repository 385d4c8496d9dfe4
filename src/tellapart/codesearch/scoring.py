"""From cases to the whole record of an evaluation: documented figures, ours, and what to beware of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tellapart.codesearch.evaluation import AT_BASE, BASIS, GOLD_FORM, NOTES, UNRANKED, Evaluation
from tellapart.codesearch.figures import Metrics
from tellapart.codesearch.looping.calibration import CalibrationRule, calibrate
from tellapart.codesearch.metrics import aggregate
from tellapart.codesearch.metrics.conversation import MEASURES, SCORED, documented
from tellapart.codesearch.metrics.explorations import exploring
from tellapart.codesearch.metrics.gold import MEASURES as GOLD_MEASURES
from tellapart.codesearch.metrics.gold import against_gold, score
from tellapart.codesearch.metrics.independence import warnings_of
from tellapart.codesearch.metrics.judge import assessment, judging
from tellapart.codesearch.metrics.ranked import ranked
from tellapart.codesearch.metrics.recall_bound import sampled_recall
from tellapart.codesearch.metrics.warnings import warnings
from tellapart.codesearch.model import Case
from tellapart.files import check_record
from tellapart.report.numbers import whole_percent

IN_THE_INPUT = "touched_files of the input"  # Where gold came from that nobody named a file of


def metrics(cases: Sequence[Case], *, ranks: bool = True) -> Metrics:
    """Figures of the whole; parts that have nothing to say, being None, are left out."""
    parts: dict[str, Any] = {
        "aggregate": aggregate.aggregate(cases),
        "by_product_area": aggregate.by_product_area(cases),
        "measures": aggregate.measures(cases),
        "areas": aggregate.areas(cases),
        "uncertain": aggregate.uncertain(cases),
        "judging": judging(cases),
        "exploring": exploring(cases),
        "ranked": ranked(cases, ranks=ranks),
        "assessment": assessment(cases),
        "sampled_recall": sampled_recall(cases),
    }
    return Metrics(**{name: part for name, part in parts.items() if part is not None})


def with_figures(case: Case) -> Case:
    """Fill in the figures of one conversation."""
    measures = {name: SCORED[name](case) for name in MEASURES}
    if case.gold is not None:
        measures |= {name: score(case, measure) for name, measure in GOLD_MEASURES.items()}
    return replace(
        case,
        precision=aggregate.rounded(documented(case, "precision")),
        recall=aggregate.rounded(documented(case, "recall")),
        measures=measures,
    )


def score_evaluation(evaluation: Evaluation) -> Evaluation:
    """Fill in all figures from an evaluation alone, so that measuring a recorded one again gives the same."""
    facts, cases, left = evaluation.facts, evaluation.cases, len(evaluation.unusable)
    rule = check_record(facts.get(BASIS, {}), CalibrationRule, "evaluation.json", BASIS)
    calibration, agreed, doubts = calibrate(cases, iteration=evaluation.iteration, rule=rule)
    blocks = metrics(cases, ranks=not facts.get(UNRANKED)).model_copy(
        update={
            "calibration": calibration,
            "agreement": agreed,
        }
    )
    gold = against_gold(
        cases,
        form=str(facts.get(GOLD_FORM) or IN_THE_INPUT),
        failed=left,
        ranks=not facts.get(UNRANKED),
        at_base=bool(facts.get(AT_BASE)),
    )
    lost = (
        f"{left} of {left + len(cases)} conversations are in none of these figures, since their search "
        "failed or they could not be used: a system that fails where it is hard looks better than it is."
    )
    cautions = (
        *([lost] if left else []),
        *facts.get(NOTES, ()),
        *evaluation.notes,
        *warnings_of(evaluation),
        *warnings(cases, blocks),
        *doubts,
    )
    scored = tuple(map(with_figures, cases))
    return replace(evaluation, cases=scored, metrics=blocks, gold=gold, warnings=cautions)


def doubtful(evaluation: Evaluation) -> list[str]:
    """Say what makes the figures of an evaluation doubtful, for ``--strict``; empty where nothing does."""
    exploring, judging = evaluation.figures.exploring, evaluation.figures.judging
    reasons = []
    for role in ("run_a", "run_b"):
        run = exploring.of(role)
        if run.suspect:
            reasons.append(f"{role} found nothing, without an error, in {', '.join(run.suspect)}")
        if run.failed:
            counts = ", ".join(f"{count} {cause}" for cause, count in sorted(run.failed.items()))
            reasons.append(f"{role} failed: {counts}")
    if evaluation.unusable:
        ids = ", ".join(left.conversation for left in evaluation.unusable)
        reasons.append(f"conversations could not be used: {ids}")
    if judging.reliable is False:
        reasons.append(f"{whole_percent(judging.share_failed or 0)} of the verdicts failed")
    return reasons
