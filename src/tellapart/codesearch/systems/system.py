"""What a system under test is, and how one is made from its name as users type it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from tellapart.codesearch.config import MOST_FILES
from tellapart.codesearch.model import Conversation, Failed
from tellapart.codesearch.repositories import Repositories
from tellapart.codesearch.system_kinds import TIMEOUT_S, parse_spec
from tellapart.core.progress import SILENT, Progress
from tellapart.environment.secrets import without_known_secrets, without_secrets, without_secrets_in

TOKEN = "TELLAPART_SEARCH_TOKEN"
"""The variable whose value servers are sent as a bearer token; it is written nowhere."""


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
    """

    output: object
    notes: tuple[str, ...] = ()
    cwd: str | None = None
    silent: bool = False


def repeating_no_secret(outcome: SystemAnswer | Failed) -> SystemAnswer | Failed:
    """What a system returned, without the keys that it may repeat."""
    if isinstance(outcome, Failed):
        return replace(outcome, detail=without_secrets(outcome.detail))
    output = outcome.output
    if isinstance(output, bytes):
        text = output.decode("utf-8", "surrogateescape")
        kept: object = without_known_secrets(text).encode("utf-8", "surrogateescape")
    else:
        kept = without_secrets_in(output)
    return replace(outcome, output=kept, notes=tuple(map(without_secrets, outcome.notes)))


class SearchSystem(Protocol):
    """Finds files for conversations; it is what is judged."""

    @property
    def name(self) -> str:
        """For people: ``lexical``, or what was typed."""

    def check(self) -> None:
        """See that it could search, before anything is begun; no repository is read.

        Raises:
            TellapartError: It could not, for want of a program, or because its name is wrong.
        """

    def prepare(self) -> None:
        """Read what is read once, before the first conversation; again is harmless.

        Raises:
            TellapartError: It cannot search at all.
        """

    async def search(self, conversation: Conversation) -> SystemAnswer | Failed:
        """Search for one conversation; several may be under way at the same time.

        Raises:
            TellapartError: No conversation can be searched for.
        """

    async def close(self) -> None:
        """End what it started; harmless where it started nothing, and also after Ctrl-C."""


@dataclass(frozen=True)
class SystemRequest:
    """What a module of a system needs to make one; each offers ``load(request)``.

    Attributes:
        repositories: Where files are searched.
        index: Directory of what is kept of the repositories between runs.
        iteration: Its number; None where nobody says.
        learnings: What an earlier iteration taught; None where there is none.
        top_k: Most files of a conversation; None where nobody says.
        pass_env: Variables that a program is given beside those that every program is given.
        at_base: Whether each conversation has a tree of its own, in which a system must then search.
        progress: Receives what takes long before the first conversation.
        shared: What is made once for all trees, such as a model.
    """

    name: str
    repositories: Repositories
    index: Path
    iteration: int | None = None
    learnings: Path | None = None
    timeout_s: float = TIMEOUT_S
    top_k: int | None = None
    pass_env: tuple[str, ...] = ()
    at_base: bool = False
    progress: Progress = SILENT
    shared: dict[str, Any] = field(default_factory=dict)

    @property
    def argument(self) -> str:
        """What follows the colon in its name; empty where nothing does."""
        return parse_spec(self.name)[1]

    @property
    def most_files(self) -> int:
        """Files that a search of ours gives for one conversation."""
        return self.top_k or MOST_FILES

    def values(self, conversation: Conversation | None = None) -> Mapping[str, str]:
        """What stands for placeholders; empty where it is not known. Without a conversation, none of it."""
        always = {
            "iteration": "" if self.iteration is None else str(self.iteration),
            "learnings": str(self.learnings or ""),
            "repos_path": str(self.repositories.root),
        }
        if conversation is None:
            return always
        return always | {
            "conversation_id": conversation.id,
            "issue": conversation.issue_summary,
            "product_area": conversation.product_area,
        }

    def facts(self, conversation: Conversation) -> dict[str, Any]:
        """All that a system outside of this process is given of a conversation, for JSON."""
        return {
            "conversation_id": conversation.id,
            "issue_summary": conversation.issue_summary,
            "product_area": conversation.product_area,
            "classification_confidence": conversation.classification_confidence,
            "iteration_number": self.iteration,
            "repos_path": str(self.repositories.root),
            "approved_repos": list(self.repositories.names),
            "learnings": str(self.learnings) if self.learnings else None,
        }


def load_system(request: SystemRequest) -> SearchSystem:
    """Make a system; nothing is read, started or asked yet."""
    kind, _ = parse_spec(request.name)
    module = import_module(f"tellapart.codesearch.systems.{kind}")
    system: SearchSystem = module.load(request)
    return system
