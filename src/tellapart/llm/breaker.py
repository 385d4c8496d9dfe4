"""When a model that keeps failing is asked no further: a row of failures of one kind.

What counts is the order in which questions and turns come to an end. With several under way that order is not
the same every time, so neither is just when a run is stopped; but nothing is written before it is, so that a
run that was not stopped is the same with a breaker and without.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

from tellapart.errors import ProviderError
from tellapart.llm.failures import KEPT, advice_for

Kind = Literal["no reply", "unusable"]
"""What fails alike: nothing came back, or the reply is of no use."""

_KINDS: dict[str, Kind] = {
    "provider": "no reply",
    "timeout": "no reply",
    "parse": "unusable",
    "refusal": "unusable",
    "truncated": "unusable",
}
_SAYS_NOTHING = ("context_length", "not_recorded", "unusable")
"""Failures that say nothing about who is asked."""

_WHAT = {
    "no reply": "{n} calls in a row brought no reply",
    "unusable": "{n} questions in a row got no usable reply",
}


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
    """The row of failures that was too long.

    Attributes:
        length: How many questions.
        most: What most of them are, in the words of their failures.
        detail: How many of each there are, and what the last one says.
    """

    kind: Kind
    length: int
    most: str
    detail: str


class Breaker:
    """Watches how the calls to one model end, and trips at so many failures of one kind in a row.

    A usable reply, or a failure of the other kind, ends a row. Several attempts at one question count once.
    An agent that reached a limit of its own is no failure.

    Attributes:
        tripped: The row that was too long; None before.
        to_repeat: Keys of calls whose replies are to be had anew when resuming, since they may be those of
            whatever is broken; to be taken out by whoever puts that down.
    """

    def __init__(self, most: int) -> None:
        """Begin with no row; 0 never trips."""
        self.tripped: Kind | None = None
        self.to_repeat: list[str] = []
        self._most = most
        self._kind: Kind | None = None
        self._row: list[tuple[str, Why]] = []
        self._keys: list[str] = []

    def answered(self) -> None:
        """Note that a reply was of use."""
        self._begin(None)

    def failed(self, failure: Why, subject: str, calls: Iterable[str] = ()) -> None:
        """Note a failure."""
        kind = _KINDS.get(failure.cause)
        if kind is None or failure.kind in _SAYS_NOTHING or not self._most:
            return
        if self.tripped not in (None, kind):
            return
        if kind != self._kind:
            self._begin(kind)
        self._row.append((subject, failure))
        if kind == "unusable":
            self._keys += calls
        if self._length() >= self._most:
            self.tripped = kind
            self.to_repeat += self._keys
            self._keys.clear()

    def _begin(self, kind: Kind | None) -> None:
        if self.tripped is None:
            self._kind = kind
            self._row.clear()
            self._keys.clear()

    def _length(self) -> int:
        return len({subject for subject, _ in self._row})

    def row(self) -> Row:
        """What made it trip."""
        assert self.tripped is not None
        failures = [failure for _, failure in self._row]
        kinds = Counter(failure.kind for failure in failures)
        counts = ", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items()))
        most = max(sorted(kinds), key=lambda kind: kinds[kind])
        return Row(self.tripped, self._length(), most, f"{counts}; the last: {failures[-1].detail}")

    def error(self, name: str) -> ProviderError:
        """What to stop the calls of a model with once it has tripped; ``name`` is the model's."""
        row = self.row()
        return ProviderError(
            f"{_WHAT[row.kind].format(n=row.length)} ({row.detail})",
            where=name,
            next_step=f"{advice_for(row.most)}. {KEPT} and asks these again; if it is they that cannot be "
            "answered, add --max-failures 0, with which it goes on to the end and counts them as missing",
        )
