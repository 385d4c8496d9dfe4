"""Questions to one model: each a play of one turn, and of a second one to repair the reply."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any, Generic

from tellapart.core.fingerprint import sha256_of_json
from tellapart.core.progress import SILENT, Progress
from tellapart.llm.budget import NO_LIMITS, Limits, dollars
from tellapart.llm.callers import Watch
from tellapart.llm.calls import Call, Messages, Request
from tellapart.llm.conversation import Speaker
from tellapart.llm.journal import CallJournal, NotRecorded, RecordedCalls, Unknown
from tellapart.llm.models import LanguageModel
from tellapart.llm.plays import Asking, ask_the_rest, from_record, recorded_for
from tellapart.llm.questions import Answer, Failure, Question, Questions, Reply
from tellapart.llm.replies import JSON_AGAIN, parse, repair_turns

QUESTIONS_A_SAMPLE = 20
"""Questions in one sample of the Inspect log; one sample for each would cost more than a fast call."""


def call_key(question: Question[Any], model: LanguageModel, messages: Messages) -> str:
    """Hash of everything that reaches the wire, and of which attempt it is."""
    reply: Any = question.reply
    schema = None if question.form else _schema(reply)
    return sha256_of_json([model.requested(), messages, schema, question.replica])


def first_key(question: Question[Any], model: LanguageModel) -> str:
    """Key of the call that puts a question for the first time."""
    return call_key(question, model, _first(question))


async def ask(question: Question[Reply], model: LanguageModel, speaker: Speaker) -> tuple[Answer[Reply], str]:
    """Put a question, and once more when the reply cannot be used; the answer and its call's key."""
    keys: list[str] = []

    async def call(messages: Messages) -> Call:
        key = call_key(question, model, messages)
        schema = None if question.form else question.reply
        line = {"messages": messages}
        request = Request(key, question.id, question.replica, lambda: messages, line, schema)
        reply = await speaker.caller.call(request)
        keys.append(key)
        return reply

    return await converse(question, call), keys[-1]


def recorded(
    question: Question[Reply], model: LanguageModel, calls: RecordedCalls
) -> tuple[Answer[Reply], str] | None:
    """The answer that is recorded, read anew, and its call's key; None where a call is missing."""
    try:
        return from_record(lambda speaker: ask(question, model, speaker), calls)
    except Unknown:
        return None


async def converse(question: Question[Reply], call: Callable[[Messages], Awaitable[Call]]) -> Answer[Reply]:
    """Put a question, read the reply, and put it once more with what was wrong when that can be repaired."""
    messages = _first(question)
    reply = await call(messages)
    answer = read(question, reply)
    if answer.failure is None or answer.failure.cause != "parse":
        return answer
    again = question.form.again if question.form else JSON_AGAIN
    try:
        repair = await call([*messages, *repair_turns(reply["reply"], answer.failure, again)])
    except NotRecorded:
        # A recording says nothing more; how the first reply failed is all that is known.
        return answer
    return read(question, repair, repaired=True)


def read(question: Question[Reply], call: Call, *, repaired: bool = False) -> Answer[Reply]:
    """Read a call anew: its value, or why there is none."""
    for why in ("failure", "unread"):
        if why in call:
            return Answer(question.id, None, Failure(**call[why]), repaired and why == "unread")
    value = parse(call["reply"], question)
    if isinstance(value, Failure):
        return Answer(question.id, None, value, repaired)
    return Answer(question.id, value, None, repaired)


@dataclass(frozen=True)
class Answers(Generic[Reply]):
    """What a model answered.

    Attributes:
        by_id: An answer for every question, in the questions' order.
        record: What ``ModelUse.record`` says of all calls in the journal to this model, those of earlier
            processes included.
    """

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
    with recorded_for(model, journal, reuse) as calls, step as shown:
        only_usable = only_usable and not calls.final
        own = RecordedCalls([journal]) if only_usable else calls
        asking = Asking(model, journal, own, limits, logs, "questions are answered", len(questions))

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
                answer = recorded(question, model, own)
                if answer is None and only_usable:
                    answer = _usable(question, model, calls)
                if answer is not None:
                    keep(answer[0])
                elif calls.final:
                    why = Failure("provider", "not_recorded", "no such call is in the recording")
                    keep(Answer(question.id, None, why))
                else:
                    yield question

        async def put(question: Question[Reply], speaker: Speaker, watch: Watch) -> None:
            from inspect_ai.util import span

            # By which the log's reader finds the calls of a question.
            async with span(question.id, type="question"):
                answer, key = await ask(question, model, speaker)
            keep(answer)
            report()
            watch.see(answer.failure, question.prompt, {first_key(question, model), key})

        ask_the_rest(
            unknown(),
            put,
            asking,
            answered=lambda: len(answers) - failed,
            shares=_shares(len(questions), limits.at_once),
        )
        report()
    record = journal.models[model.name].record(limits.price_of(model.name))
    return Answers({id: answers[id] for id in ids}, record)


def _usable(
    question: Question[Reply], model: LanguageModel, calls: RecordedCalls
) -> tuple[Answer[Reply], str] | None:
    """An answer of an earlier run that has a value; its calls are copied."""
    journal, *earlier = calls.journals
    for other in earlier:
        answer = recorded(question, model, RecordedCalls([journal, other]))
        if answer is not None and answer[0].value is not None:
            return recorded(question, model, RecordedCalls([journal, other], copied_to=journal))
    return None


def _shares(questions: int, at_once: int) -> list[int | None]:
    """How many questions each sample takes; the last ones take what is left.

    The first ones differ, so that not all end, and are written to the log, at the same time.
    """
    share = QUESTIONS_A_SAMPLE
    if questions < share * at_once:
        return [None] * min(at_once, questions)
    first = [1 + i * share // at_once for i in range(at_once)]
    return [*first, *[share] * ceil((questions - sum(first)) / share), *[None] * at_once]


def _first(question: Question[Any]) -> Messages:
    return [{"role": "user", "content": question.prompt}]


@cache
def _schema(reply: Any) -> dict[str, Any]:
    schema: dict[str, Any] = reply.model_json_schema()
    return schema
