"""Language models in a run: what its inputs hold of them, and how they are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

from tellapart.core.progress import SILENT, Progress
from tellapart.errors import TellapartError, UsageError
from tellapart.llm.asking import ask, known
from tellapart.llm.breaker import Breaker
from tellapart.llm.budget import NO_LIMITS, Limits, dollars
from tellapart.llm.connection import connect
from tellapart.llm.conversation import Speaker
from tellapart.llm.costs import Estimate, estimate_conversations, estimate_cost
from tellapart.llm.inspecting import tidy_logs
from tellapart.llm.journal import (
    CALLS,
    CallJournal,
    RecordedCalls,
    Unknown,
    calls_file,
    fingerprint,
    journals_of,
    reading,
    without_waiting,
)
from tellapart.llm.models import LanguageModel, Respondent
from tellapart.llm.plays import Asking, Play, Result, ask_the_rest
from tellapart.llm.prompts import Prompt
from tellapart.llm.questions import Answer, Question, Questions, Reply
from tellapart.llm.replies import repair_prompt
from tellapart.llm.systems import System, check_system
from tellapart.store import RunPlan
from tellapart.store.runs import DATABASE

QUESTIONS_A_SAMPLE = 20
"""Questions in one sample of the Inspect log; one sample for each would cost more than a fast call."""

SYSTEM_LOGS = "artifacts/systems"
"""Where in a run directory systems under test have what they wrote to stderr, a file a conversation."""


def check_distinct(models: Sequence[Respondent], *, next_step: str) -> None:
    """Refuse two language models of one name, under which their answers would be mixed."""
    names = [model.name for model in models]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"the language model {name!r} is named twice", next_step=next_step)


def recorded_inputs(models: Mapping[str, Respondent], reuse: Path | None) -> dict[str, str]:
    """Fingerprints of the journals that answer in place of models, for the inputs of a run."""
    journals = {name: model.recording for name, model in models.items()} | {"reused calls": reuse}
    return {name: fingerprint(calls_file(path)) for name, path in journals.items() if path}


def prompt_hashes(prompts: Mapping[str, Prompt]) -> dict[str, str]:
    """SHA-256 of each prompt that models are asked with, for the configuration of a run."""
    return {name: prompt.sha256 for name, prompt in {**prompts, "repair_prompt": repair_prompt()}.items()}


@dataclass(frozen=True)
class RunCalls:
    """How a run asks language models: where its calls are kept, and what they may take.

    Attributes:
        where: The run, or a directory that keeps its journal of calls, by which nothing is asked twice.
        limits: What calls may cost, and how many run at the same time.
        reuse: Earlier runs, or their journals of calls; what was answered there is not asked again.
        only_usable: Whether a question is asked again whose reply in ``reuse`` could not be used.
        logs: Where in the directory Inspect's logs are.
    """

    where: RunPlan | Path
    limits: Limits = NO_LIMITS
    reuse: Path | Sequence[Path] | None = None
    progress: Progress = SILENT
    logs: str = "artifacts/inspect"
    only_usable: bool = False

    @property
    def directory(self) -> Path:
        """Where the calls are kept while they are made."""
        return self.where.partial if isinstance(self.where, RunPlan) else self.where

    @property
    def journals(self) -> list[Path]:
        """The run's own journals of calls; those that are not there hold nothing."""
        complete = [self.where.path / DATABASE] if isinstance(self.where, RunPlan) else []
        return [*complete, self.file]

    @property
    def file(self) -> Path:
        """The database that the calls go to."""
        return self.directory / (DATABASE if isinstance(self.where, RunPlan) else CALLS)

    def check_reuse(self) -> None:
        """See that there is a journal to take over, before any work."""
        journals_of(self.reuse)

    def estimate(self, questions: Questions[Any], model: LanguageModel, *, reply_characters: int) -> Estimate:
        """Estimate what is left to ask a model; nothing is sent or written."""
        price = self.limits.price_of(model.name)
        return estimate_cost(
            questions,
            model,
            self.journals,
            reply_characters=reply_characters,
            price=price,
            reuse=journals_of(self.reuse),
            only_usable=self.only_usable,
        )

    def estimate_held(
        self, plays: Sequence[Play[Any]], model: Respondent, *, reply_characters: int, caches: bool = True
    ) -> Estimate:
        """Estimate what is left to say in conversations."""
        price = self.limits.price_of(model.name)
        journals = [*self.journals, *journals_of(self.reuse)]
        return estimate_conversations(
            plays, model, journals, reply_characters=reply_characters, price=price, caches=caches
        )

    def check(self, model: Respondent, questions: Iterable[Question[Any]] | None) -> None:
        """See that a model has its extra, package and key, unless nothing is left to ask it."""
        earlier = journals_of(self.reuse)
        if model.recording is not None:
            return
        try:
            if isinstance(model, System):
                check_system(model)
            else:
                connect(model, max_connections=1)
        except TellapartError:
            with reading(self.journals, earlier, only_usable=self.only_usable) as calls:
                if _is_left(model, questions, calls):
                    raise

    @contextmanager
    def opened(self) -> Iterator[OpenCalls]:
        """Open the journal of calls, or begin it; logs that Inspect did not end are removed."""
        with CallJournal(self.file) as journal:
            tidy_logs(self.directory / self.logs)
            yield OpenCalls(self, journal)


