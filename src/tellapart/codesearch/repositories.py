"""The approved repositories, and what of them may be read: no way out, no version control, no secrets.

A file that holds a secret, by its name or by what is in it, is withheld as a whole; `environment.secrets`
lists both. A header of a private key without a key is no secret, nor is a placeholder in the form of a token.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from fnmatch import translate
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tellapart.environment.secrets import secret_forms
from tellapart.errors import InputError, TellapartError, UsageError, close_match, quoted
from tellapart.extraction.sources import Skipped, Tally, Walk
from tellapart.llm.quoting import visible

if TYPE_CHECKING:
    from tellapart.codesearch.model import Base


LONGEST_PATH = 1000  # Characters of a path
_VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr"})

HIDDEN = _VERSION_CONTROL | {".ssh", ".aws", ".gnupg", ".kube", ".gcloud"}
"""Directories, and files such as a worktree's ``.git``, of version control and of keys; never entered."""


Reason = Literal["not in the tree", "directory", "outside", "secret", "not approved", "ambiguous", "no path"]
"""Why something that a system named is no file that it found."""


class OutOfBounds(TellapartError):
    """A path that may not be read; the message says what to do instead."""


class NotThere(OutOfBounds):
    """A path at which there is nothing to read."""


class Linked(OutOfBounds):
    """A path through a symbolic link, which is not followed."""


class Withheld(OutOfBounds):
    """A file that holds a secret."""

    def __init__(self, path: str, why: str) -> None:
        """Say of ``repo/path`` why it is withheld."""
        self.why = why
        name = path.rpartition("/")[2]
        super().__init__(
            f"{path!r} may not be read: {name!r} {why}, and secrets are not shown",
            next_step="Go on without it",
        )


def split_path(path: str, repositories: Sequence[str]) -> tuple[str, ...]:
    """Cut ``repo/path`` into names, of which every one may be read."""
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
        if why := refusal(name):
            raise OutOfBounds(f"{shown} may not be read: {why}", next_step="Go on without it")
    return tuple(parts)


@lru_cache(maxsize=100_000)
def refusal(name: str) -> str | None:
    """Why a file or a directory of this name is left alone, or None; see ``secret_files`` for secrets."""
    if "\\" in name or "\0" in name:
        return f"{name!r} has a character that no name should have"
    if visible(name) != name or "\n" in name or "\t" in name:
        return f"{ascii(name)} has characters that cannot be seen"
    if name != name.rstrip(". "):
        return f"{name!r} ends in a dot or a space"
    if name.casefold() in HIDDEN:
        return f"{name!r} is not part of the source code"
    return None


MOST_BYTES = 1_000_000  # Of a file that is read; larger ones are no source code
MOST_SHOWN_BYTES = 10_000_000
"""Of a file of which anything is ever shown; larger ones are not looked at for secrets."""

WITHHELD = "withheld: "
"""What the cause of a file begins with that is left out as a secret; the reason follows."""

_LONGEST_NAME = 255  # Bytes of a file's name that file systems take
_LOOK = "List the directory to see what is there"


