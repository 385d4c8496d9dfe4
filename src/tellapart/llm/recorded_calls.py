"""Calls that need not be made: those of this run's journal, and those taken over from an earlier one."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from tellapart.llm.calls import Call, Request
from tellapart.llm.journal import CallJournal

Result = TypeVar("Result")


class Unknown(Exception):
    """A call is in no journal."""


class NotRecorded(Unknown):
    """A call is not in the recording that answers in the place of a model."""


class Calls(Protocol):
    """What calls can be looked up in.

    Attributes:
        final: Whether nothing will be asked: then failures are known as well.
    """

    final: bool

    def get(self, key: str) -> Call | None:
        """The call with this key, with ``final`` even one that brought no reply; None where there is none."""


class RecordedCalls:
    """What this run's journal holds, and those of earlier runs.

    Attributes:
        journal: This run's; a call of another one is copied here when it is used, so that the run stays
            whole without it.
        earlier: The others, of which the first one's calls come first.
        final: Whether nothing will be asked: then failures are known as well.
    """

    def __init__(
        self, journal: CallJournal, model: str, earlier: Sequence[CallJournal] = (), *, final: bool = False
    ) -> None:
        """Know calls to ``model``."""
        self.journal = journal
        self.earlier = tuple(earlier)
        self.final = final
        self._model = model

    def get(self, key: str) -> Call | None:
        """The call with this key, with ``final`` even one that brought no reply; None where there is none."""
        stored = find_call(key, [self.journal, *self.earlier], final=self.final)
        if stored is None:
            return None
        call, holder = stored
        if holder is not self.journal:
            self.journal.note_sent(self._model, holder.models[call["model"]].sent)
            self.journal.append(key, {**call, "reused": True})
        return call


def find_call(
    key: str, journals: Iterable[CallJournal], *, final: bool = False
) -> tuple[Call, CallJournal] | None:
    """The first call with a key that need not be made, and the journal that holds it; None without one."""
    for journal in journals:
        call = journal.get(key)
        if call is not None and (final or "failure" not in call):
            return call, journal
    return None


class Reading:
    """Calls that journals hold, the first journal's first; nothing is written.

    Attributes:
        final: Whether failures count as answers too.
    """

    def __init__(self, journals: Sequence[CallJournal], *, final: bool = False) -> None:
        """Read ``journals``."""
        self.final = final
        self._journals = journals

    def get(self, key: str) -> Call | None:
        """The first call with this key that need not be made, or None."""
        call = find_call(key, self._journals, final=self.final)
        return call[0] if call else None


@contextmanager
def reading(journals: Sequence[Path], *, final: bool = False) -> Iterator[Reading]:
    """Open journals to look calls up; those that are not there hold nothing."""
    with ExitStack() as stack:
        there = [stack.enter_context(CallJournal(path, read_only=True)) for path in journals if path.exists()]
        yield Reading(there, final=final)


class RecordedCaller:
    """Answers calls from journals alone."""

    def __init__(self, calls: Calls) -> None:
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
