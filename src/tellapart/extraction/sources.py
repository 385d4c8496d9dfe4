"""Find a repository's own source files: not its tests, not what it vendors, generates or ignores."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from pathspec import GitIgnoreSpec

from tellapart.errors import InputError
from tellapart.extraction.languages import Language, candidates, language_of


class LeftOut(NamedTuple):
    """What was left out: a file, a directory (its path ends in a slash), or a unit, with name and line."""

    path: str
    cause: str
    name: str = ""
    line: int = 0

    def __str__(self) -> str:
        """Name it as ``path`` or ``path:line``."""
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True)
class Skipped:
    """What was left out and why, in the order in which it was met."""

    things: tuple[LeftOut, ...] = ()

    @cached_property
    def counts(self) -> dict[str, int]:
        """Cause to number of things, causes in alphabetical order; empty when nothing was left out."""
        return dict(sorted(Counter(thing.cause for thing in self.things).items()))


@dataclass
class Tally:
    """Collects what is left out until ``freeze``."""

    things: list[LeftOut] = field(default_factory=list)

    @classmethod
    def after(cls, earlier: Skipped) -> Tally:
        """Go on where an earlier step stopped."""
        return cls(list(earlier.things))

    def add(self, cause: str, path: str, name: str = "", line: int = 0) -> None:
        """Take one more thing left out for ``cause``; see ``LeftOut``."""
        self.things.append(LeftOut(path, cause, name, line))

    def freeze(self) -> Skipped:
        """Return what was collected."""
        return Skipped(tuple(self.things))


VENDORED = frozenset(
    {".bundle", ".eggs", ".git", ".gradle", ".hg", ".nox", ".svn", ".tox", ".venv", ".yarn", "3rdparty"}
    | {"Pods", "__pycache__", "_vendor", "_vendored", "bower_components", "dist-packages", "jspm_packages"}
    | {"node_modules", "site-packages", "third-party", "third_party", "thirdparty", "vendor", "vendored"}
)
TEST_DIRECTORY = re.compile(r"_*(?:tests?|specs?|mocks|testdata)_*|.*[._-]tests?", re.IGNORECASE)
# Elsewhere a "spec" is a specification: answer_spec.py, openapi.spec.json.
TEST_FILE = re.compile(
    r"test_.*|conftest\.py|.*_(?:test|tests|unittest)\.\w+|.*[.-](?:test|e2e|cy)\.\w+"
    r"|.*[._-]spec\.(?:rb|[cm]?[jt]sx?|coffee|vue|lua|cr|dart|php|exs?)"
    r"|.*[a-z0-9](?:Test|Tests|TestCase|Spec)\.(?:java|kt|cs|php)"
)
GENERATED_FILE = re.compile(
    r".*[.-]min\.[cm]?js|.*\.bundle\.js|.*_pb2(?:_grpc)?\.py|.*\.pb\.(?:go|cc|h)|.*_pb\.(?:js|ts|rb)"
    r"|.*\.d\.[cm]?ts|.*\.(?:g|gen|generated|designer)\.\w+|.*_generated\.\w+|zz_generated\..*|.*\.tab\.[ch]",
    re.IGNORECASE,
)
COMMENT_LINE = re.compile(r"\s*(?:#|//|/?\*|--|;|<!--|\"\"\")")
GENERATED = re.compile(
    r"@generated\b|\A(?>.*?generated\b).*\bdo(?: not|n't) (?:edit|modify|change)\b", re.I | re.S
)
EDIT_NOT = re.compile(r"\A(?>.*?\bdo(?: not|n't) (?:edit|modify|change)\b).*generated\b", re.I | re.S)
HEAD_BYTES = 2_000
HEAD_LINES = 20
CLAIM_BYTES = 200_000


class SourceFile(NamedTuple):
    """A file to read: POSIX path from the repository's root, place on this machine, language."""

    path: str
    location: Path
    language: Language


@dataclass(frozen=True)
class Sources:
    """The source files of a repository, by path, and what was left out; a directory counts once."""

    files: tuple[SourceFile, ...]
    skipped: Skipped


