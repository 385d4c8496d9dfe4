"""Paths of files: ``repo/path``, written in one way, so that two lists of files can be compared.

Mended, since it can mean nothing else: ``./`` and ``//``, white space at the ends, and backslashes that are
separators, as Windows writes them (neither a slash nor a space follows one). Refused: what leads elsewhere or
names no file, such as ``..``, an absolute path, an address, a directory (``aero/app/``), a line
(``aero/x.rb:12``), a control character, a repository that is not approved.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from tellapart.codesearch.case import LeftOut, Reason
from tellapart.codesearch.repositories import listed
from tellapart.errors import InputError, near_match

if TYPE_CHECKING:
    from tellapart.codesearch.base_trees import Tree

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
# A backslash at the start is a share of Windows or a root, and "C:/" a drive.
_ABSOLUTE = re.compile(r"[/\\~]|[A-Za-z]:[/\\]")
# "x.rb:12", "x.rb:12:5" and "x.rb:12-20", as compilers and editors write places.
_LINE = re.compile(r":\d+([:-]\d+)?$")
_AT_LINE = re.compile(r":\d+([:-]|$)")
# A backslash before a space or a later slash escapes a character, as in a shell; Windows writes no slash.
# What no directory lists as it is written.
_UNLISTED = re.compile(r"^[/~]|\\|\.\.|//|^[A-Za-z]:|[\x00-\x1f]")
_ALONE = re.compile(r"[^\s:]*/[^\s:]+(?::\d+(?::.*)?)?", re.DOTALL)
_NO_SEPARATOR = re.compile(r"\A[^\\]*+\\[^/ ]*+[/ ]|\\$")
_EXPECTED = "expected repo/path/to/file"


def normalised(path: str, approved: Collection[str] | None = None, *, repo: str | None = None) -> str:
    r"""Write a path as ``repo/path``.

    A path that begins with the name of its repository, and goes on, is taken as whole, whether or not the
    repository has a directory of its own name at the top: of a file there, a program has to write both,
    ``{"repo": "aero", "path": "aero/aero/x.rb"}``.
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
class NamesOnly:
    """A tree of which nobody knows what it holds: every path that begins with a repository names a file.

    Attributes:
        approved: Names of the repositories; None where any will do.
    """

    approved: Collection[str] | None = None

    @property
    def names(self) -> Collection[str]:
        """Of the repositories; empty where any will do."""
        return self.approved or ()

    def find(self, file: str) -> tuple[str, Reason | None]:
        """Look at the name; see ``base_trees.Tree``."""
        if self.approved is not None and file.split("/", 1)[0] not in self.approved:
            return file, "not approved"
        return file, "not in the tree" if _AT_LINE.search(file) or "/" not in file else None

    def names_in(self, directory: str) -> Collection[str]:
        """Nobody knows; see ``base_trees.Tree``."""
        return ()

    def inside(self, absolute: str) -> str | None:
        """Nowhere; see ``base_trees.Tree``."""
        return None


@dataclass(frozen=True)
class Named:
    """What a text names.

    Attributes:
        file: As ``repo/path``; empty where the text names nothing in an approved repository.
        reason: Why that is no file that may be read; None where it is one.
    """

    file: str
    reason: Reason | None = None

    @property
    def claimed(self) -> bool:
        """Whether it names a file of an approved repository, be it one that is not there or not read."""
        return bool(self.file) and self.reason in (None, "not in the tree", "secret")


_LONGEST = 1000
_MOST_ENDS = 64
_QUOTES = "\"'`"
_WRAPS = f"{_QUOTES}*<>[](){{}}\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_PLACED = re.compile(r"(.+?):\d+(?::|$)")
# Where a path may end inside a line: before a place, a column, a remark.
_ENDS = re.compile(r"[\s:=#,;|*()\[\]{}<>\"'`?]|-(?=\d+-)")
_MARKS = "[](){}<>|,;:#*=+.%-\N{BULLET}\N{EN DASH}\N{EM DASH}\N{RIGHTWARDS ARROW}"
# Of a file, as git writes it.
_STATUS = re.compile(r"[MADRCUT]{1,2}|\?\?|!!")
_COLUMNS = re.compile(r"\t+|\s{2,}|\s*\|\s*")
_LABELLED = re.compile(r"[A-Za-z_]+[=:](.+)")
_EXTENSION = re.compile(r"[^\s/A-Za-z_]*+[A-Za-z_][^\s/]*\.[A-Za-z]\w{0,9}")
_OCTAL = re.compile(rb"\\([0-3][0-7]{2})")
_HOSTED = ("blob", "blame", "raw", "src", "tree", "edit")


