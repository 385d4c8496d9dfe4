"""Where in a conversation the evidence of a probe stands, and how far from the question."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from tellapart.longcontext.probes.needs import Needs, Part, can_be_sought, locate, locations
from tellapart.longcontext.tokens import characters
from tellapart.longcontext.transcript import PlayedCase, PlayedStep

SYSTEM = "system"
"""What the system prompt is called where messages are called by their ids."""


@dataclass(frozen=True)
class Evidence:
    """What a conversation held of the evidence of one probe when it was asked.

    Attributes:
        nearest: Id of the message that must be remembered: the latest that holds the evidence; of evidence in
            several pieces the one whose latest showing is farthest back. ``system`` is the system prompt.
            None where nothing was shown, or nothing can be looked for.
        distance_tokens: From the end of that evidence to the question; None where ``nearest`` is.
        depth: Where the evidence ends in all that came before the question, from 0 (the beginning) to 1 (the
            end); None where ``nearest`` is.
        leaks: Ids of earlier turns whose replies already state the answer.
        missing: Whole pieces of evidence that were not shown.
        shown_in: Ids of all messages that hold the piece of evidence that ``nearest`` does, in order.
        first_distance_tokens: From the first of these to the question.
    """

    nearest: str | None = None
    distance_tokens: int | None = None
    depth: float | None = None
    leaks: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    shown_in: tuple[str, ...] = ()
    first_distance_tokens: int | None = None


class Turns:
    """The turns that a conversation holds: those with a response that were not forked, in order.

    Turns are counted from 0; -1 is the system prompt.
    """

    def __init__(self, case: PlayedCase) -> None:
        """Take the steps of a case as it was played."""
        held = [(at, s) for at, s in enumerate(case.steps) if not s.forked and s.response is not None]
        self._system = case.system or ""
        self._steps: Sequence[PlayedStep] = [step for _, step in held]
        self._positions = [at for at, _ in held]
        self._messages = [turn for turn, step in enumerate(self._steps) if not step.is_probe]
        lengths = (characters(step.shown) + characters(_own_reply(step)) for step in self._steps)
        self._ends = [0, *accumulate(lengths)]

    def evidence(self, position: int, needs: Needs, answer: Iterable[Part], rate: float) -> Evidence:
        """Find the evidence of the probe at ``position``, and replies that state all parts of its answer.

        Questions of probes are not evidence, and neither are replies: those are leaks. ``rate`` is in tokens
        a character.
        """
        count = bisect_left(self._positions, position)
        shown = [-1, *self._messages[: bisect_left(self._messages, count)]]
        texts = [self._text(turn) for turn in shown]
        if needs.how == "system":
            return self._of_rule(needs.banned, shown, count, rate)
        leaks = self._stating(answer, count)
        needs = replace(needs, parts=tuple(part for part in needs.parts if can_be_sought(texts, part)))
        located, without = locations(texts, needs)
        missing = tuple(part.name for part in without) if needs.how == "all" or not located else ()
        if not located:
            return Evidence(leaks=leaks, missing=missing)
        away = {place: self._characters_after(shown[place.index], place.share, count) for place in located}
        needed = (max if needs.how == "all" else min)(located, key=lambda place: away[place])
        first = self._characters_after(shown[needed.held_by[0]], needed.share, count)
        return Evidence(
            self._id(shown[needed.index]),
            _tokens(away[needed], rate),
            self._depth(away[needed], count),
            leaks,
            missing,
            tuple(self._id(shown[index]) for index in needed.held_by),
            _tokens(first, rate),
        )

    def _of_rule(self, banned: str, shown: Sequence[int], count: int, rate: float) -> Evidence:
        """The system prompt where it has the banned word, else the latest message that does."""
        holds = [turn for turn in shown if banned.casefold() in self._text(turn).casefold()]
        if not holds:
            return Evidence(missing=(banned,))
        turn = holds[0] if holds[0] < 0 else holds[-1]
        away = self._characters_after(turn, 1.0, count)
        return Evidence(self._id(turn), _tokens(away, rate), self._depth(away, count))

    def _stating(self, answer: Iterable[Part], count: int) -> tuple[str, ...]:
        """Ids of those of the first ``count`` turns whose replies state all parts."""
        parts = [part for part in answer if part.facts]
        return tuple(
            step.id
            for step in self._steps[:count]
            if parts and step.response and not step.given and all(_states(part, step) for part in parts)
        )

    def _text(self, turn: int) -> str:
        return self._system if turn < 0 else self._steps[turn].shown

    def _id(self, turn: int) -> str:
        return SYSTEM if turn < 0 else self._steps[turn].id

    def _characters_after(self, turn: int, share: float, count: int) -> int:
        """Characters between a share of the text of a turn and the end of the first ``count`` turns."""
        after = round(characters(self._text(turn)) * (1 - share))
        reply = "" if turn < 0 else _own_reply(self._steps[turn])
        return after + characters(reply) + self._ends[count] - self._ends[turn + 1]

    def _depth(self, away: int, count: int) -> float:
        """Where something ends that is so many characters before the end of the first ``count`` turns."""
        total = characters(self._system) + self._ends[count]
        return 1 - away / total if total else 1.0


def _own_reply(step: PlayedStep) -> str:
    """What the model under test said; nothing where the response was given, which is material."""
    return "" if step.given else step.response or ""


def _states(part: Part, turn: PlayedStep) -> bool:
    """Whether a reply has most facts of a part, and it or what it replies to has one of the entities."""
    reply = turn.response or ""
    if locate((reply,), Part(part.name, facts=part.facts, strict=part.strict)) is None:
        return False
    about = Part(part.name, entities=part.entities)
    return not part.entities or locate((turn.user_message, reply), about) is not None


def _tokens(letters: int, rate: float) -> int:
    return -int(-letters * rate // 1)