@dataclass(frozen=True)
class Answers(Generic[Reply]):
    """An answer for every question, in their order, and what the journal says of all calls to the model."""

    by_id: Mapping[str, Answer[Reply]]
    record: dict[str, Any]


@dataclass(frozen=True)
class OpenCalls:
    """The journal of a run, open: models are asked, and answers are read, while it is."""

    settings: RunCalls
    journal: CallJournal

    def ask(
        self, questions: Questions[Reply], model: LanguageModel, *, label: str | None = None
    ) -> Answers[Reply]:
        """Ask a model what is not recorded yet; the questions are iterated once, and need no memory."""
        ids: list[str] = []
        answers: dict[str, Answer[Reply]] = {}
        failed, total = 0, len(questions)
        step = self.settings.progress.step(label or model.name, total, unit="questions", summary=True)
        with self._recorded(model) as calls, step as shown:
            own = RecordedCalls([self.journal]) if calls.only_usable else calls
            asking = self._asking(
                model, own, "questions are answered", total, jobs_a_sample=QUESTIONS_A_SAMPLE
            )

            def keep(answer: Answer[Reply]) -> None:
                nonlocal failed
                answers[answer.id] = answer
                failed += answer.failure is not None

            def report() -> None:
                without = f", {failed:,} without a usable reply" if failed else ""
                money = f", {dollars(asking.spent())} US dollars" if self.settings.limits.price else ""
                shown.update(len(answers), note=without + money)

            def unknown() -> Iterator[Question[Reply]]:
                for question in questions:
                    ids.append(question.id)
                    answer = known(question, model, calls)
                    if answer is None:
                        yield question
                    else:
                        keep(answer)

            async def put(question: Question[Reply], speaker: Speaker, breaker: Breaker) -> None:
                from inspect_ai.util import span

                # By which the log's reader finds the calls of a question.
                async with span(question.id, type="question"):
                    answer, keys = await ask(question, model, speaker)
                keep(answer)
                report()
                breaker.see(answer.failure, question.prompt, keys)

            ask_the_rest(unknown(), put, asking, answered=lambda: len(answers) - failed)
            report()
        return Answers({id: answers[id] for id in ids}, self.record(model))

    def hold(
        self,
        plays: Sequence[Play[Result]],
        model: Respondent,
        *,
        caches: bool = True,
        on_result: Callable[[Result], None] = lambda _: None,
    ) -> list[Result]:
        """Hold conversations, as many at the same time as the limits say; see ``ask_the_rest``.

        An error of the provider is what came back, and stops nothing but the conversation that stops at it.
        It is tried again when an interrupted run goes on, or with ``reuse``; but for a prompt that was too
        long. ``on_result`` is given what was recorded before.
        """
        results: dict[int, Result] = {}
        with self._recorded(model) as recorded:
            for i, play in enumerate(plays):
                try:
                    results[i] = without_waiting(play(Speaker(recorded)))
                except Unknown:
                    continue
            for result in list(results.values()):
                on_result(result)

            async def hold(i: int, speaker: Speaker, _: Breaker) -> None:
                results[i] = await plays[i](speaker)

            left = [i for i in range(len(plays)) if i not in results]
            asking = self._asking(model, recorded, "conversations are finished", len(plays), caches=caches)
            ask_the_rest(iter(left), hold, asking, answered=lambda: len(results))
        return [results[i] for i in range(len(plays))]

    def record(self, model: Respondent) -> dict[str, Any]:
        """What the run's record says of a model that was asked, from all that the journal holds."""
        return self.journal.models[model.name].record(self.settings.limits.price_of(model.name))

    @contextmanager
    def _recorded(self, model: Respondent) -> Iterator[RecordedCalls]:
        """The calls to a model that need not be made; the journal notes how it is asked."""
        is_final = model.recording is not None
        with ExitStack() as stack:
            paths = journals_of(model.recording or self.settings.reuse)
            earlier = [stack.enter_context(CallJournal(path, read_only=True)) for path in paths]
            self.journal.note_requested(model.name, model.requested())
            yield RecordedCalls(
                [self.journal],
                earlier,
                final=is_final,
                copied_to=self.journal,
                only_usable=self.settings.only_usable,
            )

    def _asking(
        self, model: Respondent, recorded: RecordedCalls, counted: str, total: int, **more: Any
    ) -> Asking:
        logs = self.settings.directory / (SYSTEM_LOGS if model.own_history else self.settings.logs)
        return Asking(model, self.journal, recorded, self.settings.limits, logs, counted, total, **more)


def _is_left(model: Respondent, questions: Iterable[Question[Any]] | None, calls: RecordedCalls) -> bool:
    if questions is None or isinstance(model, System):
        uses = [journal.models.get(model.name) for journal in (*calls.own, *calls.earlier)]
        return not any(use and use.calls for use in uses)
    return any(known(question, model, calls) is None for question in questions)
