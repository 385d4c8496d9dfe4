"""What a system under test is, how one is made from its name, and the placeholders of commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from tellapart.codesearch.config import MOST_FILES
from tellapart.codesearch.kinds import TIMEOUT_S, parse_system
from tellapart.codesearch.model import Conversation, Failed
from tellapart.codesearch.repositories import Repositories
from tellapart.core.progress import SILENT, Progress
from tellapart.environment.programs import refuse_in_scripts
from tellapart.environment.secrets import without_known_secrets, without_secrets, without_secrets_in
from tellapart.errors import UsageError, near_match

TOKEN = "TELLAPART_SEARCH_TOKEN"
"""The variable whose value servers are sent as a bearer token; it is written nowhere."""

PLACEHOLDERS = ("conversation_id", "issue", "iteration", "learnings", "product_area", "repos_path")
"""What may stand in braces."""

MOST_OUTPUT_BYTES = 20_000_000  # Maximum output of a program, or reply of a service, for one issue


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


@dataclass(frozen=True)
class SystemRequest:
    """What a system is made from.

    Attributes:
        index: Directory of what is kept of the repositories between runs.
        learnings: What an earlier iteration taught; None where there is none.
        top_k: Maximum number of files of a conversation; None for the system's own.
        at_base: Whether each conversation has a tree of its own, in which a system must then search.
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
        return parse_system(self.name)[1]

    @property
    def most_files(self) -> int:
        """Maximum number of files that a search of ours gives for one conversation."""
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


class SearchSystem:
    """Finds files for conversations; it is what is judged. A kind of system overrides what it needs.

    Attributes:
        request: What it was made from.
    """

    def __init__(self, request: SystemRequest) -> None:
        """Make it; nothing is read, started or asked yet."""
        self.request = request

    @property
    def name(self) -> str:
        """For people: what was typed, without secrets."""
        return self.request.name

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
        raise NotImplementedError

    async def close(self) -> None:
        """End what it started; harmless where it started nothing, and also after Ctrl-C."""


_BRACED = re.compile(r"\{([A-Za-z_]+)\}")


def split_command(
    command: str, option: str = "--command", placeholders: Sequence[str] = PLACEHOLDERS
) -> list[str]:
    """Cut a command line into words, as a shell would, which never sees it."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"the command is {command!r}: {str(error).lower()}") from None
    if not words:
        raise UsageError(f"the command is empty, expected a program and its arguments in {option}")
    check_placeholders(command, placeholders)
    refuse_in_scripts(words, re.compile(rf"\{{(?:{'|'.join(placeholders)})\}}"), option)
    return words


def check_placeholders(text: str, placeholders: Sequence[str] = PLACEHOLDERS) -> None:
    """Refuse what is nearly a placeholder; other words in braces may mean something to somebody else."""
    for name in _BRACED.findall(text):
        if name not in placeholders and get_close_matches(name, placeholders, n=1):
            raise UsageError(f"{text!r} has {{{name}}}", next_step=near_match(name, placeholders))


def placeholders_in(*texts: str) -> set[str]:
    """Which placeholders stand in texts."""
    return {name for text in texts for name in _BRACED.findall(text) if name in PLACEHOLDERS}


def filled(text: str, values: Mapping[str, str]) -> str:
    """Put values in the place of ``{name}``; other braces stay, and so do those inside values."""
    return _BRACED.sub(lambda match: values.get(match[1], match[0]), text)
