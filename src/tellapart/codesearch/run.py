"""The suite's shell: what touches files, models and progress; the steps themselves are pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tellapart.codesearch.base_trees import BaseTrees, Trees
from tellapart.codesearch.evaluation import BASIS, IN_A_RUN, JUDGE, Evaluation
from tellapart.codesearch.explorers.explorer import Exploration, Explorer, ExplorerRequest, Issue
from tellapart.codesearch.explorers.journal import (
    PASSING,
    Explorations,
    Job,
    KeptPurse,
    check_explorers,
    explore_all,
    left,
    recorded_explorations,
)
from tellapart.codesearch.gold.placing import settle
from tellapart.codesearch.index import Snapshot, take_snapshot
from tellapart.codesearch.judging.recorded import with_recorded_verdicts
from tellapart.codesearch.judging.run import (
    assess_cases,
    estimate_judging_cost,
    judge_cases,
    unexplored,
)
from tellapart.codesearch.kinds import load, parse_explorer
from tellapart.codesearch.looping.state import input_fingerprint, iteration_record, record_iteration
from tellapart.codesearch.metrics.score_tables import score_tables
from tellapart.codesearch.model import Case, Explored, Gold, JudgeVerdict
from tellapart.codesearch.recordings import evaluation_at
from tellapart.codesearch.repositories import check_outside_repositories
from tellapart.codesearch.request import EvaluationRequest, NamedGold, Workspace, facts_of, request_evaluation
from tellapart.codesearch.scoring import calibration_basis, score_evaluation
from tellapart.codesearch.settings import UNNAMED, EvaluationSettings, explorer_settings
from tellapart.codesearch.unreturned import by_gold, with_sample
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

SEARCH_RESULTS = "artifacts/search_results.json"
"""What it was made from, as it came in."""


@dataclass(frozen=True)
class Evaluated:
    """An iteration that has been evaluated."""

    run: Path
    evaluation: Evaluation


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


def evaluate(
    request: EvaluationRequest,
    settings: EvaluationSettings,
    *,
    out: Path | None = None,
    progress: Progress = SILENT,
) -> Evaluated:
    """Explore, judge and measure one iteration, or go on with it; then note it in the state."""
    done = _evaluate(request, _with_system(request, settings), out, progress)
    if request.around.state:
        record = iteration_record(request.iteration, input_fingerprint(request.source), done.evaluation.cases)
        record_iteration(request.around.state, record)
    return done


def _evaluate(
    request: EvaluationRequest, settings: EvaluationSettings, out: Path | None, progress: Progress
) -> Evaluated:
    _check_sample(request, settings)
    snapshot = take_snapshot(request.repositories)
    plan = _plan(request, settings, snapshot, out)
    if (complete := plan.finished_run("evaluated", progress)) is not None:
        return Evaluated(complete.path, evaluation_at(complete.path))
    # A run goes on only under the same settings, so none is begun under settings that cannot work.
    calls = _calls(plan, settings, progress)
    if settings.judge is not None:
        calls.check(settings.judge, None)
    check_explorers(_explorers(request, settings, snapshot).values(), plan.partial, reuse=settings.reuse)
    with _trees(request, settings) as trees, plan.writing() as open_run:
        open_run.write_bytes(SEARCH_RESULTS, request.source)
        purse = KeptPurse(open_run.database)
        agents = replace(settings.agents, purse=purse)
        explorers = _explorers(request, replace(settings, agents=agents), snapshot)
        explorations = explore_all(
            _jobs(request, settings, snapshot),
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
        explored: Sequence[Case] = _cases(request, explorers, explorations, trees)
        if settings.sample_rest:
            explored = with_sample(explored, trees, settings.sample_rest, seed=settings.seed)
        cases, of_judge, models = _judged(request, explored, settings, calls, trees)
        facts = facts_of(request, settings, snapshot, trees, cases)
        evaluation = score_evaluation(
            Evaluation(
                request.iteration,
                request.results.timestamp,
                cases,
                request.results.unusable,
                facts | {BASIS: plan.config["calibration"]} | of_judge,
            )
        )
        open_run.write_json(IN_A_RUN, evaluation.to_json())
        for name, scores in score_tables(evaluation, system=settings.system or UNNAMED).items():
            open_run.write_frame(name, scores.frame, scores.notes)
        open_run.record.counts = {"conversations": len(cases)}
        plan.record.models = models | {
            explorer.name: record
            for explorer in explorers.values()
            if (record := explorer.record()) is not None
        }
    return Evaluated(plan.open().path, evaluation)


def estimate_evaluation(
    request: EvaluationRequest, settings: EvaluationSettings, *, out: Path | None = None
) -> dict[str, Estimate]:
    """Estimate what the judge would take at most; nothing is sent or written.

    What explorers take depends on what they will read.
    """
    settings = _with_system(request, settings)
    plan = _plan(request, settings, take_snapshot(request.repositories), out)
    plan.check_path()
    if settings.judge is None:
        return {}
    areas = {searched.conversation.product_area for searched in request.results.searched}
    cases: Sequence[Case] = unexplored(request.results.searched)
    if settings.sample_rest:
        cases = with_sample(cases, request.repositories, settings.sample_rest, seed=settings.seed)
    return estimate_judging_cost(
        cases,
        settings.judge,
        request.repositories,
        replace(_calls(plan, settings), limits=settings.limits),
        earlier=_earlier_cases(settings),
        areas=areas if settings.assess else None,
    )


def _calls(plan: RunPlan, settings: EvaluationSettings, progress: Progress = SILENT) -> RunCalls:
    """How the judge is asked, before it is known what explorers leave of the money."""
    journals = [path for path in settings.reuse if has_calls(path / DATABASE)]
    return RunCalls(plan, reuse=journals, only_usable=True, progress=progress)


def _earlier_cases(settings: EvaluationSettings) -> list[Case]:
    """Of the earlier runs, as far as they came to an end."""
    complete = [path for path in settings.reuse if (path / IN_A_RUN).is_file()]
    return [case for path in complete for case in evaluation_at(path).cases]


def _trees(request: EvaluationRequest, settings: EvaluationSettings) -> AbstractContextManager[Trees]:
    """Where issues are explored and judged."""
    if not settings.at_base:
        return nullcontext(request.repositories)
    trees = BaseTrees(request.repositories)
    trees.check_any(request.bases)
    return trees


def _with_system(request: EvaluationRequest, settings: EvaluationSettings) -> EvaluationSettings:
    return replace(settings, system=settings.system or request.results.system or UNNAMED)


def _plan(
    request: EvaluationRequest, settings: EvaluationSettings, snapshot: Snapshot, out: Path | None
) -> RunPlan:
    basis = calibration_basis(request.before, request.around.rule)
    config = settings_record(settings) | {"iteration": request.iteration, "calibration": basis}
    inputs = {
        "search_results": sha256(request.source),
        "repositories": snapshot.fingerprint,
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


def _explorers(
    request: EvaluationRequest, settings: EvaluationSettings, snapshot: Snapshot
) -> dict[str, Explorer]:
    """By role; but for a replay, which has recorded it apart, a retest is the same explorer once more."""
    explorers = {}
    for which, name in zip("ab", settings.explorers, strict=True):
        kind, argument = parse_explorer(name)
        role, again = f"run_{which}", f"retest_{which}"
        explorer_request = ExplorerRequest(
            name, argument, request.repositories, request.around.index, role, settings.agents, snapshot
        )
        if kind == "replay":
            explorers[role] = load("explorers", explorer_request)
            explorers[again] = load("explorers", replace(explorer_request, role=again))
        else:
            explorers[role] = explorers[again] = load("explorers", explorer_request)
    return explorers


def _jobs(request: EvaluationRequest, settings: EvaluationSettings, snapshot: Snapshot) -> list[Job]:
    """What is to be explored, by whom and in which tree."""
    bases = request.bases if settings.at_base else {}

    def job(role: str, issue: Issue) -> Job:
        explorer = explorer_settings(settings.explorers["ab".index(role[-1])], settings.agents)
        base = bases.get(issue.conversation_id)
        tree = [snapshot.fingerprint, base and [base.repository, base.commit]]
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
    request: EvaluationRequest,
    explorers: Mapping[str, Explorer],
    explorations: Mapping[tuple[str, str], Exploration],
    trees: Trees,
) -> list[Case]:
    gold, bases = request.given_gold, request.bases

    def explored(role: str, conversation: str) -> Explored:
        exploration = explorations[role, conversation]
        return Explored(explorers[role].name, exploration.files, exploration.failure)

    def settled(conversation: str) -> Gold | None:
        if conversation not in gold:
            return None
        base = bases[conversation]
        return settle(gold[conversation], lambda file: trees.held_at(base, file))

    cases = []
    for searched in request.results.searched:
        conversation = searched.conversation
        again = ("retest_a", conversation.id) in explorations
        cases.append(
            Case.of(
                searched,
                explored("run_a", conversation.id),
                explored("run_b", conversation.id),
                base=bases[conversation.id],
                retest_a=explored("retest_a", conversation.id) if again else None,
                retest_b=explored("retest_b", conversation.id) if again else None,
                gold=settled(conversation.id),
            )
        )
    return cases


def _judged(
    request: EvaluationRequest,
    cases: Sequence[Case],
    settings: EvaluationSettings,
    calls: RunCalls,
    trees: Trees,
) -> tuple[tuple[Case, ...], dict[str, Any], dict[str, dict[str, Any]]]:
    """The cases with what the judge says; figures of the judge itself; what the record says of it."""
    if settings.recorded_judge is not None:
        recorded = evaluation_at(settings.recorded_judge).cases
        return with_recorded_verdicts(cases, recorded, settings.recorded_judge), {}, {}
    if settings.judge is None:
        return tuple(map(by_gold, cases)), {}, {}
    judging = judge_cases(
        cases,
        settings.judge,
        trees,
        calls,
        earlier=_earlier_cases(settings),
    )
    models = dict(judging.models)
    judged = [_with_verdicts(case, judging.verdicts.get(case.id, {})) for case in cases]
    if settings.assess:
        assessments, of_judge = assess_cases(
            judged,
            settings.judge,
            request.repositories.names,
            {case.product_area for case in judged},
            calls,
        )
        models |= of_judge
        judged = [replace(case, assessment=assessments.get(case.id)) for case in judged]
    return tuple(judged), {JUDGE: dict(judging.figures)}, models


def _with_verdicts(case: Case, verdicts: Mapping[str, JudgeVerdict]) -> Case:
    """Part the verdicts on our files from those on the sample of what nobody returned."""
    ours = {file: verdict for file, verdict in verdicts.items() if file in case.our_unique}
    others = {file: verdict for file, verdict in verdicts.items() if file not in case.our_unique}
    return replace(case, verdicts=ours, rest=case.rest and replace(case.rest, verdicts=others))


def _check_sample(request: EvaluationRequest, settings: EvaluationSettings) -> None:
    """See that somebody rules on the sample of what nobody returned."""
    if not settings.sample_rest:
        return
    if settings.recorded_judge is not None:
        raise UsageError(
            "--sample-rest draws files that a recorded judge never saw",
            next_step="Leave it out to keep the recording's own sample, or give --judge PROVIDER/MODEL",
        )
    if settings.judge is None and not request.given_gold:
        raise UsageError(
            "--sample-rest draws files for a judge, and there is neither a judge nor gold",
            next_step="Give --judge PROVIDER/MODEL, or --gold FILE",
        )


def failed_on_the_way(evaluation: Evaluation) -> bool:
    """Whether explorations or verdicts of an evaluation failed in a way that may pass another time."""
    exploring = evaluation.figures.exploring
    causes = exploring.run_a.failed.keys() | exploring.run_b.failed.keys()
    return not PASSING.isdisjoint(causes | evaluation.figures.judging.failed.keys())
