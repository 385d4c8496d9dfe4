"""The approved repositories, and what of them may be read: no way out, no version control, no secrets."""

from __future__ import annotations

import os
import shlex
import stat
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.errors import InputError, TellapartError, UsageError
from tellapart.extraction.sources import Skipped, Tally, Walk
from tellapart.llm.quoting import visible

if TYPE_CHECKING:
    from tellapart.codesearch.case import Base

LONGEST_PATH = 1000
"""Characters of a path."""

HIDDEN = frozenset({".git", ".hg", ".svn", ".bzr", ".ssh", ".aws", ".gnupg", ".kube"})
"""Directories, and files such as a worktree's ``.git``, of version control and of keys; never entered."""

_KEYS = ("*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.ppk", "*.jks", "*.keystore", "*.kdbx", "*.gpg")
_SSH = ("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*")
_TOOLS = (".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".htpasswd", ".pgpass", ".my.cnf")
_DATA = ("json", "yml", "yaml", "toml", "ini", "cfg", "conf", "xml", "csv", "properties", "enc", "txt")
_WORDS = tuple(
    f"*{word}.{end}" for word in ("credential", "credentials", "secret", "secrets") for end in _DATA
)

SECRETS: tuple[tuple[str, tuple[str, ...]], ...] = (
    # Examples of it too: what people copy there is often no example.
    ("holds the environment of a program", (".env*", "*.env")),
    ("is a key", (*_KEYS, *_SSH)),
    (
        "holds the passwords of a tool",
        (*_TOOLS, ".git-credentials", ".dockercfg", ".dockerconfigjson", "*.tfstate", "*.tfvars"),
    ),
    # Source code of such a name, secrets.py, is none.
    ("holds credentials", ("credentials", *_WORDS, "client_secret*.json", "service_account*.json")),
)
"""Why a file is a secret, and the names of such files, in lower case."""


class OutOfBounds(TellapartError):
    """A path that may not be read; the message says what to do instead."""


class NotThere(OutOfBounds):
    """A path at which there is nothing to read."""


def split_path(path: str, repositories: Sequence[str]) -> tuple[str, ...]:
    """Cut ``repo/path`` into names, of which every one may be read.

    One slash at the end is left out. A path has one spelling: ``./`` and ``//`` are refused.

    Args:
        path: As somebody wrote it who may want to get out.
        repositories: The names of those that may be read.

    Raises:
        OutOfBounds: It is empty, absolute or climbs, names no approved repository, or holds a name that
            ``refusal`` turns down.
    """
    shown = f"{path[:100]!r}" if len(path) <= LONGEST_PATH else f"{path[:60]!r}… of {len(path):,} characters"
    expected = f"Give it as REPOSITORY/PATH, with one of the repositories {', '.join(repositories)}"
    parts = path.removesuffix("/").split("/")
    if len(path) > LONGEST_PATH:
        raise OutOfBounds(f"{shown} may not be read: it is too long", next_step=expected)
    if path.startswith(("/", "~")):
        raise OutOfBounds(f"{shown} may not be read: it does not begin with a repository", next_step=expected)
    for part in parts:
        if part in ("", ".", ".."):
            raise OutOfBounds(f"{shown} may not be read: a name in it is {part!r}", next_step=expected)
    if parts[0] not in repositories:
        raise OutOfBounds(f"{shown} may not be read: there is no such repository", next_step=expected)
    for name in parts[1:]:
        why = refusal(name)
        if why:
            raise OutOfBounds(f"{shown} may not be read: {why}", next_step="Go on without it")
    return tuple(parts)


def secret(name: str) -> str | None:
    """Why a file of this name is not read, or None where it is no secret; directories may have such names.

    Case, full-width letters, characters that print nothing, and dots or spaces at the end make no difference.
    """
    plain = _plain(name)
    for why, patterns in SECRETS:
        if any(fnmatchcase(plain, pattern) for pattern in patterns):
            return f"{name!r} {why}, and secrets are not shown"
    return None


def refusal(name: str) -> str | None:
    """Why a file or a directory of this name is left alone, or None; see ``secret`` for files."""
    if "\\" in name or "\0" in name:
        return f"{name!r} has a character that no name should have"
    if visible(name) != name or "\n" in name or "\t" in name:
        return f"{ascii(name)} has characters that cannot be seen"
    if name != name.rstrip(". "):
        return f"{name!r} ends in a dot or a space"
    if _plain(name) in HIDDEN or _plain(name).startswith(".env"):
        return f"{name!r} is not part of the source code"
    return None


def _plain(name: str) -> str:
    """As a file system would take it that does not tell such names apart."""
    seen = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
    return seen.casefold().rstrip(". ")


__all__ = ["MOST_BYTES", "NotThere", "OutOfBounds", "Repositories"]

MOST_BYTES = 1_000_000
"""Of a file that is read; larger ones are no source code."""

# Names come again in every directory and every listing, and a look at one takes some 30 microseconds.
_secret = lru_cache(maxsize=100_000)(secret)
_refusal = lru_cache(maxsize=100_000)(refusal)

_LOOK = "List the directory to see what is there"


@dataclass(frozen=True)
class Repositories:
    """Directories side by side, each a repository.

    Attributes:
        root: What they lie in.
        names: Of those that may be read, sorted.
        absent: Of approved ones that are not there and were skipped, sorted.
    """

    root: Path
    names: tuple[str, ...]
    absent: tuple[str, ...] = ()

    @classmethod
    def open(cls, root: Path, names: Sequence[str], *, skip_absent: bool = False) -> Repositories:
        """See that the repositories are there.

        Args:
            root: What they lie in.
            names: Of the approved ones.
            skip_absent: Whether those that are not there are left out.

        Raises:
            UsageError: No repository is named, or a name is no plain name.
            InputError: Directories are missing, or all are; names every one.
        """
        if not names:
            raise UsageError("no repository is approved", next_step="Name at least one with --repo NAME")
        for name in names:
            if name != Path(name).name or name in ("", ".", ".."):
                raise UsageError(f"the approved repository is {name!r}, expected the name of a directory")
        there = sorted({name for name in names if (root / name).is_dir()})
        absent = sorted(set(names) - set(there))
        if absent and not (skip_absent and there):
            raise InputError(_absent(absent, there), where=root, next_step=_next_step(there))
        return cls(root.resolve(), tuple(there), tuple(absent))

    @classmethod
    def none(cls) -> Repositories:
        """No repository: nothing is read, and nobody can say that a file is not there."""
        return cls(Path(), ())

    def locate(self, path: str) -> Path:
        """Find a file or a directory.

        No symbolic link is followed, so that a file has one path and no way leads out. Only the directory of
        a repository itself may be a link: whoever approved its name approved where that leads.

        Args:
            path: ``repo/path`` or ``repo`` alone.

        Returns:
            Its place on this machine, at which there may be nothing.

        Raises:
            OutOfBounds: It is not in an approved repository, goes through a link, is a secret, of version
                control, or neither a file nor a directory, such as a device.
        """
        parts = split_path(path, self.names)
        try:
            return self._locate(path, parts)
        except OSError as error:
            raise OutOfBounds(f"{path!r} cannot be read: {error.strerror}") from None

    def _locate(self, path: str, parts: Sequence[str]) -> Path:
        place = self._home(parts[0])
        for name in parts[1:]:
            place /= name
            if place.is_symlink():
                raise OutOfBounds(self._linked(path, place))
        if len(parts) > 1 and not place.is_dir():
            _check_secret(path, parts[-1])
            if place.exists() and not place.is_file():
                raise OutOfBounds(f"{path!r} may not be read: it is not a regular file")
        return place

    def read_bytes(self, path: str, limit: int = MOST_BYTES) -> bytes:
        """Read a file whole; what may be read is decided on what is opened, not on what was there before.

        Args:
            path: ``repo/path``.
            limit: Bytes that it may have.

        Raises:
            NotThere: There is nothing, or a directory.
            OutOfBounds: As in ``locate``, or it is larger than ``limit``, or closed to this process.
        """
        parts = split_path(path, self.names)
        if len(parts) > 1:
            _check_secret(path, parts[-1])
        try:
            opened = _open_below(self._home(parts[0]), parts[1:])
            try:
                content = _content(opened, path, limit)
            finally:
                os.close(opened)
        except OSError as error:
            self.locate(path)  # Says so where a link is on the way.
            if isinstance(error, FileNotFoundError | NotADirectoryError):
                raise NotThere(f"there is no file {path!r}", next_step=_LOOK) from None
            raise OutOfBounds(f"{path!r} cannot be read: {error.strerror}") from None
        return content

    def holds(self, path: str) -> bool:
        """Whether there is such a file, be it one that may not be read; a directory is none.

        True without any repository, since nobody can say.
        """
        if not self.names:
            return True
        try:
            return self.locate(path).is_file()
        except OutOfBounds:
            return True

    def at(self, base: Base | None) -> AbstractContextManager[Repositories]:
        """These, whatever an issue's base commit; see ``base_trees.Trees``."""
        return nullcontext(self)

    def held_at(self, base: Base | None, file: str) -> bool:
        """Whether they hold a file, whatever an issue's base commit; see ``base_trees.Trees``."""
        return self.holds(file)

    def _home(self, name: str) -> Path:
        return (self.root / name).resolve()

    def _linked(self, path: str, link: Path) -> str:
        target = Path(os.path.realpath(link))  # Where it leads even if in a circle.
        for name in self.names:
            if target.is_relative_to(self._home(name)):
                real = "/".join((name, *target.relative_to(self._home(name)).parts))
                return f"{path!r} goes through a symbolic link; its file is {real!r}, if that may be read"
        return f"{path!r} may not be read: it leads out of the repositories through a symbolic link"

    def files(self) -> Iterator[str]:
        """Every file of the repositories' own that may be read, as ``repo/path``; see ``listing``."""
        yield from self.listing()[0]

    def listing(self) -> tuple[dict[str, Path], Skipped]:
        """List the files that may be read, without what is vendored, generated by its name or ignored.

        Tests, documentation and configuration are listed too. What is left out may still be read by its path.

        Returns:
            ``repo/path`` to the place on this machine, repositories in order and paths sorted within; and
            what was left out by cause, names as ``repo/path``.
        """
        places: dict[str, Path] = {}
        tally = Tally()
        for name in self.names:
            walk = Walk(self.root / name, include_tests=True, wanted=self._may_be_listed)
            places |= {f"{name}/{path}": place for path, place in sorted(walk.files())}
            for thing in walk.tally.things:
                tally.add(thing.cause, f"{name}/{thing.path}")
        return places, tally.freeze()

    def _may_be_listed(self, path: str) -> bool:
        return "\\" not in path and self._open_to_all(path.split("/"))

    @staticmethod
    def _open_to_all(parts: Sequence[str]) -> bool:
        return not _secret(parts[-1]) and not any(map(_refusal, parts))


def _absent(absent: Sequence[str], there: Sequence[str]) -> str:
    if len(absent) == 1:
        return f"there is no repository {absent[0]!r}"
    of = f"{len(absent)} of {len(absent) + len(there)}" if there else f"all {len(absent)}"
    return f"{of} approved repositories are not there: {', '.join(absent)}"


def _next_step(there: Sequence[str]) -> str:
    if not there:
        return "Give the directory that holds them with --repos-path DIR"
    named = " ".join(f"--repo {shlex.quote(name)}" for name in there)
    return f"Put them there, read only the others with {named}, or go on without them with --skip-absent"


def _open_below(home: Path, parts: Sequence[str]) -> int:
    """Open a file name by name, so that none of them can become a symbolic link meanwhile.

    Neither a queue nor a device is waited for.
    """
    at = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for i, name in enumerate(parts, 1):
        kind = os.O_NONBLOCK | os.O_NOCTTY if i == len(parts) else os.O_DIRECTORY
        try:
            below = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | kind, dir_fd=at)
        finally:
            os.close(at)
        at = below
    return at


