"""How far a run is that is being written: calls, tokens, speed, cost so far, and the time that is left."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tellapart.files.journal_lines import DamagedLine, read_line
from tellapart.llm.planned import PlannedCalls, read_planned
from tellapart.llm.replay import CALLS
from tellapart.llm.usage import ModelUse, spent

_STEPS = "journal.jsonl"
_LATELY_S = 30.0
"""Seconds over which speed is measured."""
_MOST_BYTES = 64 << 20
"""Read at one look; the rest of a long journal is for the next, so that nobody waits for it."""


@dataclass
class _Tail:
    """What is added to a file of lines; a line that is being written is left for the next time."""

    read: int = 0

    def is_another(self, file: Path) -> bool:
        """Whether the file is not the one that was read: it has become shorter."""
        try:
            return file.stat().st_size < self.read
        except OSError:
            return self.read > 0

    def added(self, file: Path) -> Iterator[bytes]:
        """Lines since the last time, at most so many that nobody waits for them."""
        end = self.read + _MOST_BYTES
        with file.open("rb") as opened:
            opened.seek(self.read)
            for line in opened:
                if not line.endswith(b"\n"):
                    return
                self.read += len(line)
                yield line
                if self.read >= end:
                    return


@dataclass
class Calls:
    """Calls in a journal, counted as it grows.

    Attributes:
        count: Calls so far, those included that were taken over or answered by a recording.
        answered: Of the calls that can be planned, those that were made once or more: without repairs.
        models: What each model's calls took, by its name.
        rate: Calls a second that were really made, lately; None where nobody has looked twice.
        answered_rate: The same of ``answered``.
    """

    count: int = 0
    answered: int = 0
    models: dict[str, ModelUse] = field(default_factory=dict)
    rate: float | None = None
    answered_rate: float | None = None
    _made: int = 0
    _answered_by_calls: int = 0
    _keys: set[int] = field(default_factory=set)
    _tail: _Tail = field(default_factory=_Tail)
    _looks: deque[tuple[float, int, int]] = field(default_factory=deque)

    @property
    def tokens(self) -> int:
        """That calls took, in and out, as far as providers say."""
        return sum(use.input_tokens + use.output_tokens for use in self.models.values())

    def is_of_another(self, file: Path) -> bool:
        """Whether a journal is not the one that was counted: another run began under the same name."""
        return self._tail.is_another(file)

    def look(self, file: Path, now_s: float) -> None:
        """Count what was added since the last look."""
        begins_at = self._tail.read
        try:
            for line in self._tail.added(file):
                self._take(line)
        except OSError:
            return
        if self._tail.read - begins_at >= _MOST_BYTES:
            # What lay there before shows no speed.
            self._looks.clear()
        self._looks.append((now_s, self._made, self._answered_by_calls))
        while len(self._looks) > 2 and now_s - self._looks[1][0] >= _LATELY_S:
            self._looks.popleft()
        began_s, calls_before, answered = self._looks[0]
        if now_s > began_s:
            self.rate = (self._made - calls_before) / (now_s - began_s)
            self.answered_rate = (self._answered_by_calls - answered) / (now_s - began_s)

    def _take(self, line: bytes) -> None:
        try:
            call = read_line(line)
        except DamagedLine:
            return
        if "key" not in call:
            return
        self.count += 1
        self.models.setdefault(call["model"], ModelUse()).add(call)
        is_made = not call.get("reused") and call.get("attempts", 1) > 0
        self._made += is_made
        key = int(call["key"][-16:], 16)
        if key not in self._keys and _is_planned(call):
            self._keys.add(key)
            self.answered += 1
            self._answered_by_calls += is_made


@dataclass
class GrowingRun:
    """A run that is being written, looked at again and again."""

    calls: Calls = field(default_factory=Calls)
    steps: int = 0
    _journal: _Tail = field(default_factory=_Tail)

    def look(self, run: Path, now_s: float) -> dict[str, Any]:
        """Look at it now."""
        if self.calls.is_of_another(run / CALLS) or self._journal.is_another(run / _STEPS):
            self.calls, self.steps, self._journal = Calls(), 0, _Tail()
        calls = self.calls
        calls.look(run / CALLS, now_s)
        with suppress(OSError):
            self.steps += sum(b'"step"' in line for line in self._journal.added(run / _STEPS))
        planned = read_planned(run)
        total = planned.calls if planned else 0
        # More were needed than were planned: nobody knows then how many.
        is_known = calls.answered <= total and total > 0
        return {
            "calls": calls.answered if is_known else calls.count,
            "planned_calls": total if is_known else None,
            "calls_a_second": calls.rate,
            "seconds_left": (total - calls.answered) / calls.answered_rate
            if is_known and calls.answered_rate
            else None,
            "tokens": calls.tokens,
            "cost": _cost(calls.models, planned) if planned else None,
            "steps": self.steps,
        }


def _is_planned(call: Mapping[str, Any]) -> bool:
    """Whether a call is a first one, and not a repair or a note on replies of no use."""
    is_repair = any(message["role"] == "assistant" for message in call.get("messages", ()))
    return not is_repair and call.get("failure", {}).get("kind") != "unusable"


def _cost(models: Mapping[str, ModelUse], planned: PlannedCalls) -> float | None:
    limits = planned.limits
    has_price = all(limits.price_of(name) for name, use in models.items() if use.calls > use.reused)
    return spent(models, limits) if limits.price and has_price else None
