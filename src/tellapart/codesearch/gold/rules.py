"""Which gold files nobody would look for: tests, and what a program writes beside the fix."""

from __future__ import annotations

from fnmatch import fnmatchcase

from tellapart.extraction.sources import TEST_DIRECTORY, TEST_FILE

LOCK_FILES = (
    *("*.lock", "*.lockb", "*.lockfile", "*-lock.json", "*-lock.yaml", "*-lock.yml", "*.lock.json"),
    *("npm-shrinkwrap.json", "go.sum", "go.work.sum", "*.lock.hcl", "package.resolved"),
)
"""Names of files that a package manager writes, in lower case."""


def rule_for(file: str) -> str | None:
    """Why a gold file is left out: ``test`` or ``lock``; None for one that counts."""
    *directories, name = file.split("/")[1:]
    if any(TEST_DIRECTORY.fullmatch(directory) for directory in directories) or TEST_FILE.fullmatch(name):
        return "test"
    return "lock" if any(fnmatchcase(name.lower(), pattern) for pattern in LOCK_FILES) else None
