"""The run of a system under test over conversations."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter

from tellapart.codesearch.base_trees import BaseTrees
from tellapart.codesearch.evaluation import AT_BASE, GOLD_FORM, LEFT_OUT
from tellapart.codesearch.kinds import load
from tellapart.codesearch.model import Conversation, Conversations, Failed, Gold, SearchResult, Unusable
from tellapart.codesearch.paths import Reason, Tree
from tellapart.codesearch.reading import Answer, line_note, read_answer
from tellapart.codesearch.repositories import Repositories
from tellapart.codesearch.secret_files import without_secret_texts
from tellapart.codesearch.systems.system import SearchSystem, SystemAnswer, SystemRequest, repeating_no_secret
from tellapart.core.progress import SILENT, Progress, Step
from tellapart.environment.secrets import without_secrets
from tellapart.errors import InputError, ProviderError
from tellapart.llm.breaker import Breaker, Row
from tellapart.llm.budget import NO_LIMITS

CONCURRENCY = 4
"""Conversations that are searched for at the same time."""

MOST_UNUSED = 2
"""Systems that stay open for the next issue of the same base commit."""

_NOT_SEARCHED = Failed("infeasible", "interrupted", "the search was interrupted before it")
_FAILED = {"no reply": "brought no answer", "unusable": "brought what cannot be used"}


@dataclass
class _Opened:
    system: SearchSystem
    used: int = 0


class AtBase:
    """A system of any kind, in the tree of each conversation's base commit."""

    def __init__(self, request: SystemRequest, trees: BaseTrees) -> None:
        """Make the system of the request, and one of its kind for each tree."""
        self._request = replace(request, at_base=True)
        self._now: SearchSystem = load("systems", self._request)
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

    async def search(self, conversation: Conversation) -> Answer | Failed:
        """Search for one conversation, and read the answer against its tree; without a commit that fails."""
        try:
            with self._trees.at(conversation.base) as repositories:
                if repositories not in self._opened:
                    system = load("systems", replace(self._request, repositories=repositories))
                    self._opened[repositories] = _Opened(system)
                self._opened.move_to_end(repositories)
                opened = self._opened[repositories]
                opened.used += 1
                try:
                    opened.system.prepare()
                    found = await opened.system.search(conversation)
                    return await asyncio.to_thread(read_in, repositories, found)
                finally:
                    opened.used -= 1
                    await self._close_unused(MOST_UNUSED)
        except InputError as error:
            return Failed("infeasible", "base_commit", error.what)

    async def close(self) -> None:
        """End what the system started, and those of all trees."""
        await self._close_unused(0)
        await self._now.close()

    async def _close_unused(self, most: int) -> None:
        """Close those that nobody uses, the one that was used longest ago first, until so many are left."""
        unused = [key for key, opened in self._opened.items() if not opened.used]
        for key in unused[: max(0, len(unused) - most)]:
            await self._opened.pop(key).system.close()


@dataclass(frozen=True)
class Search:
    """What a system returned; and what broke the search off, if anything did."""

    record: dict[str, Any]
    unusable: tuple[Unusable, ...]
    notes: tuple[str, ...]
    end: BaseException | None = None


def _given_up(system: str, row: Row) -> ProviderError:
    """Too many searches in a row failed."""
    return ProviderError(
        f"{row.length} searches in a row {_FAILED[row.kind]} ({row.detail})",
        where=without_secrets(system),
        next_step="See whether it works. If it does, and these issues cannot be searched for, add "
        "--max-failures 0: then they are left out, and all others are searched for",
    )


def read_in(tree: Tree, outcome: SystemAnswer | Failed) -> Answer | Failed:
    """Read which files of the searched tree an answer names; see ``read_answer``."""
    safe = repeating_no_secret(outcome)
    if isinstance(safe, Failed):
        return safe
    answer = read_answer(safe.output, tree, cwd=safe.cwd)
    notes, withheld = without_secret_texts(safe.notes)
    told = [f"withheld {withheld} note(s) of the search that hold a secret"] if withheld else []
    return replace(answer, notes=(*notes, *answer.notes, *told), silent=safe.silent)


def search(
    conversations: Conversations,
    system: SearchSystem | AtBase,
    repositories: Repositories,
    *,
    iteration: int | None = None,
    max_failures: int = NO_LIMITS.max_failures,
    progress: Progress = SILENT,
) -> Search:
    """Search for every conversation."""
    todo = conversations.conversations
    outcomes: list[Answer | Failed] = [_NOT_SEARCHED] * len(todo)
    end: BaseException | None = None
    breaker = Breaker(max_failures)
    # What a function of the user's prints must not get among the results.
    with redirect_stdout(sys.stderr), progress.step("searched", len(todo), unit="issues") as step:
        system.check()
        system.prepare()
        try:
            asyncio.run(_search_all(todo, system, repositories, step, outcomes, breaker))
        except KeyboardInterrupt as interrupt:
            end = interrupt
        except ProviderError:
            if not breaker.tripped:
                raise
            end = _given_up(system.name, breaker.row())
    if end and all(isinstance(outcome, Failed) for outcome in outcomes):
        raise end
    return replace(_recorded(conversations, system, outcomes, iteration), end=end)