@dataclass(frozen=True)
class Repositories:
    """Directories side by side, each a repository."""

    root: Path
    names: tuple[str, ...]

    @classmethod
    def open(cls, root: Path, names: Sequence[str]) -> Repositories:
        """See that the repositories are there."""
        if not names:
            raise UsageError("no repository is approved", next_step="Name at least one with --repo NAME")
        for name in names:
            is_long = len(os.fsencode(name)) > _LONGEST_NAME
            if name != Path(name).name or name in ("", ".", "..") or is_long:
                raise UsageError(
                    f"the approved repository is {quoted(name)}, expected the name of a directory"
                )
        there = sorted({name for name in names if (root / name).is_dir()})
        absent = sorted(set(names) - set(there))
        if absent:
            _refuse_absent(absent, there, root)
        return cls(root.resolve(), tuple(there))

    @classmethod
    def none(cls) -> Repositories:
        """No repository: nothing is read, and nobody can say that a file is not there."""
        return cls(Path(), ())

    def locate(self, path: str) -> Path:
        """Find a file or a directory.

        No symbolic link is followed, so that a file has one path and no way leads out. Only the directory of
        a repository itself may be a link: whoever approved its name approved where that leads.
        """
        parts = split_path(path, self.names)
        target = self._locate(path, parts)
        if target.is_file() and target.stat().st_size <= MOST_SHOWN_BYTES:
            _check_content(path, target.read_bytes())
        return target

    def _locate(self, path: str, parts: Sequence[str]) -> Path:
        """Find it by its path alone."""
        target = self._home(parts[0])
        try:
            for name in parts[1:]:
                target /= name
                if target.is_symlink():
                    raise Linked(f"{path!r} may not be read: it goes through a symbolic link")
            if len(parts) > 1 and not target.is_dir():
                _check_name(path, parts[-1])
                if target.exists() and not target.is_file():
                    raise OutOfBounds(f"{path!r} may not be read: it is not a regular file")
        except OSError as error:
            raise OutOfBounds(f"{path!r} cannot be read: {error.strerror}") from None
        return target

    def read_bytes(self, path: str, limit: int = MOST_BYTES) -> bytes:
        """Read a file whole, unless it holds a secret."""
        target = self._locate(path, split_path(path, self.names))
        if target.is_dir():
            raise NotThere(f"{path!r} is a directory", next_step=_LOOK)
        try:
            size = target.stat().st_size
            if size > limit:
                raise OutOfBounds(f"{path!r} is not read: it has {size:,} bytes, more than {limit:,}")
            content = target.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise NotThere(f"there is no file {path!r}", next_step=_LOOK) from None
        except OSError as error:
            raise OutOfBounds(f"{path!r} cannot be read: {error.strerror}") from None
        _check_content(path, content)
        return content

    def holds(self, path: str) -> bool:
        """Whether there is such a file, be it one that may not be read; a directory is none."""
        if not self.names:
            return True
        try:
            return self.locate(path).is_file()
        except OutOfBounds:
            return True

    def find(self, file: str) -> tuple[str, Reason | None]:
        """Look for a file; see ``paths.Tree``."""
        name, *below = file.split("/")
        if name not in self.names:
            there = bool(below) and name not in ("", ".", "..") and (self.root / name).is_dir()
            return file, "not approved" if there else "not in the tree"
        if not os.path.lexists(f"{self.root}/{file}"):
            return file, "not in the tree"
        try:
            target = self.locate(file)
        except Linked:
            return file, "outside"
        except OutOfBounds:
            return file, "secret"
        if target.is_dir():
            return file, "directory"
        return file, None if target.is_file() else "not in the tree"

    @cached_property
    def _homes(self) -> list[tuple[str, str]]:
        """Places of the repositories and their names, the deepest first."""
        homes = [(str(self._home(name)), name) for name in self.names]
        homes += [(str(self.root / name), name) for name in self.names]
        return sorted(homes, key=lambda home: -len(home[0]))

    def inside(self, absolute: str) -> str | None:
        """Where an absolute path is below the repositories; see ``paths.Tree``."""
        for spelled in dict.fromkeys((os.path.normpath(absolute), os.path.realpath(absolute))):
            for home, name in self._homes:
                if spelled == home or spelled.startswith(f"{home}/"):
                    return name + spelled[len(home) :]
            if spelled.startswith(f"{self.root}/"):
                return spelled[len(str(self.root)) + 1 :]
        return None

    def at(self, base: Base | None) -> AbstractContextManager[Repositories]:
        """These, whatever an issue's base commit; see ``base_trees.Trees``."""
        return nullcontext(self)

    def held_at(self, base: Base | None, file: str) -> bool:
        """Whether they hold a file, whatever an issue's base commit; see ``base_trees.Trees``."""
        return self.holds(file)

    def _home(self, name: str) -> Path:
        return (self.root / name).resolve()

    def files(self) -> Iterator[str]:
        """Every file of the repositories' own that may be read, as ``repo/path``; see ``listing``."""
        yield from self.listing()[0]

    def listing(self) -> tuple[dict[str, Path], Skipped]:
        """List the files that may be read, without what is vendored, generated by its name or ignored."""
        places: dict[str, Path] = {}
        tally = Tally()
        for name in self.names:
            walk = Walk(self.root / name, include_tests=True, wanted=_may_be_listed)
            walked = sorted(walk.files())
            for thing in walk.tally.things:
                tally.add(thing.cause, f"{name}/{thing.path}")
            for path, target in walked:
                why = secret_by_name(target.name)
                if why:
                    tally.add(f"{WITHHELD}{why}", f"{name}/{path}")
                else:
                    places[f"{name}/{path}"] = target
        return places, tally.freeze()


def _may_be_listed(path: str) -> bool:
    """Whether all names of a path are of the source code, or secrets, which are counted."""
    *directories, name = path.split("/")
    return not any(map(refusal, directories)) and bool(secret_by_name(name) or not refusal(name))


