"""When a model that keeps failing is asked no further: so many failures in a row.

What counts is the order in which questions and turns end, which varies where several are under way. Nothing
is written before a run is stopped, so that one that was not is the same with a breaker and without.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

from tellapart.errors import ProviderError
from tellapart.llm.failures import KEPT, advice_for

_NO_REPLY = ("provider", "timeout")
_COUNTED = (*_NO_REPLY, "parse", "refusal", "truncated")
_SAYS_NOTHING = ("context_length", "not_recorded", "unusable")
"""Failures that say nothing about who is asked."""


class Why(Protocol):
    """A failure of a question, a turn or an exploration; see ``questions.Failure``."""

    @property
    def cause(self) -> str: ...  # noqa: D102
    @property
    def kind(self) -> str: ...  # noqa: D102
    @property
    def detail(self) -> str: ...  # noqa: D102


@dataclass(frozen=True)
class Row:
    """The row of failures that was too long: of how many questions, and what most of them are."""

    kind: Literal["no reply", "unusable"]
    length: int
    most: str
    detail: str


class Breaker:
    """Watches how the calls to one model end, and trips at so many failures in a row.

    A usable reply ends a row. Several attempts at one question count once. An agent that reached a limit of
    its own is no failure.
    """

    def __init__(self, most: int, name: str = "", repeat: Callable[[str], None] = lambda _: None) -> None:
        """Begin with no row; 0 never trips. ``repeat`` is given the keys of calls to be made anew then."""
        self.tripped = False
        self._most, self._name, self._repeat = most, name, repeat
        self._row: list[tuple[str, Why]] = []
        self._keys: list[str] = []

    def see(self, failure: Why | None, subject: str, calls: Iterable[str] = ()) -> None:
        """Note how a question or a turn ended; raises ``ProviderError`` once too many have failed."""
        if failure is None:
            if not self.tripped:
                self._row.clear()
                self._keys.clear()
            return
        if failure.cause not in _COUNTED or failure.kind in _SAYS_NOTHING or not self._most:
            return
        self._row.append((subject, failure))
        if failure.cause not in _NO_REPLY:
            self._keys += calls
        self.tripped = self.tripped or self._length() >= self._most
        if self.tripped:
            while self._keys:
                self._repeat(self._keys.pop(0))
            raise self._error()

    def _length(self) -> int:
        return len({subject for subject, _ in self._row})

    def row(self) -> Row:
        """The row that made it trip."""
        kinds = Counter(sorted(failure.kind for _, failure in self._row))
        counts = ", ".join(f"{kind} {n}" for kind, n in kinds.items())
        (most, _), last = kinds.most_common(1)[0], self._row[-1][1]
        silent = all(failure.cause in _NO_REPLY for _, failure in self._row)
        detail = f"{counts}; the last: {last.detail}"
        return Row("no reply" if silent else "unusable", self._length(), most, detail)

    def _error(self) -> ProviderError:
        row = self.row()
        silent = row.kind == "no reply"
        what = "calls in a row brought no reply" if silent else "questions in a row got no usable reply"
        return ProviderError(
            f"{row.length} {what} ({row.detail})",
            where=self._name,
            next_step=f"{advice_for(row.most)}. {KEPT} and asks these again; if it is they that cannot be "
            "answered, add --max-failures 0, with which it goes on to the end and counts them as missing",
        )
