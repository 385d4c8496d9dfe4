"""Where similarities come from: a model, or vectors in a folder, Parquet or an ``.npz``, never unpickled."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from itertools import chain
from math import prod
from pathlib import Path
from tokenize import TokenError
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.lib.format import read_array, read_array_header_1_0, read_array_header_2_0, read_magic
from numpy.typing import NDArray

from tellapart.core.arrays import F32
from tellapart.core.figure_units import COSINE, require_similarity
from tellapart.core.jobs import Spread
from tellapart.core.progress import SILENT, Progress
from tellapart.embed import load_matcher, require
from tellapart.embed.cache import VectorCache, default_path
from tellapart.embed.similarity import Embedded, VectorRows, VectorSimilarity, Zeros, embed, faults_of
from tellapart.errors import InputError, UsageError, option
from tellapart.files import cannot_read
from tellapart.files.tables import from_parquet, is_parquet
from tellapart.store import read_frame

MISSING = "missing embedding"
NOT_FINITE = "NaN or infinite vector"

FINGERPRINT, SIMILARITY = "tellapart.fingerprint", "tellapart.similarity"
"""Under which a Parquet file says which model its vectors are of, and by what the model compares them."""

_ROWS_AT_ONCE = 16_384
_QUOTED_CHARACTERS = 60
_NEXT_STEP = (
    "Write them with 'tellapart embed', or with numpy.savez(path, texts=numpy.array(list_of_str), "
    "vectors=matrix)"
)
_KINDS = {"U": "strings", "f": "floating-point numbers"}
_HEADERS = {(1, 0): read_array_header_1_0, (2, 0): read_array_header_2_0}
_MOST_INFLATED = 1_100
"""Bytes that deflate can make of one; a member that claims more is damaged."""


class _Rows(NamedTuple):
    """Some rows of a file: texts, their vectors, and whether each is a query or a document, if it says so."""

    texts: list[str]
    vectors: NDArray[Any]
    kinds: list[str] | None = None


def look_up(
    path: Path,
    anchors: Sequence[str],
    options: Sequence[str],
    *,
    similarity: str | None = None,
    zeros: Zeros | None = None,
) -> Embedded:
    """Take vectors of texts from a file or folder; they compare by ``similarity``, else as the file says."""
    unit = similarity or similarity_of(path)
    parts = _parts(path)
    head = next(parts, None)
    if head is None:
        raise InputError("there are no vectors here", where=path, next_step=_NEXT_STEP)
    # A model may embed a text in one way as a query and in another as a document.
    sides = ("query", "document") if head.kinds is not None else ("",)
    wanted = {"": chain(anchors, options), "query": anchors, "document": options}
    row_of: dict[tuple[str, str], int] = {}
    for side in sides:
        for text in wanted[side]:
            row_of.setdefault((side, text), len(row_of))
    shape = len(row_of), head.vectors.shape[1]
    vectors = zeros(shape) if zeros else np.zeros(shape, np.float32)
    faults = np.full(len(row_of), MISSING, dtype=f"U{max(map(len, (MISSING, NOT_FINITE)))}")
    for part in chain([head], parts):
        if part.vectors.shape[1] != vectors.shape[1] or (part.kinds is None) != (head.kinds is None):
            raise InputError("the files here do not belong together", where=path, next_step=_NEXT_STEP)
        _fill(part, row_of, vectors, faults, path)
    rows = VectorRows.of(vectors)
    faults = np.where(faults == "", faults_of(rows, unit), faults)
    of_anchors, of_options = (
        np.array([row_of[side, text] for text in texts], dtype=np.int64)
        for side, texts in ((sides[0], anchors), (sides[-1], options))
    )
    compared = VectorSimilarity(rows, rows, unit, of_anchors, of_options)
    return Embedded(compared, faults[of_anchors], faults[of_options], unit)


def similarity_of(path: Path) -> str:
    """By what vectors are compared as their model has it; cosine where the file names none."""
    return _notes(path).get(SIMILARITY, COSINE)


def _files(path: Path) -> list[Path]:
    return sorted(path.glob("*.parquet")) if path.is_dir() else [path]


def _notes(path: Path) -> dict[str, str]:
    """What the Parquet files here say of their vectors; files of two models are refused."""
    notes: dict[str, str] = {}
    for file in _files(path):
        if file.is_file() and is_parquet(file):
            here = from_parquet(file, pl.read_parquet_metadata)
            if here.get(FINGERPRINT) != notes.get(FINGERPRINT, here.get(FINGERPRINT)):
                raise InputError("vectors of two models are here", where=path, next_step=_NEXT_STEP)
            notes |= here
    return notes


def _parts(path: Path) -> Iterator[_Rows]:
    for file in _files(path):
        try:
            found_parquet = is_parquet(file)
        except OSError as error:
            raise cannot_read(file, error) from None
        part = _parquet(file) if found_parquet else _npz(file)
        for start in range(0, len(part.texts), _ROWS_AT_ONCE):
            some = slice(start, start + _ROWS_AT_ONCE)
            kinds = None if part.kinds is None else part.kinds[some]
            yield _Rows(part.texts[some], part.vectors[some], kinds)


def _parquet(file: Path) -> _Rows:
    schema = from_parquet(file, pl.read_parquet_schema)
    kind = schema.get("vector")
    are_texts = isinstance(schema.get("kind", pl.String()), pl.String | pl.Categorical | pl.Enum)
    if (
        schema.get("text") != pl.String
        or not are_texts
        or not isinstance(kind, pl.Array)
        or not kind.inner.is_float()
    ):
        raise InputError(
            "expected the columns 'text', of strings, 'vector', of arrays of one length of floats, and, "
            "where it is there, 'kind', of strings",
            where=file,
            next_step=_NEXT_STEP,
        )
    rows = read_frame(file, [name for name in ("text", "kind", "vector") if name in schema])
    if rows.select(pl.all().null_count()).sum_horizontal().item():
        raise InputError("a text, kind or vector is null", where=file, next_step=_NEXT_STEP)
    kinds = rows["kind"].to_list() if "kind" in schema else None
    return _Rows(rows["text"].to_list(), rows["vector"].to_numpy(), kinds)


def _fill(
    part: _Rows, row_of: dict[tuple[str, str], int], vectors: F32, faults: NDArray[np.str_], path: Path
) -> None:
    """Put the vectors of wanted texts into their rows; where there is a fault, the row stays zero."""
    kinds = part.kinds or [""] * len(part.texts)
    rows = np.array([row_of.get(key, -1) for key in zip(kinds, part.texts, strict=True)], dtype=np.int64)
    places = np.flatnonzero(rows >= 0)
    rows = rows[places]
    with np.errstate(over="ignore"):
        block = part.vectors[places].astype(np.float32)
    finite = np.isfinite(block).all(axis=1)
    block[~finite] = 0
    faults_here = np.where(finite, "", NOT_FINITE)
    firsts = np.unique(rows, return_index=True)[1]
    firsts = firsts[faults[rows[firsts]] == MISSING]
    vectors[rows[firsts]], faults[rows[firsts]] = block[firsts], faults_here[firsts]
    same = (vectors[rows] == block).all(axis=1) & (faults[rows] == faults_here)
    if not same.all():
        text = part.texts[places[int(np.argmin(same))]]
        raise InputError(
            f"two different vectors for the text {text[:_QUOTED_CHARACTERS]!r}",
            where=path,
            next_step="Keep one vector for each text",
        )


def _npz(path: Path) -> _Rows:
    if not zipfile.is_zipfile(path):
        raise InputError("no .npz, or one that was cut off", where=path, next_step=_NEXT_STEP)
    try:
        with zipfile.ZipFile(path) as archive:
            texts, vectors = _taken(archive, "texts", "U", 1, path), _taken(archive, "vectors", "f", 2, path)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError) as error:
        raise InputError(f"this .npz is damaged: {error}", where=path, next_step=_NEXT_STEP) from None
    if len(texts) != len(vectors):
        raise InputError(f"{len(texts)} texts but {len(vectors)} vectors", where=path)
    return _Rows(texts.tolist(), vectors)


def _taken(archive: zipfile.ZipFile, name: str, kind: str, dimensions: int, path: Path) -> NDArray[Any]:
    """Read an array of values of a kind (as in ``numpy.dtype.kind``), once its header is that of its file."""

    def refused(what: str) -> InputError:
        return InputError(what, where=path, next_step=_NEXT_STEP)

    members = {member.filename.removesuffix(".npy"): member for member in archive.infolist()}
    if name not in members:
        raise refused(f"no array {name!r}; arrays in the file: {', '.join(sorted(members)) or 'none'}")
    member = members[name]
    with archive.open(member) as file:
        try:
            shape, _, dtype = _HEADERS[read_magic(file)](file)
        except (ValueError, KeyError, SyntaxError, TokenError):
            raise refused(f"{name!r} is no array, expected {_KINDS[kind]}") from None
        size_bytes = file.tell() + prod(shape) * dtype.itemsize
    if dtype.hasobject:
        raise refused(
            f"{name!r} holds pickled objects, which could run code and are never loaded; expected "
            f"{_KINDS[kind]}"
        )
    if dtype.kind != kind:
        raise refused(f"{name!r} holds {dtype}, expected {_KINDS[kind]}")
    if len(shape) != dimensions:
        raise refused(f"{name!r} has shape {shape}, expected {dimensions} dimension(s)")
    # Before room is made for it: a damaged header may claim more than any machine has.
    if size_bytes != member.file_size or member.file_size > _MOST_INFLATED * member.compress_size:
        raise ValueError(f"{name!r} is too short or too long for its shape {shape}")
    with archive.open(member) as file:
        array: NDArray[Any] = read_array(file, allow_pickle=False)
    return array


def check_source(model: str | None, embeddings: Path | None, similarity: str | None = None) -> None:
    """Refuse what cannot embed, before anything expensive begins."""
    if (model is None) == (embeddings is None):
        model_or_vectors = option("model", "NAME"), option("embeddings", "VECTORS")
        raise UsageError(f"give either {' or '.join(model_or_vectors)}")
    if model is not None:
        require(model)
    if similarity is not None:
        require_similarity(similarity)


class Source(NamedTuple):
    """What makes anchors and options comparable, each text embedded once, and how vectors are compared."""

    name: str
    similarity: str
    embed: Callable[..., Embedded]


@contextmanager
def open_source(
    model: str | None,
    embeddings: Path | None,
    base_url: str | None,
    corpus: Sequence[str],
    progress: Progress = SILENT,
    similarity: str | None = None,
    spread: Spread | None = None,
) -> Iterator[Source]:
    """Load what embeds, fitted on ``corpus`` if it needs fitting."""
    if embeddings is not None:
        unit = similarity or similarity_of(embeddings)
        yield Source(embeddings.stem, unit, partial(look_up, embeddings, similarity=unit))
        return
    with closing(VectorCache(default_path())) as cache:
        matcher = load_matcher(
            str(model),
            corpus=corpus,
            base_url=base_url,
            cache=cache,
            progress=progress,
            similarity=similarity,
            spread=spread,
        )
        with progress.step(f"{matcher.name} embeds texts", None):
            yield Source(matcher.name, matcher.unit, partial(embed, matcher))


def embed_eval(
    anchors: Sequence[str],
    options: Sequence[str],
    model: str | None,
    embeddings: Path | None,
    base_url: str | None,
    progress: Progress = SILENT,
    similarity: str | None = None,
    spread: Spread | None = None,
    zeros: Zeros | None = None,
) -> Embedded:
    """Make the texts of an eval comparable by a model, or else by the vectors of a file."""
    with open_source(model, embeddings, base_url, options, progress, similarity, spread) as source:
        return source.embed(anchors, options, zeros=zeros)
