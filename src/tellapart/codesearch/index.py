"""The text files of the approved repositories, and BM25 over what they hold, define or document."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import distributions
from itertools import chain
from pathlib import Path, PurePosixPath

import bm25s
import numpy as np
import tree_sitter

from tellapart.codesearch.repositories import MOST_BYTES, WITHHELD, Repositories, secret_by_content
from tellapart.core.arrays import F64
from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.embed.cache import default_path
from tellapart.embed.identifiers import split_identifiers
from tellapart.errors import InputError, StorageError
from tellapart.extraction.cutting import defined_names
from tellapart.extraction.languages import Language, all_languages, language_of
from tellapart.extraction.reading import Unusable, usable_source
from tellapart.extraction.sources import Skipped, Tally, says_generated
from tellapart.files import cannot_read, write_bytes

LONGEST_LINE_BYTES = 20_000
"""Maximum line of a searched file; people write no longer ones, so it is minified or data."""


@dataclass(frozen=True, slots=True)
class SnapshotFile:
    """A text file as it was when the snapshot was taken."""

    path: str
    source: Path
    digest: str

    def data(self) -> bytes:
        """Read the content; refuse one that has changed."""
        try:
            data = self.source.read_bytes()
        except OSError as error:
            raise cannot_read(self.source, error) from None
        if sha256(data) != self.digest:
            raise InputError(
                "this file changed while the repositories were read",
                where=self.path,
                next_step="Run it again",
            )
        return data

    def text(self) -> str:
        """Read the content as UTF-8, other bytes replaced; raises as ``data``."""
        return self.data().decode("utf-8", "replace")


@dataclass(frozen=True)
class Snapshot:
    """The text files of the approved repositories at one moment, sorted, and what was left out by cause."""

    files: tuple[SnapshotFile, ...]
    skipped: Skipped

    @property
    def withheld(self) -> dict[str, int]:
        """Files that are left out as secrets, by reason, such as ``holds credentials``."""
        counts = self.skipped.counts.items()
        return {cause.removeprefix(WITHHELD): n for cause, n in counts if cause.startswith(WITHHELD)}

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over paths and contents: the same files anywhere, at any time, have the same."""
        lines = "".join(f"{file.digest} {file.path}\0" for file in self.files)
        return sha256(lines.encode())


def take_snapshot(repositories: Repositories) -> Snapshot:
    """Read all files that may be read and are text worth searching; 72 MB in 5,000 files take 1 to 2 s."""
    places, left_out = repositories.listing()
    tally = Tally.after(left_out)
    files = []
    for path, source in places.items():
        try:
            data = source.read_bytes() if source.stat().st_size <= MOST_BYTES else None
        except OSError:
            tally.add("unreadable", path)
            continue
        if data is None or len(data) > MOST_BYTES:
            tally.add("too large", path)
        elif cause := _unfit(data):
            tally.add(cause, path)
        else:
            files.append(SnapshotFile(path, source, sha256(data)))
    return Snapshot(tuple(files), tally.freeze())


def _unfit(data: bytes) -> str | None:
    """Say why a file is not worth searching, or may not be shown."""
    if b"\0" in data:
        return "binary"
    if len(data) > LONGEST_LINE_BYTES and max(map(len, data.splitlines())) > LONGEST_LINE_BYTES:
        return "minified"
    if says_generated(data):
        return "generated"
    secret = secret_by_content(data)
    return f"{WITHHELD}holds {secret}" if secret else None


PATH_WEIGHT = 5  # Of a word of a path, against 1 for one in the content; 1 to 20 differ by little
_WORD = re.compile(r"\w+")


class TermIndex:
    """BM25 over files, in Lucene's form by bm25s; words are the lower-case pieces of identifiers."""

    def __init__(self, texts: Iterable[tuple[str, str]], *, path_weight: int = PATH_WEIGHT) -> None:
        """Index texts by path."""
        # Cutting each distinct word once is three times as fast as cutting the texts.
        cut = cache(split_identifiers)

        def cut_text(text: str) -> list[str]:
            return [
                piece for word in _WORD.findall(unicodedata.normalize("NFC", text)) for piece in cut(word)
            ]

        words = {path: cut_text(path) * path_weight + cut_text(text) for path, text in texts}
        self.paths = tuple(sorted(words))
        self._held = {path: frozenset(words[path]) for path in self.paths}
        self._files_with = Counter(chain.from_iterable(self._held.values()))
        self._bm25 = bm25s.BM25(k1=1.5, b=0.75, method="lucene", dtype="float64")
        if self._files_with:
            self._bm25.index([words[path] for path in self.paths], show_progress=False)

    def files_with(self, term: str) -> int:
        """Count the files that hold a term."""
        return self._files_with[term]

    def held(self, path: str, terms: Sequence[str]) -> tuple[str, ...]:
        """Say which of the terms are in a file or its path, in the order of the terms."""
        return tuple(term for term in terms if term in self._held[path])

    def scores(self, terms: Sequence[str]) -> F64:
        """Score every file; shape (files,), 0 for one that holds none of the terms."""
        known = [term for term in terms if term in self._files_with]
        return np.asarray(self._bm25.get_scores(known)) if known else np.zeros(len(self.paths))

    def ranked(self, terms: Sequence[str]) -> list[tuple[str, float]]:
        """Rank the files that hold any of the terms, best first, a tie by path; with their scores."""
        scores = self.scores(terms)
        order = np.argsort(-scores, kind="stable")[: np.count_nonzero(scores)]
        return [(self.paths[at], float(scores[at])) for at in order.tolist()]


