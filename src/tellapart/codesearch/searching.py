"""The run of a system under test over conversations."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tellapart.codesearch.answers import MOST_ENTRIES, read_answer
from tellapart.codesearch.base_trees import BaseTrees
from tellapart.codesearch.gold.placing import in_tree
from tellapart.codesearch.model import (
    Conversation,
    Conversations,
    Failed,
    Gold,
    SearchResult,
    Unusable,
)
from tellapart.codesearch.paths import NamesOnly, PathReader, Reason, Tree
from tellapart.codesearch.reading import Reading
from tellapart.codesearch.recordings import AT_BASE, GOLD_FORM, LEFT_OUT, LEFT_OUT_COUNTS, MADE_UP
from tellapart.codesearch.repositories import Repositories
from tellapart.codesearch.secret_files import without_secret_texts
from tellapart.codesearch.systems.system import (
    SearchSystem,
    SystemAnswer,
    SystemRequest,
    load_system,
    repeating_no_secret,
)
from tellapart.core.progress import SILENT, Progress, Step
from tellapart.environment.secrets import without_secrets
from tellapart.errors import InputError, ProviderError
from tellapart.files import first_fault, parse_json
from tellapart.llm.breaker import Breaker, Row
from tellapart.llm.budget import NO_LIMITS

MOST_UNUSED = 2
"""Systems that stay open for the next issue of the same base commit."""


@dataclass
class _Opened:
    system: SearchSystem
    used: int = 0


class AtBase:
    """A system of any kind, in the tree of each conversation's base commit.

    It is opened once for all issues of a commit that are under way, or follow soon.
    """

    def __init__(self, request: SystemRequest, trees: BaseTrees) -> None:
        """Make the system of the request, and one of its kind for each tree."""
        self._request = replace(request, at_base=True)
        self._now = load_system(self._request)
        self._trees = trees
        self._opened: OrderedDict[Repositories, _Opened] = OrderedDict()

    @property
    def name(self) -> str:
        """The system's."""
        return self._now.name

    def check(self) -> None:
        """See that the system could search; see ``SearchSystem``."""
        self._now.check()

    def prepare(self) -> None:
        """Trees are read when their issue is searched for."""

    async def search(self, conversation: Conversation) -> SystemAnswer | Failed:
        """Search for one conversation, and read the answer against its tree; without a commit that fails."""
        try:
            with self._trees.at(conversation.base) as repositories:
                opened = self._open(repositories)
                opened.used += 1
                try:
                    opened.system.prepare()
                    return read_in(repositories, await opened.system.search(conversation))
                finally:
                    opened.used -= 1
                    await self._close_unused(MOST_UNUSED)
        except InputError as error:
            return Failed("infeasible", "base_commit", error.what)

    def settled(self, conversation: Conversation, gold: Gold) -> Gold:
        """Gold of a conversation, spelled as its tree has it."""
        return in_tree(gold, lambda file: self._trees.held_at(conversation.base, file))

    async def close(self) -> None:
        """End what the system started, and those of all trees."""
        await self._close_unused(0)
        await self._now.close()

    def _open(self, repositories: Repositories) -> _Opened:
        if repositories not in self._opened:
            system = load_system(replace(self._request, repositories=repositories))
            self._opened[repositories] = _Opened(system)
        self._opened.move_to_end(repositories)
        return self._opened[repositories]

    async def _close_unused(self, most: int) -> None:
        """Close those that nobody uses, the one that was used longest ago first, until so many are left."""
        unused = [key for key, opened in self._opened.items() if not opened.used]
        for key in unused[: max(0, len(unused) - most)]:
            await self._opened.pop(key).system.close()


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


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while a system searched; ``search`` is what it returned until then."""

    def __init__(self, search: Search) -> None:
        """Keep what there is; conversations that were not searched for are unusable."""
        super().__init__()
        self.search = search


class GivenUp(ProviderError):
    """Too many searches in a row failed; ``search`` is what it returned until then, None where nothing."""

    def __init__(self, error: ProviderError, search: Search | None) -> None:
        """Keep what there is; conversations that were not searched for are unusable."""
        super().__init__(error.what, where=error.where, next_step=error.next_step)
        self.search = search


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
    max_failures: int = NO_LIMITS.max_failures,
    progress: Progress = SILENT,
) -> Search:
    """Search for every conversation.

    A conversation whose search fails is no conversation without files: it is left out and reported.
    """
    todo = conversations.conversations
    outcomes: list[SystemAnswer | Failed] = [_NOT_SEARCHED] * len(todo)
    interrupted, given_up, breaker = False, False, Breaker(max_failures)
    # What a function of the user's prints must not get among the results.
    with redirect_stdout(sys.stderr), progress.step("searched", len(todo), unit="issues") as step:
        system.check()
        system.prepare()
        try:
            asyncio.run(_search_all(todo, system, concurrency, step, outcomes, breaker))
        except KeyboardInterrupt:
            if not any(isinstance(outcome, SystemAnswer) for outcome in outcomes):
                raise
            interrupted = True
        except _Tripped:
            given_up = True
    if given_up and not any(isinstance(outcome, SystemAnswer) for outcome in outcomes):
        raise GivenUp(_why_given_up(system, breaker.row()), None)
    done = _recorded(conversations, system, repositories, outcomes, iteration)
    if given_up:
        raise GivenUp(_why_given_up(system, breaker.row()), done)
    if interrupted:
        raise Interrupted(done)
    return done


_NOT_SEARCHED = Failed("infeasible", "interrupted", "the search was interrupted before it")


class _Tripped(Exception):
    """The breaker has."""


def _why_given_up(system: SearchSystem, row: Row) -> ProviderError:
    return ProviderError(
        f"{row.length} searches in a row {_FAILED[row.kind]} ({row.detail})",
        where=without_secrets(system.name),
        next_step="See whether it works. If it does, and these issues cannot be searched for, add "
        "--max-failures 0: then they are left out, and all others are searched for",
    )


_FAILED = {
    "no reply": "brought no answer",
    "unusable": "brought what cannot be used",
}


def _recorded(
    conversations: Conversations,
    system: SearchSystem,
    repositories: Repositories,
    outcomes: Sequence[SystemAnswer | Failed],
    iteration: int | None,
) -> Search:
    entries, unusable, notes = [], list(conversations.unusable), list(conversations.notes)
    left_out: list[dict[str, str]] = []
    counts: dict[str, Counter[Reason]] = {}
    made_up: dict[str, list[dict[str, Any]]] = {}
    for conversation, answer in zip(conversations.conversations, outcomes, strict=True):
        outcome = read_in(repositories, answer)
        gold = conversations.gold.get(conversation.id)
        if gold is not None and isinstance(system, AtBase):
            gold = system.settled(conversation, gold)
        checked = _checked(conversation, outcome, repositories, gold)
        if isinstance(outcome, SystemAnswer) and outcome.read is not None and outcome.read.counts:
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
            entry, entry_notes = checked
            entries.append(entry)
            assert isinstance(outcome, SystemAnswer) and outcome.read is not None
            if outcome.read.made_up:
                places = outcome.read.made_up.items()
                made_up[conversation.id] = [{"path": path, "place": position} for path, position in places]
            notes += entry_notes
    if not entries:
        first = unusable[len(conversations.unusable)]
        raise InputError(f"all {len(outcomes)} searches failed; of {first.conversation!r}, {first.why}")
    notes += left_out_notes(left_out, counts)
    silent = sum(isinstance(outcome, SystemAnswer) and outcome.silent for outcome in outcomes)
    if silent == len(outcomes):
        raise InputError(
            f"all {silent} searches printed nothing: that may be no match, or a system that does not search",
            where=without_secrets(system.name),
            next_step="Run it by hand for one issue; where it found nothing, let it print an empty list, []",
        )
    if silent:
        notes.append(f"{silent} of {len(outcomes)} searches printed nothing, which is taken as no match")
    record = {
        "iteration_number": conversations.iteration if iteration is None else iteration,
        "timestamp": conversations.timestamp,
        "conversations": entries,
        "system": without_secrets(system.name),
        **({AT_BASE: True} if isinstance(system, AtBase) else {}),
        **({GOLD_FORM: conversations.gold_form} if conversations.gold_form else {}),
        "unusable_conversations": [
            {"conversation_id": left.conversation, "why": left.why} for left in unusable
        ],
        LEFT_OUT: left_out,
        **({MADE_UP: made_up} if made_up else {}),
        LEFT_OUT_COUNTS: {issue: dict(sorted(reasons.items())) for issue, reasons in counts.items()},
    }
    return Search(record, tuple(unusable), tuple(notes))


async def _search_all(
    conversations: Sequence[Conversation],
    system: SearchSystem,
    concurrency: int,
    step: Step,
    outcomes: list[SystemAnswer | Failed],
    breaker: Breaker,
) -> None:
    """Search, and put each outcome into its place as soon as it is there; raises ``_Tripped``."""
    gate = asyncio.Semaphore(concurrency)
    done = 0

    def is_over() -> bool:
        return breaker.tripped is not None

    async def search_one(index: int, conversation: Conversation) -> None:
        nonlocal done
        async with gate:
            if is_over():
                return
            outcome = outcomes[index] = repeating_no_secret(await system.search(conversation))
        done += 1
        step.update(done)
        if is_over():
            return
        if isinstance(outcome, Failed):
            breaker.failed(outcome, conversation.id)
        else:
            breaker.answered()
        if is_over():
            raise _Tripped

    tasks = [asyncio.ensure_future(search_one(index, each)) for index, each in enumerate(conversations)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await system.close()


def carried(conversation: Conversation, gold: Gold | None) -> dict[str, Any]:
    """The fields of a conversation that no system sees, as ``evaluate`` reads them: base commit and gold."""
    fields: dict[str, Any] = {}
    if conversation.base is not None:
        fields |= {"repository": conversation.base.repository, "base_commit": conversation.base.commit}
    if gold is not None:
        fields["touched_files"] = list(gold.files)
    if gold is not None and gold.left_out:
        fields["touched_files_left_out"] = dict(gold.left_out)
    return fields


def left_out_notes(left_out: Sequence[Mapping[str, str]], counts: Mapping[str, Counter[Reason]]) -> list[str]:
    """Say in a sentence what systems returned and is no file; empty where there is nothing to say."""
    if not counts:
        return []
    total = sum(counts.values(), Counter[Reason]())
    many = ", ".join(f"{count} {reason}" for reason, count in sorted(total.items()))
    example = f"; such as {left_out[0]['line'][:80]!r} of {left_out[0]['issue']!r}" if left_out else ""
    return [
        f"left out {sum(total.values())} lines or items that name no file of the repositories, of "
        f"{len(counts)} issues: {many}{example}"
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
    given, withheld = without_secret_texts(
        parse_json(json.dumps(outcome.read.result), "what was found", finite=True)
    )
    reading = Reading(PathReader(NamesOnly(repositories.names)))
    try:
        result = TypeAdapter(SearchResult).validate_python(given, context=reading)
    except ValidationError as error:
        return Failed("parse", "parse", first_fault(error, SearchResult))
    except InputError as error:
        return Failed("parse", "parse", error.what)
    entry: dict[str, Any] = {
        "conversation_id": conversation.id,
        "issue_summary": conversation.issue_summary,
        "product_area": conversation.product_area,
        "classification_confidence": conversation.classification_confidence,
        **carried(conversation, gold),
        "search_results": {
            "files_found": list(result.files),
            "search_terms_used": list(result.terms),
            "exploration_log": given.get("exploration_log") or [],
            "terms_by_file": {file: list(terms) for file, terms in result.terms_by_file.items()},
            **{name: value for name, value in given.items() if name not in _WRITTEN},
        },
    }
    safe_notes, further = without_secret_texts(outcome.notes)
    if outcome.read.not_read:
        safe_notes.append(
            f"read the first {MOST_ENTRIES:,} entries, and left out {outcome.read.not_read:,} after them"
        )
    if count := outcome.read.withheld + withheld + further:
        safe_notes.append(
            f"withheld {count} text(s) of the search that hold a secret or are of a file with one"
        )
    return entry, [f"conversation {conversation.id!r}: {note}" for note in (*safe_notes, *reading.notes)]
