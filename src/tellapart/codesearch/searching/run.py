"""Run a system over conversations, several at a time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tellapart.codesearch.conversations import Conversation, Conversations, Unusable
from tellapart.codesearch.failed import Failed
from tellapart.codesearch.reading import read_search_results
from tellapart.codesearch.repositories import Repositories
from tellapart.codesearch.searching.protocol import Found, SearchSystem
from tellapart.errors import InputError

CONCURRENCY = 4
"""Conversations that are searched for at the same time."""

_WRITTEN = ("files_found", "search_terms_used", "exploration_log", "terms_by_file")


@dataclass(frozen=True)
class Search:
    """What a system returned.

    Attributes:
        record: As JSON: the documented search results, and ``system`` and ``unusable_conversations``.
        unusable: Conversations that could not be read, and those whose search failed, with the cause.
        notes: What people should know.
    """

    record: dict[str, Any]
    unusable: tuple[Unusable, ...]
    notes: tuple[str, ...]


def search(
    conversations: Conversations,
    system: SearchSystem,
    repositories: Repositories,
    *,
    iteration: int | None = None,
    concurrency: int = CONCURRENCY,
    progress: Callable[[int, int], None] | None = None,
) -> Search:
    """Search for every conversation.

    A conversation whose search fails is no conversation without files: it is left out, and told.

    Args:
        conversations: What is searched for.
        system: What searches.
        repositories: Where files may be; a path elsewhere is a failure.
        iteration: Goes before the one in ``conversations``.
        concurrency: Searches at the same time, at least 1.
        progress: Told how many are done, and of how many.

    Returns:
        Results in the order of the conversations, whatever came back first.

    Raises:
        InputError: Every search failed.
        TellapartError: The system cannot search at all.
    """
    system.prepare()
    found = asyncio.run(_search_all(conversations.conversations, system, concurrency, progress))
    entries, unusable, notes = [], list(conversations.unusable), list(conversations.notes)
    for conversation, outcome in zip(conversations.conversations, found, strict=True):
        checked = _checked(conversation, outcome, repositories)
        if isinstance(checked, Failed):
            unusable.append(
                Unusable(conversation.id, f"its search failed ({checked.cause}): {checked.detail}")
            )
        else:
            entries.append(checked.result)
            notes += checked.notes
    if not entries:
        first = unusable[len(conversations.unusable)]
        raise InputError(f"all {len(found)} searches failed; of {first.conversation!r}, {first.why}")
    record = {
        "iteration_number": conversations.iteration if iteration is None else iteration,
        "timestamp": conversations.timestamp,
        "conversations": entries,
        "system": system.name,
        "unusable_conversations": [
            {"conversation_id": left.conversation, "why": left.why} for left in unusable
        ],
    }
    return Search(record, tuple(unusable), tuple(notes))


async def _search_all(
    conversations: Sequence[Conversation],
    system: SearchSystem,
    concurrency: int,
    progress: Callable[[int, int], None] | None,
) -> list[Found | Failed]:
    gate = asyncio.Semaphore(concurrency)
    done = 0

    async def one(conversation: Conversation) -> Found | Failed:
        nonlocal done
        async with gate:
            found = await system.search(conversation)
        done += 1
        if progress:
            progress(done, len(conversations))
        return found

    return list(await asyncio.gather(*map(one, conversations)))


def _checked(
    conversation: Conversation, outcome: Found | Failed, repositories: Repositories
) -> Found | Failed:
    """Put a result as it is documented; what ``evaluate`` would refuse is a failure now."""
    if isinstance(outcome, Failed):
        return outcome
    entry: dict[str, Any] = {
        "conversation_id": conversation.id,
        "issue_summary": conversation.issue_summary,
        "product_area": conversation.product_area,
        "classification_confidence": conversation.classification_confidence,
        "search_results": outcome.result,
    }
    try:
        text = json.dumps({"conversations": [entry]})
        read = read_search_results(text, approved=repositories.names, where="what was found")
    except InputError as error:
        return Failed("parse", "parse", error.what.partition(f"{conversation.id!r}: ")[2] or error.what)
    result = read.searched[0].result
    entry["search_results"] = {
        "files_found": list(result.files),
        "search_terms_used": list(result.terms),
        "exploration_log": outcome.result.get("exploration_log") or [],
        "terms_by_file": {file: list(terms) for file, terms in result.terms_by_file.items()},
        **{name: value for name, value in outcome.result.items() if name not in _WRITTEN},
    }
    own = [f"conversation {conversation.id!r}: {note}" for note in outcome.notes]
    return Found(entry, (*own, *read.notes))
