"""Any explorer, in the tree of each issue's base commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from tellapart.codesearch.base_trees import Trees
from tellapart.codesearch.explorers.agent import Agent
from tellapart.codesearch.explorers.explorer import (
    Exploration,
    Explorer,
    ExplorerRequest,
    Issue,
    load_explorer,
)
from tellapart.codesearch.model import Base, Failed
from tellapart.codesearch.repositories import Repositories
from tellapart.errors import InputError

MOST_OPEN = 8
"""Trees whose explorer stays open for the next issue of the same base commit."""


class AtBase:
    """The explorer: it sees what the other one would see if the issue had not been solved yet."""

    def __init__(self, request: ExplorerRequest, trees: Trees, bases: Mapping[str, Base | None]) -> None:
        """Explore as ``request`` says, but each conversation in its own tree."""
        self._request = replace(request, snapshot=None)
        self._trees, self._bases = trees, bases
        now = load_explorer(request)
        self._now, self.name = now, now.name
        self.agent = now if isinstance(now, Agent) else None
        self._opened = lru_cache(MOST_OPEN)(self._open)

    @property
    def connected(self) -> Any:
        """The model of Inspect, where a language model explores; see ``Agent``."""
        return self.agent.connected if self.agent else None

    def check(self) -> None:
        """See that it could explore; see ``Explorer``."""
        self._now.check()

    def prepare(self) -> None:
        """Connect; trees are read when their issue is explored."""
        if self.agent:
            self.agent.prepare()

    async def explore(self, issue: Issue) -> Exploration:
        """Explore one issue; without its base commit that fails."""
        try:
            with self._trees.at(self._bases.get(issue.conversation_id)) as repositories:
                return await self._opened(repositories).explore(issue)
        except InputError as error:
            return Exploration((), Failed("infeasible", "base_commit", error.what))

    def _open(self, repositories: Repositories) -> Explorer:
        if self.agent:
            return self.agent.elsewhere(repositories)
        explorer = load_explorer(replace(self._request, repositories=repositories))
        explorer.prepare()
        return explorer
