"""Calls that need not be made: those of this run's journal, and those taken over from an earlier one."""

from __future__ import annotations

from collections.abc import Mapping
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


class KnownCalls:
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
        call = self.journal.get(key)
        if self._counts(call) or self._earlier is None:
            return call if self._counts(call) else None
        call = self._earlier.get(key)
        if call is None or not self._counts(call):
            return None
        self.journal.note_sent(self._model, self._earlier.models[call["model"]].sent)
        self.journal.append(key, {**{k: v for k, v in call.items() if k != "key"}, "reused": True})
        return call

    def _counts(self, call: Mapping[str, Any] | None) -> bool:
        return call is not None and (self.final or "failure" not in call)
