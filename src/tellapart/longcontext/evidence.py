"""Where the evidence of a probe stands, and how far from the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tellapart.longcontext.case import Case, CaseStep, Expected
from tellapart.longcontext.needs import Needs, Part, needs_of
from tellapart.longcontext.played import PlayedCase, PlayedStep
from tellapart.longcontext.searching import can_be_sought, locate, places
from tellapart.longcontext.tokens import characters

SYSTEM = "system"
"""What the system prompt is called where messages are called by their ids."""


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
    needs = needs_of(step.id, step.failure_mode, step.user_message, expected)
    before = case.before(position)
    shown = [(-1, SYSTEM, case.system or "")]
    shown += [(at, turn.id, turn.user_message) for at, turn in enumerate(before) if not turn.is_probe]
    return _evidence(needs, shown, _Room(case.system or "", before, rate), _leaks(needs, before))


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
    """Lengths of what came before a question, in letters."""

    system: str
    turns: Sequence[PlayedStep]
    rate: float

    def after(self, index: int, share: float) -> int:
        """Letters between a place in a text and the question; -1 is the system prompt."""
        own = characters(self.system if index < 0 else self.turns[index].user_message)
        rest = round(own * (1 - share))
        if index >= 0:
            rest += characters(self.turns[index].response or "")
        return rest + sum(
            characters(turn.user_message) + characters(turn.response or "")
            for turn in self.turns[index + 1 :]
        )

    def total(self) -> int:
        return self.after(-1, 0.0)


def _evidence(
    needs: Needs, shown: Sequence[tuple[int, str, str]], room: _Room, leaks: tuple[str, ...]
) -> Evidence:
    if needs.how == "system":
        return _of_rule(needs, shown, room)
    texts = [text for _, _, text in shown]
    needs = replace(needs, parts=tuple(part for part in needs.parts if can_be_sought(texts, part)))
    if not needs.parts:
        return Evidence(leaks=leaks, sought=False)
    found, without = places(texts, needs)
    missing = tuple(part.name for part in without) if needs.how == "all" or not found else ()
    if not found:
        return Evidence(absent=missing, leaks=leaks, missing=missing)
    away = {place: room.after(shown[place.index][0], place.share) for place in found}
    place = (max if needs.how == "all" else min)(found, key=lambda place: away[place])
    total = room.total()
    return Evidence(
        tuple(word for one in found for word in one.found),
        missing + tuple(word for one in found for word in one.absent),
        shown[place.index][1],
        _tokens(away[place], room.rate),
        1 - away[place] / total if total else 1.0,
        leaks,
        missing,
        tuple(shown[index][1] for index in place.held_by),
        _tokens(room.after(shown[place.held_by[0]][0], place.share), room.rate),
    )


def _of_rule(needs: Needs, shown: Sequence[tuple[int, str, str]], room: _Room) -> Evidence:
    """The latest text that has the banned word, which is the system prompt but for special cases."""
    holds = [(at, id_, text) for at, id_, text in shown if needs.banned.casefold() in text.casefold()]
    if not holds:
        return Evidence(absent=(needs.banned,), missing=(needs.banned,))
    at, id_, _ = next((held for held in holds if held[1] == SYSTEM), holds[-1])
    letters, total = room.after(at, 1.0), room.total()
    return Evidence(
        (needs.banned,), (), id_, _tokens(letters, room.rate), 1 - letters / total if total else 1.0
    )


def _leaks(needs: Needs, before: Sequence[PlayedStep]) -> tuple[str, ...]:
    """Turns whose reply has the answer, with the entity in the reply or in what it replies to."""
    if needs.how != "all" or not needs.parts or not any(part.facts or part.texts for part in needs.parts):
        return ()
    return tuple(turn.id for turn in before if all(_leaked(part, turn) for part in needs.parts))


def _leaked(part: Part, turn: PlayedStep) -> bool:
    if not (part.facts or part.texts) or not turn.response:
        return False
    plain = Part(part.name, part.texts, part.facts, strict=part.strict)
    if locate((turn.response,), plain) is None:
        return False
    about = Part(part.name, entities=part.entities)
    return not part.entities or locate((turn.user_message + "\n" + turn.response,), about) is not None


def _tokens(letters: int, rate: float) -> int:
    return -int(-letters * rate // 1)
