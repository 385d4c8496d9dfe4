"""How well the names that files define, and their paths, are said by an issue."""

from __future__ import annotations

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from tellapart.codesearch.index.links import leaf
from tellapart.codesearch.index.names import directories_of, name_of_file, words_of
from tellapart.extraction.references import References

DIRECTORY = 0.5
"""What a directory's name counts, beside a name that is defined: it says little of any one file in it."""

LITERAL = 2.0
"""What a name counts that the issue writes out, beside one that has only words in common with it."""

WRITTEN = re.compile(r"`?\$?[^\W\d][\w$]*(?:(?:::|->|[./\\#])[\w$-]+)*(?:\(|`)?")
SEPARATOR = re.compile(r"::|->|[./\\#]")
MARKED = re.compile(r"[^\W_]_+[^\W_]|[^\W\d_A-Z][A-Z]|[A-Z]{2,}[a-z]")
"""What tells an identifier from a word: an underscore, or a capital, inside it."""


class Naming:
    """Words, names and the files that have them."""

    def __init__(self, paths: Sequence[str], symbols: Sequence[References | None]) -> None:
        """Take the files, ``repo/path`` each, with what is known of them."""
        self._paths = paths
        self._words: dict[str, frozenset[str]] = {}
        self._files: dict[tuple[str, float], set[int]] = defaultdict(set)
        self._qualified: dict[str, list[tuple[str, int]]] = defaultdict(list)
        self._by_last_part: dict[str, list[int]] = defaultdict(list)
        for file, (path, found) in enumerate(zip(paths, symbols, strict=True)):
            self._by_last_part[path.rpartition("/")[2].lower()].append(file)
            self._files[name_of_file(path), 1.0].add(file)
            for directory in directories_of(path):
                self._files[directory, DIRECTORY].add(file)
            for qualified in found.definitions if found else ():
                name = leaf(qualified)
                self._qualified[name].append((qualified, file))
                self._files[name, 1.0].add(file)
        self._index_words()

    def _index_words(self) -> None:
        self._named: dict[str, list[tuple[str, float]]] = defaultdict(list)
        having: dict[str, set[int]] = defaultdict(set)
        for key, files in self._files.items():
            self._words[key[0]] = self._words.get(key[0]) or words_of(key[0])
            for word in self._words[key[0]]:
                self._named[word].append(key)
                having[word] |= files
        self._weight = {word: self._idf(len(files)) for word, files in having.items()}

    def _idf(self, count: int) -> float:
        return math.log((len(self._paths) + 1) / count)

    def scores(self, issue: str) -> dict[int, float]:
        """Return the files that an issue names, each with how much it does; positive.

        A word of the issue weighs ``log((files + 1) / files that have it in a name)``. In a file it counts by
        the name there that the issue says best: the weight times the square root of the issue's share of the
        weight of that name's words. Each name or path that the issue writes out counts twice the weight of a
        word that as many files have.
        """
        said = words_of(issue)
        best: dict[tuple[int, str], float] = defaultdict(float)
        for key in {key for word in said for key in self._named.get(word, ())}:
            words = self._words[key[0]] & said
            share = self._share(key, words)
            for place in itertools.product(self._files[key], words):
                best[place] = max(best[place], share)
        parts: dict[int, list[float]] = defaultdict(list)
        for (file, word), share in best.items():
            parts[file].append(self._weight[word] * share)
        for files in self._written_out(issue):
            for file in files:
                parts[file].append(LITERAL * self._idf(len(files)))
        return {file: math.fsum(own) for file, own in parts.items()}

    def _share(self, key: tuple[str, float], said: frozenset[str]) -> float:
        """Say how much of a name an issue says, in (0, 1]; a directory's counts less."""
        name, part = key
        total = math.fsum(self._weight[word] for word in self._words[name])
        return part * math.sqrt(math.fsum(self._weight[word] for word in said) / total)

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
        hits = self._qualified.get(parts[-1], ())
        whole = {file for qualified, file in hits if f".{qualified}".endswith("." + ".".join(parts))}
        return whole or {file for _, file in hits}
