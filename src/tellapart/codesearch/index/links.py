"""How closely files belong together: by imports, resolved to files, and by names that few files use."""

from __future__ import annotations

import math
import posixpath
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.codesearch.index.cache import Arrays
from tellapart.core.arrays import F64
from tellapart.extraction.imports import Import, Target
from tellapart.extraction.languages import all_languages
from tellapart.extraction.references import References

MOST_MEANT = 5
"""Files that one ambiguous import can mean, the nearest to it first."""


def _end(path: str, parts: int) -> str:
    return "/".join(path.split("/")[-parts:])


class Places:
    """Files, found by the ends of their paths and by the qualified names that they define."""

    def __init__(self, paths: Sequence[str], symbols: Sequence[References | None]) -> None:
        """Take the files, ``repo/path`` each, with what is known of them."""
        self._paths = paths
        self._symbols = symbols
        self._syntax = {language.name: language.references for language in all_languages()}
        self._at = {path: file for file, path in enumerate(paths)}
        self._by_end: dict[str, list[int]] = defaultdict(list)
        self._targets: dict[tuple[str, Import], tuple[tuple[Target, ...], ...]] = {}
        self._cached: dict[tuple[str, str], Sequence[int]] = {}
        self._in_directory: dict[str, list[int]] = defaultdict(list)
        self._defined: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for file, (path, references) in enumerate(zip(paths, symbols, strict=True)):
            directory = path.rpartition("/")[0]
            for parts in (1, 2):
                self._by_end[_end(path, parts)].append(file)
            self._in_directory[directory].append(file)
            for qualified in references.definitions if references else ():
                outer, _, own = qualified.rpartition(".")
                self._defined[outer][own].append(file)
        self._directories: dict[str, list[str]] = defaultdict(list)
        for directory in self._in_directory:
            self._directories[directory.rpartition("/")[2]].append(directory)

    def imported(self, file: int) -> tuple[int, ...]:
        """Return the files that a file's imports mean, sorted; empty where all are from elsewhere.

        An import that could mean several files means all of them, up to ``MOST_MEANT``: those in the same
        repository if there are any, and the nearest by directory first.
        """
        references = self._symbols[file]
        if references is None:
            return ()
        meant = {to for import_ in references.imports for to in self._meant(file, references, import_)}
        return tuple(sorted(meant - {file}))

    def _meant(self, file: int, references: References, import_: Import) -> Iterable[int]:
        key = references.language, import_
        if key not in self._targets:
            self._targets[key] = tuple(self._syntax[references.language].targets(import_))
        for alternatives in self._targets[key]:
            for target in alternatives:
                if hits := self._hits(file, references, target):
                    yield from self._nearest(file, hits)
                    break

    def _hits(self, file: int, references: References, target: Target) -> Sequence[int]:
        if target.kind == "file":
            return self._files(file, references, target.what)
        if target.kind == "name":
            outer, _, own = target.what.rpartition(".")
            return self._defined[outer][own] if own in self._defined.get(outer, {}) else ()
        if target.kind == "within":
            inside = self._defined.get(target.what, {})
            return sorted({to for name in references.identifiers for to in inside.get(name, ())})
        return self._in_directories(references, target.what)

    def _files(self, file: int, references: References, what: str) -> Sequence[int]:
        path = self._paths[file]
        directory, _, last = path.rpartition("/")
        if what.startswith("."):
            what = what.replace("{stem}", last.partition(".")[0])
            position = self._at.get(posixpath.normpath(f"{directory}/{what}"))
            return () if position is None or not self._same_repository(file, position) else (position,)
        mark = self._syntax[references.language].package_file
        if (what, mark) not in self._cached:
            hits = self._by_end.get(_end(what, 2), ())
            ending = [to for to in hits if f"/{self._paths[to]}".endswith(f"/{what}")]
            self._cached[what, mark] = [to for to in ending if not self._inside(to, what, mark)]
        return self._cached[what, mark]

    def _inside(self, file: int, what: str, mark: str) -> bool:
        """Say whether a path goes on into the package that surrounds it, so that it is no whole name."""
        return bool(mark) and f"{self._paths[file].removesuffix(what)}{mark}" in self._at

    def _in_directories(self, references: References, what: str) -> Sequence[int]:
        """Return the files in directories of that name that define something the importing file uses."""
        used = set(references.identifiers)
        named = self._directories.get(what.rpartition("/")[2], ())
        inside = (
            file for name in named if f"/{name}".endswith(f"/{what}") for file in self._in_directory[name]
        )
        return [file for file in inside if self._defines_any(file, references.language, used)]

    def _defines_any(self, file: int, language: str, used: set[str]) -> bool:
        references = self._symbols[file]
        return (
            references is not None
            and references.language == language
            and not used.isdisjoint(qualified.rpartition(".")[2] for qualified in references.definitions)
        )

    def _nearest(self, file: int, hits: Sequence[int]) -> Sequence[int]:
        near = [to for to in hits if self._same_repository(file, to)] or hits
        return sorted(near, key=lambda to: (-self._shared(file, to), self._paths[to]))[:MOST_MEANT]

    def _same_repository(self, file: int, to: int) -> bool:
        return self._paths[file].partition("/")[0] == self._paths[to].partition("/")[0]

    def _shared(self, file: int, to: int) -> int:
        """Count the directories that two files share from the root on."""
        own, other = (self._paths[which].split("/")[:-1] for which in (file, to))
        return len(posixpath.commonprefix([own, other]))


Int32 = NDArray[np.int32]


