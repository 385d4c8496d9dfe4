"""Calls that need not be made: those of this run's journal, and those taken over from an earlier one."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from tellapart.llm.calls import Call, Request
from tellapart.llm.journal import CallJournal

Result = TypeVar("Result")


class Unknown(Exception):
    """A call is in no journal."""


class NotRecorded(Unknown):
    """A call is not in the recording that answers in the place of a model."""


class RecordedCalls:
    """Calls that journals hold, by key; those of the first journal come first.

    Attributes:
        journals: Where calls are looked up.
        final: Whether nothing will be asked: then calls that brought no reply are known as well.
        copied_to: The journal of this run, to which a call of another one is copied when it is used, so that
            the run stays whole without it; None copies nothing.
    """

    def __init__(
        self, journals: Sequence[CallJournal], *, final: bool = False, copied_to: CallJournal | None = None
    ) -> None:
        """Look calls up in ``journals``."""
        self.journals, self.final, self.copied_to = tuple(journals), final, copied_to

    def get(self, key: str) -> Call | None:
        """The first call with this key that need not be made; None without one."""
        for journal in self.journals:
            call = journal.get(key)
            if call is None or ("failure" in call and not self.final):
                continue
            if self.copied_to not in (None, journal):
                self.copied_to.note_sent(call["model"], journal.models[call["model"]].sent)
                self.copied_to.append(key, {**call, "reused": True})
            return call
        return None


@contextmanager
def reading(journals: Sequence[Path], *, final: bool = False) -> Iterator[RecordedCalls]:
    """Open journals to look calls up; those that are not there hold nothing, and nothing is written."""
    with ExitStack() as stack:
        there = [stack.enter_context(CallJournal(path, read_only=True)) for path in journals if path.exists()]
        yield RecordedCalls(there, final=final)


class RecordedCaller:
    """Answers calls from journals alone."""

    def __init__(self, calls: RecordedCalls) -> None:
        """Look calls up in ``calls``."""
        self._calls = calls

    async def call(self, request: Request) -> Call:
        """Look a call up."""
        call = self._calls.get(request.key)
        if call is None:
            raise NotRecorded if self._calls.final else Unknown
        return call


def without_waiting(work: Coroutine[Any, Any, Result]) -> Result:
    """What a coroutine gives that waits for nothing, such as one whose calls are all looked up."""
    try:
        work.send(None)
    except StopIteration as end:
        result: Result = end.value
        return result
    work.close()
    raise RuntimeError("what is looked up may wait for nothing")
