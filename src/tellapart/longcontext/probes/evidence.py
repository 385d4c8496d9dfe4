"""Where in a conversation the evidence of a probe stands, and how far from the question."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

from tellapart.longcontext.case import Case, CaseStep, Expected
from tellapart.longcontext.probes.kind import ProbeKind
from tellapart.longcontext.probes.kinds import answer_parts, kind_of, needs_of
from tellapart.longcontext.probes.needs import Needs, Part
from tellapart.longcontext.tokens import characters
from tellapart.longcontext.transcript import PlayedCase, PlayedStep
from tellapart.longcontext.values import states
from tellapart.longcontext.values.entries import Entity, numbered, shows


@dataclass(frozen=True)
class Location:
    """Where a piece of evidence stands.

    Attributes:
        share: How much of the text lies before the end of the evidence, from 0 to 1.
        held_by: All texts that hold as much of it, in order; ``index`` is the last.
    """

    index: int
    share: float
    held_by: tuple[int, ...] = ()


def locations(texts: Sequence[str], needs: Needs) -> tuple[list[Location], list[Part]]:
    """Find each part in the text that holds most of it; of several, the latest."""
    located, missing = [], []
    for part in needs.parts:
        location = locate(texts, part)
        if location is None:
            missing.append(part)
        else:
            located.append(location)
    return located, missing


def locate(texts: Sequence[str], part: Part) -> Location | None:
    """Find one part in the text that holds most of it, of several the latest; None where none holds it."""
    held = holding(texts, part)
    if not held:
        return None
    text = texts[held[-1]]
    if part.texts:
        whole = spaced(text)
        end = max(whole.rfind(spaced(words)) + len(spaced(words)) for words in part.texts)
        return Location(held[-1], end / max(len(whole), 1), held)
    if part.verbatim and (end := _end_of(text, part.verbatim)):
        return Location(held[-1], end / len(spaced(text)), held)
    stated = tuple(fact.text for fact in part.facts if states(text, fact))
    return Location(held[-1], _share(text, stated), held)


def holding(texts: Sequence[str], part: Part) -> tuple[int, ...]:
    """Which texts hold as much of a part as any does, in order.

    A text holds it that has the answer word for word, else its words, or at least half of its facts (all,
    where it is strict) together with
    one of its entities, of which a kind of number counts only if any text numbers things of that kind. Where
    the answer has names, one of them must be among the facts. An answer that something is not so stands where
    its entity is.
    """
    if part.texts:
        wanted = [spaced(words) for words in part.texts]
        return tuple(i for i, text in enumerate(texts) if all(words in spaced(text) for words in wanted))
    if part.verbatim and (
        verbatim := tuple(i for i, text in enumerate(texts) if _end_of(text, part.verbatim))
    ):
        return verbatim
    entities = tuple(e for e in part.entities if _usable(texts, e))
    counts: dict[int, int] = {}
    for index, text in enumerate(texts):
        if entities and not any(shows(text, entity) for entity in entities):
            continue
        count = sum(states(text, fact) for fact in part.facts)
        if _enough(part, text, count, bool(entities)):
            counts[index] = count
    most = max(counts.values(), default=0)
    return tuple(index for index, count in counts.items() if count == most)


def _end_of(text: str, words: str) -> int:
    """Where words last end in a text, in any case and spacing, as whole words; 0 where they do not."""
    whole, wanted = spaced(text), spaced(words)
    at = whole.rfind(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not (whole[at - 1 : at].isalnum() or whole[end : end + 1].isalnum()):
            return end
        at = whole.rfind(wanted, 0, at)
    return 0


def can_be_sought(texts: Sequence[str], part: Part) -> bool:
    """Whether there is anything to look for: words, facts, or an entity that texts like these would show.

    An answer in plain words can be looked for where some text has it; else it may be said in other words.
    """
    if part.verbatim and not part.facts and any(_end_of(text, part.verbatim) for text in texts):
        return True
    return bool(part.texts or part.facts) or any(_usable(texts, entity) for entity in part.entities)


def _usable(texts: Sequence[str], entity: Entity) -> bool:
    return bool(entity.author) or any(numbered(text, entity.noun) for text in texts)


def _enough(part: Part, text: str, count: int, entities: bool) -> bool:
    if entities and (part.denies or not part.facts):
        return True
    if part.strict:
        return count == len(part.facts)
    named = [fact for fact in part.facts if fact.kind != "number"]
    # Half is enough, as people abridge answers; a name must be among it, since numbers recur by chance.
    return bool(count) and count * 2 >= len(part.facts) and (not named or any(states(text, f) for f in named))


@lru_cache(maxsize=2048)
def spaced(text: str) -> str:
    """Lower case, with single spaces: what line ends and indents do not change."""
    return re.sub(r"\s+", " ", text).strip().casefold()


@lru_cache(maxsize=4096)
def _share(text: str, words: tuple[str, ...]) -> float:
    """Where the last of the words first stands; 1 where none is found as it is written."""
    ends = [m.end() for word in words if (m := re.search(rf"(?<![\w.,]){re.escape(word)}(?!\w)", text, re.I))]
    return max(ends) / len(text) if ends else 1.0


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
        lengths = (characters(step.shown) + characters(_own_reply(step)) for step in self.steps)
        self._ends = [0, *accumulate(lengths)]

    def before(self, position: int) -> int:
        """How many turns there were when the step at ``position`` of the case was asked."""
        return bisect_left(self._positions, position)

    def shown(self, count: int) -> list[int]:
        """Places of texts that give material among the first ``count`` turns, the system prompt first."""
        return [-1, *self._messages[: bisect_left(self._messages, count)]]

    def text(self, turn: int) -> str:
        """What is said there."""
        return self.system if turn < 0 else self.steps[turn].shown

    def id(self, turn: int) -> str:
        """What it is called."""
        return SYSTEM if turn < 0 else self.steps[turn].id

    def letters_after(self, turn: int, share: float, count: int) -> int:
        """Letters between a share of the text at a place and the end of the first ``count`` turns."""
        after = round(characters(self.text(turn)) * (1 - share))
        if turn < 0:
            return after + self._ends[count]
        return after + characters(_own_reply(self.steps[turn])) + self._ends[count] - self._ends[turn + 1]

    def depth(self, letters: int, count: int) -> float:
        """Where something ends that is so many letters before the end of the first ``count`` turns."""
        total = self.letters_after(-1, 0.0, count)
        return 1 - letters / total if total else 1.0

    def stating(self, parts: Iterable[Part], count: int) -> tuple[str, ...]:
        """Ids of those of the first ``count`` turns whose replies state all parts.

        A reply states a part that has most of its facts, where one of its entities stands in the reply or in
        what it replies to.
        """
        parts = [part for part in parts if part.facts]
        if not parts:
            return ()
        return tuple(
            step.id
            for step in self.steps[:count]
            if step.response and not step.given and all(_states(part, step) for part in parts)
        )


def _own_reply(step: PlayedStep) -> str:
    """What the model under test said; nothing where the response was given, which is material."""
    return "" if step.given else step.response or ""


def _states(part: Part, turn: PlayedStep) -> bool:
    plain = Part(part.name, facts=part.facts, strict=part.strict)
    if locate((turn.response or "",), plain) is None:
        return False
    both = (turn.user_message, turn.response or "")
    return not part.entities or locate(both, Part(part.name, entities=part.entities)) is not None


@dataclass(frozen=True)
class Evidence:
    """What a conversation held of the evidence of one probe when it was asked.

    Attributes:
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
    """

    nearest: str | None = None
    distance_tokens: int | None = None
    depth: float | None = None
    leaks: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    shown_in: tuple[str, ...] = ()
    first_distance_tokens: int | None = None


def evidence_for(
    turns: Turns, position: int, question: str, kind: ProbeKind, expected: Expected, rate: float
) -> Evidence:
    """Find the evidence of a probe in the conversation that it was asked in, at a rate of tokens a character.

    Questions of probes are not evidence, and neither are replies: those are leaks.
    """
    needs, count = needs_of(kind, question, expected), turns.before(position)
    shown = turns.shown(count)
    texts = [turns.text(turn) for turn in shown]
    if needs.how == "system":
        return _of_rule(needs, turns, count, rate)
    leaks = turns.stating(answer_parts(kind, question, expected), count)
    needs = replace(needs, parts=tuple(part for part in needs.parts if can_be_sought(texts, part)))
    if not needs.parts:
        return Evidence(leaks=leaks)
    located, without = locations(texts, needs)
    missing = tuple(part.name for part in without) if needs.how == "all" or not located else ()
    if not located:
        return Evidence(leaks=leaks, missing=missing)
    away = {place: turns.letters_after(shown[place.index], place.share, count) for place in located}
    needed = (max if needs.how == "all" else min)(located, key=lambda place: away[place])
    first = turns.letters_after(shown[needed.held_by[0]], needed.share, count)
    return Evidence(
        turns.id(shown[needed.index]),
        _tokens(away[needed], rate),
        turns.depth(away[needed], count),
        leaks,
        missing,
        tuple(turns.id(shown[index]) for index in needed.held_by),
        _tokens(first, rate),
    )


def sources(case: Case, step: CaseStep, expected: Expected | None) -> tuple[CaseStep, ...]:
    """The messages of a case that hold a probe's evidence, in order."""
    key = expected or step.expected or Expected(step.id)
    needs = needs_of(kind_of(step.failure_mode, key), step.text, key)
    located, _ = locations([message.shown for message in case.messages], needs)
    return tuple(case.messages[index] for index in sorted({location.index for location in located}))


def _tokens(letters: int, rate: float) -> int:
    return -int(-letters * rate // 1)


def _of_rule(needs: Needs, turns: Turns, count: int, rate: float) -> Evidence:
    """The system prompt where it has the banned word, else the latest message that does."""
    holds = [turn for turn in turns.shown(count) if needs.banned.casefold() in turns.text(turn).casefold()]
    if not holds:
        return Evidence(missing=(needs.banned,))
    turn = holds[0] if holds[0] < 0 else holds[-1]
    letters = turns.letters_after(turn, 1.0, count)
    depth = turns.depth(letters, count)
    return Evidence(turns.id(turn), _tokens(letters, rate), depth)
