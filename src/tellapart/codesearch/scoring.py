"""From cases to the whole record of an evaluation: documented figures, ours, and what to beware of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from tellapart.codesearch.evaluation import AT_BASE, BASIS, GOLD_FORM, NOTES, UNRANKED, Evaluation
from tellapart.codesearch.figures import Metrics
from tellapart.codesearch.looping.calibration import CalibrationRule, calibrate
from tellapart.codesearch.metrics import measures
from tellapart.codesearch.metrics.explorations import ROLES, RUNS, exploring, warnings_of
from tellapart.codesearch.metrics.gold import MEASURES as GOLD_MEASURES
from tellapart.codesearch.metrics.gold import against_gold, score
from tellapart.codesearch.metrics.judge import assessment, judging
from tellapart.codesearch.metrics.measures import (
    JUDGE,
    MEASURES,
    SCORED,
    counted_twice,
    documented,
    far_below,
    never_judged,
    no_run,
)
from tellapart.codesearch.metrics.ranked import ranked
from tellapart.codesearch.metrics.recall_bound import sampled_recall
from tellapart.codesearch.model import Case, sorted_cases
from tellapart.files import check_record
from tellapart.report.figures import in_words
from tellapart.report.missing_reasons import by_cause
from tellapart.report.numbers import listed, whole_percent

IN_THE_INPUT = "touched_files of the input"  # Where gold came from that nobody named a file of


def metrics(cases: Sequence[Case], *, ranks: bool = True) -> Metrics:
    """Figures of the whole; parts that have nothing to say, being None, are left out."""
    parts: dict[str, Any] = {
        "aggregate": measures.aggregate(cases),
        "by_product_area": measures.by_product_area(cases),
        "measures": measures.measures(cases),
        "areas": measures.areas(cases),
        "uncertain": measures.uncertain(cases),
        "judging": judging(cases),
        "exploring": exploring(cases),
        "ranked": ranked(cases, ranks=ranks),
        "assessment": assessment(cases),
        "sampled_recall": sampled_recall(cases),
    }
    return Metrics(**{name: part for name, part in parts.items() if part is not None})


def with_figures(case: Case) -> Case:
    """Fill in the figures of one conversation."""
    scored = {name: SCORED[name](case) for name in MEASURES}
    if case.gold is not None:
        scored |= {name: score(case, measure) for name, measure in GOLD_MEASURES.items()}
    return replace(
        case,
        precision=measures.rounded(documented(case, "precision")),
        recall=measures.rounded(documented(case, "recall")),
        measures=scored,
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


_SHOWN = 5


def warnings(cases: Sequence[Case], metrics: Metrics) -> list[str]:
    """Say what to beware of."""
    ordered = sorted_cases(cases)
    return [
        *_verdicts(ordered, metrics),
        *_twice(ordered),
        *_explorations(ordered, metrics),
        *_areas(ordered, metrics),
    ]


def _verdicts(cases: Sequence[Case], metrics: Metrics) -> Iterator[str]:
    judging, precision, recall = metrics.judging, metrics.measures["precision"], metrics.measures["recall"]
    is_open = JUDGE in precision.missing or JUDGE in recall.missing
    # Where nobody was asked to judge, bounds say what that leaves open.
    if never_judged(cases) or not (is_open or judging.reliable is False):
        return
    failed, hidden = sum(judging.failed.values()), sum(judging.not_shown.values())
    parts = []
    if failed:
        share = whole_percent(judging.share_failed or 0)
        parts.append(
            f"{failed} of {failed + judging.judged} verdicts failed ({share}; {by_cause(judging.failed)})"
        )
    if judging.not_asked:
        parts.append(f"{judging.not_asked} files that only we found were not put to the judge")
    if hidden:
        parts.append(f"{hidden} files may not be shown to the judge ({by_cause(judging.not_shown)})")
    lowest, highest = (
        f"precision {_number(precision.bounds[end])} and recall {_number(recall.bounds[end])}"
        for end in (0, 1)
    )
    yield (
        f"{'; '.join(parts)}, so precision and recall are not known: {lowest} if none of these files is "
        f"relevant, {highest} if all are."
    )


def _twice(cases: Sequence[Case]) -> Iterator[str]:
    twice = {case.id: len(files) for case in cases if (files := counted_twice(case))}
    if twice:
        verdicts = f"{sum(twice.values())} relevant verdicts in {listed(list(twice), most=_SHOWN)}"
        yield (
            f"{verdicts} are on files that are not the system's alone; "
            "the original pipeline counts these twice, so its precision and recall are too high."
        )


def _explorations(cases: Sequence[Case], metrics: Metrics) -> Iterator[str]:
    for role in ROLES:
        run = metrics.exploring.of(role)
        the_exploration = f"The exploration of {RUNS[role]} ({run.explorer})"
        if run.suspect:
            yield (
                f"{the_exploration} is suspect in {len(run.suspect)} of {len(cases)} conversations, where it "
                f"found no file and reports no error: {listed(run.suspect, most=_SHOWN)}."
            )
        if ids := run.failed_conversations:
            yield (
                f"{the_exploration} failed in {len(ids)} of {len(cases)} conversations "
                f"({by_cause(run.failed)}), whose ground truth lacks it: {listed(ids, most=_SHOWN)}."
            )
    if neither := [case.id for case in cases if no_run(case)]:
        yield (
            f"Both explorations failed in {len(neither)} of {len(cases)} conversations, which have no "
            f"recall: {listed(neither, most=_SHOWN)}."
        )
    done = [case for case in cases if case.run_a.failure is None and case.run_b.failure is None]
    if len(done) > 1 and all(case.ground_truth and case.ground_truth == case.in_both_runs for case in done):
        yield (
            f"Run A and run B found exactly the same files in all {len(done)} conversations that both "
            "explored: independent explorations do not."
        )


def _areas(cases: Sequence[Case], metrics: Metrics) -> Iterator[str]:
    """Areas far below the whole, whatever missing verdicts say."""
    if cases and metrics.uncertain and metrics.uncertain.value == 1:
        yield (
            f"The product area of all {len(cases)} conversations is uncertain: there are no figures by area."
        )
    for area, figures in far_below(cases).items():
        for name, measure in figures.items():
            least = "" if measure.gap[0] == measure.gap[1] else "at least "
            yield f"{area} is {least}{_number(measure.gap[0])} below the whole in {in_words(name)}."


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
