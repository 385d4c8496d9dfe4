"""How well the names that files define, and their paths, match the words of an issue."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from tellapart.codesearch.index.cache import Arrays
from tellapart.codesearch.index.links import Ragged, leaf
from tellapart.core.arrays import F64
from tellapart.embed.words import words_of
from tellapart.extraction.references import References


def name_of_file(path: str) -> str:
    """Return a path's last part up to its first dot: ``pins.service.ts`` is ``pins.service``."""
    last = path.rpartition("/")[2]
    return last.rpartition(".")[0] or last


def directories_of(path: str) -> Iterable[str]:
    """Return the names of the directories of a path, the repository's among them."""
    return path.split("/")[:-1]


class Texts(Sequence[str]):
    """Texts in the order of their code points, each once."""

    def __init__(self, data: bytes, edges: NDArray[np.int64]) -> None:
        """Take them as UTF-8, one after the other, and where each begins; see ``of``."""
        self._data = data
        self._edges = edges

    @classmethod
    def of(cls, texts: Iterable[str]) -> Texts:
        """Sort texts; surrogates, as in names of files that are no UTF-8, stay."""
        written = sorted({text.encode("utf-8", "surrogatepass") for text in texts})
        return cls(b"".join(written), np.cumsum([0, *map(len, written)], dtype=np.int64))

    @classmethod
    def kept(cls, arrays: Mapping[str, NDArray[Any]], name: str) -> Texts:
        """Take what ``arrays`` gave."""
        return cls(arrays[f"{name} text"].tobytes(), arrays[f"{name} edges"])

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Give the two arrays, by names that begin with this one."""
        return {f"{name} text": np.frombuffer(self._data, dtype=np.uint8), f"{name} edges": self._edges}

    def __len__(self) -> int:
        return len(self._edges) - 1

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        return self._bytes(at % len(self)).decode("utf-8", "surrogatepass")

    def place(self, text: str) -> int | None:
        """Return where a text stands; None where it is not there."""
        wanted = text.encode("utf-8", "surrogatepass")
        at = bisect_left(range(len(self)), wanted, key=self._bytes)
        return at if at < len(self) and self._bytes(at) == wanted else None

    def _bytes(self, at: int) -> bytes:
        return self._data[self._edges[at] : self._edges[at + 1]]


DIRECTORY = 0.5
"""What a directory's name counts, beside a name that is defined: it says little of any one file in it."""

LITERAL = 2.0
"""What a name counts that the issue writes out, beside one that has only words in common with it."""

WRITTEN = re.compile(r"`?\$?[^\W\d][\w$]*(?:(?:::|->|[./\\#])[\w$-]+)*(?:\(|`)?")
SEPARATOR = re.compile(r"::|->|[./\\#]")
MARKED = re.compile(r"[^\W_]_+[^\W_]|[^\W\d_A-Z][A-Z]|[A-Z]{2}[a-z]")
"""What tells an identifier from a word: an underscore, or a capital, inside it."""


def name_arrays(paths: Sequence[str], symbols: Sequence[References | None]) -> Arrays:
    """Find out what ``Naming`` needs to know."""
    files: dict[tuple[str, float], set[int]] = defaultdict(set)
    qualified: dict[str, list[int]] = defaultdict(list)
    for file, (path, references) in enumerate(zip(paths, symbols, strict=True)):
        files[name_of_file(path), 1.0].add(file)
        for directory in directories_of(path):
            files[directory, DIRECTORY].add(file)
        for whole in references.definitions if references else ():
            qualified[whole].append(file)
            files[leaf(whole), 1.0].add(file)
    wholes = Texts.of(qualified)
    leaves = Texts.of(map(leaf, qualified))
    position = {name: at for at, name in enumerate(leaves)}
    return {
        **_word_arrays(files, len(paths)),
        **wholes.arrays("wholes"),
        **Ragged.of([qualified[whole] for whole in wholes]).arrays("defining"),
        **leaves.arrays("leaves"),
        **Ragged.of([[position[leaf(whole)]] for whole in wholes]).turned(len(leaves)).arrays("owners"),
    }