class PathReader:
    """Reads which files texts name; one tree, whose answers are kept.

    A text is tried as a whole, and then, in this order: what comes before the number of a line; the longest
    beginning that ends before a colon, a bracket, a blank, or the like; the columns of the text; and what
    follows a bullet, a rank or a score. The first of these that is a file counts. So ``a.py``,
    ``./a.py:12:text``, ``0.87  a.py`` and a line of ctags all name ``a.py``.

    A relative path can mean several files. Of those that are there, this one counts: the path as it is, if it
    begins with a repository; the path below ``cwd``, if that is in a repository; the path below the only
    repository that holds it, and if several hold it, it is ambiguous; the path from a ``cwd`` above them.
    """

    def __init__(self, tree: Tree, cwd: str | None = None) -> None:
        """Read paths against a tree."""
        self._tree = tree
        self._cwd = cwd
        self._below = tree.inside(cwd) if cwd else None
        self._kept: dict[tuple[str, str | None], Named] = {}
        self._listed: dict[str, frozenset[str]] = {}

    @property
    def names(self) -> Collection[str]:
        """Of the repositories."""
        return self._tree.names

    def named(self, text: str, repo: str | None = None) -> Named:
        """Read which file a line or a field names."""
        telling: Named | None = None
        for spelled in _spellings(text):
            if not self._may_be_there(spelled, repo):
                continue
            named = self._place(spelled, repo)
            if named.reason is None:
                return named
            # The shortest beginning that is a secret is its path alone, without what stands in it.
            if named.reason == "secret" or (named.reason == "directory" and telling is None):
                telling = named
        claim = _claim(text)
        return telling or (self._place(claim, repo) if claim else Named("", "no path"))

    def several(self, line: str) -> list[str]:
        """The files of a line that lists several and nothing else, or none."""
        words = [word for word in re.split(rf"[\s,{re.escape(_WRAPS)}]+", line) if word]
        if len(words) < 2 or not all(_looks_like_path(word) and ":" not in word for word in words):
            return []
        named = [self.named(word) for word in words]
        return [] if any(one.reason for one in named) else [one.file for one in named]

    def in_sentence(self, text: str) -> list[str]:
        """Read which files a sentence names, as ``repo/path``, in its order; only words like paths count."""
        words = [word.strip(f"{_WRAPS}.,:;!?") for word in re.split(rf"[\s{re.escape(_WRAPS)}]+", text)]
        named = (self.named(word) for word in words if "/" in word or _EXTENSION.match(word))
        return list(dict.fromkeys(one.file for one in named if one.reason is None))

    def _place(self, spelled: str, repo: str | None) -> Named:
        key = spelled, repo
        if key not in self._kept:
            self._kept[key] = self._read(spelled, repo)
        return self._kept[key]

    def _may_be_there(self, spelled: str, repo: str | None) -> bool:
        """Whether a directory lists a relative path; True where that is not known.

        A line has many beginnings, and a directory is listed once.
        """
        if isinstance(self._tree, NamesOnly) or _UNLISTED.search(spelled):
            return True
        directory, _, name = posixpath.normpath(spelled).rpartition("/")
        if not directory.isascii() or name == "." or (not directory and name in self._tree.names):
            return True
        below = f"/{directory}" if directory else ""
        homes = [*self._tree.names, *([repo] if repo else []), *([self._below] if self._below else [])]
        ways = [directory] if directory else []
        ways += [f"{home}{below}" for home in homes]
        ways += [posixpath.join(self._cwd, directory)] if self._cwd and directory else []
        name = unicodedata.normalize("NFC", name)
        return any(name in self._names_in(way) for way in ways)

    def _names_in(self, directory: str) -> frozenset[str]:
        """What lies in a directory of the tree, or below ``cwd``; empty where there is no such directory."""
        if directory not in self._listed:
            parent, _, name = directory.rpartition("/")
            names: Iterable[str] = ()
            if directory == self._cwd or not parent or name in self._names_in(parent):
                names = (
                    listed(Path(directory)) if directory.startswith("/") else self._tree.names_in(directory)
                )
            self._listed[directory] = frozenset(unicodedata.normalize("NFC", each) for each in names)
        return self._listed[directory]

    def _read(self, spelled: str, repo: str | None) -> Named:
        if not spelled or len(spelled) > _LONGEST:
            return Named("", "no path")
        if _CONTROL.search(spelled):
            return Named("", "no path")
        if _ADDRESS.match(spelled):
            return self._address(spelled)
        if spelled.startswith("/"):
            return self._absolute(spelled)
        if _ABSOLUTE.match(spelled):
            return Named("", "outside")
        if _NO_SEPARATOR.search(spelled):
            return Named("", "no path")
        named = self._relative(spelled.replace("\\", "/"), repo)
        if named.reason and not spelled.isascii():
            # File systems differ in how they compose letters.
            for form in ("NFC", "NFD"):
                other = self._relative(unicodedata.normalize(form, spelled).replace("\\", "/"), repo)
                if other.reason is None:
                    return other
        return named

    def _address(self, address: str) -> Named:
        split = urlsplit(address)
        path = unquote(split.path)
        if split.scheme in ("file", "vscode"):
            return self._absolute(_LINE.sub("", path)) if path.startswith("/") else Named("", "outside")
        pieces = [piece for piece in path.split("/") if piece not in ("", "-")]
        raw = split.netloc.startswith("raw.")
        at = 2 if raw else next((i for i, piece in enumerate(pieces) if i > 1 and piece in _HOSTED), 0)
        if not at or len(pieces) < at + 2:
            return Named("", "outside")
        repository = approved_name("/".join(pieces[:at]), self._tree.names)
        if repository is None:
            return Named("", "not approved")
        # The name of a branch may hold slashes, so that nobody knows where the path begins.
        below = pieces[at if raw else at + 1 :]
        ways = [self._settled(f"{repository}/{'/'.join(below[i:])}") for i in range(1, len(below))]
        return _only([way for way in ways if way.reason is None], Named("", "not in the tree"))

    def _absolute(self, path: str) -> Named:
        file = self._tree.inside(posixpath.normpath(path))
        return Named("", "outside") if file is None else self._settled(file)

    def _relative(self, spelled: str, repo: str | None) -> Named:
        path = posixpath.normpath(spelled)
        if path == ".":
            return Named("", "directory")
        below_cwd = posixpath.normpath(posixpath.join(self._below, path)) if self._below else None
        if below_cwd and below_cwd.startswith(".."):
            below_cwd = None
        if path == ".." or path.startswith("../"):
            return self._settled(below_cwd) if below_cwd else Named("", "outside")
        if repo:
            name = approved_name(repo, self._tree.names) if self._tree.names else repo
            whole = [path] if path.startswith(f"{name}/") else []
            return Named("", "not approved") if name is None else self._first([*whole, f"{name}/{path}"])
        names = self._tree.names
        first = posixpath.normpath(spelled.partition("..")[0]).partition("/")[0]
        if ".." in spelled.split("/") and first in names and not path.startswith(f"{first}/"):
            return self._settled(path) if path.partition("/")[0] in names else Named("", "outside")
        if isinstance(self._tree, NamesOnly):
            return self._settled(path)
        return self._in_any(path, below_cwd)

    def _in_any(self, path: str, below_cwd: str | None) -> Named:
        """The file of a path that may begin with its repository or not."""
        begins = path.partition("/")[0] in self._tree.names and "/" in path
        first = self._first([*([path] if begins else []), *([below_cwd] if below_cwd else [])])
        if first.reason is None:
            return first
        below = [self._settled(f"{name}/{path}") for name in self._tree.names]
        there = [one for one in below if one.reason is None]
        if there or begins:
            return _only(there, first)
        # A program may be given the directory of the repositories, as in "grep -r x code".
        absolute = posixpath.normpath(posixpath.join(self._cwd, path)) if self._cwd and "/" in path else None
        if absolute and (named := self._absolute(absolute)).reason not in ("outside", "not in the tree"):
            return named
        for one in (self._settled(path), *below):
            if one.reason in ("secret", "outside", "directory", "not approved"):
                return one
        return below[0] if len(below) == 1 else Named("", "not in the tree")

    def _first(self, files: Sequence[str]) -> Named:
        """The first that is there, else what there is to say of the first."""
        ways = [self._settled(file) for file in files]
        return next((way for way in ways if way.reason is None), ways[0] if ways else Named("", "no path"))

    def _settled(self, file: str) -> Named:
        file, reason = self._tree.find(file)
        return Named("" if reason == "not approved" else file, reason)


