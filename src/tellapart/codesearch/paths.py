"""Paths of files: ``repo/path``, written in one way, so that two lists of files can be compared.

Mended, since it can mean nothing else: ``./`` and ``//``, white space at the ends, and the backslashes of
Windows. A path may be followed by ``:LINE``, and that by a colon and anything, as grep writes it. What leads
elsewhere or names no file is left out.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from tellapart.codesearch.repositories import Reason, secret_by_name


class Tree(Protocol):
    """The approved repositories, or those of a base commit, as far as paths are looked up in them."""

    @property
    def names(self) -> Collection[str]:
        """Of the repositories."""

    def find(self, file: str) -> tuple[str, Reason | None]:
        """The file's one path and None, or ``repo/path`` and why it is no file that may be read."""

    def inside(self, absolute: str) -> str | None:
        """Where an absolute path is below the directory of the repositories; None elsewhere."""


_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
# A backslash at the start is a share of Windows or a root, and "C:/" a drive.
_ABSOLUTE = re.compile(r"[/\\~]|[A-Za-z]:[/\\]")
_AT_LINE = re.compile(r":\d+([:-]|$)")
# A backslash before a blank escapes it, as in a shell.
_NO_SEPARATOR = re.compile(r"\\ |\\$")
_CONTAINER = re.compile(r"/testbed/|/workspace/[^/]+/")


@dataclass(frozen=True)
class NamesOnly:
    """A tree of which only the names of repositories are known, or not even these: every path is a file."""

    approved: Collection[str] | None = None

    @property
    def names(self) -> Collection[str]:
        """Of the repositories; empty where any will do."""
        return self.approved or ()

    def find(self, file: str) -> tuple[str, Reason | None]:
        """Look at the name; see `Tree`."""
        if self.approved is not None and file.split("/", 1)[0] not in self.approved:
            return file, "not approved"
        if "/" not in file:
            return file, "no path"
        if secret_by_name(file.rpartition("/")[2]):
            return file, "secret"
        return file, "not in the tree" if _AT_LINE.search(file) else None

    def inside(self, absolute: str) -> str | None:
        """Nowhere; see `Tree`."""
        return None


@dataclass(frozen=True)
class Named:
    """The file that a text names as ``repo/path``, empty where it names none, and why it may not be read."""

    file: str
    reason: Reason | None = None
    line: int | None = None

    @property
    def claimed(self) -> bool:
        """Whether it names a file of an approved repository, be it one that is not there or not read."""
        return bool(self.file) and self.reason in (None, "not in the tree", "secret")


_LONGEST = 1000
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_PLACE = re.compile(r"(.+?)(?::|#L)(\d{1,9})(?:-L?\d{1,9})?(?::.*)?", re.DOTALL)
_PATH = re.compile(r"[^\s:=\"'`]*(?:/[^\s:=\"'`]+|\w\.[A-Za-z]\w{0,9})")


