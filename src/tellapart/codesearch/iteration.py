"""One iteration from the bytes of its search results to its evaluation; what makes it doubtful."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.explorers.journal import PASSING
from tellapart.codesearch.looping.calibration import explorers_for
from tellapart.codesearch.looping.state import State, input_fingerprint, iteration_number, read_state
from tellapart.codesearch.recordings import read_search_results
from tellapart.codesearch.run import Evaluated, EvaluationRequest, NamedGold, Workspace, evaluate
from tellapart.codesearch.settings import EvaluationSettings
from tellapart.core.progress import SILENT, Progress
from tellapart.report.numbers import whole_percent


def evaluate_results(
    source: bytes,
    settings: EvaluationSettings,
    around: Workspace,
    *,
    where: str,
    iteration: int | None = None,
    gold: NamedGold | None = None,
    out: Path | None = None,
    progress: Progress = SILENT,
) -> Evaluated:
    """Evaluate the search results of one iteration; an interrupted evaluation goes on where it stopped."""
    request, settings = request_evaluation(
        source, settings, around, where=where, iteration=iteration, gold=gold, progress=progress
    )
    return evaluate(request, settings, out=out, progress=progress)


def request_evaluation(
    source: bytes,
    settings: EvaluationSettings,
    around: Workspace,
    *,
    where: str,
    iteration: int | None = None,
    gold: NamedGold | None = None,
    progress: Progress = SILENT,
) -> tuple[EvaluationRequest, EvaluationSettings]:
    """Read search results, and find which iteration they are; see ``evaluate_results``."""
    results = read_search_results(source, repositories=around.repositories, where=where)
    state = read_state(around.state) if around.state else None
    number = iteration_number(
        input_fingerprint(source), stated=results.iteration, requested=iteration, state=state
    )
    if state and results.iteration is None and iteration is None and state.find(number):
        progress(
            f"the same search results as those of iteration {number}, so this is taken as that iteration"
        )
    explorers = explorers_for(number, state, settings.explorers, around.rule)
    if explorers != settings.explorers:
        progress(f"after calibration both runs are explored by {explorers[1]}")
    before = state and State(iterations=tuple(past for past in state.iterations if past.number < number))
    request = EvaluationRequest(results, source, number, around, before, gold)
    # Explorers look where the system did, unless there is nothing to look at.
    at_base = results.at_base and bool(around.repositories.names)
    return request, replace(settings, explorers=explorers, at_base=at_base)


def doubtful(evaluation: Evaluation) -> list[str]:
    """Say what makes the figures of an evaluation doubtful, for ``--strict``; empty where nothing does.

    Suspect and failed explorations, conversations that could not be used, and verdicts that failed too often.
    """
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


def failed_on_the_way(evaluation: Evaluation) -> bool:
    """Whether explorations or verdicts of an evaluation failed in a way that may pass another time."""
    exploring = evaluation.figures.exploring
    causes = exploring.run_a.failed.keys() | exploring.run_b.failed.keys()
    return not PASSING.isdisjoint(causes | evaluation.figures.judging.failed.keys())
