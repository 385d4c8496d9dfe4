"""Paths of files: ``repo/path``, written in one way, so that two lists of files can be compared.

Mended, since it can mean nothing else: ``./`` and ``//``, white space at the ends, and backslashes that are
separators, as Windows writes them (neither a slash nor a space follows one). Refused: what leads elsewhere or
names no file, such as ``..``, an absolute path, an address, a directory (``aero/app/``), a line
(``aero/x.rb:12``), a control character, a repository that is not approved.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from tellapart.errors import InputError, near_match

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
# A backslash at the start is a share of Windows or a root, and "C:/" a drive.
_ABSOLUTE = re.compile(r"[/\\~]|[A-Za-z]:[/\\]")
# "x.rb:12", "x.rb:12:5" and "x.rb:12-20", as compilers and editors write places.
_LINE = re.compile(r":\d+([:-]\d+)?$")
# A backslash before a space or a later slash escapes a character, as in a shell; Windows writes no slash.
_NO_SEPARATOR = re.compile(r"\\[^/ ]*[/ ]|\\$")
_EXPECTED = "expected repo/path/to/file"


def normalised(path: str, approved: Collection[str] | None = None, *, repo: str | None = None) -> str:
    r"""Write a path as ``repo/path``.

    A path that begins with the name of its repository, and goes on, is taken as whole, whether or not the
    repository has a directory of its own name at the top: of a file there, a program has to write both,
    ``{"repo": "aero", "path": "aero/aero/x.rb"}``.

    Args:
        path: As somebody wrote it, such as ``./aero//app\x.rb``; see the module for what is mended.
        approved: Names of the repositories; None when any will do.
        repo: The repository, where it is said apart; None or empty where the path says it.

    Raises:
        InputError: The path is refused, or the repository is no plain name. Says why; has no place.
    """
    parts = _parts(path, approved)
    if repo:
        if repo != repo.strip() or set(repo) & set("/\\\0") or repo in (".", ".."):
            raise InputError(f"the repository of {path!r} is {repo!r}, expected a plain name")
        if parts[0] != repo or len(parts) == 1:
            parts = [repo, *parts]
    if approved is not None and parts[0] not in approved:
        raise InputError(
            f"the path {path!r} is in the repository {parts[0]!r}, which is not approved",
            next_step=near_match(parts[0], approved),
        )
    if len(parts) == 1:
        raise InputError(f"the path {path!r} names no file in a repository, {_EXPECTED}")
    return "/".join(parts)


def _parts(path: str, approved: Collection[str] | None) -> list[str]:
    stripped = path.strip()
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in stripped):
        raise InputError(f"the path {path!r} has a control character or half of one")
    if _ADDRESS.match(stripped):
        raise InputError(f"the path {path!r} is an address, {_EXPECTED}")
    if _ABSOLUTE.match(stripped):
        raise InputError(f"the path {path!r} is absolute, {_EXPECTED}", next_step=_hint(stripped, approved))
    if _NO_SEPARATOR.search(stripped):
        raise InputError(f"the path {path!r} has a backslash that separates nothing, {_EXPECTED}")
    pieces = stripped.replace("\\", "/").split("/")
    parts = [piece for piece in pieces if piece not in ("", ".")]
    if ".." in parts:
        raise InputError(f"the path {path!r} climbs with '..', {_EXPECTED}")
    if not parts:
        raise InputError(f"the path is {path!r}, {_EXPECTED}")
    if pieces[-1] in ("", "."):
        raise InputError(f"the path {path!r} names a directory, {_EXPECTED}")
    if _LINE.search(parts[-1]):
        raise InputError(
            f"the path {path!r} ends in the number of a line, expected the file alone",
            next_step="Lines have a field of their own, 'line_start'",
        )
    return parts


def _hint(absolute: str, approved: Collection[str] | None) -> str | None:
    """What an absolute path would be below the first approved repository that it leads through."""
    pieces = absolute.replace("\\", "/").split("/")
    inside = [place for place, piece in enumerate(pieces[:-1]) if piece in (approved or ())]
    return f"Was {'/'.join(pieces[inside[0] :])!r} meant?" if inside else None


@dataclass(frozen=True)
class PathList:
    """A list of files in which every path is ``repo/path`` and no file comes twice.

    Attributes:
        files: In the order of the list; of a file that comes several times, the first place counts.
        by_item: The file of every item of the list, in order.
        notes: What was mended, collapsed or taken by rule, for people; without the name of the list.
    """

    files: tuple[str, ...]
    by_item: tuple[str, ...]
    notes: tuple[str, ...] = ()


def path_list(items: Iterable[tuple[str | None, str]], approved: Collection[str] | None = None) -> PathList:
    """Write the paths of a list as ``repo/path``, each file once.

    Args:
        items: Repository, None where the path says it, and path.
        approved: As in ``normalised``.

    Raises:
        InputError: As in ``normalised``; the first path that is refused.
    """
    given = list(items)
    by_item = tuple(normalised(path, approved, repo=repo) for repo, path in given)
    files = tuple(dict.fromkeys(by_item))
    mended = [
        (path, file)
        for (repo, path), file in zip(given, by_item, strict=True)
        if path not in (file, file.removeprefix(f"{repo}/"))
    ]
    whole = sum(bool(repo) and path == file for (repo, path), file in zip(given, by_item, strict=True))
    apart = sum(bool(repo) for repo, _ in given)
    notes = []
    if mended:
        notes.append(f"mended {_count(len(mended), 'path')}, such as {mended[0][0]!r} to {mended[0][1]!r}")
    if len(files) < len(by_item):
        notes.append(f"counted {_count(len(by_item) - len(files), 'path')} once that came again")
    if 0 < whole < apart:
        notes.append(
            f"took {whole} of {apart} paths as beginning with their repository, though the others do not"
        )
    return PathList(files, by_item, tuple(notes))


def _count(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"
