"""Issues from the subjects of commits; the files that a commit touches are a further truth."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tellapart.codesearch.drafting.issue import Draft, says_enough
from tellapart.codesearch.repositories import Repositories
from tellapart.core.randomness import generator
from tellapart.errors import InputError

MOST_FILES = 15
"""That a commit may touch: one that touches more is no single issue."""

MOST_COMMITS = 20_000
"""Of a repository that are looked at, the newest."""

_TIMEOUT_S = 120
_INSTEAD = "Draft issues from docstrings instead: --source docstrings"
_PREFIX = re.compile(r"^(?:\[[^\]]+\]\s*|[\w./-]+(?:\([^)]*\))?!?:\s+)")
_NUMBER = re.compile(r"\s*\((?:#\d+|[A-Z]+-\d+)\)\s*$")
_CHORE = re.compile(
    r"merge\b|revert\b|bump\b|release\b|prepare\b.*\brelease|v?\d+\.\d+|version\b|back to dev|wip\b"
    r"|(?:fixup|squash|amend)!|initial commit|update (?:dependenc|changelog|version|lock|copyright)"
    r"|.*\b(?:typos?|spelling|misspell\w*|whitespace|changelog|lint(?:er|ing)?|reformat\w*|code ?style"
    r"|bump version|version bump|dependabot|pre-commit)\b|(?:chore|ci|build|style|release|deps)(?:\(|!?:)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Commit:
    """A commit that is no merge.

    Attributes:
        hash: All 40 digits.
        author: As it is written.
        subject: The first line of its message.
        files: That it touches, from the directory of the repository.
    """

    hash: str
    author: str
    subject: str
    files: tuple[str, ...]


def commit_drafts(repositories: Repositories, seed: int) -> Iterator[Draft]:
    """Draft issues from commits, in an order that ``seed`` decides.

    Left out are merges, reverts, releases, dependencies, spelling and style, commits of robots, those that
    touch more than ``MOST_FILES`` files, and those of whose files none is there any more.

    Raises:
        InputError: See ``read_commits``.
    """
    readable = set(repositories.files())
    drafts = []
    for name in repositories.names:
        for commit in read_commits(repositories.root / name):
            files = sorted({f"{name}/{file}" for file in commit.files} & readable)
            summary = issue_of(commit)
            if summary and files and len(commit.files) <= MOST_FILES:
                drafts.append(Draft("commit", f"{name}/{commit.hash}", summary, tuple(files)))
    yield from sorted(drafts, key=lambda draft: float(generator(seed, draft.origin).random()))


def issue_of(commit: Commit) -> str | None:
    """The subject as an issue, without kind and part in front and number behind; None for a chore."""
    subject = " ".join(commit.subject.split())
    bare = _NUMBER.sub("", _PREFIX.sub("", subject))
    chore = _CHORE.match(subject) or _CHORE.match(bare) or "[bot]" in commit.author
    return bare if not chore and says_enough(bare) else None


def read_commits(repository: Path) -> list[Commit]:
    """Read the history of a directory: commits that touch something in it, the newest first.

    Nothing that the repository configures is run: no pager, no signature program, no filter.

    Raises:
        InputError: git is not there, does not answer, or the directory has no history.
    """
    program = shutil.which("git")
    if program is None:
        raise InputError("commits are read by git, which is not on PATH", next_step=_INSTEAD)
    settings = ("-c", "log.showSignature=false", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")
    command = [program, "--no-pager", "--no-optional-locks", *settings, "-C", str(repository), "log", "-z"]
    command += [
        f"--max-count={MOST_COMMITS}",
        "--no-merges",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
    ]
    command += ["--relative", "--name-only", "--format=%x01%H%x00%an%x00%s", "--", "."]
    try:
        done = subprocess.run(
            command, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"git log took more than {_TIMEOUT_S} s", where=repository) from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
        raise InputError(f"git reads no history here: {said}", where=repository, next_step=_INSTEAD)
    return _parsed(done.stdout.decode("utf-8", "surrogateescape"))


def _environment() -> dict[str, str]:
    """Ours without what would have git look elsewhere."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
        "LC_ALL": "C"
    }


def _parsed(log: str) -> list[Commit]:
    commits = []
    for entry in log.removeprefix("\1").split("\0\1"):
        commit, _, files = entry.partition("\0\n")
        match commit.rstrip("\0").split("\0"):
            case [digest, author, subject]:
                commits.append(Commit(digest, author, subject, tuple(filter(None, files.split("\0")))))
    return commits