def _only(ways: Sequence[Named], otherwise: Named) -> Named:
    files = {way.file for way in ways}
    return ways[0] if len(files) == 1 else Named("", "ambiguous") if files else otherwise


def approved_name(repository: str, names: Collection[str]) -> str | None:
    """The approved repository that somebody names ``name`` or ``owner/name``; None where there is none."""
    owned = repository.strip("/").removesuffix(".git").split("/")[-2:]
    return next((name for name in (owned[-1], "__".join(owned), "-".join(owned)) if name in names), None)


def _spellings(text: str) -> Iterator[str]:
    """Pieces of a text that may be its path, the likeliest first."""
    stripped = text.strip()
    yield stripped
    unquoted = _unquoted(stripped)
    if unquoted:
        yield unquoted
    # Most lines are these; the others take longer.
    if place := _PLACED.match(stripped):
        yield place[1]
    yield from _beginnings(stripped)
    columns = [column for column in _COLUMNS.split(stripped) if column]
    if len(columns) > 1:
        for column in sorted(columns, key=lambda column: not _looks_like_path(column)):
            rest = _without_marks(column)
            yield rest
            yield from _beginnings(rest)
    rest = _without_marks(stripped)
    for begun in dict.fromkeys((rest, rest.lstrip(_WRAPS))):
        if begun != stripped:
            yield begun
            yield from _beginnings(begun)


