"""What an explorer is: what it is made from, what it sees of an issue, and what it gives."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tellapart.codesearch.index import Snapshot
from tellapart.codesearch.model import Explored
from tellapart.codesearch.repositories import Repositories


@dataclass(frozen=True)
class Issue:
    """All that an explorer sees of a conversation. What the system under test found has no place here."""

    conversation_id: str
    summary: str


@dataclass(frozen=True)
class ExplorerRequest:
    """What an explorer is made from."""

    name: str
    argument: str
    repositories: Repositories
    index: Path
    role: str = "run_a"
    limits: Any = None
    snapshot: Snapshot | None = None


class Explorer:
    """Finds the files of an issue. A kind of explorer overrides what it needs.

    Attributes:
        name: As users type it, such as ``lexical`` or ``agent:anthropic/claude-haiku-4-5``.
        reads: Whether it reads the repositories, and so needs the tree of an issue.
    """

    reads = True

    def __init__(self, request: ExplorerRequest) -> None:
        """Make it; no repository is read and no model asked yet."""
        self.request = request
        self.name = request.name

    @property
    def connected(self) -> Any:
        """The model of Inspect that it asks, if any; ``explore`` is then awaited by ``run_workers``."""
        return None

    def check(self) -> None:
        """See that it could explore, before anything is begun; nothing is read or asked.

        Raises:
            TellapartError: It could not, for want of a key or a package, or because its name is wrong.
        """

    def prepare(self) -> None:
        """Do what is done once, before the first issue; again is harmless.

        Raises:
            TellapartError: It cannot explore, for want of a key or a package.
        """

    async def explore(self, issue: Issue, repositories: Repositories) -> Explored:
        """Find the files of one issue in these repositories; several may be under way at the same time.

        A failure of this issue alone is in the result.

        Raises:
            TellapartError: No issue can be explored, such as with a wrong key.
        """
        raise NotImplementedError

    def record(self) -> dict[str, Any] | None:
        """What a run's record says of its language model; None where it asked none."""
        return None