def open_terms(snapshot: Snapshot) -> TermIndex:
    """Index the contents of files and the words of their paths."""
    return TermIndex((file.path, file.text()) for file in snapshot.files)


def open_names(snapshot: Snapshot, directory: Path) -> TermIndex:
    """Index the names that files define, and the words of their paths."""
    return TermIndex(_parsed("names", defined_names, snapshot, directory))


def open_docstrings(snapshot: Snapshot, directory: Path) -> TermIndex:
    """Index comments and docstrings; paths do not count."""
    return TermIndex(_parsed("docstrings", docstrings, snapshot, directory), path_weight=0)


_COMMENTS = ("comment", "line_comment", "block_comment")


def docstrings(path: str, data: bytes) -> tuple[str, ...]:
    """Read the comments and docstrings of a file; empty for a file of no known language, or unparsable."""
    language = language_of(path, data)
    if language is None:
        return ()
    try:
        source = usable_source(data, language)
    except Unusable:
        return ()
    root = language.parser.parse(source).root_node
    nodes = tree_sitter.QueryCursor(_prose(language)).captures(root).get("prose", [])
    return tuple(source[node.start_byte : node.end_byte].decode() for node in nodes)


@cache
def _prose(language: Language) -> tree_sitter.Query:
    """Comments, as grammars call them, and strings that stand alone, as docstrings of Python do."""
    grammar = language.loaded
    patterns = [f"({kind}) @prose" for kind in _COMMENTS if grammar.id_for_node_kind(kind, True) is not None]
    if language.name == "python":
        patterns.append("(expression_statement (string) @prose)")
    return tree_sitter.Query(grammar, "\n".join(patterns))


def index_directory() -> Path:
    """``$TELLAPART_INDEX``, else ``codesearch`` beside the cache of vectors."""
    if chosen := os.environ.get("TELLAPART_INDEX"):
        return Path(chosen).expanduser()
    return default_path().parent / "codesearch"


REVISION = 5  # Raise it whenever a file would be read differently, for other reasons than its query


def _parsed(
    part: str, read: Callable[[str, bytes], Sequence[str]], snapshot: Snapshot, directory: Path
) -> Iterator[tuple[str, str]]:
    """Read a part of each file; what was parsed is kept, and parsed again only when its content changes."""
    names = sorted({file.path.partition("/")[0] for file in snapshot.files})
    place = directory / f"{part}-{sha256(canonical_json(names))[:16]}.index"
    revision = _revision()
    before = _kept(place, revision)
    # A language is told by a path's ending.
    keys = {file.path: f"{file.digest} {PurePosixPath(file.path).suffix.lower()}" for file in snapshot.files}
    texts: dict[str, str] = {}
    for file in snapshot.files:
        key = keys[file.path]
        texts[key] = before[key] if key in before else " ".join(read(file.path, file.data()))
    if texts.keys() != before.keys():
        body = canonical_json(texts)
        with suppress(OSError, StorageError):
            write_bytes(place, _heading(revision, body) + b"\n" + body)
    return ((path, texts[key]) for path, key in keys.items())


def _kept(place: Path, revision: str) -> dict[str, str]:
    try:
        heading, _, body = place.read_bytes().partition(b"\n")
    except OSError:
        return {}
    return dict(json.loads(body)) if heading == _heading(revision, body) else {}


def _heading(revision: str, body: bytes) -> bytes:
    return sha256(revision.encode() + body).encode()


@cache
def _revision() -> str:
    """Name all that decides what is found in a file: grammars and queries."""
    grammars = sorted(
        f"{package.name} {package.version}"
        for package in distributions()
        if package.name.startswith("tree-sitter")
    )
    queries = [
        (language.name, language.extensions, language.query, language.names) for language in all_languages()
    ]
    return sha256(canonical_json([REVISION, grammars, queries]))
