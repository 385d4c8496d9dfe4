"""The explorations of a run: several at a time, kept with what they cost, never repeated."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from tellapart.codesearch.explorers.explorer import Explorer, Issue
from tellapart.codesearch.git import Trees
from tellapart.codesearch.model import Base, Explored, Failed
from tellapart.codesearch.repositories import Repositories
from tellapart.core.fingerprint import sha256
from tellapart.core.progress import SILENT, Progress, Step
from tellapart.environment.clock import seconds_since
from tellapart.errors import InputError, ProviderError
from tellapart.llm.agents import Purse
from tellapart.llm.breaker import Breaker
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.inspecting import run_workers
from tellapart.llm.journal import CallJournal
from tellapart.llm.usage import spent as spent_on_calls
from tellapart.store.database import RunDatabase
from tellapart.store.runs import DATABASE

EXPLORATION, SPENDING = "explorations", "spending"
"""Kinds of entries: explorations that came to an end, and what each call of an explorer took."""

PASSING = frozenset({"provider", "timeout"})
"""Causes that may pass another time; a reply that cannot be read would only be paid for once more."""

_EXPLORED = TypeAdapter(Explored)


@dataclass(frozen=True)
class Job:
    """One exploration to be done.

    ``context`` hashes what else decides what is found: the tree, and how a language model is asked.
    """

    role: str
    issue: Issue
    context: str = ""
    base: Base | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Role and conversation: unique in a run."""
        return self.role, self.issue.conversation_id


class Explorations:
    """The explorations of one run."""

    def __init__(self, database: RunDatabase) -> None:
        """Read what an earlier process finished."""
        self._database = database
        self._explored = {
            (entry["role"], entry["conversation"]): _EXPLORED.validate_python(entry)
            for entry in database.entries(EXPLORATION)
        }

    def get(self, job: Job) -> Explored | None:
        """What is known of a job; None where it has yet to be done, or failed in a way that may pass."""
        explored = self._explored.get(job.key)
        may_pass = explored is not None and explored.failure and explored.failure.cause in PASSING
        return None if may_pass else explored

    def keep(self, job: Job, explored: Explored, seconds: float = 0.0) -> None:
        """Put down what an explorer found; it is on the disk when this returns."""
        taken = {"duration_s": seconds, "usage": dict(explored.usage)}
        entry = _named(job) | _EXPLORED.dump_python(explored, mode="json", by_alias=True) | taken
        self._database.add(EXPLORATION, entry, durable=True)
        self._explored[job.key] = explored

    def take_over(self, runs: Sequence[Path], jobs: Sequence[Job], explorers: Mapping[str, Explorer]) -> int:
        """Take over what came to a good end in earlier runs."""
        entries = [entry for run in runs for entry in recorded_explorations(run)]
        earlier = {_identity(entry): entry for entry in reversed(entries) if not entry["error"]}
        taken = 0
        for job in jobs:
            name = explorers[job.role].name
            entry = earlier.get(_identity(_named(job) | {"model": name}))
            if entry is not None and self.get(job) is None and not name.startswith("replay:"):
                # It was paid for then.
                self.keep(job, replace(_EXPLORED.validate_python(entry), usage={}))
                taken += 1
        return taken

    def result(self, job: Job) -> Explored:
        """What is known of a job that has been done, well or not."""
        return self._explored[job.key]


def recorded_explorations(run: Path) -> list[dict[str, Any]]:
    """What an earlier run explored; of one that is not complete, what is not damaged."""
    entries = _recorded(run)
    if not entries:
        raise InputError("there are no explorations to take over", where=run)
    return entries


def has_explorations(run: Path) -> bool:
    """Whether a directory is a run with explorations."""
    return bool(_recorded(run))


def _recorded(run: Path, kind: str = EXPLORATION) -> list[dict[str, Any]]:
    if not (run / DATABASE).is_file():
        return []
    with RunDatabase(run / DATABASE, read_only=True) as database:
        return database.entries(kind)