@dataclass(frozen=True)
class Ragged:
    """Rows of numbers.

    Attributes:
        edges: Shape (rows + 1,), int64: where each row begins in ``values``, and where the last ends.
        values: Int32, one row after the other.
    """

    edges: NDArray[np.int64]
    values: Int32

    @classmethod
    def of(cls, rows: Sequence[Iterable[int]]) -> Ragged:
        """Take the rows as they are."""
        lists = [list(row) for row in rows]
        edges = np.cumsum([0, *map(len, lists)], dtype=np.int64)
        return cls(edges, np.fromiter((value for row in lists for value in row), np.int32, int(edges[-1])))

    @classmethod
    def kept(cls, arrays: Mapping[str, NDArray[Any]], name: str) -> Ragged:
        """Take what ``arrays`` gave."""
        return cls(arrays[f"{name} edges"], arrays[f"{name} values"])

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Give the two arrays, by names that begin with this one."""
        return {f"{name} edges": self.edges, f"{name} values": self.values}

    def row(self, at: int) -> Int32:
        """Return one row."""
        return self.values[self.edges[at] : self.edges[at + 1]]

    def gathered(self, rows: NDArray[Any]) -> tuple[Int32, NDArray[np.int64]]:
        """Return several rows, one after the other, and the length of each."""
        begins, lengths = self.edges[rows], self.lengths[rows]
        # Where each value of the answer lies in ``values``, less its place in the answer.
        shift = np.repeat(begins - np.cumsum(lengths) + lengths, lengths)
        return self.values[shift + np.arange(len(shift))], lengths

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """The length of each row."""
        return np.diff(self.edges)

    def turned(self, rows: int) -> Ragged:
        """Return, for each number below ``rows``, the rows that hold it, in ascending order."""
        holders = np.repeat(np.arange(len(self.edges) - 1, dtype=np.int32), self.lengths)
        edges = np.concatenate([[0], np.cumsum(np.bincount(self.values, minlength=rows))]).astype(np.int64)
        return Ragged(edges, holders[np.argsort(self.values, kind="stable")])


MOST_DEFINERS = 3
"""Files that define a name which still says where it comes from; ``get`` and ``run`` say nothing."""

MOST_USERS = 20
"""Files that use a name which still leads from its definition to them."""


def rarity(count: int, total: int) -> float:
    """Return ``log((total + 1) / count) / log(total + 1)``: 1 for one of many, near 0 for all of them."""
    return math.log((total + 1) / count) / math.log(total + 1)


def leaf(qualified: str) -> str:
    """Return the last part of a dotted name."""
    return qualified.rpartition(".")[2]


def link_arrays(paths: Sequence[str], symbols: Sequence[References | None]) -> Arrays:
    """Find out what ``Links`` needs to know."""
    places = Places(paths, symbols)
    imports = Ragged.of([places.imported(file) for file in range(len(paths))])
    definers = _all_definers(symbols)
    name = {definer: at for at, definer in enumerate(sorted(definers))}
    used = Ragged.of([_used(references, name) for references in symbols])
    return {
        **imports.arrays("imports"),
        **Ragged.of([definers[definer] for definer in name]).arrays("definers"),
        **used.arrays("used"),
        **used.turned(len(name)).arrays("users"),
    }


class Links:
    """One hop from a file to others."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take what ``link_arrays`` found out."""
        self._imports, self._definers, self._used, self._users = (
            Ragged.kept(arrays, name) for name in ("imports", "definers", "used", "users")
        )
        self._defined = self._definers.turned(len(self._imports.edges) - 1)
        total = self._total = len(self._imports.edges) - 1
        self._imported = _rarities(np.bincount(self._imports.values, minlength=total), total)
        users = np.maximum(self._users.lengths, 1)
        self._weight = _rarities(users, total) / np.maximum(self._definers.lengths, 1)

    def of(self, file: int) -> dict[int, float]:
        """Return the files one hop away, each with the closest of its links, in (0, 1].

        A file that this one imports is as close as few files import it. A file that defines a name which this
        one uses, and a file that uses a name which this one defines, is as close as few files use the name,
        divided by the number of files that define it. A name that more than ``MOST_DEFINERS`` files define
        links nothing, and one that more than ``MOST_USERS`` use does not lead to its users. Names count as
        they are written, so that two things of one name are one.
        """
        close = np.zeros(self._total)
        imported = self._imports.row(file)
        close[imported] = self._imported[imported]
        self._draw(close, self._definers, self._used.row(file))
        defined = self._defined.row(file)
        self._draw(close, self._users, defined[self._users.lengths[defined] <= MOST_USERS])
        close[file] = 0.0
        linked = np.flatnonzero(close)
        return dict(zip(linked.tolist(), close[linked].tolist(), strict=True))

    def _draw(self, close: F64, leads: Ragged, names: NDArray[np.int32]) -> None:
        files, lengths = leads.gathered(names)
        np.maximum.at(close, files, np.repeat(self._weight[names], lengths))


def _rarities(counts: NDArray[np.int64], total: int) -> F64:
    """Return ``rarity`` of each count, 0 for none."""
    rarities = {0: 0.0} | {count: rarity(count, total) for count in set(counts.tolist()) if count}
    return np.array([rarities[count] for count in counts.tolist()], dtype=np.float64)


def _all_definers(symbols: Sequence[References | None]) -> dict[str, list[int]]:
    definers: dict[str, list[int]] = defaultdict(list)
    for file, references in enumerate(symbols):
        for name in {leaf(qualified) for qualified in references.definitions} if references else ():
            definers[name].append(file)
    return {name: files for name, files in definers.items() if len(files) <= MOST_DEFINERS}


def _used(references: References | None, name: Mapping[str, int]) -> list[int]:
    return sorted(name[used] for used in references.identifiers if used in name) if references else []
