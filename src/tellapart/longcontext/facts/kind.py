"""What a fact is, and what a kind of fact says of its facts; a module with ``KIND`` is a kind."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tellapart.longcontext.facts.text import folded

YEAR = re.compile(r"(?:19|20)\d\d")
"""A whole text that looks like a year."""


@dataclass(frozen=True)
class Fact:
    """One thing that can be right or wrong.

    Attributes:
        kind: A number with its unit, a name (a person, a place, a title), an identifier, …
        normal: What is compared: ``2847``, ``50%``, ``$4230``; of a person the surname, without accents and
            in lower case; an identifier without its hyphens.
    """

    kind: FactKind
    text: str
    normal: str


@dataclass(frozen=True)
class Sighting:
    """A piece of a text that one kind takes, so that no later kind reads anything else in it.

    Attributes:
        start: Its first character.
        end: After its last.
        fact: None where it only looks like a fact, such as the ``TWO`` of ``TWO studies``.
    """

    start: int
    end: int
    fact: Fact | None


@dataclass(frozen=True, kw_only=True)
class Mention:
    """A fact where it stands in a text, with what stands around it.

    Attributes:
        start: Its first character in the text.
        label: What a number is said to be, such as ``r`` of ``r=0.67``, in lower case; else empty.
        before: The word before it, in lower case; empty where there is none.
        person: Whether it is plainly somebody's name.
        bracketed: Whether it stands in brackets; of right answers alone.
    """

    fact: Fact
    start: int
    label: str
    before: str
    person: bool = False
    bracketed: bool = False

    @property
    def end(self) -> int:
        """After its last character."""
        return self.start + len(self.fact.text)

    @property
    def value(self) -> str:
        """What is compared of it, without its unit."""
        return self.fact.kind.measured(self.fact)[0]

    @property
    def unit(self) -> str:
        """The unit that it is compared in; empty where it has none."""
        return self.fact.kind.measured(self.fact)[1]

    @property
    def is_year(self) -> bool:
        """Whether it looks like a year."""
        text = self.fact.text
        return YEAR.fullmatch(text if len(text) > 2 else self.value) is not None


@dataclass(frozen=True)
class Wanted:
    """Words of a question that ask for some of the facts of its answer.

    Attributes:
        pattern: A regular expression that the question matches somewhere, in any case.
        pick: Which of the answer's facts of this kind they ask for.
        every: Whether for all of these; else for the first, outside brackets before inside them.
    """

    pattern: str
    pick: Callable[[Mention], bool]
    every: bool = False


class FactKind:
    """How facts of one kind are recognised in texts, compared with each other, and asked for.

    A kind has to say how it is recognised (``sightings``); of all else the methods here say what holds of a
    kind whose facts are equal where their ``normal`` is.

    Attributes:
        name: In lower case.
        precedence: Kinds read a text in ascending order, and none reads what an earlier one has taken.
        is_value: Whether it is what a sentence states (a number, an amount), not what a sentence is about.
        recurs: Whether equal facts recur in other entries by chance, as small numbers do: then one of them
            alone is no evidence, and those in the heading of an entry are details of nothing.
        told_by: Names of other kinds of which a fact can state one of this kind.
    """

    name: ClassVar[str]
    precedence: ClassVar[int]
    is_value: ClassVar[bool] = False
    recurs: ClassVar[bool] = False
    wanted: ClassVar[tuple[Wanted, ...]] = ()
    told_by: ClassVar[tuple[str, ...]] = ()

    def __repr__(self) -> str:
        """The name, for messages."""
        return self.name

    def sightings(self, text: str, taken: Sequence[tuple[int, int]]) -> Iterable[Sighting]:
        """Find the facts of this kind."""
        raise NotImplementedError

    def agrees(self, wanted: Fact, given: Fact) -> bool:
        """Whether a text that has the given fact, of this kind or ``told_by``, states the wanted one."""
        return given.kind is self and given.normal == wanted.normal

    def stated_in(self, text: str, fact: Fact) -> bool:
        """Whether a text states it where no sighting of this kind does, such as a name in small letters."""
        return False

    def measured(self, fact: Fact) -> tuple[str, str]:
        """Value and unit; the normal form and nothing where there is no unit."""
        return fact.normal, ""

    def words(self, text: str) -> Iterable[str]:
        """Further words under which a text is looked up, beside those that it is written with."""
        return ()

    def is_claim(self, text: str, start: int, fact: Fact) -> bool:
        """Whether a response that has the fact at ``start`` claims it, and does not number a list with it."""
        return True

    def comparable(self, claim: Mention, detail: Mention) -> bool:
        """Whether a claim of this kind answers the same question as a detail of the same kind."""
        return True

    def replaces(self, claim: Mention, detail: Mention) -> bool:
        """Whether a claim of this kind stands where a detail should."""
        return claim.fact.kind is detail.fact.kind and self.comparable(claim, detail)

    def can_spoil(self, claim: Mention) -> bool:
        """Whether a claim of this kind beside a right answer can make it wrong."""
        return True

    def matched(self, detail: Mention, claims: Sequence[Mention], text: str) -> bool:
        """Whether a response states a detail of this kind."""
        return any(self.agrees(detail.fact, claim.fact) for claim in claims) or self.stated_in(
            text, detail.fact
        )

    def near(self, detail: Mention, claims: Sequence[Mention], text: str) -> Mention | None:
        """The claim that gives a detail of this kind only roughly; None where none does."""
        return None


def is_inside(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a place is in one of the spans, which are in order and do not overlap."""
    before = bisect_right(spans, at, key=lambda span: span[0]) - 1
    return before >= 0 and at < spans[before][1]


def plain_words(text: str) -> list[str]:
    """The words and digits of a text, folded."""
    return re.findall(r"[a-z0-9]+", folded(text))
