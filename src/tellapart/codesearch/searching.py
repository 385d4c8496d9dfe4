"""The run of a system under test over conversations."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter

from tellapart.codesearch.evaluation import AT_BASE, GOLD_FORM, LEFT_OUT
from tellapart.codesearch.git import BaseTrees
from tellapart.codesearch.kinds import load
from tellapart.codesearch.model import Conversation, Failed, Searched, SearchResult, SearchResults, Unusable
from tellapart.codesearch.reading import Answer, line_note, read_answer
from tellapart.codesearch.repositories import Reason, Repositories, without_secret_texts
from tellapart.codesearch.systems.system import SearchSystem, SystemAnswer, SystemRequest, repeating_no_secret
from tellapart.core.progress import SILENT, Progress
from tellapart.environment.secrets import without_secrets
from tellapart.errors import InputError, ProviderError

CONCURRENCY = 4  # Conversations that are searched for at the same time
DOWN_AFTER = 10  # Failures in a row after which a system is not asked for what is left
_NO_REPLY = ("provider", "timeout")  # Causes of a failure that a system which is down has
_NOT_SEARCHED = Failed("infeasible", "interrupted", "the search was interrupted before it")


class AtBase:
    """A system of any kind, made for each conversation in the tree of its base commit."""

    def __init__(self, request: SystemRequest, trees: BaseTrees) -> None:
        """Make the system of the request, which is never asked to search."""
        self._request = replace(request, at_base=True)
        self._now: SearchSystem = load("systems", self._request)
        self._trees = trees

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
                system = load("systems", replace(self._request, repositories=repositories))
                try:
                    system.prepare()
                    found = await system.search(conversation)
                    return await asyncio.to_thread(read_in, repositories, found)
                finally:
                    await system.close()
        except InputError as error:
            return Failed("infeasible", "base_commit", error.what)

    async def close(self) -> None:
        """Each system is ended after its conversation."""


@dataclass(frozen=True)
class Search:
    """What a system returned; and what broke the search off, if anything did."""

    record: dict[str, Any]
    unusable: tuple[Unusable, ...]
    notes: tuple[str, ...]
    end: KeyboardInterrupt | ProviderError | None = None


def read_in(tree: Repositories, outcome: SystemAnswer | Failed) -> Answer | Failed:
    """Read which files of the searched tree an answer names; see ``read_answer``."""
    safe = repeating_no_secret(outcome)
    if isinstance(safe, Failed):
        return safe
    answer = read_answer(safe.output, tree, cwd=safe.cwd)
    notes, withheld = without_secret_texts(safe.notes)
    told = [f"withheld {withheld} note(s) of the search that hold a secret"] if withheld else []
    return replace(answer, notes=(*notes, *answer.notes, *told), silent=safe.silent)


def search(
    conversations: SearchResults,
    system: SearchSystem | AtBase,
    repositories: Repositories,
    *,
    iteration: int | None = None,
    progress: Progress = SILENT,
) -> Search:
    """Search for every conversation, or until the system is down."""
    todo = [each.conversation for each in conversations.searched]
    outcomes: list[Answer | Failed] = [_NOT_SEARCHED] * len(todo)
    row: list[Failed] = []
    end: KeyboardInterrupt | ProviderError | None = None
    # What a function of the user's prints must not get among the results.
    with redirect_stdout(sys.stderr), progress.step("searched", len(todo), unit="issues") as step:
        system.check()
        system.prepare()
        gate = asyncio.Semaphore(CONCURRENCY)

        async def search_one(index: int) -> None:
            async with gate:
                if len(row) >= DOWN_AFTER:
                    return
                found = await system.search(todo[index])
                # An answer counts when it comes, however long it takes to read.
                if isinstance(found, Failed) and found.cause in _NO_REPLY:
                    row.append(found)
                elif len(row) < DOWN_AFTER:
                    row.clear()
                # Long answers take long to look up; the others go on meanwhile.
                outcomes[index] = (
                    found
                    if isinstance(found, Answer)
                    else await asyncio.to_thread(read_in, repositories, found)
                )
            step.update(sum(outcome is not _NOT_SEARCHED for outcome in outcomes))

        async def search_all() -> None:
            tasks = [asyncio.ensure_future(search_one(index)) for index in range(len(todo))]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
                await system.close()
            if len(row) >= DOWN_AFTER:
                raise ProviderError(
                    f"{DOWN_AFTER} searches in a row brought no answer; the last: "
                    f"{without_secrets(row[-1].detail)}",
                    where=without_secrets(system.name),
                    next_step="See whether it works; the same command searches for all issues again",
                )

        try:
            asyncio.run(search_all())
        except (KeyboardInterrupt, ProviderError) as stop:
            if all(isinstance(outcome, Failed) for outcome in outcomes):
                raise
            end = stop
    return replace(_recorded(conversations, system, outcomes, iteration), end=end)


def _recorded(
    conversations: SearchResults,
    system: SearchSystem | AtBase,
    outcomes: Sequence[Answer | Failed],
    iteration: int | None,
) -> Search:
    entries: list[dict[str, Any]] = []
    unusable, notes = list(conversations.unusable), list(conversations.notes)
    answers = [outcome for outcome in outcomes if isinstance(outcome, Answer)]
    for issue, outcome in zip(conversations.searched, outcomes, strict=True):
        failed = outcome if isinstance(outcome, Failed) else outcome.failure
        if failed is not None:
            why = f"its search failed ({failed.cause}): {without_secrets(failed.detail)}"
            unusable.append(Unusable(issue.conversation.id, why))
        elif isinstance(outcome, Answer):
            entries.append(_entry(issue, outcome))
            notes += [f"conversation {issue.conversation.id!r}: {note}" for note in outcome.notes]
    if not entries:
        first = unusable[len(conversations.unusable)]
        raise InputError(f"all {len(outcomes)} searches failed; of {first.conversation!r}, {first.why}")
    left_out = sum((answer.listed.counts for answer in answers), Counter())
    notes += _notes(system, answers, left_out, len(outcomes))
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


def _entry(searched: Searched, answer: Answer) -> dict[str, Any]:
    """A conversation and its answer as documented, with what no system sees: base commit and gold."""
    result, gold = answer.result, searched.gold
    assert result is not None
    issue = TypeAdapter(Conversation).dump_python(searched.conversation, mode="json", by_alias=True)
    found = TypeAdapter(SearchResult).dump_python(result, mode="json", by_alias=True)
    duration = {name: value for name in ["search_duration_ms"] if (value := found.pop(name)) is not None}
    touched: dict[str, Any] = {} if gold is None else {"touched_files": list(gold.files)}
    if gold is not None and gold.lines:
        touched["touched_lines"] = {file: list(map(list, spans)) for file, spans in gold.lines.items()}
    if gold is not None and gold.left_out:
        touched["touched_files_left_out"] = dict(gold.left_out)
    results = found | {"exploration_log": answer.log or []} | duration
    return {**issue, **touched, "search_results": results}


def _notes(
    system: SearchSystem | AtBase, answers: Sequence[Answer], left_out: Counter[Reason], searches: int
) -> Iterator[str]:
    """Say in a sentence each what systems returned and is no file; that all printed nothing is an error."""
    if left_out:
        many = ", ".join(f"{count} {reason}" for reason, count in sorted(left_out.items()))
        example = next((answer.listed.example for answer in answers if answer.listed.example), "")
        such = f"; such as {example!r}" if example else ""
        yield (
            f"left out {left_out.total()} lines or items that name no file of the repositories, of "
            f"{sum(bool(answer.listed.counts) for answer in answers)} issues: {many}{such}"
        )
    yield from line_note(sum(answer.listed.no_lines for answer in answers))
    if gone := [file for answer in answers for file in answer.listed.gone]:
        yield (
            f"{len(gone)} of the files that the system returned are not in the repositories, such as "
            f"{gone[0]!r}: they count as not relevant"
        )
    silent = sum(answer.silent for answer in answers)
    if silent == searches:
        raise InputError(
            f"all {silent} searches printed nothing: that may be no match, or a system that does not search",
            where=without_secrets(system.name),
            next_step="Run it by hand for one issue; where it found nothing, let it print an empty list, []",
        )
    if silent:
        yield f"{silent} of {searches} searches printed nothing, which is taken as no match"
