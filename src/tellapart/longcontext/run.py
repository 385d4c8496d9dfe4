"""The shell of ``run``: cases, models and epochs in, a run directory with the results out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from tellapart.core.fingerprint import sha256_of_json
from tellapart.core.progress import SILENT, Progress
from tellapart.core.settings import AMONG_INPUTS, Unrecorded, settings_record
from tellapart.errors import UsageError
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.conversation import Speaker
from tellapart.llm.costs import Estimate
from tellapart.llm.journal import RecordedCalls
from tellapart.llm.models import LanguageModel, Respondent
from tellapart.llm.plays import Play
from tellapart.llm.run_models import RunCalls, check_distinct, recorded_inputs
from tellapart.llm.systems import System
from tellapart.longcontext.case import AnswerKey, Case
from tellapart.longcontext.design import Playing
from tellapart.longcontext.play import OnStep, play, play_alone
from tellapart.longcontext.transcript import RESULTS_FILE, SUITE, Control, PlayedCase, results_json
from tellapart.store import RunDirectory, RunPlan

_REPLY_CHARACTERS = 200
"""Of an ordinary reply; those of the documented run have 110 on average, and lists have more."""


@dataclass(frozen=True)
class RunRequest:
    """What is to be played: every case by every model, or the probes alone as a control.

    ``key`` has the right answers, by which ``oracle`` finds the evidence.
    """

    cases: Annotated[Sequence[Case], Unrecorded(AMONG_INPUTS)]
    models: Sequence[LanguageModel | System]
    playing: Playing = Playing()
    epochs: int = 1
    control: Control | None = None
    key: Annotated[AnswerKey | None, Unrecorded(AMONG_INPUTS)] = None

    @property
    def grows(self) -> bool:
        """Whether prompts begin with earlier ones, so that caches are of use."""
        return self.control is None


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
        conversations = [
            conversation
            for model in request.models
            for conversation in open_calls.hold(
                _plays(request, model, on_step), model, caches=request.grows, on_result=on_recorded
            )
        ]
        plan.record.models |= {model.name: open_calls.record(model) for model in request.models}
        open_run.write_text(RESULTS_FILE, _as_text(results_json(conversations)))
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
            _plays(request, model), model, reply_characters=_REPLY_CHARACTERS, caches=request.grows
        )
        for model in request.models
    }


def _as_text(results: dict[str, Any]) -> str:
    """Write results down; what UTF-8 cannot say, half a surrogate pair, becomes an escape."""
    text = json.dumps(results, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode("utf-8", "backslashreplace").decode()


def _plays(
    request: RunRequest, model: Respondent, on_step: OnStep = lambda *_: None
) -> list[Play[PlayedCase]]:
    def of_case(case: Case, epoch: int) -> Play[PlayedCase]:
        async def played(speaker: Speaker) -> PlayedCase:
            # What is only looked up may turn out not to be there, and is then played.
            notify: OnStep = (lambda *_: None) if isinstance(speaker.caller, RecordedCalls) else on_step
            if request.control is None:
                return await play(case, request.playing, model, speaker, epoch=epoch, on_step=notify)
            return await play_alone(
                case, request.control, request.key, model, speaker, epoch=epoch, on_step=notify
            )

        return played

    return [of_case(case, epoch) for case in request.cases for epoch in range(request.epochs)]


def _plan(request: RunRequest, out: Path | None, reuse: Path | None) -> RunPlan:
    """Plan a run by fingerprints of what is said, wherever its files are, and of the journals that answer."""
    again = "Name it once; to ask it more than once, give --epochs, and several commands a --name each"
    check_distinct(request.models, next_step=again)
    keeping = next((model.name for model in request.models if model.own_history), None)
    if keeping is not None and request.playing.fork_probes:
        raise UsageError(
            f"{keeping!r} keeps the history itself, so that no probe can be asked from a snapshot of it",
            next_step="Leave --fork-probes out, for the models that it is compared with too",
        )
    inputs = {f"case {case.name}": sha256_of_json(_played_texts(case)) for case in request.cases}
    if request.control == "oracle":
        beside = [[step.expected and asdict(step.expected) for step in case.steps] for case in request.cases]
        inputs["answers"] = sha256_of_json([beside, request.key and asdict(request.key)["by_id"]])
    inputs |= recorded_inputs({f"recording of {model.name}": model for model in request.models}, reuse)
    return RunPlan(SUITE, settings_record(request), inputs, seed=0, out=out)


def _played_texts(case: Case) -> list[Any]:
    """What of a case matters to playing it: a right answer may be corrected without asking anew."""
    names = ("id", "type", "text", "failure_mode", "reply", "session", "date")
    return [case.system, [[getattr(step, name) for name in names] for step in case.steps]]


def _counts(conversations: Sequence[PlayedCase]) -> dict[str, int]:
    steps = [step for conversation in conversations for step in conversation.steps]
    return {
        "models": len({conversation.model for conversation in conversations}),
        "cases": len({conversation.name for conversation in conversations}),
        "steps": len(steps),
        "failed_steps": sum(step.response is None for step in steps),
    }