def names_path_alone(text: str) -> bool:
    """Whether a line is one path with a slash, with a place, a score or a bullet at most: no message."""
    return _ALONE.fullmatch(_without_marks(text.strip()).strip(_WRAPS)) is not None


def _beginnings(text: str) -> Iterator[str]:
    """What comes before places, columns and remarks, the longest first."""
    ends = [match.start() for match in islice(_ENDS.finditer(text[:_LONGEST]), _MOST_ENDS)]
    for end in reversed(ends):
        begun = text[:end]
        # "Makefile rules" is prose; "Makefile:3" and "src/x.py rules" are not.
        if text[end].isspace() and not _looks_like_path(begun) and not _is_mark(text[end:].split()[0]):
            continue
        yield begun.rstrip()


def _unquoted(text: str) -> str | None:
    if len(text) < 2 or text[0] not in _QUOTES:
        return None
    end = text.find(text[0], 1)
    inner = text[1:end] if end > 0 else ""
    if text[0] == '"' and "\\" in inner:
        # As git writes names that are not ASCII.
        octets = _OCTAL.sub(lambda match: bytes([int(match[1], 8)]), inner.encode("utf-8", "replace"))
        inner = octets.decode("utf-8", "replace")
    return inner


def _without_marks(text: str) -> str:
    """Leave out bullets, ranks and scores at the beginning."""
    while True:
        mark, _, rest = text.partition(" ")
        if not rest.strip() or not _is_mark(mark):
            return text
        text = rest.strip()


def _is_mark(word: str) -> bool:
    if _STATUS.fullmatch(word):
        return True
    core = word.strip(_MARKS)
    labelled = _LABELLED.fullmatch(core)
    core = labelled[1] if labelled else core
    return not core or (core[-1].isdigit() and core[0] in "0123456789.+-" and _is_number(core))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _looks_like_path(text: str) -> bool:
    return "/" in text or _EXTENSION.fullmatch(text) is not None


def _claim(text: str) -> str:
    """The likeliest path of a text that names no file; empty where nothing looks like one."""
    rest = _without_marks(text.strip()).lstrip(_WRAPS)
    if _ADDRESS.match(rest):
        return rest.split(maxsplit=1)[0]
    claim = re.split(r":\d+|-\d+-|[\"'`]|\t|\s{2,}|: |,? \(", rest, maxsplit=1)[0]
    claim = claim.lstrip(f"{_WRAPS},;: ").rstrip(f"{_WRAPS}.,;: ")
    words = claim.split()
    if not words:
        return ""
    word = claim if "/" in words[-1] and len(words) < 4 and not words[0].isalpha() else words[0]
    looks = re.search(r"[A-Za-z_]", word) and ("/" in word or "\\" in word or _EXTENSION.fullmatch(word))
    return word if looks else ""


