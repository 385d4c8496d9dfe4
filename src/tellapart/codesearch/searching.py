"""Systems under test: what one is, our lexical search, and the run of one over conversations."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from tellapart.codesearch.base_trees import BaseTrees, Tree
from tellapart.codesearch.case import Conversation, Conversations, Failed, Gold, Reason, Unusable
from tellapart.codesearch.config import MOST_FILES
from tellapart.codesearch.evaluation import LEXICAL
from tellapart.codesearch.index.terms import TermIndex, open_terms
from tellapart.codesearch.reading import read_search_results
from tellapart.codesearch.reading.answers import Answer, read_answer
from tellapart.codesearch.reading.searches import AT_BASE, GOLD_FORM, LEFT_OUT, LEFT_OUT_COUNTS
from tellapart.codesearch.repositories import Repositories
from tellapart.core.progress import SILENT, Progress, Step
from tellapart.embed.identifiers import split_identifiers
from tellapart.errors import InputError
from tellapart.files import parse_json


@dataclass(frozen=True)
class SystemAnswer:
    """What a system returned for one conversation.

    Attributes:
        output: What it printed, as bytes or text, or a value as JSON has it; see ``reading.read_answer`` for
            the forms. As documented: an object whose ``files_found`` is a list of paths or of objects with
            ``path`` and the ``terms`` that led to it, with ``search_terms_used`` and further fields.
        notes: What people should know of it.
        cwd: The directory in which it ran, if its paths may be relative to that.
        silent: Whether it printed nothing at all, which is taken as no match.
        read: The same, read against the tree that was searched; None as long as nobody did.
    """

    output: object
    notes: tuple[str, ...] = ()
    cwd: str | None = None
    silent: bool = False
    read: Answer | None = None


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
        """Search for one conversation, and read the answer against its tree; without a commit that fails."""
        try:
            with self.trees.at(conversation.base) as repositories:
                system = self.make(repositories)
                system.prepare()
                return read_in(repositories, await system.search(conversation))
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
        record: As JSON: the documented search results, ``system``, ``unusable_conversations``, and in
            ``left_out`` what the system returned and is no file, by issue, with the reason.
        unusable: Conversations that could not be read, and those whose search failed, with the cause.
        notes: What people should know.
    """

    record: dict[str, Any]
    unusable: tuple[Unusable, ...]
    notes: tuple[str, ...]


def read_in(tree: Tree, outcome: SystemAnswer | Failed) -> SystemAnswer | Failed:
    """Read which files of the searched tree an answer names, unless that is done; see ``read_answer``."""
    if isinstance(outcome, Failed) or outcome.read is not None:
        return outcome
    return replace(outcome, read=read_answer(outcome.output, tree, cwd=outcome.cwd))


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
    left_out: list[dict[str, str]] = []
    counts: dict[str, Counter[Reason]] = {}
    for conversation, answer in zip(conversations.conversations, outcomes, strict=True):
        outcome = read_in(repositories, answer)
        checked = _checked(conversation, outcome, repositories, conversations.gold.get(conversation.id))
        if isinstance(outcome, SystemAnswer) and outcome.read is not None and outcome.read.left_out:
            counts[conversation.id] = Counter(outcome.read.counts)
            left_out += [
                {"issue": conversation.id, "line": left.line, "reason": left.reason}
                for left in outcome.read.left_out
            ]
        if isinstance(checked, Failed):
            unusable.append(
                Unusable(conversation.id, f"its search failed ({checked.cause}): {checked.detail}")
            )
        else:
            entry, own = checked
            entries.append(entry)
            notes += own
    if not entries:
        first = unusable[len(conversations.unusable)]
        raise InputError(f"all {len(outcomes)} searches failed; of {first.conversation!r}, {first.why}")
    notes += left_out_notes(left_out, counts)
    silent = sum(isinstance(one, SystemAnswer) and one.silent for one in outcomes)
    if silent:
        notes.append(
            f"{silent} of {len(outcomes)} searches printed nothing, which is taken as no match"
            + (": run the command by hand to see whether it searches" if silent == len(outcomes) else "")
        )
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
        LEFT_OUT: left_out,
        LEFT_OUT_COUNTS: {issue: dict(sorted(own.items())) for issue, own in counts.items()},
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


def left_out_notes(left_out: Sequence[Mapping[str, str]], counts: Mapping[str, Counter[Reason]]) -> list[str]:
    """Say in a sentence what systems returned and is no file; empty where there is nothing to say."""
    if not left_out:
        return []
    total = sum(counts.values(), Counter[Reason]())
    many = ", ".join(f"{count} {reason}" for reason, count in sorted(total.items()))
    first = next((left for left in left_out if left["reason"] != "no path"), left_out[0])
    return [
        f"left out {sum(total.values())} lines or items that name no file of the repositories, of "
        f"{len(counts)} issues: {many}; such as {first['line'][:80]!r} of {first['issue']!r}"
    ]


def _checked(
    conversation: Conversation,
    outcome: SystemAnswer | Failed,
    repositories: Repositories,
    gold: Gold | None,
) -> tuple[dict[str, Any], list[str]] | Failed:
    """Put a result as it is documented, with notes; what ``evaluate`` would refuse is a failure now."""
    if isinstance(outcome, Failed):
        return outcome
    assert outcome.read is not None
    if outcome.read.failure is not None:
        return outcome.read.failure
    # As it will be read again: JSON has no word for NaN.
    given = parse_json(json.dumps(outcome.read.result), "what was found", finite=True)
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
    return entry, [*(f"conversation {conversation.id!r}: {note}" for note in outcome.notes), *read.notes]
