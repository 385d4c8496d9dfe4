"""A report as data: sentences, charts and tables in sections, to be shown as a page or as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

from tellapart.report import numbers as show
from tellapart.report.plain_text import visible
from tellapart.report.tables import Spans, Table

if TYPE_CHECKING:
    from tellapart.report.charts import Chart

T = TypeVar("T")

Links: TypeAlias = tuple[tuple[str, str], ...]
"""Names of other reports, and where they lie relative to this one."""


@dataclass(frozen=True)
class Widget:
    """A part of a page that reacts to its reader.

    Attributes:
        markup: Trusted HTML.
        script: JavaScript, which finds ``data`` in the element with the id ``{name}-data``.
        data: Anything that JSON can say; may hold hostile text.
    """

    name: str
    markup: str
    style: str
    script: str
    data: object
    text: str = ""


@dataclass(frozen=True)
class Passage:
    """Texts to be read beside one another, such as an item, each with its name; they may be hostile."""

    title: str
    source: str
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Section:
    """A part of a report.

    Attributes:
        name: Of one word, unique in a report; becomes an anchor.
        charts: Shown first; Markdown shows what they prove.
        tables: Shown below.
        folded: Tables for those who want to know more; a page shows them on demand, and in print.
        passages: Shown below the tables.
        widget: For pages only, where it stands last; a section that has nothing else is on pages alone.
        is_open: Whether it belongs to the first screen, so that a page never folds it.
        in_terminal: Whether a terminal shows its tables.
    """

    name: str
    title: str
    text: str = ""
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()
    folded: tuple[Table, ...] = ()
    passages: tuple[Passage, ...] = ()
    widget: Widget | None = None
    is_open: bool = False
    in_terminal: bool = False


@dataclass(frozen=True)
class Document:
    """A whole report.

    Attributes:
        kind: Of which suite, for the line above the title.
        title: The verdict in one sentence.
        verdict: The verdict in detail, a sentence each.
        facts: What was evaluated, by heading; a page has it at its foot.
        origin: How it was made, by heading.
        commands: Lines that make it again.
        links: Names of other reports and where they lie, relative to this one, as `relative` accepts it.
        ranking: Who is how good, beside the verdict.
        differences: Of pairs, below both.
    """

    kind: str
    title: str
    verdict: tuple[str, ...]
    facts: dict[str, str]
    sections: tuple[Section, ...]
    origin: dict[str, str] = field(default_factory=dict)
    commands: tuple[str, ...] = ()
    links: Links = ()
    ranking: Spans | None = None
    differences: Spans | None = None

    def folds(self, section: Section) -> bool:
        """Whether a page shows only the title of a section, which opens it: the verdict has pictures."""
        return not section.is_open and (self.ranking is not None or self.differences is not None)

    def addresses(self) -> list[tuple[str, str]]:
        """Give the names of the links with addresses that a page and Markdown can hold."""
        return [(name, relative(path)) for name, path in self.links]


def present(*parts: T | None) -> tuple[T, ...]:
    """Give the tables or charts of a section without those that a report has nothing for."""
    return tuple(part for part in parts if part is not None)


APART_YET = " cannot be told apart yet"
"""After the names of models of which nobody can say yet which is better."""


def opening(sentences: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Give the first of a headline's sentences as a title, and the others with their full stops.

    That models cannot be told apart is a title; the reason is a sentence of its own.
    """
    title, *others = sentences
    models, colon, reason = title.partition(f"{APART_YET}: ")
    if colon:
        title, others = f"{models}{APART_YET}", [show.capital(reason), *others]
    return title, tuple(f"{sentence.removesuffix('.')}." for sentence in others)


DIFFER = "differ"
"""In an address: the items on which two models differ, either way."""


def pair_address(a: str, b: str, side: str = DIFFER, **others: str) -> str:
    """Give the address, within a page, of the items on which two models stand in one way."""
    chosen = {"model": a, "other": b, "side": side, **others}
    return f"#{urlencode({name: visible(value) for name, value in chosen.items()})}"


def relative(path: str) -> str:
    """Make an address of the name of a file beside a report, or in a folder near it."""
    if not path or path.startswith(("/", "\\")):
        raise ValueError(f"a link leads to {path!r}, expected a relative path")
    return quote(path)