def shown_path(text: str) -> str:
    """The path of a text that names no file, without anything behind it, which may be a file's content."""
    claim = _claim(text)
    if _ADDRESS.match(claim):
        return re.split(r"[?#]", re.sub(r"//[^/@]*@", "//", claim), maxsplit=1)[0]
    drive = claim[:2] if re.match(r"[A-Za-z]:[/\\]", claim) else ""
    return drive + re.split(r"[:=\s]", claim[len(drive) :], maxsplit=1)[0]


@dataclass(frozen=True)
class PathList:
    """A list of files in which every path is ``repo/path`` and no file comes twice.

    Attributes:
        files: In the order of the list; of a file that comes several times, the first place counts.
        by_item: The file of every item of the list, in order; None for what was left out.
        notes: What was mended, collapsed, left out or taken by rule, for people; the list is not named.
    """

    files: tuple[str, ...]
    by_item: tuple[str | None, ...]
    notes: tuple[str, ...] = ()


def claimed_paths(items: Iterable[tuple[str | None, str]], reader: PathReader) -> PathList:
    """Write the paths of a list as ``repo/path``, each file once, and leave out what names no file.

    A path in an approved repository stays although nothing is there, or it may not be read: whoever returned
    it says that it is a file.
    """
    given = list(items)
    named = [reader.named(path, repo or None) for repo, path in given]
    left_out = [
        LeftOut(path, one.reason or "no path")
        for (_, path), one in zip(given, named, strict=True)
        if not one.claimed
    ]
    why = left_out_sentence(left_out, Counter(one.reason for one in left_out), reader.names)
    if left_out and len(left_out) == len(given):
        raise InputError(f"none of its {_count(len(given), 'file')} can be used: {why}")
    notes = [f"left out {len(left_out)} of {_count(len(given), 'file')}: {why}"] if left_out else []
    by_item = [one.file if one.claimed else None for one in named]
    listed = _list_of(given, by_item)
    return PathList(listed.files, listed.by_item, (*listed.notes, *notes))


def left_out_sentence(
    left_out: Sequence[LeftOut], counts: Mapping[Reason, int], names: Collection[str]
) -> str:
    """Say how much was left out by reason, with an example, and a name that may be meant."""
    if not left_out:
        return ""
    first = next((one for one in left_out if one.reason != "no path"), left_out[0])
    many = ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items()))
    text = f"{many}, such as {first.line[:80]!r}"
    if first.reason == "not approved" and names:
        text += f". {near_match(first.line.split('/')[0], names)}"
    return text.removesuffix(".")


def path_list(items: Iterable[tuple[str | None, str]], approved: Collection[str] | None = None) -> PathList:
    """Write the paths of a list as ``repo/path``, each file once, and leave out those that are refused."""
    given = list(items)
    by_item: list[str | None] = []
    faults: list[InputError] = []
    for repo, path in given:
        try:
            by_item.append(normalised(path, approved, repo=repo))
        except InputError as error:
            by_item.append(None)
            faults.append(error)
    if faults and len(faults) == len(given):
        raise faults[0]
    paths = _list_of(given, by_item)
    if not faults:
        return paths
    note = f"left out {len(faults)} of {_count(len(given), 'file')}, the first since {faults[0].what}"
    return PathList(paths.files, paths.by_item, (*paths.notes, note))


def _list_of(given: Sequence[tuple[str | None, str]], by_item: Sequence[str | None]) -> PathList:
    read = [(repo, path, file) for (repo, path), file in zip(given, by_item, strict=True) if file is not None]
    files = tuple(dict.fromkeys(file for _, _, file in read))
    mended = [(path, file) for repo, path, file in read if path not in (file, file.removeprefix(f"{repo}/"))]
    whole = sum(bool(repo) and path == file for repo, path, file in read)
    apart = sum(bool(repo) for repo, _, _ in read)
    notes = []
    if mended:
        notes.append(f"mended {_count(len(mended), 'path')}, such as {mended[0][0]!r} to {mended[0][1]!r}")
    if len(files) < len(read):
        notes.append(f"counted {_count(len(read) - len(files), 'path')} once that came again")
    if 0 < whole < apart:
        notes.append(
            f"took {whole} of {apart} paths as beginning with their repository, though the others do not"
        )
    return PathList(files, tuple(by_item), tuple(notes))


def _count(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"
