"""Both explorations of every conversation, several at a time; what is finished is never done again."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from tellapart.codesearch.explorers.protocol import Exploration, Explorer, Issue


def explore_all(
    issues: Sequence[Issue], explorers: Mapping[str, Explorer], *, concurrency: int = 4
) -> dict[tuple[str, str], Exploration]:
    """Let every explorer explore every issue; by role and conversation."""
    jobs = [(role, issue) for issue in issues for role in explorers]
    for explorer in explorers.values():
        explorer.prepare()

    async def work() -> dict[tuple[str, str], Exploration]:
        gate = asyncio.Semaphore(concurrency)

        async def one(role: str, issue: Issue) -> Exploration:
            async with gate:
                return await explorers[role].explore(issue)

        found = await asyncio.gather(*(one(role, issue) for role, issue in jobs))
        return {(role, issue.conversation_id): what for (role, issue), what in zip(jobs, found, strict=True)}

    return asyncio.run(work())