def explore_all(
    jobs: Sequence[Job],
    explorers: Mapping[str, Explorer],
    kept: Explorations,
    trees: Trees,
    *,
    concurrency: int,
    logs: Path,
    reuse: Sequence[Path] = (),
    max_failures: int = NO_LIMITS.max_failures,
    progress: Progress = SILENT,
) -> dict[tuple[str, str], Explored]:
    """Do what is neither done yet nor to be taken over from earlier runs."""
    if reuse and (taken := kept.take_over(reuse, jobs, explorers)):
        progress(f"taken over from earlier: {taken:,} of {len(jobs):,} explorations")
    todo = [job for job in jobs if kept.get(job) is None]
    if todo:
        working = list({id(each): each for job in todo for each in [explorers[job.role]]}.values())
        for explorer in working:
            explorer.prepare()
        before = len(jobs) - len(todo)
        with progress.step("explored", len(jobs), done=before, summary=True) as step:
            try:
                run_workers(
                    _worker(todo, explorers, kept, trees, step, before, max_failures),
                    samples=len(todo),
                    at_once=min(concurrency, len(todo)),
                    connected=next((each.connected for each in working if each.connected is not None), None),
                    logs=logs,
                )
            except ProviderError as error:
                done = sum(kept.get(job) is not None for job in jobs)
                what = f"{error.what}; {done:,} of {len(jobs):,} explorations are done"
                raise ProviderError(what, where=error.where, next_step=error.next_step) from None
    return {job.key: kept.result(job) for job in jobs}


def _worker(
    todo: Sequence[Job],
    explorers: Mapping[str, Explorer],
    kept: Explorations,
    trees: Trees,
    step: Step,
    done: int,
    max_failures: int,
) -> Callable[[], Awaitable[None]]:
    """Make what does the next job that is left, however many take from them."""
    jobs, by_key, failed = iter(todo), {" ".join(job.key): job for job in todo}, 0

    def repeat(key: str) -> None:
        """Keep an exploration as what may pass, so that it is done again when resuming."""
        why = Failed("provider", "unusable", "one of too many explorations that are unusable")
        kept.keep(by_key[key], replace(kept.result(by_key[key]), failure=why, usage={}))

    names = {explorers[job.role].name for job in todo}
    breakers = {name: Breaker(max_failures, name, repeat) for name in names}

    async def work() -> None:
        nonlocal done, failed
        job = next(jobs)
        explorer, began = explorers[job.role], time.monotonic()
        explored = await _explore(job, explorer, trees)
        kept.keep(job, explored, seconds_since(began))
        done += 1
        failed += explored.failure is not None
        step.update(done, note=f", {failed:,} failed" if failed else "")
        breakers[explorer.name].see(explored.failure, job.issue.conversation_id, [" ".join(job.key)])

    return work


async def _explore(job: Job, explorer: Explorer, trees: Trees) -> Explored:
    """Explore in the tree of the issue; without it that fails."""
    if not explorer.reads:
        return await explorer.explore(job.issue, Repositories.none())
    try:
        with trees.at(job.base) as repositories:
            return await explorer.explore(job.issue, repositories)
    except InputError as error:
        return Explored(explorer.name, (), Failed("infeasible", "base_commit", error.what))


def _named(job: Job) -> dict[str, Any]:
    role, conversation = job.key
    issue = sha256(job.issue.summary.encode())[:16]
    return {"role": role, "conversation": conversation, "issue": issue, "context": job.context}


def _identity(entry: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(entry[name] for name in ("role", "conversation", "model", "issue", "context"))


class KeptPurse(Purse):
    """A purse that puts down what a call took as soon as it has ended.

    An exploration that is cut off leaves nothing but this: without it a run that is stopped by its limit
    again and again would spend it again and again, and its record would not say what it took.
    """

    def __init__(self, database: RunDatabase) -> None:
        """Read what earlier processes spent."""
        super().__init__()
        self._database = database
        for entry in database.entries(SPENDING):
            super().take(entry["model"], entry, entry["dollars"])

    def take(self, model: str, call: Mapping[str, Any], dollars: float = 0.0) -> None:
        """Count a call that came to an end; it is on the disk when this returns."""
        self._database.add(SPENDING, {"model": model, "dollars": dollars, **call}, durable=True)
        super().take(model, call, dollars)


def spent_in(run: Path, limits: Limits) -> float:
    """US dollars that a run paid for, to explorers and to its judge; what it took over counts nothing."""
    dollars: float = sum(entry["dollars"] for entry in _recorded(run, SPENDING))
    if (run / DATABASE).is_file():
        with CallJournal(run / DATABASE, read_only=True) as journal:
            dollars += spent_on_calls(journal.models, limits)
    return dollars


def left(limits: Limits, dollars: float) -> Limits:
    """The limits of what comes next, when so much is spent."""
    if limits.max_cost is None:
        return limits
    return replace(limits, max_cost=max(0.0, limits.max_cost - dollars))