def _content(opened: int, path: str, limit: int) -> bytes:
    status = os.fstat(opened)
    if stat.S_ISDIR(status.st_mode):
        raise NotThere(f"{path!r} is a directory", next_step=_LOOK)
    if not stat.S_ISREG(status.st_mode):
        raise OutOfBounds(f"{path!r} may not be read: it is not a regular file")
    with os.fdopen(opened, "rb", closefd=False) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise OutOfBounds(f"{path!r} is not read: it has {status.st_size:,} bytes, more than {limit:,}")
    return content


def _check_secret(path: str, name: str) -> None:
    why = secret(name)
    if why:
        raise OutOfBounds(f"{path!r} may not be read: {why}", next_step="Go on without it")


def check_outside_repositories(repositories: Repositories, places: Mapping[str, Path | None]) -> None:
    """Refuse files and directories that lie in an approved repository.

    Explorers must not see what the system under test found; and what is written into a repository makes it
    another one, so that an interrupted evaluation could not go on.

    Args:
        repositories: What explorers may read.
        places: By what each is, such as ``--out``; None for one that there is not.

    Raises:
        UsageError: One does.
    """
    for what, place in places.items():
        if place is None:
            continue
        for name in repositories.names:
            home = (repositories.root / name).resolve()
            resolved = place.resolve()
            if resolved == home or home in resolved.parents:
                raise UsageError(
                    f"{what} lies in the repository {name!r}, where explorers would read it",
                    where=place,
                    next_step="Keep it in a directory outside the approved repositories",
                )
