"""How a model is asked: the journal first, then the wire, within a budget and inside an Inspect task.

``session`` asks questions with this, ``talking`` holds conversations, and ``agents`` sends their turns. A
question is a conversation of one turn: both are given as coroutines that make calls of a ``Caller``, and each
begins anew when it turns out that a call has yet to be made.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tellapart.environment.clock import seconds_since
from tellapart.errors import OverBudget, ProviderError
from tellapart.llm.breaker import Breaker, kind_of
from tellapart.llm.budget import Budget, Exhausted, Limits, Pace, cost, dollars
from tellapart.llm.calls import Call, Messages, Request, make_call, now
from tellapart.llm.connection import connect
from tellapart.llm.conversation import reply_of_call
from tellapart.llm.inspecting import run_workers
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel, Respondent
from tellapart.llm.questions import Failure
from tellapart.llm.recorded_calls import RecordedCalls
from tellapart.llm.replay import journals_of
from tellapart.llm.usage import ModelUse

if TYPE_CHECKING:
    import anyio

GRACE_S = 5.0
"""How long calls under way may still bring their replies once no other call is worth making."""

Job = TypeVar("Job")


@contextmanager
def calls_of(
    model: Respondent, journal: CallJournal, reuse: Path | Sequence[Path] | None
) -> Iterator[RecordedCalls]:
    """The calls to a model that need not be made; the journal notes how it is asked."""
    paths = journals_of(model.recording or reuse)
    with ExitStack() as stack:
        earlier = [stack.enter_context(CallJournal(path, read_only=True)) for path in paths]
        recorded = RecordedCalls(journal, model.name, earlier, final=model.recording is not None)
        journal.note_requested(model.name, model.requested())
        yield recorded


class Gate:
    """Lets calls to one model or system go out as the budget and the pace allow.

    Attributes:
        limits: What that may take.
    """

    def __init__(
        self, model: Respondent, limits: Limits, spent: Callable[[], float], *, caches: bool = False
    ) -> None:
        """Watch the calls to a model."""
        self.limits = limits
        self._budget = Budget(limits, model.name, model.max_tokens, spent, caches=caches)
        self._pace = Pace(limits.delay_s)

    @asynccontextmanager
    async def room_for(self, size: int) -> AsyncIterator[None]:
        """Wait until a call of so many bytes may go out, and keep its room until what it cost is noted."""
        async with self._budget.room_for(size), self._pace.turn():
            yield

    def learn(self, size: int, usage: dict[str, int] | None) -> None:
        """Estimate later calls by the tokens that one of so many bytes took."""
        if usage:
            self._budget.learn(size, usage["input_tokens"])


class Sender(Gate):
    """The same for a language model, with the connection to it.

    Attributes:
        model: Who is asked.
        connected: The model of Inspect.
        wire: Sees what goes out.
    """

    def __init__(
        self, model: LanguageModel, limits: Limits, spent: Callable[[], float], *, caches: bool = False
    ) -> None:
        """Connect, in one event loop; nothing is sent yet."""
        super().__init__(model, limits, spent, caches=caches)
        self.model = model
        self.connected, self.wire = connect(model, max_connections=limits.at_once, caches=caches)


async def noted_call(
    request: Request,
    send: Callable[[Messages], Awaitable[Call]],
    *,
    model: str,
    gate: Gate,
    journal: CallJournal,
) -> Call:
    """Make a call when the budget and the pace allow, and note it; it is in the journal when this returns."""
    messages = request.messages()
    size = sum(len(message["content"].encode(errors="replace")) for message in messages)
    try:
        async with gate.room_for(size):
            call = await send(messages)
            gate.learn(size, call.get("usage"))
            journal.append(request.key, call)
    except Exhausted:
        if gate.limits.on_budget != "close":
            raise
        # Without its messages: nobody was sent them.
        failure = {"cause": "budget", "kind": "max_cost", "detail": "not asked: the budget ran out"}
        call = {"time": now(), **names_of(request, model), "failure": failure, "attempts": 0}
        journal.append(request.key, call)
    return call


def names_of(request: Request, model: str) -> Call:
    """What the journal's line of a call begins with: who was asked what."""
    return {"model": model, "question": request.id, "replica": request.replica}


class Watch:
    """Lets a breaker see how questions and turns end, and stops all when it has tripped."""

    def __init__(self, name: str, journal: CallJournal, limits: Limits, *, is_judge: bool = False) -> None:
        """Watch who has this name, whose calls ``journal`` holds; ``is_judge`` as for ``Breaker``."""
        use = journal.models.get(name)
        self._name, self._journal = name, journal
        self._breaker = Breaker(limits.max_failures, is_judge=is_judge, has_replied=bool(use and use.calls))

    def answered_before(self) -> None:
        """See an answer of use that was known already."""
        self._breaker.answered_before()

    def see(self, failure: Failure | None, subject: str, keys: Iterable[str]) -> None:
        """See what came back."""
        breaker = self._breaker
        if failure is None:
            breaker.answered()
            return
        breaker.failed(failure, subject, keys)
        if breaker.tripped is None or kind_of(failure) != breaker.tripped:
            return
        why = {"cause": "provider", "kind": "unusable", "detail": "one of too many replies that are unusable"}
        line = {"model": self._name, "question": "", "replica": 0, "failure": why, "attempts": 0}
        while breaker.to_repeat:
            # As calls that failed, so that they are made again when resuming.
            self._journal.append(breaker.to_repeat.pop(0), line)
        raise breaker.error(self._name)

    def see_turn(self, request: Request, call: Call) -> None:
        """See what came back of a turn; raises as ``see``."""
        turn = request.turn
        subject = f"{turn.conversation} {turn.text}" if turn else request.id
        self.see(reply_of_call(call).failure, subject, [request.key])