async def _search_all(
    conversations: Sequence[Conversation],
    system: SearchSystem | AtBase,
    repositories: Repositories,
    step: Step,
    outcomes: list[Answer | Failed],
    breaker: Breaker,
) -> None:
    """Search, and put each outcome into its place as soon as it is there, until too many fail."""
    gate = asyncio.Semaphore(CONCURRENCY)
    done = 0

    async def search_one(index: int, conversation: Conversation) -> None:
        nonlocal done
        async with gate:
            if breaker.tripped:
                return
            found = await system.search(conversation)
            # Long answers take long to look up; the others go on meanwhile.
            outcome = (
                found if isinstance(found, Answer) else await asyncio.to_thread(read_in, repositories, found)
            )
            outcomes[index] = outcome
        done += 1
        step.update(done)
        if not breaker.tripped:
            why = None
            if isinstance(outcome, Failed):
                why = replace(outcome, detail=without_secrets(outcome.detail))
            breaker.see(why, conversation.id)

    tasks = [asyncio.ensure_future(search_one(index, each)) for index, each in enumerate(conversations)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await system.close()


def _recorded(
    conversations: Conversations,
    system: SearchSystem | AtBase,
    outcomes: Sequence[Answer | Failed],
    iteration: int | None,
) -> Search:
    entries: list[dict[str, Any]] = []
    unusable, notes = list(conversations.unusable), list(conversations.notes)
    answers = [outcome for outcome in outcomes if isinstance(outcome, Answer)]
    for conversation, outcome in zip(conversations.conversations, outcomes, strict=True):
        failed = outcome if isinstance(outcome, Failed) else outcome.failure
        if failed is not None:
            why = f"its search failed ({failed.cause}): {without_secrets(failed.detail)}"
            unusable.append(Unusable(conversation.id, why))
        elif isinstance(outcome, Answer):
            entries.append(_entry(conversation, conversations.gold.get(conversation.id), outcome))
            notes += [f"conversation {conversation.id!r}: {note}" for note in outcome.notes]
    if not entries:
        first = unusable[len(conversations.unusable)]
        raise InputError(f"all {len(outcomes)} searches failed; of {first.conversation!r}, {first.why}")
    left_out = sum((answer.listed.counts for answer in answers), Counter())
    notes += [*_left_out_notes(answers, left_out), *_silent_note(system, answers, len(outcomes))]
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
        LEFT_OUT: dict(sorted(left_out.items())),
    }
    return Search(record, tuple(unusable), tuple(notes))


def _entry(conversation: Conversation, gold: Gold | None, answer: Answer) -> dict[str, Any]:
    """A conversation and its answer as documented, with what no system sees: base commit and gold."""
    result = answer.result
    assert result is not None
    issue = TypeAdapter(Conversation).dump_python(conversation, mode="json", by_alias=True)
    found = TypeAdapter(SearchResult).dump_python(result, mode="json", by_alias=True)
    duration = {name: value for name in ["search_duration_ms"] if (value := found.pop(name)) is not None}
    touched: dict[str, Any] = {} if gold is None else {"touched_files": list(gold.files)}
    if gold is not None and gold.lines:
        touched["touched_lines"] = {file: list(map(list, spans)) for file, spans in gold.lines.items()}
    if gold is not None and gold.left_out:
        touched["touched_files_left_out"] = dict(gold.left_out)
    results = found | {"exploration_log": answer.log or []} | duration
    return {**issue, **touched, "search_results": results}


def _left_out_notes(answers: Sequence[Answer], total: Counter[Reason]) -> Iterator[str]:
    """Say in a sentence what systems returned and is no file."""
    if total:
        many = ", ".join(f"{count} {reason}" for reason, count in sorted(total.items()))
        example = next((answer.listed.example for answer in answers if answer.listed.example), "")
        such = f"; such as {example!r}" if example else ""
        yield (
            f"left out {sum(total.values())} lines or items that name no file of the repositories, of "
            f"{sum(bool(answer.listed.counts) for answer in answers)} issues: {many}{such}"
        )
    yield from line_note(sum(answer.listed.no_lines for answer in answers))
    if gone := [file for answer in answers for file in answer.listed.gone]:
        yield (
            f"{len(gone)} of the files that the system returned are not in the repositories, such as "
            f"{gone[0]!r}: they count as not relevant"
        )


def _silent_note(system: SearchSystem | AtBase, answers: Sequence[Answer], searches: int) -> Iterator[str]:
    """Say how many searches printed nothing; that all of them did is an error."""
    silent = sum(answer.silent for answer in answers)
    if silent == searches:
        raise InputError(
            f"all {silent} searches printed nothing: that may be no match, or a system that does not search",
            where=without_secrets(system.name),
            next_step="Run it by hand for one issue; where it found nothing, let it print an empty list, []",
        )
    if silent:
        yield f"{silent} of {searches} searches printed nothing, which is taken as no match"
