"""Calls that need not be made: those of this run's journal, and those taken over from an earlier one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from tellapart.llm.journal import CallJournal


class Calls(Protocol):
    """What calls can be looked up in.

    Attributes:
        final: Whether nothing will be asked: then failures are known as well.
    """

    final: bool

    def get(self, key: str) -> dict[str, Any] | None:
        """The call with this key, with ``final`` even one that brought no reply; None where there is none."""


class RecordedCalls:
    """What two journals hold, this run's first.

    Attributes:
        journal: This run's; a call of the other one is copied here when it is used, so that the run stays
            whole without it.
        final: Whether nothing will be asked: then failures are known as well.
    """

    def __init__(
        self, journal: CallJournal, model: str, earlier: CallJournal | None = None, *, final: bool = False
    ) -> None:
        """Know calls to ``model``."""
        self.journal = journal
        self.final = final
        self._model = model
        self._earlier = earlier

    def get(self, key: str) -> dict[str, Any] | None:
        """The call with this key, with ``final`` even one that brought no reply; None where there is none."""
        journals = [self.journal, *([self._earlier] if self._earlier else [])]
        stored = find_call(key, journals, final=self.final)
        if stored is None:
            return None
        call, holder = stored
        if holder is not self.journal:
            self.journal.note_sent(self._model, holder.models[call["model"]].sent)
            self.journal.append(key, {**{k: v for k, v in call.items() if k != "key"}, "reused": True})
        return call


def find_call(
    key: str, journals: Iterable[CallJournal], *, final: bool = False
) -> tuple[dict[str, Any], CallJournal] | None:
    """The first call with a key that need not be made, and the journal that holds it; None without one.

    Args:
        key: As ``call_key`` gives it.
        journals: The first one's calls come first.
        final: Whether nothing will be asked. Otherwise a call that brought no reply is to be made again.
    """
    for journal in journals:
        call = journal.get(key)
        if call is not None and (final or "failure" not in call):
            return call, journal
    return None
