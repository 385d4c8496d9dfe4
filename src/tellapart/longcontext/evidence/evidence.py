"""Where the evidence of a probe stands, and how far from the question."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tellapart.longcontext.case import Case, CaseStep, Expected
from tellapart.longcontext.evidence.needs import Needs, answer_parts, needs_of
from tellapart.longcontext.evidence.searching import can_be_sought, places
from tellapart.longcontext.evidence.turns import Turns, turns_of
from tellapart.longcontext.played import PlayedCase


@dataclass(frozen=True)
class Evidence:
    """What a conversation held of the evidence of one probe when it was asked.

    Attributes:
        found: Facts of the answer, texts or entries that were shown.
        absent: Those that were not.
        nearest: Id of the message that must be remembered: the latest that holds the evidence; of evidence in
            several pieces the one whose latest showing is farthest back. ``system`` is the system prompt, the
            probe's own id the question itself. None where nothing was shown, or nothing can be looked for.
        distance_tokens: From the end of that evidence to the question; None where ``nearest`` is.
        depth: Where the evidence ends in all that came before the question, from 0 (the beginning) to 1 (the
            end); None where ``nearest`` is.
        leaks: Ids of earlier turns whose replies already state the answer.
        missing: Whole pieces of evidence that were not shown.
        shown_in: Ids of all messages that hold the piece of evidence that ``nearest`` does, in order.
        first_distance_tokens: From the first of these to the question.
        sought: Whether there was anything to look for.
    """

    found: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    nearest: str | None = None
    distance_tokens: int | None = None
    depth: float | None = None
    leaks: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    shown_in: tuple[str, ...] = ()
    first_distance_tokens: int | None = None
    sought: bool = True


def evidence_for(case: PlayedCase, position: int, expected: Expected | None, rate: float) -> Evidence:
    """Find the evidence of a probe in the conversation that it was asked in.

    Questions of probes are not evidence, and neither are replies: those are leaks.

    Args:
        case: As it was played; a rule of the system prompt is found only where the record holds the prompt.
        position: Of the probe in ``case.steps``.
        expected: What is known of the right answer; without it, what the question refers to is looked for.
        rate: Tokens a character, see ``tokens.tokens_a_character``.
    """
    step = case.steps[position]
    question = step.user_message
    needs = needs_of(step.id, step.failure_mode, question, expected)
    room = _Room(turns_of(case), turns_of(case).before(position), rate)
    leaks = answer_parts(step.id, step.failure_mode, question, expected)
    return _evidence(needs, room, room.turns.stating(leaks, room.count))


def sources(case: Case, step: CaseStep, expected: Expected | None) -> tuple[CaseStep, ...]:
    """The messages that hold a probe's evidence, wherever in the case they stand, in the order of the case.

    Returns:
        None where nothing of it is found, or the system prompt is all that it needs.
    """
    needs = needs_of(step.id, step.failure_mode, step.text, expected or step.expected)
    found, _ = places([message.text for message in case.messages], needs)
    return tuple(case.messages[index] for index in sorted({place.index for place in found}))


@dataclass(frozen=True)
class _Room:
    """What came before a question.

    Attributes:
        turns: Of the conversation.
        count: How many of them came before.
        rate: Tokens a character.
    """

    turns: Turns
    count: int
    rate: float

    def letters(self, place: int, share: float) -> int:
        return self.turns.letters_after(place, share, self.count)

    def tokens(self, letters: int) -> int:
        return -int(-letters * self.rate // 1)

    def depth(self, letters: int) -> float:
        total = self.letters(-1, 0.0)
        return 1 - letters / total if total else 1.0


def _evidence(needs: Needs, room: _Room, leaks: tuple[str, ...]) -> Evidence:
    shown = room.turns.shown(room.count)
    texts = [room.turns.text(place) for place in shown]
    if needs.how == "system":
        return _of_rule(needs, shown, texts, room)
    needs = replace(needs, parts=tuple(part for part in needs.parts if can_be_sought(texts, part)))
    if not needs.parts:
        return Evidence(leaks=leaks, sought=False)
    found, without = places(texts, needs)
    missing = tuple(part.name for part in without) if needs.how == "all" or not found else ()
    if not found:
        return Evidence(absent=missing, leaks=leaks, missing=missing)
    away = {place: room.letters(shown[place.index], place.share) for place in found}
    place = (max if needs.how == "all" else min)(found, key=lambda place: away[place])
    return Evidence(
        tuple(word for one in found for word in one.found),
        missing + tuple(word for one in found for word in one.absent),
        room.turns.id(shown[place.index]),
        room.tokens(away[place]),
        room.depth(away[place]),
        leaks,
        missing,
        tuple(room.turns.id(shown[index]) for index in place.held_by),
        room.tokens(room.letters(shown[place.held_by[0]], place.share)),
    )


def _of_rule(needs: Needs, shown: list[int], texts: list[str], room: _Room) -> Evidence:
    """The system prompt where it has the banned word, else the latest message that does."""
    holds = [
        place for place, text in zip(shown, texts, strict=True) if needs.banned.casefold() in text.casefold()
    ]
    if not holds:
        return Evidence(absent=(needs.banned,), missing=(needs.banned,))
    place = holds[0] if holds[0] < 0 else holds[-1]
    letters = room.letters(place, 1.0)
    return Evidence((needs.banned,), (), room.turns.id(place), room.tokens(letters), room.depth(letters))
