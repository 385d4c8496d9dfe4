"""When a model that keeps failing is asked no further: a row of failures of one kind, however many are left.

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
from tellapart.llm.failures import KEPT

Kind = Literal["no reply", "turned down", "unusable"]
"""What fails alike: nothing came back that had anything to do with the question; the question was not
accepted, or what runs the model went down over it; or the reply is of no use."""

_TURNED_DOWN = ("bad_request", "exited", "raised", "reported")
_NO_NEWS = ("context_length", "not_recorded", "unusable")

_WHAT = {
    "no reply": "{n} calls in a row brought no reply",
    "turned down": "the first {n} calls were all turned down",
    "unusable": "{n} questions in a row got no usable reply",
}
_ADVICE = {
    "rate_limit": "Wait, or ask less at the same time (--max-connections)",
    "timeout": "See whether the model works, or give it more time (--timeout), or ask less at the same time "
    "(--max-connections)",
    "turned down": "Change what it does not take, such as the temperature, or try again later",
    "exited": "See why the program ends, in its stderr",
    "raised": "See why it raises that",
    "unusable": "See whether the model or the server before it works, or name another model",
    "max_tokens": "Allow it longer replies (--max-tokens)",
}
_TRY_LATER = "See whether the provider works, or try again later"


class Why(Protocol):
    """A failure of a question, a turn or an exploration; see ``questions.Failure``."""

    @property
    def cause(self) -> str: ...  # noqa: D102
    @property
    def kind(self) -> str: ...  # noqa: D102
    @property
    def detail(self) -> str: ...  # noqa: D102


def kind_of(failure: Why) -> Kind | None:
    """Which row a failure belongs to; None of one that says nothing about who is asked."""
    if failure.kind in _NO_NEWS or failure.cause not in (
        "provider",
        "timeout",
        "parse",
        "refusal",
        "truncated",
    ):
        return None
    if failure.cause in ("parse", "refusal", "truncated"):
        return "unusable"
    return "turned down" if failure.kind in _TURNED_DOWN else "no reply"


@dataclass(frozen=True)
class Row:
    """The row of failures that was too long.

    Attributes:
        length: How many calls or questions.
        most: What most of them are, in the words of their failures.
        detail: How many of each there are, and what the last one says.
    """

    kind: Kind
    length: int
    most: str
    detail: str


class Breaker:
    """Watches how the calls to one model end.

    A row of calls without a reply always ends all: with the retries of each it is an outage. What is turned
    down, or answered with what is of no use, may be the questions' fault, as where a benchmark is hard or
    indecent. So the first ends all only while the model has replied to nothing, and the second only while
    no reply was of use; but a judge, whose replies are a means, is given up after any row of them. Askings
    of the same are one question. What a limit of money left out is no failure.

    Attributes:
        tripped: The row that was too long; None before.
        to_repeat: Keys of calls whose replies are to be had anew when resuming, since they may be those of
            whatever is broken; to be taken out by whoever puts that down.
    """

    def __init__(self, most: int, *, is_judge: bool = False, has_replied: bool = False) -> None:
        """Begin with no row."""
        self.tripped: Kind | None = None
        self.to_repeat: list[str] = []
        self._most, self._is_judge = most, is_judge
        self._has_replied, self._was_of_use = has_replied, False
        self._rows: dict[Kind, list[tuple[str, Why]]] = {
            "no reply": [],
            "turned down": [],
            "unusable": [],
        }
        self._keys: list[str] = []

    def answered_before(self) -> None:
        """Note that a reply of before was of use; it says nothing about now."""
        self._has_replied = self._was_of_use = True

    def answered(self) -> None:
        """Note that a reply was of use."""
        self.answered_before()
        self._keys.clear()
        for row in self._rows.values():
            row.clear()

    def failed(self, failure: Why, subject: str, calls: Iterable[str] = ()) -> None:
        """Note a failure."""
        kind = kind_of(failure)
        if kind is None or not self._most:
            return
        if kind == "unusable":
            self._has_replied = True
            self._rows["no reply"].clear()
            self._rows["turned down"].clear()
        if not self._counts(kind):
            return
        self._rows[kind].append((subject, failure))
        if kind == "unusable":
            self._keys += calls
        if self._length(kind) >= self._most:
            self.tripped = self.tripped or kind
        if self.tripped == kind:
            # Those under way when it trips belong to the row as well.
            self.to_repeat += self._keys
            self._keys.clear()

    def _counts(self, kind: Kind) -> bool:
        """Whether a row of this kind may end all, by what the model has replied so far."""
        if kind == "turned down":
            return not self._has_replied
        return kind == "no reply" or self._is_judge or not self._was_of_use

    def _length(self, kind: Kind) -> int:
        row = self._rows[kind]
        return len(row) if kind == "no reply" else len({subject for subject, _ in row})

    def row(self) -> Row:
        """What made it trip."""
        assert self.tripped is not None
        failures = [failure for _, failure in self._rows[self.tripped]]
        kinds = Counter(failure.kind for failure in failures)
        counts = ", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items()))
        most = max(sorted(kinds), key=lambda kind: kinds[kind])
        detail = f"{counts}; the last: {failures[-1].detail}"
        return Row(self.tripped, self._length(self.tripped), most, detail)

    def error(self, name: str) -> ProviderError:
        """What to stop the calls of a model with once it has tripped; ``name`` is the model's."""
        row = self.row()
        advice = _ADVICE.get(row.most, _ADVICE.get(row.kind, _TRY_LATER))
        return ProviderError(
            f"{_WHAT[row.kind].format(n=row.length)} ({row.detail})",
            where=name,
            next_step=f"{advice}. {KEPT} and asks these again; if it is they that cannot be answered, add "
            "--max-failures 0, with which it goes on to the end and counts them as missing",
        )
