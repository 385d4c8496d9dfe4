"""Which files of the approved repositories an import means."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Sequence

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
        for file, (path, found) in enumerate(zip(paths, symbols, strict=True)):
            directory = path.rpartition("/")[0]
            for parts in (1, 2):
                self._by_end[_end(path, parts)].append(file)
            self._in_directory[directory].append(file)
            for qualified in found.definitions if found else ():
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
        found = self._symbols[file]
        if found is None:
            return ()
        meant = {to for one in found.imports for to in self._meant(file, found, one)}
        return tuple(sorted(meant - {file}))

    def _meant(self, file: int, found: References, one: Import) -> Iterable[int]:
        key = found.language, one
        if key not in self._targets:
            self._targets[key] = tuple(self._syntax[found.language].targets(one))
        for alternatives in self._targets[key]:
            for target in alternatives:
                if hits := self._hits(file, found, target):
                    yield from self._nearest(file, hits)
                    break

    def _hits(self, file: int, found: References, target: Target) -> Sequence[int]:
        if target.kind == "file":
            return self._files(file, found, target.what)
        if target.kind == "name":
            outer, _, own = target.what.rpartition(".")
            return self._defined[outer][own] if own in self._defined.get(outer, {}) else ()
        if target.kind == "within":
            inside = self._defined.get(target.what, {})
            return sorted({to for name in found.identifiers for to in inside.get(name, ())})
        return self._in_directories(found, target.what)

    def _files(self, file: int, found: References, what: str) -> Sequence[int]:
        path = self._paths[file]
        directory, _, last = path.rpartition("/")
        if what.startswith("."):
            what = what.replace("{stem}", last.partition(".")[0])
            place = self._at.get(posixpath.normpath(f"{directory}/{what}"))
            return () if place is None or not self._same_repository(file, place) else (place,)
        mark = self._syntax[found.language].package_file
        if (what, mark) not in self._cached:
            hits = self._by_end.get(_end(what, 2), ())
            ending = [to for to in hits if f"/{self._paths[to]}".endswith(f"/{what}")]
            self._cached[what, mark] = [to for to in ending if not self._inside(to, what, mark)]
        return self._cached[what, mark]

    def _inside(self, file: int, what: str, mark: str) -> bool:
        """Say whether a path goes on into the package that surrounds it, so that it is no whole name."""
        return bool(mark) and f"{self._paths[file].removesuffix(what)}{mark}" in self._at

    def _in_directories(self, found: References, what: str) -> Sequence[int]:
        """Return the files in directories of that name that define something the importing file uses."""
        used = set(found.identifiers)
        named = self._directories.get(what.rpartition("/")[2], ())
        inside = (
            file for name in named if f"/{name}".endswith(f"/{what}") for file in self._in_directory[name]
        )
        return [file for file in inside if self._defines_any(file, found.language, used)]

    def _defines_any(self, file: int, language: str, used: set[str]) -> bool:
        found = self._symbols[file]
        return (
            found is not None
            and found.language == language
            and not used.isdisjoint(qualified.rpartition(".")[2] for qualified in found.definitions)
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
