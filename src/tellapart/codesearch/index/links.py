"""How closely files belong together: by imports, and by names that few files define and use."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from tellapart.codesearch.index.places import Places
from tellapart.extraction.references import References

MOST_DEFINERS = 3
"""Files that define a name which still says where it comes from; ``get`` and ``run`` say nothing."""

MOST_USERS = 20
"""Files that use a name which still leads from its definition to them."""


def rarity(count: int, total: int) -> float:
    """Return ``log((total + 1) / count) / log(total + 1)``: 1 for one of many, near 0 for all of them.

    Args:
        count: At least 1.
        total: At least ``count``.
    """
    return math.log((total + 1) / count) / math.log(total + 1)


def leaf(qualified: str) -> str:
    """Return the last part of a dotted name."""
    return qualified.rpartition(".")[2]


class Links:
    """One hop from a file to others."""

    def __init__(self, paths: Sequence[str], symbols: Sequence[References | None]) -> None:
        """Take the files, ``repo/path`` each, with what is known of them."""
        self._symbols = symbols
        places = Places(paths, symbols)
        self._imports = [places.imported(file) for file in range(len(paths))]
        self._importers: dict[int, int] = defaultdict(int)
        for meant in self._imports:
            for to in meant:
                self._importers[to] += 1
        self._definers = self._all_definers()
        self._users = self._all_users()

    def of(self, file: int) -> dict[int, float]:
        """Return the files one hop away, each with the closest of its links, in (0, 1].

        A file that this one imports is as close as few files import it. A file that defines a name which this
        one uses, and a file that uses a name which this one defines, is as close as few files use the name,
        divided by the number of files that define it. A name that more than ``MOST_DEFINERS`` files define
        links nothing, and one that more than ``MOST_USERS`` use does not lead to its users. Names count as
        they are written, so that two things of one name are one.
        """
        found = self._symbols[file]
        if found is None:
            return {}
        total = len(self._symbols)
        close: dict[int, float] = defaultdict(float)
        for to in self._imports[file]:
            close[to] = rarity(self._importers[to], total)
        for name in self._known(found.identifiers):
            self._draw(close, self._definers[name], name)
        for name in self._known({leaf(qualified) for qualified in found.definitions}):
            if len(self._users[name]) <= MOST_USERS:
                self._draw(close, self._users[name], name)
        close.pop(file, None)
        return dict(close)

    def _draw(self, close: dict[int, float], files: Sequence[int], name: str) -> None:
        weight = rarity(max(len(self._users[name]), 1), len(self._symbols)) / len(self._definers[name])
        for to in files:
            close[to] = max(close[to], weight)

    def _known(self, names: Sequence[str] | set[str]) -> list[str]:
        return [name for name in names if name in self._definers]

    def _all_definers(self) -> dict[str, list[int]]:
        definers: dict[str, list[int]] = defaultdict(list)
        for file, found in enumerate(self._symbols):
            for name in {leaf(qualified) for qualified in found.definitions} if found else ():
                definers[name].append(file)
        return {name: files for name, files in definers.items() if len(files) <= MOST_DEFINERS}

    def _all_users(self) -> dict[str, list[int]]:
        users: dict[str, list[int]] = {name: [] for name in self._definers}
        for file, found in enumerate(self._symbols):
            for name in self._known(found.identifiers) if found else ():
                users[name].append(file)
        return users
