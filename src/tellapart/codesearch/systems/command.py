"""``command:PROGRAM {issue}``: any program."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from tellapart.codesearch.model import Conversation, Failed
from tellapart.codesearch.reading import FILES
from tellapart.codesearch.systems.placeholders import filled, split_command
from tellapart.codesearch.systems.processes import Finished, run_program
from tellapart.codesearch.systems.system import SystemAnswer, SystemRequest
from tellapart.environment.programs import check_passed, child_environment, withheld_hint
from tellapart.errors import UsageError

_QUOTED_CHARACTERS = 500


class CommandSystem:
    """Runs a program once for each conversation.

    The program finds the conversation in its arguments, where placeholders stand, and as JSON on standard
    input. What it prints is read in any form that names files; see ``answers``. A search that finds
    nothing prints ``{"files_found": []}``, or ends as grep does: with nothing printed, on standard error
    neither, and status 1 or 0. Any other status above 0 is a failure, and so are time-outs.
    """

    def __init__(self, request: SystemRequest) -> None:
        """Run the command of the request; it is cut as a shell would, and no shell is asked."""
        self._request = request

    @cached_property
    def words(self) -> list[str]:
        """The command, cut."""
        return split_command(self._request.argument)

    @property
    def name(self) -> str:
        """The command line."""
        return self._request.argument

    def check(self) -> None:
        """See that the program is there."""
        check_passed(self._request.pass_env)
        if "{" not in self.words[0] and shutil.which(self.words[0]) is None:
            raise UsageError(
                f"the command's program {self.words[0]!r} is not on PATH, or may not be run",
                next_step="Give its path; for a shell's own words: --command \"sh -c '…' sh {issue}\"",
            )

    def prepare(self) -> None:
        """Nothing is read before the first issue."""

    async def search(self, conversation: Conversation) -> SystemAnswer | Failed:
        """Run the program for one conversation."""
        words = filled(self.words, self._request.values(conversation))
        given = json.dumps(self._request.facts(conversation)).encode() + b"\n"
        passed = self._request.pass_env
        ended = await run_program(
            words, given, self._request.timeout_s, environment=child_environment(passed)
        )
        outcome = ended if isinstance(ended, Failed) else _answer(ended, words[0])
        if isinstance(outcome, Failed) and outcome.kind in ("exit", "output"):
            return replace(outcome, detail=outcome.detail + withheld_hint(passed))
        return outcome

    async def close(self) -> None:
        """Nothing stays open: what runs ends with its search."""


def _answer(ended: Finished, program: str) -> SystemAnswer | Failed:
    silent = not ended.output.strip() and not ended.complaint
    if ended.status and not (ended.status == 1 and silent):
        how = f"status {ended.status}" if ended.status > 0 else f"signal {-ended.status}"
        complaint = f": {ended.complaint[-_QUOTED_CHARACTERS:]}" if ended.complaint else ""
        return Failed("provider", "exit", f"{program!r} ended with {how}{complaint}")
    if silent:
        return SystemAnswer({FILES: []}, silent=True)
    if not ended.output.strip():
        complaint = ended.complaint[-_QUOTED_CHARACTERS:]
        return Failed("parse", "output", f"{program!r} printed nothing, and on standard error {complaint!r}")
    return SystemAnswer(ended.output, cwd=str(Path.cwd()))


def load(request: SystemRequest) -> CommandSystem:
    """Make the system."""
    return CommandSystem(request)
