"""What must have been shown for a probe to be answerable, and where in a conversation it stands."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

from tellapart.longcontext.case import Entry
from tellapart.longcontext.tokens import characters
from tellapart.longcontext.transcript import PlayedCase, PlayedStep
from tellapart.longcontext.values import Value, facts_of, states
from tellapart.longcontext.values.entries import Entity, entities_of, numbered, shows
from tellapart.longcontext.values.numerals import Amount
from tellapart.longcontext.values.text import NEGATION, words_of

_SHORTEST = 4
"""Characters of an answer that is looked for as it is written."""


@dataclass(frozen=True)
class Part:
    """One piece of evidence, to be found within one text.

    It stands where a text has its words as they are written. Else most of its facts (all where it is
    ``strict``) and one of the entities must be there; of a denial the entity is enough.
    """

    name: str
    words: str = ""
    facts: tuple[Value, ...] = ()
    entities: tuple[Entity, ...] = ()
    strict: bool = False
    denies: bool = False


@dataclass(frozen=True)
class Needs:
    """What a probe needs: all parts, or that something forbids a word."""

    parts: tuple[Part, ...] = ()
    banned: str = ""


def part_of_entry(entry: Entry) -> Part:
    """The evidence of one line of a list: its author together with its size."""
    facts = [Value("name", entry.author, 0, words_of(entry.author))]
    if entry.size is not None:
        facts.append(Value("number", f"N={entry.size:,}", 0, Amount(Fraction(entry.size))))
    return Part(entry.label, facts=tuple(facts), strict=True)


def parts_of_answer(question: str, answer: str) -> tuple[Part, ...]:
    """The evidence of an answer in words: the facts that its question does not have."""
    in_question = {fact.normal for fact in facts_of(question)}
    # What is denied stands nowhere, and what the answer is about must do as evidence.
    denies = NEGATION.search(answer) is not None

    def new_facts(text: str) -> tuple[Value, ...]:
        return tuple(fact for fact in facts_of(text) if fact.normal not in in_question)

    entries = tuple(dict.fromkeys(e for e in entities_of(answer) if e.number is not None))
    if len(entries) > 1:
        starts = {entity: answer.find(entity.text) for entity in entries}
        ends = sorted([*starts.values(), len(answer)])
        return tuple(
            Part(
                entity.text,
                facts=new_facts(answer[at : next(end for end in ends if end > at or end == len(answer))]),
                entities=(entity,),
                denies=denies,
            )
            for entity, at in starts.items()
        )
    is_text = len(answer.strip()) >= _SHORTEST and re.search(r"[^\W\d_]{2}", answer)
    words = answer.strip(" .!\n") if is_text else ""
    facts, about = new_facts(answer), tuple(dict.fromkeys((*entries, *entities_of(question))))
    if not facts and not about and not words:
        return ()
    name = (about[0].text if about else "") or ", ".join(fact.text for fact in facts) or words
    return (Part(name, words, facts, about, denies=denies),)


@dataclass(frozen=True)
class Location:
    """Where a piece of evidence stands."""

    index: int
    share: float
    held_by: tuple[int, ...]


def locations(texts: Sequence[str], needs: Needs) -> tuple[list[Location], list[Part]]:
    """Find each part in the text that holds most of it, of several the latest; and those that none holds."""
    found = [(part, locate(texts, part)) for part in needs.parts]
    return [place for _, place in found if place], [part for part, place in found if not place]


def locate(texts: Sequence[str], part: Part) -> Location | None:
    """Find one part in the text that holds most of it, of several the latest; None where none holds it."""
    held = _holding(texts, part)
    if not held:
        return None
    text = texts[held[-1]]
    if end := _end_of(text, part.words):
        return Location(held[-1], end / len(spaced(text)), held)
    stated = tuple(fact.text for fact in part.facts if states(text, fact))
    return Location(held[-1], _share(text, stated), held)


def _holding(texts: Sequence[str], part: Part) -> tuple[int, ...]:
    """Which texts hold as much of a part as any does; a kind of number counts only if any text has it."""
    if by_words := tuple(i for i, text in enumerate(texts) if _end_of(text, part.words)):
        return by_words
    entities = tuple(entity for entity in part.entities if _is_shown(texts, entity))
    counts: dict[int, int] = {}
    for index, text in enumerate(texts):
        if entities and not any(shows(text, entity) for entity in entities):
            continue
        count = sum(states(text, fact) for fact in part.facts)
        if (entities and (part.denies or not part.facts)) or _enough(part, text, count):
            counts[index] = count
    most = max(counts.values(), default=0)
    return tuple(index for index, count in counts.items() if count == most)


def _enough(part: Part, text: str, count: int) -> bool:
    if part.strict:
        return bool(part.facts) and count == len(part.facts)
    names = [fact for fact in part.facts if fact.kind != "number"]
    # Half is enough, as people abridge answers; a name must be among it, since numbers recur by chance.
    return bool(count) and count * 2 >= len(part.facts) and (not names or any(states(text, f) for f in names))


def can_be_sought(texts: Sequence[str], part: Part) -> bool:
    """Whether there is anything to look for: words, facts, or an entity that texts like these would show."""
    if part.strict or part.facts or any(_is_shown(texts, entity) for entity in part.entities):
        return True
    return any(_end_of(text, part.words) for text in texts)


def _is_shown(texts: Sequence[str], entity: Entity) -> bool:
    return bool(entity.author) or any(numbered(text, entity.noun) for text in texts)


def _end_of(text: str, words: str) -> int:
    """Where words last end in a text, in any case and spacing, as whole words; 0 where they do not."""
    if not words:
        return 0
    whole, wanted = spaced(text), spaced(words)
    at = whole.rfind(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not (whole[at - 1 : at].isalnum() or whole[end : end + 1].isalnum()):
            return end
        at = whole.rfind(wanted, 0, at)
    return 0


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


@dataclass(frozen=True)
class Evidence:
    """What a conversation held of the evidence of one probe when it was asked.

    Attributes:
        nearest: Id of the message that must be remembered: the latest that holds the evidence; of evidence in
            several pieces the one whose latest showing is farthest back. None where nothing was shown.
        depth: Where that evidence ends in all that came before the question, from 0 to 1 (the end).
        leaks: Ids of earlier turns whose replies already state the answer.
        shown_in: Ids of all messages that hold the same piece of evidence, in order.
    """

    nearest: str | None = None
    distance_tokens: int | None = None
    depth: float | None = None
    leaks: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    shown_in: tuple[str, ...] = ()
    first_distance_tokens: int | None = None


class Turns:
    """The turns that a conversation holds: those with a response that were not forked, in order."""

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
        """Find the evidence of the probe at ``position``, and replies that state all parts of its answer."""
        count = bisect_left(self._positions, position)
        shown = [-1, *self._messages[: bisect_left(self._messages, count)]]
        texts = [self._text(turn) for turn in shown]
        if needs.banned:
            return self._of_rule(needs.banned, shown, count, rate)
        leaks = self._stating(answer, count)
        needs = replace(needs, parts=tuple(part for part in needs.parts if can_be_sought(texts, part)))
        located, without = locations(texts, needs)
        missing = tuple(part.name for part in without)
        if not located:
            return Evidence(leaks=leaks, missing=missing)
        away = {place: self._characters_after(shown[place.index], place.share, count) for place in located}
        needed = max(located, key=lambda place: away[place])
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
