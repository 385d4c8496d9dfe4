"""A conversation made ready for many questions about what it held at a step."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate

from tellapart.longcontext.evidence.needs import Part
from tellapart.longcontext.evidence.searching import locate
from tellapart.longcontext.facts.facts import Fact, folded, states
from tellapart.longcontext.facts.numerals import numerals
from tellapart.longcontext.played import PlayedCase, PlayedStep
from tellapart.longcontext.tokens import characters

SYSTEM = "system"
"""What the system prompt is called where messages are called by their ids."""


class Turns:
    """The turns that a conversation holds: those with a response that were not forked, in order.

    Places are counted from 0; -1 is the system prompt.
    """

    def __init__(self, case: PlayedCase) -> None:
        """Take the steps of a case as it was played."""
        held = [(at, s) for at, s in enumerate(case.steps) if not s.forked and s.response is not None]
        self.system = case.system or ""
        self.steps: Sequence[PlayedStep] = [step for _, step in held]
        self._positions = [at for at, _ in held]
        self._messages = [at for at, step in enumerate(self.steps) if not step.is_probe]
        lengths = (characters(step.user_message) + characters(step.response or "") for step in self.steps)
        self._ends = [0, *accumulate(lengths)]

    def before(self, position: int) -> int:
        """How many turns there were when the step at ``position`` of the case was asked."""
        return bisect_left(self._positions, position)

    def shown(self, count: int) -> list[int]:
        """Places of texts that give material among the first ``count`` turns, the system prompt first."""
        return [-1, *self._messages[: bisect_left(self._messages, count)]]

    def text(self, place: int) -> str:
        """What is said there."""
        return self.system if place < 0 else self.steps[place].user_message

    def id(self, place: int) -> str:
        """What it is called."""
        return SYSTEM if place < 0 else self.steps[place].id

    def letters_after(self, place: int, share: float, count: int) -> int:
        """Letters between a share of the text at a place and the end of the first ``count`` turns."""
        rest = round(characters(self.text(place)) * (1 - share))
        if place < 0:
            return rest + self._ends[count]
        return rest + characters(self.steps[place].response or "") + self._ends[count] - self._ends[place + 1]

    def stating(self, parts: Iterable[Part], count: int) -> tuple[str, ...]:
        """Ids of those of the first ``count`` turns whose replies state all parts.

        A reply states a part that has most of its facts, where one of its entities, or a name of the question
        where there is no other, stands in the reply or in what it replies to.
        """
        parts = [part for part in parts if part.facts]
        if not parts:
            return ()
        likely = {
            at for word in _words_of(parts[0].facts) for at in self._replies.get(word, ()) if at < count
        }
        return tuple(
            self.steps[at].id for at in sorted(likely) if all(_states(part, self.steps[at]) for part in parts)
        )

    @cached_property
    def _replies(self) -> dict[str, list[int]]:
        """Places of replies by their words and numbers."""
        found: dict[str, list[int]] = {}
        for at, step in enumerate(self.steps):
            for word in set(_words(step.response or "")):
                found.setdefault(word, []).append(at)
        return found


class _Same:
    """A case by identity: comparing long conversations takes longer than looking through them."""

    def __init__(self, case: PlayedCase) -> None:
        self.case = case

    def __hash__(self) -> int:
        return id(self.case)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.case is self.case


def turns_of(case: PlayedCase) -> Turns:
    """The turns of a case; made once for many questions in a row about the same one."""
    return _turns(_Same(case))


@lru_cache(maxsize=4)
def _turns(same: _Same) -> Turns:
    return Turns(same.case)


def _words(text: str) -> Iterator[str]:
    yield from re.findall(r"[a-z0-9]+", folded(text))
    yield from (one.value for one in numerals(text))


def _words_of(facts: Iterable[Fact]) -> Iterator[str]:
    """Words of which a text that states one of the facts has one."""
    for fact in facts:
        yield from _words(fact.text)
        yield fact.normal.casefold()


def _states(part: Part, turn: PlayedStep) -> bool:
    plain = Part(part.name, facts=part.facts, strict=part.strict)
    if locate((turn.response or "",), plain) is None:
        return False
    both = (turn.user_message, turn.response or "")
    if part.entities:
        return locate(both, Part(part.name, entities=part.entities)) is not None
    return not part.anchors or any(states(text, anchor) for text in both for anchor in part.anchors)
