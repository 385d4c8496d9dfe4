"""What a conversation has shown: its entries, each with its number, its lead author and its details."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tellapart.longcontext.transcript import REPEAT
from tellapart.longcontext.values.text import flat, worded

_HEADING = re.compile(
    r"^(Study|Article|Paper|Entry|Document|Report|Experiment|Section|Chapter|Message)\s+#?(\d{1,4})\s*[.:)\-–—]",
    re.M | re.I,
)
_AUTHOR = re.compile(r"\s{0,4}([^\W\d_][^,\n(;.]{1,50}?)(?:,\s*[A-Z]\.|\s+et\s+al\b|\s*\(\d{4}|,\s*\d{4})")


ENTRY = "Study"
"""What to call entries where no heading says it, as the document does."""


@dataclass(frozen=True)
class Passage:
    """One entry of the material: what stands under a heading such as ``Study 6.``, else a paragraph.

    Attributes:
        number: Of the heading; None where there is none.
        author: The surname with which the heading begins, as written; None where there is none.
        body: Without the line of the heading, whose volumes and pages are details of nothing.
        kind: What the heading calls it, such as ``Report``.
    """

    number: int | None
    author: str | None
    text: str
    body: str
    kind: str = ENTRY

    @property
    def label(self) -> str:
        """What to call it, for people."""
        if self.number is None:
            return f"the entry that begins {' '.join(self.text.split()[:6])!r}"
        return f"{self.kind} {self.number}" + (f" ({self.author})" if self.author else "")


def called(numbers: Iterable[int], passages: Sequence[Passage]) -> list[str]:
    """What to call entries, for people, in the order of their numbers: ``Report 2``.

    A number that none of the passages has is called as the first passage with a number is.
    """
    kinds = {passage.number: passage.kind for passage in reversed(passages) if passage.number is not None}
    other = next((passage.kind for passage in passages if passage.number is not None), ENTRY)
    return [f"{kinds.get(number, other)} {number}" for number in sorted(numbers)]


def passages_of(material: Sequence[str]) -> tuple[Passage, ...]:
    """The entries of all messages, in order, each once however often it was repeated."""
    return tuple(dict.fromkeys(passage for text in material for passage in _of_message(text)))


@lru_cache(maxsize=8192)
def _of_message(text: str) -> tuple[Passage, ...]:
    text = text.removeprefix(REPEAT).strip()
    heads = list(_HEADING.finditer(text))
    if not heads:
        return tuple(
            Passage(None, None, part.strip(), part.strip())
            for part in re.split(r"\n\s*\n", text)
            if part.strip() and not part.lstrip().lower().startswith("question:")
        )
    passages = []
    for head, end in zip(heads, [*(h.start() for h in heads[1:]), len(text)], strict=True):
        part = text[head.start() : end].strip()
        first, _, rest = part.partition("\n")
        author = _AUTHOR.match(text, head.end(), end)
        who = author[1].strip() if author else None
        passages.append(Passage(int(head[2]), who, part, rest or first, head[1].capitalize()))
    return tuple(passages)


def pattern_of(author: str) -> str:
    """What finds a surname in flat text: ``o'sullivan``, ``o sullivan`` and ``osullivan``."""
    parts = [re.escape(part) for part in re.split(r"[^a-z0-9]+", flat(author)) if part]
    return r"[\s'’\-‐‑]?".join(parts)


@lru_cache(maxsize=256)
def _authors(names: tuple[str, ...]) -> re.Pattern[str] | None:
    patterns = sorted({pattern_of(name) for name in names} - {""}, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(patterns)})(?![^\W_])") if patterns else None


def authors_in(text: str, authors: Sequence[str]) -> list[tuple[int, str]]:
    """Where a text names which of the authors, as (first character, author as given), in order.

    Only with a capital somewhere in it, so that a plain word is nobody.
    """
    pattern = _authors(tuple(dict.fromkeys(authors)))
    if pattern is None:
        return []
    by_words = {worded(author).replace(" ", ""): author for author in authors}
    places = []
    for match in pattern.finditer(flat(text)):
        as_written = text[match.start() : match.end()]
        author = by_words.get(worded(as_written).replace(" ", ""))
        if author and as_written != as_written.lower():
            places.append((match.start(), author))
    return places