def _refuse_absent(absent: Sequence[str], there: Sequence[str], root: Path) -> None:
    """Name the repositories that are not there, what may be meant, and how to go on without them."""
    what = f"there is no repository {absent[0]!r}"
    if len(absent) > 1:
        what = f"these repositories are not there: {', '.join(absent)}"
    directories = [path.name for path in root.iterdir() if path.is_dir()] if root.is_dir() else []
    close = close_match(absent[0], directories)
    step = f"Did you mean {close!r}?" if close else "Give the directory that holds them with --repos-path DIR"
    if there:
        named = " ".join(f"--repo {shlex.quote(name)}" for name in there)
        step = f"Put them there, or read only the others with {named}"
    raise InputError(what, where=root, next_step=step)


def _check_content(path: str, content: bytes) -> None:
    if what := secret_by_content(content):
        raise Withheld(path, f"holds {what}")


def _check_name(path: str, name: str) -> None:
    why = secret_by_name(name)
    if why:
        raise Withheld(path, why)


def check_outside_repositories(repositories: Repositories, places: Mapping[str, Path | None]) -> None:
    """Refuse files and directories that lie in an approved repository.

    Explorers must not see what the system under test found; and what is written into a repository makes it
    another one, so that an interrupted evaluation could not go on.
    """
    for what, location in places.items():
        if location is None:
            continue
        for name in repositories.names:
            home = (repositories.root / name).resolve()
            # Links in a circle are for whoever reads them to tell.
            resolved = Path(os.path.realpath(location))
            if resolved == home or home in resolved.parents:
                raise UsageError(
                    f"{what} lies in the repository {name!r}, where explorers would read it",
                    where=location,
                    next_step="Keep it in a directory outside the approved repositories",
                )


_PRIVATE_KEY = re.compile(
    # Between the header and the key there may be lines such as Proc-Type; a string writes its line ends out.
    rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
    rb"(?:(?:(?!-----)[^\0]){0,300}?[^A-Za-z0-9+/])?([A-Za-z0-9+/]{40,})"
)
_PLACEHOLDER = re.compile(rb"example|placeholder|redacted|changeme|dummy|xxxx|0000000|1234567", re.IGNORECASE)
_FEWEST_CHARACTERS = 8  # Different ones in a token; one of fewer is a placeholder


@lru_cache(maxsize=100_000)  # Names come again in every directory and every listing.
def secret_by_name(name: str) -> str | None:
    """Why a file of this name is withheld, or None."""
    secret, allowed = _names()
    folded = name.casefold().rstrip(". ")
    return "is called like a secret" if secret.match(folded) and not allowed.match(folded) else None


def secret_by_content(data: bytes) -> str | None:
    """What secret a file holds, such as ``a private key``, or None."""
    if b"PRIVATE KEY" in data and any(map(_is_real, _PRIVATE_KEY.finditer(data))):
        return "a private key"
    for issuer, beginning, form in _tokens():
        if beginning in data and any(map(_is_real, form.finditer(data))):
            return f"a token of {issuer}"
    return None


def without_secret_texts(value: Any) -> tuple[Any, int]:
    """What somebody wrote, such as a program's log, without each text in it that holds a key or a token."""
    if isinstance(value, str):
        what = secret_by_content(value.encode("utf-8", "replace"))
        return (f"(withheld: {what})", 1) if what else (value, 0)
    if isinstance(value, list | tuple):
        shown = [without_secret_texts(item) for item in value]
        return [item for item, _ in shown], sum(count for _, count in shown)
    if isinstance(value, dict):
        pairs = [(without_secret_texts(name), without_secret_texts(item)) for name, item in value.items()]
        return {name: item for (name, _), (item, _) in pairs}, sum(n + m for (_, n), (_, m) in pairs)
    return value, 0


def _is_real(match: re.Match[bytes]) -> bool:
    return len(set(match[1])) >= _FEWEST_CHARACTERS and not _PLACEHOLDER.search(match[1])


@cache
def _names() -> tuple[re.Pattern[str], re.Pattern[str]]:
    table = secret_forms()
    secret, allowed = (re.compile("|".join(map(translate, table[key]))) for key in ("names", "allowed"))
    return secret, allowed


@cache
def _tokens() -> tuple[tuple[str, bytes, re.Pattern[bytes]], ...]:
    return tuple(
        (issuer, start.encode(), re.compile(rf"(?<![A-Za-z0-9]){re.escape(start)}({form})(?!\w)".encode()))
        for issuer, forms in secret_forms()["tokens"].items()
        for start, form in forms
    )
