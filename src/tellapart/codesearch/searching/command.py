"""Any program as a system under test."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tellapart.codesearch.conversations import Conversation
from tellapart.codesearch.failed import Failed
from tellapart.codesearch.repositories import Repositories
from tellapart.codesearch.searching.placeholders import filled, split_command
from tellapart.codesearch.searching.process import Finished, run_program
from tellapart.codesearch.searching.protocol import Found
from tellapart.errors import UsageError

TIMEOUT_S = 600.0
"""For one conversation."""

_QUOTED_CHARACTERS = 500


@dataclass(frozen=True)
class CommandSystem:
    """Runs a program once for each conversation.

    The program finds the conversation in its arguments, where placeholders stand, and as JSON on standard
    input. It prints the documented ``search_results`` (alone or under that name) or a list of files as JSON,
    or else one ``repo/path`` a line. A search that finds nothing prints ``{"files_found": []}``: no output at
    all is a failure, as are an exit status above 0, output that is no UTF-8, and time-outs.

    Attributes:
        command: Words and placeholders, cut as a shell would; no shell is asked.
        repositories: Where files may be.
        iteration: For ``{iteration}``.
        learnings: A file for ``{learnings}``; empty where there is none.
        timeout_s: For one conversation.
    """

    command: str
    repositories: Repositories
    iteration: int | None = None
    learnings: Path | None = None
    timeout_s: float = TIMEOUT_S

    @cached_property
    def words(self) -> list[str]:
        """The command, cut.

        Raises:
            UsageError: See ``split_command``.
        """
        return split_command(self.command)

    @property
    def name(self) -> str:
        """The command line."""
        return self.command

    def prepare(self) -> None:
        """See that the program is there.

        Raises:
            UsageError: It is not, or ``split_command`` refuses the command.
        """
        if "{" not in self.words[0] and shutil.which(self.words[0]) is None:
            raise UsageError(
                f"the command's program {self.words[0]!r} is not on PATH, or may not be run",
                next_step="Give its path; for a shell's own words: --command \"sh -c '…' sh {issue}\"",
            )

    async def search(self, conversation: Conversation) -> Found | Failed:
        """Run the program for one conversation."""
        values = {
            "conversation_id": conversation.id,
            "issue": conversation.issue_summary,
            "iteration": "" if self.iteration is None else str(self.iteration),
            "learnings": str(self.learnings or ""),
            "product_area": conversation.product_area,
            "repos_path": str(self.repositories.root),
        }
        given = {
            "conversation_id": conversation.id,
            "issue_summary": conversation.issue_summary,
            "product_area": conversation.product_area,
            "classification_confidence": conversation.classification_confidence,
            "iteration_number": self.iteration,
            "repos_path": str(self.repositories.root),
            "approved_repos": list(self.repositories.names),
            "learnings": str(self.learnings) if self.learnings else None,
        }
        words = filled(self.words, values)
        ended = await run_program(words, json.dumps(given).encode() + b"\n", self.timeout_s)
        return ended if isinstance(ended, Failed) else _found(ended, words[0])


def _found(ended: Finished, program: str) -> Found | Failed:
    if ended.status:
        how = f"status {ended.status}" if ended.status > 0 else f"signal {-ended.status}"
        said = f": {ended.complaint[-_QUOTED_CHARACTERS:]}" if ended.complaint else ""
        return Failed("provider", "exit", f"{program!r} ended with {how}{said}")
    try:
        text = ended.output.decode().strip()
    except UnicodeDecodeError as error:
        return Failed("parse", "output", f"{program!r} printed no UTF-8, first at byte {error.start}")
    if not text:
        return Failed("parse", "output", f"{program!r} printed nothing{_hint(ended.complaint)}")
    if text[0] not in "{[":
        return Found({"files_found": [line.strip() for line in text.splitlines() if line.strip()]})
    return _from_json(text, program)


def _hint(complaint: str) -> str:
    return f", and on standard error {complaint[-_QUOTED_CHARACTERS:]!r}" if complaint else ""


def _from_json(text: str, program: str) -> Found | Failed:
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Failed("parse", "output", f"{program!r} printed no JSON: {error}")
    if isinstance(data, list):
        data = {"files_found": data}
    result = data.get("search_results", data)
    if not isinstance(result, dict) or "files_found" not in result:
        return Failed("parse", "output", f"{program!r} printed JSON without 'files_found': {text[:80]!r}")
    return Found(result)
