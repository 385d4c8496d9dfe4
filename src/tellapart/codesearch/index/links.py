"""How closely files belong together: by imports, and by names that few files define and use."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.codesearch.index.kept import Arrays
from tellapart.codesearch.index.places import Places
from tellapart.codesearch.index.ragged import Ragged
from tellapart.embed.protocol import F64
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


def link_arrays(paths: Sequence[str], symbols: Sequence[References | None]) -> Arrays:
    """Find out what ``Links`` needs to know.

    Args:
        paths: Of the files, ``repo/path`` each.
        symbols: What is known of each.
    """
    places = Places(paths, symbols)
    imports = Ragged.of([places.imported(file) for file in range(len(paths))])
    definers = _all_definers(symbols)
    name = {known: at for at, known in enumerate(sorted(definers))}
    used = Ragged.of([_used(found, name) for found in symbols])
    return {
        **imports.arrays("imports"),
        **Ragged.of([definers[known] for known in name]).arrays("definers"),
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
        found = np.flatnonzero(close)
        return dict(zip(found.tolist(), close[found].tolist(), strict=True))

    def _draw(self, close: F64, leads: Ragged, names: NDArray[np.int32]) -> None:
        files, lengths = leads.gathered(names)
        np.maximum.at(close, files, np.repeat(self._weight[names], lengths))


def _rarities(counts: NDArray[np.int64], total: int) -> F64:
    """Return ``rarity`` of each count, 0 for none."""
    known = {0: 0.0} | {count: rarity(count, total) for count in set(counts.tolist()) if count}
    return np.array([known[count] for count in counts.tolist()], dtype=np.float64)


def _all_definers(symbols: Sequence[References | None]) -> dict[str, list[int]]:
    definers: dict[str, list[int]] = defaultdict(list)
    for file, found in enumerate(symbols):
        for name in {leaf(qualified) for qualified in found.definitions} if found else ():
            definers[name].append(file)
    return {name: files for name, files in definers.items() if len(files) <= MOST_DEFINERS}


def _used(found: References | None, name: Mapping[str, int]) -> list[int]:
    return sorted(name[used] for used in found.identifiers if used in name) if found else []
