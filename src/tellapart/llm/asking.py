"""Questions to one model: each a play of one turn, and of a second one to repair the reply."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.plays import Asking, ask_the_rest, from_record, recorded_for
from tellapart.llm.questions import Answer, Failure, Question, Questions, Reply
from tellapart.llm.recorded_calls import NotRecorded, RecordedCalls, Unknown
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
        by_id: An answer for every question, in the questions' order; to be read while the journal is open.
        record: What ``ModelUse.record`` says of all calls in the journal to this model, those of earlier
            processes included.
    """

    by_id: Mapping[str, Answer[Reply]]
    record: dict[str, Any]


class AnswersInJournal(Mapping[str, Answer[Reply]]):
    """Answers by question, of which only the place in the journal is held: replies are long and many."""

    def __init__(self, journal: CallJournal) -> None:
        """Begin with none."""
        self._journal = journal
        self._places: dict[str, Answer[Reply] | _Place[Reply] | None] = {}
        self.answered = 0
        self.failed = 0

    def expect(self, question: Question[Reply]) -> None:
        """Give a question its place in the order."""
        self._places[question.id] = None

    def keep(self, question: Question[Reply], answer: Answer[Reply], key: str | None) -> None:
        """Take an answer, by its call's key where the journal holds it."""
        self._places[question.id] = (
            answer
            if key is None
            else _Place(replace(question, prompt=""), bytes.fromhex(key), answer.repaired)
        )
        self.answered += 1
        self.failed += answer.failure is not None

    def __getitem__(self, id: str) -> Answer[Reply]:
        """Read an answer anew."""
        kept = self._places[id]
        if kept is None:
            raise KeyError(id)
        if isinstance(kept, Answer):
            return kept
        call = self._journal.get(kept.key.hex()) or {}
        # A call that was not made, since the money was used up, has no messages.
        sent = call.get("messages")
        question = replace(kept.question, prompt=sent[0]["content"]) if sent else kept.question
        return read(question, call, repaired=kept.repaired)

    def __iter__(self) -> Iterator[str]:
        """Go through the questions in their order."""
        return iter(self._places)

    def __len__(self) -> int:
        """Count the questions."""
        return len(self._places)


@dataclass(frozen=True, slots=True)
class _Place(Generic[Reply]):
    question: Question[Reply]
    key: bytes
    repaired: bool


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
    kept: AnswersInJournal[Reply] = AnswersInJournal(journal)
    step = progress.step(label or model.name, len(questions), unit="questions", summary=True)
    with recorded_for(model, journal, reuse) as calls, step as shown:
        lookup = _Lookup(model, calls, only_usable=only_usable)
        asking = Asking(model, journal, lookup.own, limits, logs, "questions are answered", len(questions))

        def report() -> None:
            failed = f", {kept.failed:,} without a usable reply" if kept.failed else ""
            money = f", {dollars(asking.spent())} US dollars" if limits.price else ""
            shown.update(kept.answered, note=failed + money)

        def unknown() -> Iterator[Question[Reply]]:
            for question in questions:
                kept.expect(question)
                answer = lookup.find(question)
                if answer is not None:
                    kept.keep(question, *answer)
                elif calls.final:
                    why = Failure("provider", "not_recorded", "no such call is in the recording")
                    kept.keep(question, Answer(question.id, None, why), None)
                else:
                    yield question

        async def put(question: Question[Reply], speaker: Speaker, watch: Watch) -> None:
            from inspect_ai.util import span

            # By which the log's reader finds the calls of a question.
            async with span(question.id, type="question"):
                answer, key = await ask(question, model, speaker)
            kept.keep(question, answer, key)
            report()
            watch.see(answer.failure, question.prompt, {first_key(question, model), key})

        ask_the_rest(
            unknown(),
            put,
            asking,
            answered=lambda: kept.answered - kept.failed,
            shares=_shares(len(questions), limits.at_once),
        )
        report()
    return Answers(kept, journal.models[model.name].record(limits.price_of(model.name)))


class _Lookup:
    """Finds what was answered before.

    Attributes:
        own: The calls that need not be made once earlier runs have been looked at.
    """

    def __init__(self, model: LanguageModel, calls: RecordedCalls, *, only_usable: bool) -> None:
        self._model, self._calls = model, calls
        journal, *earlier = calls.journals
        if not only_usable or calls.final:
            self.own, self._earlier = calls, list[RecordedCalls]()
            return
        self.own = RecordedCalls([journal])
        self._earlier = [RecordedCalls([journal, other]) for other in earlier]
        self._copying = [RecordedCalls([journal, other], copied_to=journal) for other in earlier]

    def find(self, question: Question[Any]) -> tuple[Answer[Any], str] | None:
        """The answer to a question and its call's key; None where it is to be asked."""
        answer = recorded(question, self._model, self.own)
        for i, calls in enumerate(self._earlier if answer is None else ()):
            usable = recorded(question, self._model, calls)
            if usable is not None and usable[0].value is not None:
                return recorded(question, self._model, self._copying[i])
        return answer


def _first(question: Question[Any]) -> Messages:
    return [{"role": "user", "content": question.prompt}]


@cache
def _schema(reply: Any) -> dict[str, Any]:
    schema: dict[str, Any] = reply.model_json_schema()
    return schema


def _shares(questions: int, at_once: int) -> list[int | None]:
    """How many questions each sample takes; the last ones take what is left.

    The first ones differ, so that not all end, and are written to the log, at the same time.
    """
    share = min(QUESTIONS_A_SAMPLE, ceil(questions / at_once))
    if share < QUESTIONS_A_SAMPLE:
        return [None] * min(at_once, questions)
    first = [1 + i * share // at_once for i in range(at_once)]
    more = ceil((questions - sum(first)) / share)
    return [*[*first, *[share] * more][:more], *[None] * at_once]