class PathReader:
    """Reads which files texts name; one tree, whose answers are kept."""

    def __init__(self, tree: Tree, cwd: str | None = None) -> None:
        """Read paths against a tree."""
        self._tree = tree
        self._cwd = cwd
        self._kept: dict[tuple[str, str | None], Named] = {}

    @property
    def names(self) -> Collection[str]:
        """Of the repositories."""
        return self._tree.names

    def line(self, text: str) -> Named:
        """Read which file a printed line names; a line that is neither a file nor like a path names none."""
        named, path = self.named(text), text.strip()
        if location := _PLACE.fullmatch(path):
            path = location[1]
        is_decided = named.reason in (None, "secret", "directory")
        return named if is_decided or _PATH.fullmatch(path) else Named("", "no path")

    def named(self, text: str, repo: str | None = None) -> Named:
        """Read which file a path names."""
        key = text.strip(), repo
        if key not in self._kept:
            named = self._read(*key)
            if named.reason and (location := _PLACE.fullmatch(key[0])):
                named = replace(self._read(location[1], repo), line=int(location[2]))
            self._kept[key] = named
        return self._kept[key]

    def _read(self, spelled: str, repo: str | None) -> Named:
        if not spelled or len(spelled) > _LONGEST or _CONTROL.search(spelled):
            return Named("", "no path")
        if spelled.startswith("/"):
            return self._in_container(spelled, repo)
        if _ADDRESS.match(spelled) or _ABSOLUTE.match(spelled):
            return Named("", "outside")
        if _NO_SEPARATOR.search(spelled):
            return Named("", "no path")
        if isinstance(self._tree, NamesOnly) and spelled[-1] in "/\\":
            return Named("", "directory")
        path = posixpath.normpath(spelled.replace("\\", "/"))
        first = spelled.partition("/")[0]
        if first in self._tree.names and not f"{path}/".startswith(f"{first}/"):
            return Named("", "outside")  # It climbs out of the repository that it names.
        return self._relative(path, repo)

    def _absolute(self, path: str) -> Named:
        file = self._tree.inside(posixpath.normpath(path))
        return Named("", "outside") if file is None else self._look(file)

    def _in_container(self, path: str, repo: str | None) -> Named:
        """An absolute path, where a benchmark's container may have the repository."""
        named = self._absolute(path)
        inner = without_container(path)
        return (
            self._relative(posixpath.normpath(inner), repo)
            if named.reason == "outside" and inner != path
            else named
        )

    def _relative(self, path: str, repo: str | None) -> Named:
        names = self._tree.names
        if repo:
            name = approved_name(repo, names) if names else repo
            whole = [path] if path.startswith(f"{name}/") else []
            return Named("", "not approved") if name is None else self._first([*whole, f"{name}/{path}"])
        below_cwd = Named("", "outside")
        if self._cwd:
            below_cwd = self._absolute(posixpath.join(self._cwd, path))
        if path == ".." or path.startswith("../"):
            return below_cwd
        if isinstance(self._tree, NamesOnly):
            return self._look(path)
        return self._in_any(path, below_cwd)

    def _in_any(self, path: str, below_cwd: Named) -> Named:
        """The file of a path that may begin with its repository or not."""
        names = self._tree.names
        begins = path.partition("/")[0] in names and "/" in path
        first = self._look(path)
        if begins and first.reason is None:
            return first
        if below_cwd.reason in (None, "secret"):
            return below_cwd
        below = [self._look(f"{name}/{path}") for name in names]
        there = [named for named in below if named.reason is None]
        if there:
            return there[0] if len(there) == 1 else Named("", "ambiguous")
        if begins:
            return first
        for named in (first, *below):
            if named.reason in ("secret", "outside", "directory", "not approved"):
                return named
        return below[0] if len(below) == 1 else Named("", "not in the tree")

    def _first(self, files: Sequence[str]) -> Named:
        """The first that is there, else what there is to say of the first."""
        ways = [self._look(file) for file in files]
        return next((way for way in ways if way.reason is None), ways[0])

    def _look(self, file: str) -> Named:
        file, reason = self._tree.find(file)
        return Named("" if reason == "not approved" else file, reason)


def without_container(path: str) -> str:
    """A path without the directory in which a benchmark's container has the repository."""
    return _CONTAINER.sub("", path, count=1) if _CONTAINER.match(path) else path


def named_file(path: str, names: Collection[str] | None = None) -> str | None:
    """The file that a path names, as ``repo/path``, by its spelling alone; None where it names none."""
    named = PathReader(NamesOnly(names)).named(path)
    return named.file if named.claimed else None


def approved_name(repository: str, names: Collection[str]) -> str | None:
    """The approved repository that somebody names ``name`` or ``owner/name``; None where there is none."""
    owned = repository.strip("/").removesuffix(".git").split("/")[-2:]
    return next((name for name in (owned[-1], "__".join(owned), "-".join(owned)) if name in names), None)
