"""The approved repositories, and what of them may be read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from tellapart.errors import InputError, TellapartError, UsageError

MOST_BYTES = 1_000_000
"""Of a file that is read; larger ones are no source code."""

SECRETS: tuple[str, ...] = (
    ".env",
    ".env.*",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
)
SECRETS += ("credentials*", "*credentials.json", ".netrc", ".npmrc", ".pypirc", ".htpasswd", "secrets.*")
"""Names of files that are never read, in lower case."""

HIDDEN = frozenset({".git", ".hg", ".svn"})
"""Directories that are never entered."""


class OutOfBounds(TellapartError):
    """A path that may not be read."""


@dataclass(frozen=True)
class Repositories:
    """Directories side by side, each a repository.

    Attributes:
        root: What they lie in.
        names: Of those that may be read, sorted.
    """

    root: Path
    names: tuple[str, ...]

    @classmethod
    def open(cls, root: Path, names: Sequence[str]) -> Repositories:
        """See that the repositories are there.

        Raises:
            UsageError: No repository is named, or a name is no plain name.
            InputError: A directory is missing.
        """
        if not names:
            raise UsageError("no repository is approved", next_step="Name at least one with --repo NAME")
        for name in names:
            if name != Path(name).name or name in ("", ".", ".."):
                raise UsageError(f"the approved repository is {name!r}, expected the name of a directory")
            if not (root / name).is_dir():
                raise InputError(f"there is no repository {name!r}", where=root)
        return cls(root.resolve(), tuple(sorted(set(names))))

    def locate(self, path: str) -> Path:
        """Find a file or a directory.

        Args:
            path: ``repo/path`` or ``repo`` alone.

        Returns:
            Its place on this machine, without symbolic links.

        Raises:
            OutOfBounds: It is absolute, climbs with ``..``, leaves the approved repositories through a link,
                or is a secret or in a directory of version control.
        """
        parts = path.split("/")
        if path.startswith("/") or "\\" in path or "\0" in path or ".." in parts:
            raise OutOfBounds(f"{path!r} may not be read: expected repo/path, without '..'")
        if parts[0] not in self.names:
            raise OutOfBounds(f"{path!r} may not be read: the repositories are {', '.join(self.names)}")
        place = self.root.joinpath(*parts).resolve()
        home = (self.root / parts[0]).resolve()
        if place != home and home not in place.parents:
            raise OutOfBounds(f"{path!r} may not be read: it leads out of the repository")
        if not (self._open_to_all(parts) and self._open_to_all(place.relative_to(home).parts)):
            raise OutOfBounds(f"{path!r} may not be read: it may hold secrets")
        return place

    def files(self) -> Iterator[str]:
        """Every file that may be read, as ``repo/path``, repositories in order and paths sorted within."""
        for name in self.names:
            yield from sorted(self._below(name))

    def _below(self, directory: str) -> Iterator[str]:
        with os.scandir(self.root / directory) as entries:
            for entry in entries:
                if entry.is_symlink() or not self._open_to_all((entry.name,)):
                    continue
                path = f"{directory}/{entry.name}"
                if entry.is_dir():
                    yield from self._below(path)
                elif entry.is_file():
                    yield path

    @staticmethod
    def _open_to_all(parts: Sequence[str]) -> bool:
        lowered = [part.lower() for part in parts]
        secret = any(fnmatch(part, pattern) for part in lowered for pattern in SECRETS)
        return not secret and HIDDEN.isdisjoint(lowered)
