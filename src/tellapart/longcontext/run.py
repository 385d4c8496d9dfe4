"""The shell of ``run``: cases, models and epochs in, a run directory with the results out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from tellapart.core.fingerprint import sha256_of_json
from tellapart.core.progress import SILENT, Progress
from tellapart.core.settings import AMONG_INPUTS, Unrecorded, settings_record
from tellapart.errors import UsageError
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.conversation import Speaker
from tellapart.llm.costs import Estimate, count_turns
from tellapart.llm.models import LanguageModel, Respondent
from tellapart.llm.recorded_calls import RecordedCaller
from tellapart.llm.run_models import RunCalls, check_distinct, recorded_inputs
from tellapart.llm.systems import System
from tellapart.llm.talking import Play
from tellapart.longcontext.case import AnswerKey, Case, CaseStep, key_of, merged
from tellapart.longcontext.plan import Playing, closed_book, oracle
from tellapart.longcontext.play import OnStep, play, play_alone
from tellapart.longcontext.probes import sources
from tellapart.longcontext.transcript import (
    RESULTS_FILE,
    SUITE,
    Control,
    PlayedCase,
    PlayedStep,
    Usage,
    results_json,
)
from tellapart.longcontext.until_separated import check_until_separated, play_until_separated
from tellapart.store import RunDirectory, RunPlan

_REPLY_CHARACTERS = 200
"""Of an ordinary reply; those of the documented run have 110 on average, and lists have more."""


@dataclass(frozen=True)
class RunRequest:
    """What is to be played.

    Attributes:
        cases: With distinct names.
        models: Language models and systems under test, with distinct names; each plays every case.
        epochs: How often, at least 1.
        control: Ask probes alone instead; see ``plan``.
        key: The right answers, by which ``oracle`` finds the evidence, and ``until_separated`` grades.
        until_separated: Whether cases are played in random order until models are told apart.
    """

    cases: Annotated[Sequence[Case], Unrecorded(AMONG_INPUTS)]
    models: Sequence[LanguageModel | System]
    playing: Playing = Playing()
    epochs: int = 1
    control: Control | None = None
    key: Annotated[AnswerKey | None, Unrecorded(AMONG_INPUTS)] = None
    until_separated: bool = False

    @property
    def answers(self) -> AnswerKey:
        """The right answers: those beside the probes of the cases, then those of the file."""
        of_cases = key_of(self.cases)
        return merged(of_cases, self.key) if self.key else of_cases


def run_cases(
    request: RunRequest,
    *,
    limits: Limits = NO_LIMITS,
    out: Path | None = None,
    reuse: Path | None = None,
    on_step: OnStep = lambda *_: None,
    on_recorded: Callable[[PlayedCase], None] = lambda _: None,
    progress: Progress = SILENT,
) -> RunDirectory:
    """Play cases, or go on with a run that was interrupted."""
    plan = _plan(request, out, reuse)
    if (complete := plan.finished_run("played", progress)) is not None:
        return complete
    calls = RunCalls(plan, limits=limits, reuse=reuse)
    for model in request.models:
        calls.check(model, None)
    with plan.writing() as open_run, calls.opened() as open_calls:
        calls.plan({model.name: (model, _turns(request, model)) for model in request.models})

        def hold(model: LanguageModel | System, cases: Sequence[Case]) -> list[PlayedCase]:
            plays = _plays(replace(request, cases=cases), model, on_step)
            return open_calls.hold(plays, model, caches=_grows(request), on_result=on_recorded)

        looks = None
        if request.until_separated:
            conversations, looks = play_until_separated(request.cases, request.models, request.answers, hold)
        else:
            conversations = [
                conversation for model in request.models for conversation in hold(model, request.cases)
            ]
        plan.record.models |= {model.name: open_calls.record(model) for model in request.models}
        open_run.write_text(RESULTS_FILE, as_text(results_json(conversations, looks)))
        plan.record.counts = _counts(conversations)
    return plan.open()


def estimate_run(
    request: RunRequest, *, limits: Limits = NO_LIMITS, out: Path | None = None, reuse: Path | None = None
) -> dict[str, Estimate]:
    """Estimate what each model would take, in turns; nothing is sent."""
    plan = _plan(request, out, reuse)
    plan.check_path()
    calls = RunCalls(plan, limits=limits, reuse=reuse)
    return {
        model.name: calls.estimate_held(
            _plays(request, model, lambda *_: None),
            model,
            reply_characters=_REPLY_CHARACTERS,
            caches=_grows(request),
        )
        for model in request.models
    }


def as_text(results: dict[str, Any]) -> str:
    """Write results down; what UTF-8 cannot say, half a surrogate pair, becomes an escape."""
    text = json.dumps(results, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode("utf-8", "backslashreplace").decode()


def _grows(request: RunRequest) -> bool:
    """Whether prompts begin with earlier ones, so that caches are of use; a control asks each probe alone."""
    return request.control is None


def _turns(request: RunRequest, model: Respondent) -> int:
    return count_turns(_plays(request, model, lambda *_: None), reply_characters=_REPLY_CHARACTERS)


def _plays(request: RunRequest, model: Respondent, on_step: OnStep) -> list[Play[PlayedCase]]:
    return [
        _play(request, case, model, epoch, on_step)
        for case in request.cases
        for epoch in range(request.epochs)
    ]


def _play(
    request: RunRequest, case: Case, model: Respondent, epoch: int, on_step: OnStep
) -> Play[PlayedCase]:
    async def played(speaker: Speaker) -> PlayedCase:
        # What is only looked up may turn out not to be there, and is then played.
        notify: OnStep = _silent if isinstance(speaker.caller, RecordedCaller) else on_step
        if request.control is None:
            return await play(case, request.playing, model, speaker, epoch=epoch, on_step=notify)
        alone = closed_book(case) if request.control == "closed-book" else oracle(case, request.key, sources)
        return await play_alone(case, request.control, alone, model, speaker, epoch=epoch, on_step=notify)

    return played


def _silent(conversation: PlayedCase, step: PlayedStep) -> None:
    return None


def _plan(request: RunRequest, out: Path | None, reuse: Path | None) -> RunPlan:
    return RunPlan(SUITE, settings_record(request), _inputs(request, reuse), seed=0, out=out)


def _inputs(request: RunRequest, reuse: Path | None) -> dict[str, str]:
    """Fingerprints of what is said, wherever its files are, and of the journals that answer."""
    check_distinct(
        request.models,
        next_step="Name it once; to ask it more than once, give --epochs, and several commands a --name each",
    )
    _check_forks(request)
    if request.until_separated:
        if request.control:
            raise UsageError("a control tells no models apart, so --until-separated has no effect on it")
        check_until_separated(request.cases, request.models, request.answers)
    inputs = {f"case {case.name}": sha256_of_json(_played_texts(case)) for case in request.cases}
    if request.control == "oracle" or request.until_separated:
        beside = [[step.expected and asdict(step.expected) for step in case.steps] for case in request.cases]
        inputs["answers"] = sha256_of_json([beside, request.key and asdict(request.key)["by_id"]])
    return inputs | recorded_inputs({f"recording of {model.name}": model for model in request.models}, reuse)


def _played_texts(case: Case) -> list[Any]:
    """What of a case matters to playing it: a right answer may be corrected without asking anew."""
    return [case.system, [_played_text(step) for step in case.steps]]


def _played_text(step: CaseStep) -> list[str | None]:
    return [step.id, step.type, step.text, step.failure_mode, step.reply, step.session, step.date]


def _check_forks(request: RunRequest) -> None:
    """Refuse to ask a system from a snapshot, which nobody can take of it."""
    name = next((model.name for model in request.models if model.own_history), None)
    if name is not None and request.playing.fork_probes:
        raise UsageError(
            f"{name!r} keeps the history itself, so that no probe can be asked from a snapshot of it",
            next_step="Leave --fork-probes out, for the models that it is compared with too",
        )


def _counts(conversations: Sequence[PlayedCase]) -> dict[str, int]:
    """Sums; those of caches only where a provider reports them."""
    steps = [step for conversation in conversations for step in conversation.steps]
    return {
        "models": len({conversation.model for conversation in conversations}),
        "cases": len({conversation.name for conversation in conversations}),
        "steps": len(steps),
        "failed_steps": sum(step.response is None for step in steps),
        **_of_caches([step.usage for step in steps if step.usage]),
    }


def _of_caches(usages: Sequence[Usage]) -> dict[str, int]:
    cached = [usage.cache_hit_tokens for usage in usages if usage.cache_hit_tokens is not None]
    written = [usage.cache_written_tokens for usage in usages if usage.cache_written_tokens]
    return {
        **({"cached_tokens": sum(cached)} if cached else {}),
        **({"cache_written_tokens": sum(written)} if written else {}),
    }