def _word_arrays(files: Mapping[tuple[str, float], set[int]], total: int) -> Arrays:
    """Give names, with the part that they count, their words and their files; and the weights of words."""
    names = sorted(files)
    words_by_name = [words_of(name) for name, _ in names]
    words = Texts.of(word for own in words_by_name for word in own)
    position = {word: at for at, word in enumerate(words)}
    having: list[set[int]] = [set() for _ in words]
    for name, own in zip(names, words_by_name, strict=True):
        for word in own:
            having[position[word]] |= files[name]
    weight = [_idf(len(holders), total) for holders in having]
    rows = [sorted(position[word] for word in own) for own in words_by_name]
    return {
        **words.arrays("words"),
        "weights": np.array(weight, dtype=np.float64),
        **Ragged.of(rows).turned(len(words)).arrays("names"),
        "parts": np.array([part for _, part in names], dtype=np.float64),
        "totals": np.array([math.fsum(weight[word] for word in row) for row in rows], dtype=np.float64),
        **Ragged.of([sorted(files[name]) for name in names]).arrays("files"),
    }


def _idf(count: int, total: int) -> float:
    return math.log((total + 1) / count)


class Naming:
    """Words, names and the files that have them."""

    def __init__(self, paths: Sequence[str], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take the files and what ``name_arrays`` found out."""
        self._paths = paths
        self._words, self._wholes, self._leaves = (
            Texts.kept(arrays, name) for name in ("words", "wholes", "leaves")
        )
        self._names, self._files, self._defining_files, self._owners = (
            Ragged.kept(arrays, name) for name in ("names", "files", "defining", "owners")
        )
        self._weights, self._parts, self._totals = (arrays[name] for name in ("weights", "parts", "totals"))
        self._by_last_part: dict[str, list[int]] = defaultdict(list)
        for file, path in enumerate(paths):
            self._by_last_part[path.rpartition("/")[2].lower()].append(file)

    def scores(self, issue: str) -> dict[int, float]:
        """Return the files that an issue names, each with how much it does; positive.

        A word of the issue weighs ``log((files + 1) / files that have it in a name)``. In a file it counts by
        the name there that the issue says best: the weight times the square root of the issue's share of the
        weight of that name's words. Each name or path that the issue writes out counts twice the weight of a
        word that as many files have.
        """
        words = [at for word in sorted(words_of(issue)) if (at := self._words.place(word)) is not None]
        weights = np.zeros(len(self._parts))
        for word in words:
            weights[self._names.row(word)] += self._weights[word]
        scores = np.zeros(len(self._paths))
        for word in words:
            scores += self._weights[word] * self._best(self._names.row(word), weights)
        for files in self._written_out(issue):
            scores[list(files)] += LITERAL * _idf(len(files), len(self._paths))
        scored = np.flatnonzero(scores)
        return dict(zip(scored.tolist(), scores[scored].tolist(), strict=True))

    def _best(self, names: NDArray[np.int32], weights: F64) -> F64:
        """Say for each file how much an issue says, in [0, 1], of the name it says best among these.

        A directory's name counts less.
        """
        share = self._parts[names] * np.sqrt(weights[names] / self._totals[names])
        files, lengths = self._files.gathered(names)
        best = np.zeros(len(self._paths))
        np.maximum.at(best, files, np.repeat(share, lengths))
        return best

    def _written_out(self, issue: str) -> Iterable[set[int]]:
        """Yield the files of each name or path that is written out, each once, in the order of the names."""
        for written in sorted({match[0] for match in WRITTEN.finditer(issue)}):
            bare = written.strip("`($")
            if files := self._at_path(bare) or self._defining(bare, marked=bare != written):
                yield files

    def _at_path(self, written: str) -> set[int]:
        path = written.replace("\\", "/").lower()
        hits = self._by_last_part.get(path.rpartition("/")[2], ()) if "." in path else ()
        return {file for file in hits if f"/{self._paths[file].lower()}".endswith(f"/{path}")}

    def _defining(self, written: str, *, marked: bool) -> set[int]:
        """Return the files that define a name; with its owners as they are written, where any does."""
        parts = SEPARATOR.split(written)
        if not (marked or len(parts) > 1 or MARKED.search(written)):
            return set()
        leaf_at = self._leaves.place(parts[-1])
        hits = self._owners.row(leaf_at) if leaf_at is not None else np.zeros(0, dtype=np.int32)
        ending = "." + ".".join(parts)
        whole = [at for at in hits.tolist() if f".{self._wholes[at]}".endswith(ending)]
        return set(self._defining_files.gathered(np.array(whole or hits, dtype=np.int64))[0].tolist())
