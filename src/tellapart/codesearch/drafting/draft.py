"""Draft conversations to search for: distinct issues, spread over the areas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tellapart.codesearch.drafting.areas import area_of_each
from tellapart.codesearch.drafting.commits import commit_drafts
from tellapart.codesearch.drafting.docstrings import docstring_drafts
from tellapart.codesearch.drafting.issue import Draft
from tellapart.codesearch.repositories import Repositories
from tellapart.embed.identifiers import split_identifiers
from tellapart.errors import InputError, UsageError, near_match

SOURCES: dict[str, Callable[[Repositories, int], Iterator[Draft]]] = {
    "commits": commit_drafts,
    "docstrings": docstring_drafts,
}
"""Where issues can come from."""

_DRAFTS_AN_ISSUE = 4


@dataclass(frozen=True)
class Drafts:
    """Conversations that were drafted.

    Attributes:
        record: As JSON, the input of ``search``; each conversation has ``touched_files`` beside the
            documented fields.
        notes: What people should know.
    """

    record: dict[str, Any]
    notes: tuple[str, ...]


def draft_issues(
    repositories: Repositories, count: int, *, source: str = "docstrings", seed: int = 42
) -> Drafts:
    """Draft issues from what a repository says of itself.

    Args:
        repositories: Where from.
        count: How many, at least 1.
        source: One of ``SOURCES``.
        seed: Decides which.

    Returns:
        Conversations by area, then id; no two with the same words. A conversation has the same id whenever it
        is drafted. Fewer than ``count`` where there are no more, and a note says so.

    Raises:
        UsageError: There is no such source, or ``count`` is below 1.
        InputError: There is nothing to draft from.
    """
    if source not in SOURCES:
        raise UsageError(f"the source of issues is {source!r}", next_step=near_match(source, SOURCES))
    if count < 1:
        raise UsageError(f"the number of issues is {count}, expected at least 1")
    areas = area_of_each(repositories.files())
    found = _distinct(SOURCES[source](repositories, seed))
    drafts = _spread(list(islice(found, count * _DRAFTS_AN_ISSUE)), areas, count)
    if not drafts:
        other = next(name for name in SOURCES if name != source)
        raise InputError(
            f"no issue can be drafted from the {source} in {', '.join(repositories.names)}",
            where=repositories.root,
            next_step=f"Try --source {other}",
        )
    entries = [_entry(draft, _area(draft, areas)) for draft in drafts]
    entries.sort(key=lambda entry: (entry["product_area"], entry["conversation_id"]))
    return Drafts({"conversations": entries}, tuple(_notes(source, len(entries), count)))


def _distinct(drafts: Iterator[Draft]) -> Iterator[Draft]:
    seen = set()
    for draft in drafts:
        words = " ".join(split_identifiers(draft.summary))
        if words not in seen:
            seen.add(words)
            yield draft


def _area(draft: Draft, areas: dict[str, str]) -> str:
    """The area of most files, a tie by name."""
    counts = Counter(areas[file] for file in draft.files)
    return min(counts, key=lambda area: (-counts[area], area))


def _spread(drafts: list[Draft], areas: dict[str, str], count: int) -> list[Draft]:
    """Take from every area in turn, in the order in which drafts came."""
    turn: Counter[str] = Counter()
    placed = []
    for place, draft in enumerate(drafts):
        area = _area(draft, areas)
        turn[area] += 1
        placed.append((turn[area], place))
    return [drafts[place] for _, place in sorted(placed)[:count]]


def _entry(draft: Draft, area: str) -> dict[str, Any]:
    return {
        "conversation_id": draft.id,
        "issue_summary": draft.summary,
        "product_area": area,
        "classification_confidence": 1.0,
        "touched_files": list(draft.files),
    }


def _notes(source: str, found: int, count: int) -> Iterator[str]:
    if found < count:
        yield f"{found} issues are all that the {source} give, {count} were asked for"
    if source == "docstrings":
        yield (
            "each issue is a sentence of a file that is searched, so that its very words lead there: "
            "a search looks better on these than on what users write"
        )
    else:
        yield "who writes a commit knows the code, and names it: users write other words"
