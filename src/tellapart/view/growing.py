"""How far a run is that is being written: calls, tokens, speed, cost so far, and the time that is left."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from tellapart.errors import TellapartError
from tellapart.llm.journal import CALL
from tellapart.llm.planned import PlannedCalls, read_planned
from tellapart.llm.usage import ModelUse, spent
from tellapart.store.database import Row, RunDatabase
from tellapart.store.runs import DATABASE, STEP

_LATELY_S = 30.0
"""Seconds over which speed is measured."""
_MOST_CALLS = 20_000
"""Read at one look; the rest is for the next, so that nobody waits for it."""


@dataclass
class Calls:
    """Calls of a run, counted as it grows.

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
    _looks: deque[tuple[float, int, int]] = field(default_factory=deque)

    @property
    def tokens(self) -> int:
        """That calls took, in and out, as far as providers say."""
        return sum(use.input_tokens + use.output_tokens for use in self.models.values())

    def look(self, calls: Iterable[Row], now_s: float) -> None:
        """Count what was added since the last look."""
        before = self.count
        for call in calls:
            self._take(call.key, call.entry)
        if self.count - before >= _MOST_CALLS:
            # What lay there before shows no speed.
            self._looks.clear()
        self._looks.append((now_s, self._made, self._answered_by_calls))
        while len(self._looks) > 2 and now_s - self._looks[1][0] >= _LATELY_S:
            self._looks.popleft()
        began_s, calls_before, answered = self._looks[0]
        if now_s > began_s:
            self.rate = (self._made - calls_before) / (now_s - began_s)
            self.answered_rate = (self._answered_by_calls - answered) / (now_s - began_s)

    def _take(self, key: str, call: Mapping[str, Any]) -> None:
        self.count += 1
        self.models.setdefault(call["model"], ModelUse()).add(call)
        is_made = not call.get("reused") and call.get("attempts", 1) > 0
        self._made += is_made
        short = int(key[-16:], 16)
        if short not in self._keys and _is_planned(call):
            self._keys.add(short)
            self.answered += 1
            self._answered_by_calls += is_made


@dataclass
class GrowingRun:
    """A run that is being written, looked at again and again."""

    calls: Calls = field(default_factory=Calls)
    _seen: int = 0
    _shown: dict[str, Any] = field(default_factory=dict)

    def look(self, run: Path, now_s: float) -> dict[str, Any]:
        """Look at it now; as it was before where it cannot be read."""
        try:
            with RunDatabase(run / DATABASE, read_only=True) as database:
                if database.newest() < self._seen:
                    # Another run began under the same name.
                    self.calls, self._seen = Calls(), 0
                added = list(islice(database.rows(CALL, after=self._seen), _MOST_CALLS))
                steps, planned = database.count(STEP), read_planned(database)
        except TellapartError:
            return self._shown
        self.calls.look(added, now_s)
        self._seen = added[-1].seq if added else self._seen
        self._shown = self._state(steps, planned)
        return self._shown

    def _state(self, steps: int, planned: PlannedCalls) -> dict[str, Any]:
        calls, total = self.calls, planned.calls
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
            "cost": _cost(calls.models, planned),
            "steps": steps,
        }


def _is_planned(call: Mapping[str, Any]) -> bool:
    """Whether a call is a first one, and not a repair or a note on replies of no use."""
    is_repair = any(message["role"] == "assistant" for message in call.get("messages", ()))
    return not is_repair and call.get("failure", {}).get("kind") != "unusable"


def _cost(models: Mapping[str, ModelUse], planned: PlannedCalls) -> float | None:
    limits = planned.limits
    has_price = all(limits.price_of(name) for name, use in models.items() if use.calls > use.reused)
    return spent(models, limits) if limits.price and has_price else None
