"""The suite's shell: what touches files, models and progress; the steps themselves are pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from tellapart.codesearch.evaluation import IN_A_RUN, Evaluation
from tellapart.codesearch.explorers.agent import AgentOptions
from tellapart.codesearch.explorers.explorer import Explorer, ExplorerRequest, Issue
from tellapart.codesearch.explorers.journal import (
    PASSING,
    Explorations,
    Job,
    KeptPurse,
    explore_all,
    left,
    recorded_explorations,
)
from tellapart.codesearch.git import BaseTrees, Trees
from tellapart.codesearch.gold.placing import settle
from tellapart.codesearch.judging.assessment import assess_cases, assessing_step, estimate_assessing
from tellapart.codesearch.judging.relevance import (
    NOT_RECORDED,
    estimate_judging,
    judge_cases,
    with_recorded_verdicts,
)
from tellapart.codesearch.kinds import load, parse_explorer
from tellapart.codesearch.looping.calibration import input_fingerprint, iteration_record, record_iteration
from tellapart.codesearch.metrics.score_tables import score_tables
from tellapart.codesearch.model import Case, Explored
from tellapart.codesearch.recordings import evaluation_at
from tellapart.codesearch.repositories import check_outside_repositories
from tellapart.codesearch.request import EvaluationRequest, facts_of
from tellapart.codesearch.scoring import score_evaluation
from tellapart.codesearch.settings import UNNAMED, EvaluationSettings, explorer_settings
from tellapart.codesearch.unreturned import with_sample
from tellapart.core.fingerprint import sha256, sha256_of_json
from tellapart.core.progress import SILENT, Progress
from tellapart.core.randomness import generator
from tellapart.core.settings import settings_record
from tellapart.errors import UsageError
from tellapart.files import sha256_of
from tellapart.llm.costs import Estimate
from tellapart.llm.journal import has_calls
from tellapart.llm.run_models import RunCalls
from tellapart.store import RunPlan
from tellapart.store.runs import DATABASE

SEARCH_RESULTS = "artifacts/search_results.json"  # What it was made from, as it came in
_FILES_OF_A_RUN, _ORDINARY = 40, "an/unexplored/place/of/ordinary/length/number"
"""Files that an exploration finds, recorded ones of agents having 26 to 52, and a path of usual length."""


@dataclass(frozen=True)
class Evaluated:
    """An iteration that has been evaluated."""

    run: Path
    evaluation: Evaluation


def evaluate(
    request: EvaluationRequest, *, out: Path | None = None, progress: Progress = SILENT
) -> Evaluated:
    """Explore, judge and measure one iteration, or go on with it; then note it in the state."""
    if request.settings.sample_rest and request.settings.judge is None:
        raise UsageError("--sample-rest draws files for a judge", next_step="Give --judge PROVIDER/MODEL")
    plan = _plan(request, out)
    if (complete := plan.finished_run("evaluated", progress)) is not None:
        done = Evaluated(complete.path, evaluation_at(complete.path))
    else:
        evaluation = _evaluate(request, plan, progress)
        done = Evaluated(plan.open().path, evaluation)
    if request.around.state:
        record = iteration_record(request.iteration, input_fingerprint(request.source), done.evaluation.cases)
        record_iteration(request.around.state, record)
    return done


def _evaluate(request: EvaluationRequest, plan: RunPlan, progress: Progress) -> Evaluation:
    settings = request.settings
    # A run goes on only under the same settings, so none is begun under settings that cannot work.
    calls = _calls(plan, settings, progress)
    if settings.judge is not None:
        calls.check(settings.judge, None)
    for explorer in _explorers(request, settings.agents).values():
        explorer.check()
    with _trees(request) as trees, plan.writing() as open_run:
        open_run.write_bytes(SEARCH_RESULTS, request.source)
        purse = KeptPurse(open_run.database)
        explorers = _explorers(request, replace(settings.agents, purse=purse))
        explored = explore_all(
            _jobs(request),
            explorers,
            Explorations(open_run.database),
            trees,
            reuse=settings.reuse,
            concurrency=settings.concurrency,
            logs=open_run.path / "artifacts" / "inspect",
            max_failures=settings.limits.max_failures,
            progress=progress,
        )
        calls = replace(calls, limits=left(settings.limits, purse.dollars))
        cases = _sampled(request, _cases(request, explored, trees), trees)
        cases, models = _judged(request, cases, calls, trees)
        evaluation = score_evaluation(
            Evaluation(
                request.iteration,
                request.results.timestamp,
                tuple(cases),
                request.results.unusable,
                facts_of(request, trees, cases),
            )
        )
        open_run.write_json(IN_A_RUN, evaluation.to_json())
        for name, scores in score_tables(evaluation, system=settings.system or UNNAMED).items():
            open_run.write_frame(name, scores.frame, scores.notes)
        open_run.record.counts = {"conversations": len(cases)}
        of_explorers = {explorer.name: explorer.record() for explorer in explorers.values()}
        plan.record.models = models | {name: record for name, record in of_explorers.items() if record}
    return evaluation


def estimate_evaluation(request: EvaluationRequest, *, out: Path | None = None) -> dict[str, Estimate]:
    """Estimate what the judge would take at most; nothing is sent or written."""
    settings, plan, trees = request.settings, _plan(request, out), request.repositories
    plan.check_path()
    judge, calls = settings.judge, replace(_calls(plan, settings), limits=settings.limits)
    if judge is None:
        return {}
    nothing = Explored("none", tuple(f"{_ORDINARY}_{i:03}" for i in range(_FILES_OF_A_RUN)))
    unexplored = [Case.of(searched, nothing, nothing) for searched in request.results.searched]
    cases, earlier = _sampled(request, unexplored, trees), _earlier_cases(settings)
    estimates = {f"{judge.name}, judging": estimate_judging(cases, judge, trees, calls, earlier=earlier)}
    if settings.assess:
        areas = {case.product_area for case in cases}
        estimates[assessing_step(judge)] = estimate_assessing(cases, judge, trees.names, areas, calls)
    return estimates


def _calls(plan: RunPlan, settings: EvaluationSettings, progress: Progress = SILENT) -> RunCalls:
    """How the judge is asked, before it is known what explorers leave of the money."""
    journals = [path for path in settings.reuse if has_calls(path / DATABASE)]
    return RunCalls(plan, reuse=journals, only_usable=True, progress=progress)


def _earlier_cases(settings: EvaluationSettings) -> list[Case]:
    """Of the earlier runs, as far as they came to an end."""
    complete = [path for path in settings.reuse if (path / IN_A_RUN).is_file()]
    return [case for path in complete for case in evaluation_at(path).cases]


def _trees(request: EvaluationRequest) -> AbstractContextManager[Trees]:
    """Where issues are explored and judged."""
    if not request.settings.at_base:
        return nullcontext(request.repositories)
    trees = BaseTrees(request.repositories)
    trees.check_any(request.bases)
    return trees


def _plan(request: EvaluationRequest, out: Path | None) -> RunPlan:
    settings = request.settings
    config = settings_record(settings) | {
        "iteration": request.iteration,
        "calibration": request.rule.to_json(),
    }
    inputs = {
        "search_results": sha256(request.source),
        "repositories": request.snapshot.fingerprint,
        **{name: sha256_of(path) for name, path in settings.recordings.items()},
    }
    if request.gold is not None:
        inputs["gold"] = request.gold.digest
    if settings.reuse:
        digests = [sha256_of_json(recorded_explorations(run)) for run in settings.reuse]
        inputs["reused explorations"] = digests[0] if len(digests) == 1 else sha256_of_json(digests)
    plan = RunPlan("codesearch", config, inputs, seed=settings.seed, out=out)
    check_outside_repositories(request.repositories, {"the run": plan.path})
    return plan


def _explorers(request: EvaluationRequest, agents: AgentOptions) -> dict[str, Explorer]:
    """By role; but for a replay, which has recorded it apart, a retest is the same explorer once more."""
    explorers = {}
    for which, name in zip("ab", request.settings.explorers, strict=True):
        kind, argument = parse_explorer(name)
        role, again = f"run_{which}", f"retest_{which}"
        made = ExplorerRequest(
            name, argument, request.repositories, request.around.index, role, agents, request.snapshot
        )
        explorers[role] = explorers[again] = load("explorers", made)
        if kind == "replay":
            explorers[again] = load("explorers", replace(made, role=again))
    return explorers


def _jobs(request: EvaluationRequest) -> list[Job]:
    """What is to be explored, by whom and in which tree."""
    settings = request.settings

    def job(role: str, issue: Issue) -> Job:
        explorer = explorer_settings(settings.explorers["ab".index(role[-1])], settings.agents)
        base = request.bases[issue.conversation_id] if settings.at_base else None
        tree = [request.snapshot.fingerprint, base and [base.repository, base.commit]]
        return Job(role, issue, sha256_of_json([tree, explorer])[:16], base)

    issues = [Issue(s.conversation.id, s.conversation.issue_summary) for s in request.results.searched]
    jobs = [job(role, issue) for issue in issues for role in ("run_a", "run_b")]
    again = _retested(issues, settings)
    return jobs + [job(role, issue) for issue in again for role in ("retest_a", "retest_b")]


def _retested(issues: Sequence[Issue], settings: EvaluationSettings) -> list[Issue]:
    """The issues that are explored once more: drawn by id, so that their order in the file says nothing."""
    ordered = sorted(issues, key=lambda issue: issue.conversation_id)
    count = min(settings.retest, len(ordered))
    drawn = generator(settings.seed, "retest").permutation(len(ordered))[:count]
    return [ordered[i] for i in sorted(drawn.tolist())]


def _cases(
    request: EvaluationRequest, explored: Mapping[tuple[str, str], Explored], trees: Trees
) -> list[Case]:
    cases = []
    for searched in request.results.searched:
        id_ = searched.conversation.id
        base, gold = request.bases[id_], request.given_gold.get(id_)
        if gold is not None:
            gold = settle(gold, partial(trees.held_at, base))
        cases.append(
            Case.of(
                searched,
                explored["run_a", id_],
                explored["run_b", id_],
                base=base,
                retest_a=explored.get(("retest_a", id_)),
                retest_b=explored.get(("retest_b", id_)),
                gold=gold,
            )
        )
    return cases


def _sampled(request: EvaluationRequest, cases: Sequence[Case], trees: Trees) -> Sequence[Case]:
    """The cases with a sample of what nobody returned, where one was asked for."""
    size = request.settings.sample_rest
    return with_sample(cases, trees, size, seed=request.settings.seed) if size else cases


def _judged(
    request: EvaluationRequest, cases: Sequence[Case], calls: RunCalls, trees: Trees
) -> tuple[Sequence[Case], dict[str, Any]]:
    """The cases with what the judge says, and what the run's record says of it."""
    settings = request.settings
    if settings.recorded_judge is not None:
        recorded = evaluation_at(settings.recorded_judge).cases
        cases = with_recorded_verdicts(cases, recorded, settings.recorded_judge)
        failures = (verdict.failure for case in cases for verdict in case.verdicts.values())
        if missing := sum(failure is not None and failure.kind == NOT_RECORDED for failure in failures):
            calls.progress(
                f"not recorded in {settings.recorded_judge}: the verdicts on {missing} file(s) that only the "
                "system found, which are missing, not wrong"
            )
        return cases, {}
    if settings.judge is None:
        return cases, {}
    cases, models = judge_cases(cases, settings.judge, trees, calls, earlier=_earlier_cases(settings))
    if settings.assess:
        areas = {case.product_area for case in cases}
        cases, of_assessing = assess_cases(cases, settings.judge, request.repositories.names, areas, calls)
        models |= of_assessing
    return cases, models


def failed_on_the_way(evaluation: Evaluation) -> bool:
    """Whether explorations or verdicts of an evaluation failed in a way that may pass another time."""
    exploring = evaluation.figures.exploring
    causes = exploring.run_a.failed.keys() | exploring.run_b.failed.keys()
    return not PASSING.isdisjoint(causes | evaluation.figures.judging.failed.keys())
