"""Systems under test: what one is, our lexical search, and the run of one over conversations."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tellapart.codesearch.base_trees import BaseTrees
from tellapart.codesearch.case import Conversation, Conversations, Failed, Gold, Unusable
from tellapart.codesearch.config import MOST_FILES
from tellapart.codesearch.evaluation import LEXICAL
from tellapart.codesearch.index.terms import TermIndex, open_terms
from tellapart.codesearch.reading import read_search_results
from tellapart.codesearch.reading.searches import AT_BASE, GOLD_FORM
from tellapart.codesearch.repositories import Repositories
from tellapart.core.progress import SILENT, Progress, Step
from tellapart.embed.identifiers import split_identifiers
from tellapart.errors import InputError
from tellapart.files import parse_json


@dataclass(frozen=True)
class SystemAnswer:
    """What a system returned for one conversation.

    Attributes:
        result: ``search_results``, as ``evaluate`` reads it: ``files_found`` is a list of paths or of objects
            with ``path`` and the ``terms`` that led to it; ``search_terms_used`` and further fields may be
            there.
        notes: What people should know of it.
    """

    result: dict[str, Any]
    notes: tuple[str, ...] = ()


class SearchSystem(Protocol):
    """Finds files for conversations; it is what is judged."""

    @property
    def name(self) -> str:
        """For people: ``lexical``, or the command line."""

    def prepare(self) -> None:
        """Do what is done once, before the first conversation; again is harmless.

        Raises:
            TellapartError: It cannot search at all.
        """

    async def search(self, conversation: Conversation) -> SystemAnswer | Failed:
        """Search for one conversation; several may be under way at the same time."""


@dataclass(frozen=True)
class AtBase:
    """Any system, in the tree of each conversation's base commit.

    Attributes:
        now: The system in the repositories as they are now, which is asked for its name and prepared.
        make: Makes it for other repositories.
        trees: Makes the trees.
    """

    now: SearchSystem
    make: Callable[[Repositories], SearchSystem]
    trees: BaseTrees

    @property
    def name(self) -> str:
        """The system's."""
        return self.now.name

    def prepare(self) -> None:
        """See that the system can search; see ``SearchSystem``."""
        self.now.prepare()

    async def search(self, conversation: Conversation) -> SystemAnswer | Failed:
        """Search for one conversation; without its base commit that fails."""
        try:
            with self.trees.at(conversation.base) as repositories:
                system = self.make(repositories)
                system.prepare()
                return await system.search(conversation)
        except InputError as error:
            return Failed("infeasible", "base_commit", error.what)


MOST_TERMS = 12
"""Words of an issue that are searched for."""


class LexicalSystem:
    """A plain search, to have something to measure and to measure others against."""

    name = LEXICAL

    def __init__(
        self,
        repositories: Repositories,
        index: Path,
        *,
        without: Collection[str] = (),
        most_terms: int = MOST_TERMS,
        most_files: int = MOST_FILES,
    ) -> None:
        """Search these repositories.

        Args:
            repositories: All that may be read.
            index: Directory of what is kept of them.
            without: Words that are never searched for, whatever their case.
            most_terms: Words of an issue that are searched for, at least 1.
            most_files: Files that are found, at least 1.
        """
        self._repositories = repositories
        self._directory = index
        self._without = {piece for word in without for piece in split_identifiers(word)}
        self._most_terms = most_terms
        self._most_files = most_files
        self._terms: TermIndex | None = None

    def prepare(self) -> None:
        """Index the files as they are now."""
        self._index()

    async def search(self, conversation: Conversation) -> SystemAnswer:
        """Rank all files by the terms of the issue, a tie by path."""
        index = self._index()
        terms = search_terms(index, conversation.issue_summary, self._without)[: self._most_terms]
        files = [path for path, _ in index.ranked(terms)[: self._most_files]]
        results = [{"path": path, "terms": list(index.held(path, terms))} for path in files]
        notes = () if terms else ("no word of the issue is in any file that may be read",)
        return SystemAnswer({"files_found": results, "search_terms_used": terms}, notes)

    def _index(self) -> TermIndex:
        if self._terms is None:
            self._terms = open_terms(self._repositories, self._directory)
        return self._terms