def find_sources(repository: Path) -> Sources:
    """Find the files to extract units from, by their paths below ``repository``; links are not followed."""
    if not repository.is_dir():
        what = "this is a file, not a directory" if repository.exists() else "there is no such directory"
        raise InputError(what, where=repository, next_step="Name the root directory of a repository.")
    walk = Walk(repository, include_tests=False, wanted=candidates)
    files = [file for path, location in walk.files() if (file := _source(path, location, walk.tally))]
    return Sources(tuple(sorted(files, key=lambda file: file.path)), walk.tally.freeze())


class Walk:
    """One pass over the tree, without recursion; ``tally`` has what was left out by its name or place."""

    def __init__(self, root: Path, *, include_tests: bool, wanted: Callable[[str], object]) -> None:
        """Walk below ``root``; files whose path is not ``wanted`` are passed over and not counted."""
        self.root = root
        self.include_tests = include_tests
        self.wanted = wanted
        self.tally = Tally()
        self.specs: dict[str, GitIgnoreSpec] = {}

    def files(self) -> Iterator[tuple[str, Path]]:
        """Walk every directory that no rule leaves out; path and place of each file, in any order."""
        pending = [""]
        while pending:
            directory = pending.pop()
            for entry in self._entries(directory):
                path = directory + entry.name
                if entry.is_symlink():
                    self._skip_link(entry, path)
                elif entry.is_dir():
                    if not self._left_out(f"{path}/", entry):
                        pending.append(f"{path}/")
                elif entry.is_file() and self.wanted(path) and not self._left_out(path, entry):
                    yield path, Path(entry.path)

    def _entries(self, directory: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self.root / directory) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError:
            self.tally.add("unreadable", directory or "/")
            return []
        names = {entry.name for entry in entries}
        if directory and "pyvenv.cfg" in names:
            self.tally.add("vendored", directory)
            return []
        if ".gitignore" in names and (self.root / directory / ".gitignore").is_file():
            self._read_ignores(directory)
        return entries

    def _read_ignores(self, directory: str) -> None:
        try:
            lines = (self.root / directory / ".gitignore").read_text("utf-8", "replace").splitlines()
            self.specs[directory] = GitIgnoreSpec.from_lines(lines)
        except (OSError, ValueError):
            self.tally.add("unreadable", f"{directory}.gitignore")

    def _skip_link(self, entry: os.DirEntry[str], path: str) -> None:
        try:
            leads_on = bool(self.wanted(path)) or entry.is_dir()
        except OSError:
            leads_on = True
        if leads_on:
            self.tally.add("symlink", path)

    def _left_out(self, path: str, entry: os.DirEntry[str]) -> bool:
        """Count and leave out by name; a path that ends in a slash is a directory."""
        cause = self._cause(path, entry.name, path.endswith("/"))
        if cause:
            self.tally.add(cause, path.encode(errors="replace").decode())
        return cause is not None

    def _cause(self, path: str, name: str, is_directory: bool) -> str | None:
        if not _is_text(name):
            return "undecodable name"
        if is_directory and name in VENDORED:
            return "vendored"
        is_test = TEST_DIRECTORY.fullmatch(name) if is_directory else TEST_FILE.fullmatch(name)
        if is_test and not self.include_tests:
            return "test"
        if not is_directory and GENERATED_FILE.fullmatch(name):
            return "generated"
        return "ignored" if self._ignored(path) else None

    def _ignored(self, path: str) -> bool:
        """Ask the deepest .gitignore that says anything about the path."""
        directory = path.rstrip("/")
        while directory:
            directory = directory[: directory.rstrip("/").rfind("/") + 1]
            spec = self.specs.get(directory)
            decision = spec.check_file(path[len(directory) :]).include if spec else None
            if decision is not None:
                return decision
        return False


def _source(path: str, location: Path, tally: Tally) -> SourceFile | None:
    """Look into the first lines; a file that cannot be read is left for the extraction to count."""
    try:
        with location.open("rb") as stream:
            head = stream.read(CLAIM_BYTES)
    except OSError:
        head = b""
    if says_generated(head):
        tally.add("generated", path)
    elif language := language_of(path, head):
        return SourceFile(path, location, language)
    return None


def says_generated(data: bytes) -> bool:
    """Say whether the comments in a file's first lines call it made by a program."""
    head = data[:HEAD_BYTES].decode(errors="replace").splitlines()[:HEAD_LINES]
    comments = "\n".join(line for line in head if COMMENT_LINE.match(line))
    return bool(GENERATED.search(comments) or EDIT_NOT.search(comments))


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
