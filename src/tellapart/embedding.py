"""Vectors of all texts of an eval, a benchmark or a table, written part by part."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import polars as pl

from tellapart.bundles.parts.folders import eval_files
from tellapart.bundles.reading import read_batches
from tellapart.bundles.scoring import TextNumbers
from tellapart.bundles.vectors import FINGERPRINT, SIMILARITY
from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.export import benchmark_bundles
from tellapart.core.figure_units import COSINE
from tellapart.core.fingerprint import sha256_of_json
from tellapart.core.progress import SILENT, Progress
from tellapart.embed import Embedder, VectorCache, load_embedder, require
from tellapart.embed.cache import default_path
from tellapart.embed.protocol import Kind, checked_vectors
from tellapart.embed.similarity import TEXTS_AT_ONCE
from tellapart.engines import EngineOptions
from tellapart.errors import InputError, UsageError, near_match, option
from tellapart.files import RowFaults, write_bytes
from tellapart.files.row_faults import fix_or_drop
from tellapart.files.tables import from_parquet, kind_of, read_table
from tellapart.parallel import named_spread
from tellapart.store.growing import growing

TEXTS_A_PART = TEXTS_AT_ONCE

_TEXTS = "tellapart.texts"
"""Under which a part keeps the digest of its texts."""


@dataclass(frozen=True)
class EmbeddedTexts:
    """What ``tellapart embed --json`` prints; ``parts_before`` were there of an interrupted run."""

    model: str
    fingerprint: str
    similarity: str
    rows: int
    parts: int
    parts_before: int
    left_out: dict[str, int]


def embed(
    source: str,
    out: Path,
    model: str,
    *,
    text: str | None = None,
    item: str | None = None,
    queries: bool = False,
    base_url: str | None = None,
    skip_invalid: bool = False,
    engine: EngineOptions | None = None,
    progress: Progress = SILENT,
) -> EmbeddedTexts:
    """Write the vectors of texts into a folder of Parquet files, which ``bundles score`` reads.

    The source is an eval in any form, as a file, a folder or an address; the directory of a contrastive
    benchmark; or, with the column ``text``, a table. Each distinct text of an eval or a benchmark has a row:
    anchors as queries, all others as documents. The same texts, model and revision give the same bytes,
    whatever the engine and the number of workers; a part that is done is not done again.
    """
    require(model)
    if text is None and (item is not None or queries):
        raise UsageError(
            "--id and --queries are for tables", next_step="Add --text COLUMN, or leave them out"
        )
    left_out: dict[str, int] = {}
    with progress.step("reading", None):
        if text is not None:
            kind: Kind = "query" if queries else "document"
            sides, left_out = _of_table(Path(source), text, item, kind, skip_invalid)
        elif Path(source, "benchmark.json").is_file():
            sides = _of_benchmark(Path(source))
        else:
            sides, left_out = _of_eval(source, skip_invalid)
    if not any(frame.height for frame in sides.values()):
        raise InputError("there is no text to embed", where=source)
    with closing(VectorCache(default_path())) as cache, named_spread(engine or EngineOptions()) as spread:
        embedder = load_embedder(
            model,
            corpus=sides["document"]["text"].to_list() if "document" in sides else (),
            base_url=base_url,
            cache=cache,
            progress=progress,
            spread=spread,
        )
        return _Parts(out, embedder, sides).write(left_out, progress)


def _of_table(
    path: Path, text: str, item: str | None, kind: Kind, skip_invalid: bool
) -> tuple[dict[Kind, pl.DataFrame], dict[str, int]]:
    table_kind = kind_of(path) if path.is_file() else None
    if table_kind is None:
        raise InputError(
            "this is no table", where=path, next_step="With --text give CSV, JSON Lines, JSON or Parquet"
        )
    table = read_table(path, table_kind)
    for name in filter(None, (text, item)):
        if name not in table.columns:
            raise InputError(
                f"there is no column {name!r}", where=path, next_step=near_match(name, table.columns)
            )
        dtype = table.schema[name]
        if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
            raise InputError(
                f"column {name!r} holds {dtype}, expected text{' or numbers' * (name == item)}",
                where=path,
                next_step="Write its text into a column of its own, or name another column",
            )
    columns = {"text": text} | ({"id": item} if item is not None else {})
    frame = table.select(pl.col(column).cast(pl.String).alias(name) for name, column in columns.items())
    bad = {f"empty text in {text!r}": frame["text"].fill_null("").str.strip_chars() == ""}
    if item is not None:
        bad[f"no id of its own in {item!r}"] = frame["id"].is_null() | ~frame["id"].is_first_distinct()
    rows = {cause: is_bad.arg_true() + 1 for cause, is_bad in bad.items() if is_bad.any()}
    if rows and not skip_invalid:
        causes = "; ".join(f"{len(of)} with {cause}, the first is row {of[0]}" for cause, of in rows.items())
        raise InputError(f"bad rows: {causes}", where=path, next_step=fix_or_drop())
    kept = frame.filter(~pl.any_horizontal(*bad.values()))
    return {kind: kept.select(pl.col("^id$"), "text")}, {cause: len(of) for cause, of in rows.items()}


def _of_benchmark(directory: Path) -> dict[Kind, pl.DataFrame]:
    bundles = benchmark_bundles(read_benchmark(directory))
    options = (text.text for bundle in bundles for text in (bundle.positive, *bundle.negatives))
    return _sides(TextNumbers(bundle.anchor.text for bundle in bundles), TextNumbers(options))


def _of_eval(address: str, skip_invalid: bool) -> tuple[dict[Kind, pl.DataFrame], dict[str, int]]:
    anchors, options, files = TextNumbers(), TextNumbers(), eval_files(address)
    faults = RowFaults(address)
    try:
        for number, entry in enumerate(files.files):
            of_file = RowFaults(files.label(number))
            with files.folder.local(entry.name) as path:
                for batch in read_batches(path, of_file):
                    anchors.number(batch["anchor"])
                    listed = batch.select(pl.concat_list("positive", "negatives"))
                    options.number(listed.to_series().explode())
            faults.take(of_file, number)
        if not skip_invalid:
            faults.refuse()
    except InputError as error:
        if len(anchors) or files.is_folder:
            raise
        step = f"For a table of texts, name their column: {option('text', 'COLUMN')}. {error.next_step or ''}"
        raise InputError(error.what, where=error.where, next_step=step.rstrip()) from None
    return _sides(anchors, options), dict(faults.counts)


def _sides(anchors: TextNumbers, options: TextNumbers) -> dict[Kind, pl.DataFrame]:
    sides: dict[Kind, TextNumbers] = {"query": anchors, "document": options}
    return {
        kind: pl.DataFrame({"text": numbers.texts, "kind": [kind] * len(numbers)}, pl.Schema(_COLUMNS))
        for kind, numbers in sides.items()
    }


_COLUMNS = {"text": pl.String(), "kind": pl.Enum(["query", "document"])}


class _Parts:
    """A folder of vectors on its way."""

    def __init__(self, out: Path, embedder: Embedder, sides: dict[Kind, pl.DataFrame]) -> None:
        self._out, self._embedder = out, embedder
        self._parts: dict[str, tuple[Kind, pl.DataFrame]] = {}
        for kind, frame in sides.items():
            for part in frame.iter_slices(TEXTS_A_PART):
                self._parts[f"part-{len(self._parts):05}.parquet"] = kind, part

    def write(self, left_out: dict[str, int], progress: Progress) -> EmbeddedTexts:
        """Write what is missing of the folder."""
        rows = sum(part.height for _, part in self._parts.values())
        if self._out.is_dir() and any(self._out.iterdir()):
            before = self._done(self._out)
            if before != {path.name for path in self._out.iterdir()} or len(before) != len(self._parts):
                raise UsageError(
                    "this folder does not hold the vectors of these texts by this model, or not all of them",
                    where=self._out,
                    next_step="Choose another --out, or remove the folder",
                )
        else:
            with growing(self._out, "folder of vectors") as directory:
                before = self._done(directory)
                for path in directory.glob("part-*"):
                    if path.name not in before:
                        path.unlink()
                self._embed(directory, before, rows, progress)
        return EmbeddedTexts(
            self._embedder.name,
            self._embedder.fingerprint,
            self._similarity,
            rows,
            len(self._parts),
            len(before),
            left_out,
        )

    def _embed(self, directory: Path, before: set[str], rows: int, progress: Progress) -> None:
        embedder, dimensions, done = self._embedder, None, 0
        with progress.step(f"{embedder.name} embeds", rows, unit="texts") as step:
            for name, (kind, part) in self._parts.items():
                if name not in before:
                    vectors = checked_vectors(
                        embedder, part["text"].to_list(), kind=kind, dimensions=dimensions
                    )
                    dimensions, buffer = vectors.shape[1], BytesIO()
                    part.with_columns(pl.Series("vector", vectors)).write_parquet(
                        buffer,
                        statistics=False,
                        metadata=self._notes(part),
                    )
                    write_bytes(directory / name, buffer.getvalue())
                done += part.height
                step.update(done)

    @property
    def _similarity(self) -> str:
        return getattr(self._embedder, "similarity", COSINE)

    def _notes(self, part: pl.DataFrame) -> dict[str, str]:
        return {
            FINGERPRINT: self._embedder.fingerprint,
            SIMILARITY: self._similarity,
            _TEXTS: sha256_of_json(part.to_dict(as_series=False)),
        }

    def _done(self, directory: Path) -> set[str]:
        """Names of the parts that are there."""
        return {
            name
            for name, (_, part) in self._parts.items()
            if (path := directory / name).is_file()
            and self._notes(part).items() <= from_parquet(path, pl.read_parquet_metadata).items()
        }