def search_terms(index: TermIndex, issue: str, without: Collection[str] = ()) -> list[str]:
    """Choose the words of an issue that tell files apart, the rarest first, a tie by first place.

    Args:
        index: Of the files.
        issue: Any text.
        without: Words to leave out.

    Returns:
        Distinct words that some file has, those that more than half of the files have left out; with no other
        word, these. Empty when no file has a word of the issue.
    """
    files = {word: index.files_with(word) for word in split_identifiers(issue) if word not in without}
    present = sorted((word for word in files if files[word]), key=files.__getitem__)
    return [word for word in present if 2 * files[word] <= len(index.paths)] or present


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
    progress: Progress = SILENT,
) -> Search:
    """Search for every conversation.

    A conversation whose search fails is no conversation without files: it is left out and reported.

    Args:
        conversations: What is searched for.
        system: What searches.
        repositories: Where files may be; a path elsewhere is a failure.
        iteration: Goes before the one in ``conversations``.
        concurrency: Searches at the same time, at least 1.
        progress: Receives how many are done.

    Returns:
        Results in the order of the conversations, whatever came back first.

    Raises:
        InputError: Every search failed.
        TellapartError: The system cannot search at all.
    """
    system.prepare()
    todo = conversations.conversations
    with progress.step("searched", len(todo), unit="issues") as step:
        outcomes = asyncio.run(_search_all(todo, system, concurrency, step))
    entries, unusable, notes = [], list(conversations.unusable), list(conversations.notes)
    for conversation, outcome in zip(conversations.conversations, outcomes, strict=True):
        checked = _checked(conversation, outcome, repositories, conversations.gold.get(conversation.id))
        if isinstance(checked, Failed):
            unusable.append(
                Unusable(conversation.id, f"its search failed ({checked.cause}): {checked.detail}")
            )
        else:
            entries.append(checked.result)
            notes += checked.notes
    if not entries:
        first = unusable[len(conversations.unusable)]
        raise InputError(f"all {len(outcomes)} searches failed; of {first.conversation!r}, {first.why}")
    record = {
        "iteration_number": conversations.iteration if iteration is None else iteration,
        "timestamp": conversations.timestamp,
        "conversations": entries,
        "system": system.name,
        **({AT_BASE: True} if isinstance(system, AtBase) else {}),
        **({GOLD_FORM: conversations.gold_form} if conversations.gold_form else {}),
        "unusable_conversations": [
            {"conversation_id": left.conversation, "why": left.why} for left in unusable
        ],
    }
    return Search(record, tuple(unusable), tuple(notes))


async def _search_all(
    conversations: Sequence[Conversation],
    system: SearchSystem,
    concurrency: int,
    step: Step,
) -> list[SystemAnswer | Failed]:
    gate = asyncio.Semaphore(concurrency)
    done = 0

    async def one(conversation: Conversation) -> SystemAnswer | Failed:
        nonlocal done
        async with gate:
            outcome = await system.search(conversation)
        done += 1
        step.update(done)
        return outcome

    return list(await asyncio.gather(*map(one, conversations)))


def carried(conversation: Conversation, gold: Gold | None) -> dict[str, Any]:
    """The fields of a conversation that no system sees, as ``evaluate`` reads them: base commit and gold."""
    fields: dict[str, Any] = {}
    if conversation.base is not None:
        fields |= {"repository": conversation.base.repository, "base_commit": conversation.base.commit}
    if gold is not None:
        fields["touched_files"] = list(gold.files)
    if gold is not None and gold.functions:
        fields["touched_functions"] = list(gold.functions)
    if gold is not None and gold.left_out:
        fields["touched_files_left_out"] = dict(gold.left_out)
    return fields


def _checked(
    conversation: Conversation,
    outcome: SystemAnswer | Failed,
    repositories: Repositories,
    gold: Gold | None,
) -> SystemAnswer | Failed:
    """Put a result as it is documented; what ``evaluate`` would refuse is a failure now."""
    if isinstance(outcome, Failed):
        return outcome
    # As it will be read again: JSON has no word for NaN.
    given = parse_json(json.dumps(outcome.result), "what was found", finite=True)
    entry: dict[str, Any] = {
        "conversation_id": conversation.id,
        "issue_summary": conversation.issue_summary,
        "product_area": conversation.product_area,
        "classification_confidence": conversation.classification_confidence,
        **carried(conversation, gold),
        "search_results": given,
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
        "exploration_log": given.get("exploration_log") or [],
        "terms_by_file": {file: list(terms) for file, terms in result.terms_by_file.items()},
        **{name: value for name, value in given.items() if name not in _WRITTEN},
    }
    own = [f"conversation {conversation.id!r}: {note}" for note in outcome.notes]
    return SystemAnswer(entry, (*own, *read.notes))