class LiveCaller:
    """Makes the calls that the journal does not hold, for all that work at the same time."""

    def __init__(self, sender: Sender, recorded: RecordedCalls, turns: Watch | None = None) -> None:
        """Send over ``sender``, and note in the journal of ``recorded``."""
        self._sender, self._recorded, self._turns = sender, recorded, turns
        self._failed: dict[str, Call] = {}
        self._under_way: dict[str, anyio.Event] = {}

    async def call(self, request: Request) -> Call:
        """Look a call up, or make it; it is in the journal when this returns."""
        if self._turns is None:
            return self._recorded.get(request.key) or await self._make(request)
        import anyio

        key = request.key
        while key in self._under_way:
            await self._under_way[key].wait()
        call = self._failed.get(key) or self._recorded.get(key)
        if call is None:
            self._under_way[key] = anyio.Event()
            try:
                call = await self._make(request)
            finally:
                self._under_way.pop(key).set()
            if "failure" in call:
                self._failed[key] = call
            self._turns.see_turn(request, call)
        return call

    async def _make(self, request: Request) -> Call:
        sender, journal = self._sender, self._recorded.journal

        async def send(messages: Messages) -> Call:
            call = await self._send(request, messages)
            journal.note_sent(sender.model.name, sender.wire.sent())
            return call

        return await noted_call(request, send, model=sender.model.name, gate=sender, journal=journal)

    async def _send(self, request: Request, messages: Messages) -> Call:
        from inspect_ai.util import span

        connected, model = self._sender.connected, self._sender.model
        sent, began = now(), time.monotonic()
        # By which the log's reader finds the calls of a turn; those of a question are in one span.
        async with span(request.id, type="question") if request.turn else nullcontext():
            reply = await make_call(connected, messages, model, request.reply)
        seconds = round(seconds_since(began), 3)
        moment = {"sent": sent} if request.turn else {}
        line = {**names_of(request, self._sender.model.name), **request.line, **reply}
        return {"time": now(), **moment, **line, "seconds": seconds}


def run_jobs(
    jobs: Iterator[Job],
    work: Callable[[Job], Awaitable[None]],
    sender: Sender,
    logs: Path,
    *,
    shares: Sequence[int],
    spare: int,
) -> bool:
    """Do jobs at the same time, as the samples of one Inspect task, until one fails or none is left."""
    import anyio

    share_of_next, left, under_way, stopping = iter(shares), spare, 0, False

    async def do(job: Job) -> None:
        nonlocal under_way
        under_way += 1
        try:
            await work(job)
        finally:
            under_way -= 1

    async def sample() -> None:
        nonlocal left, stopping
        share = next(share_of_next)
        for number, job in enumerate(jobs, 1):
            try:
                await do(job)
            except Exhausted:
                stopping = True
            except Exception as error:
                stopping = True
                if isinstance(error, ProviderError):
                    with anyio.move_on_after(GRACE_S):
                        while under_way:
                            await anyio.sleep(0.05)
                raise
            if stopping:
                return
            if number >= share and left > 0:
                left -= 1
                return

    run_workers(
        sample,
        samples=len(shares),
        at_once=sender.limits.at_once,
        connected=sender.connected,
        logs=logs,
    )
    return stopping


@contextmanager
def saying_how_far(
    answered: Callable[[], int],
    total: int | None,
    unit: str,
    model: str,
    journal: CallJournal,
    limits: Limits,
) -> Iterator[None]:
    """Add to an error of a provider how much was answered, what that cost, and what the rest may cost."""
    try:
        yield
    except ProviderError as error:
        use, done = journal.models.get(model, ModelUse()), answered()
        if not done and not any(use.paid):
            raise
        price = limits.price_of(model)
        so_far = f"{done:,}{'' if total is None else f' of {total:,}'} {unit} are answered"
        if price and use.calls > use.reused:
            so_far += f", for {dollars(cost(price, *use.paid))} US dollars"
            so_far += "" if total is None else rest(model, journal, limits, done, total)
        elif use.paid[0] or use.paid[1]:
            so_far += f", for {use.paid[0]:,} tokens in and {use.paid[1]:,} out"
        raise ProviderError(f"{error.what}; {so_far}", where=error.where, next_step=error.next_step) from None


def rest(model: str, journal: CallJournal, limits: Limits, done: int, total: int) -> str:
    """Say what is left to pay, as a clause; empty where nothing is left, or nothing shows what it may be."""
    use, price = journal.models.get(model, ModelUse()), limits.price_of(model)
    paid_calls = use.calls - use.reused
    if not price or not 0 < done < total or not paid_calls:
        return ""
    # As dear as those that were not taken over from earlier.
    amount = cost(price, *use.paid) / min(done, paid_calls) * (total - done)
    return f", and the others would take about {dollars(amount)}"


def over_budget(amount: float, limits: Limits, finished: str, next_step: str) -> OverBudget:
    """What to stop with when the money is used up."""
    return OverBudget(
        f"{dollars(amount)} of {dollars(limits.max_cost or 0)} US dollars are spent, and another call might "
        f"pass the limit: {finished}",
        next_step=next_step,
    )
