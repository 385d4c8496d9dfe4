"""Questions to one model: each a play of one turn, and of a second one to repair the reply."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic

from tellapart.core.fingerprint import sha256_of_json
from tellapart.core.progress import SILENT, Progress
from tellapart.llm.breaker import Breaker
from tellapart.llm.budget import NO_LIMITS, Limits, dollars
from tellapart.llm.calls import Call, Messages, Request
from tellapart.llm.conversation import Speaker
from tellapart.llm.journal import CallJournal, NotRecorded, RecordedCalls, Unknown
from tellapart.llm.models import LanguageModel
from tellapart.llm.plays import Asking, ask_the_rest, from_record, recorded_for
from tellapart.llm.questions import NOT_RECORDED, Answer, Failure, Question, Questions, Reply
from tellapart.llm.replies import JSON_AGAIN, parse, repair_turns

QUESTIONS_A_SAMPLE = 20
"""Questions in one sample of the Inspect log; one sample for each would cost more than a fast call."""


def call_key(question: Question[Any], model: LanguageModel, messages: Messages) -> str:
    """Hash of everything that reaches the wire, and of which attempt it is."""
    reply: Any = question.reply
    schema = None if question.form else _schema(reply)
    return sha256_of_json([model.requested(), messages, schema, question.replica])


async def ask(
    question: Question[Reply], model: LanguageModel, speaker: Speaker
) -> tuple[Answer[Reply], list[str]]:
    """Put a question, and once more when the reply cannot be used; the answer and its calls' keys."""
    keys: list[str] = []

    async def call(messages: Messages) -> Call:
        keys.append(call_key(question, model, messages))
        schema = None if question.form else question.reply
        line = {"messages": messages}
        request = Request(keys[-1], question.id, question.replica, lambda: messages, line, schema)
        return await speaker.caller.call(request)

    return await converse(question, call), keys


def recorded(question: Question[Reply], model: LanguageModel, calls: RecordedCalls) -> Answer[Reply] | None:
    """The answer that is recorded, read anew; None where a call is missing."""
    try:
        return from_record(lambda speaker: ask(question, model, speaker), calls)[0]
    except Unknown:
        return None


def known(question: Question[Reply], model: LanguageModel, calls: RecordedCalls) -> Answer[Reply] | None:
    """The answer that need not be asked for: as this run has it, or else an earlier one."""
    if not calls.only_usable:
        return recorded(question, model, calls)
    answer = recorded(question, model, RecordedCalls(calls.own))
    for other in calls.earlier if answer is None else ():
        found = recorded(question, model, RecordedCalls(calls.own, [other]))
        if found is not None and found.value is not None:
            return recorded(question, model, RecordedCalls(calls.own, [other], copied_to=calls.copied_to))
    return answer


async def converse(question: Question[Reply], call: Callable[[Messages], Awaitable[Call]]) -> Answer[Reply]:
    """Put a question, read the reply, and put it once more with what was wrong when that can be repaired."""
    messages = _first(question)
    try:
        reply = await call(messages)
    except NotRecorded:
        return Answer(question.id, None, NOT_RECORDED)
    answer = _read(question, reply, repaired=False)
    if answer.failure is None or answer.failure.cause != "parse":
        return answer
    again = question.form.again if question.form else JSON_AGAIN
    try:
        repair = await call([*messages, *repair_turns(reply["reply"], answer.failure, again)])
    except NotRecorded:
        # A recording says nothing more; how the first reply failed is all that is known.
        return answer
    return _read(question, repair, repaired=True)


def _read(question: Question[Reply], call: Call, *, repaired: bool) -> Answer[Reply]:
    """Read a call anew: its value, or why there is none."""
    if "failure" in call:
        return Answer(question.id, None, Failure(**call["failure"]))
    value = Failure(**call["unread"]) if "unread" in call else parse(call["reply"], question)
    if isinstance(value, Failure):
        return Answer(question.id, None, value, repaired)
    return Answer(question.id, value, None, repaired)


@dataclass(frozen=True)
class Answers(Generic[Reply]):
    """An answer for every question, in their order, and what the journal says of all calls to the model."""

    by_id: Mapping[str, Answer[Reply]]
    record: dict[str, Any]


def ask_all(
    questions: Questions[Reply],
    model: LanguageModel,
    journal: CallJournal,
    *,
    logs: Path,
    limits: Limits = NO_LIMITS,
    reuse: Path | Sequence[Path] | None = None,
    only_usable: bool = False,
    progress: Progress = SILENT,
    label: str | None = None,
) -> Answers[Reply]:
    """Ask what is not recorded yet.

    Args:
        questions: Iterated once; the prompts of a long run need no memory.
        reuse: Earlier runs, or their journals of calls; what was answered there is not asked again.
        only_usable: Whether a question is asked again whose reply in ``reuse`` could not be used.
    """
    ids: list[str] = []
    answers: dict[str, Answer[Reply]] = {}
    failed = 0
    step = progress.step(label or model.name, len(questions), unit="questions", summary=True)
    with recorded_for(model, journal, reuse, only_usable) as calls, step as shown:
        own = RecordedCalls([journal]) if calls.only_usable else calls
        counted, count = "questions are answered", len(questions)
        asking = Asking(model, journal, own, limits, logs, counted, count, jobs_a_sample=QUESTIONS_A_SAMPLE)

        def keep(answer: Answer[Reply]) -> None:
            nonlocal failed
            answers[answer.id] = answer
            failed += answer.failure is not None

        def report() -> None:
            without = f", {failed:,} without a usable reply" if failed else ""
            money = f", {dollars(asking.spent())} US dollars" if limits.price else ""
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
    record = journal.models[model.name].record(limits.price_of(model.name))
    return Answers({id: answers[id] for id in ids}, record)


def _first(question: Question[Any]) -> Messages:
    return [{"role": "user", "content": question.prompt}]


@cache
def _schema(reply: Any) -> dict[str, Any]:
    schema: dict[str, Any] = reply.model_json_schema()
    return schema
