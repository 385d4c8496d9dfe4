"""The first pass: files become chunks of bundles, whose texts are keys, and of distinct texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from tellapart.bundles.parts.folders import Folder
from tellapart.bundles.parts.inputs import ROWS_A_PART, EvalFiles, ReadTask
from tellapart.bundles.parts.work import Receipt, write_array, write_table
from tellapart.bundles.reading import read_described
from tellapart.bundles.slice_fields import MOST_VALUES, negative_kinds, says_more
from tellapart.core.arrays import U64
from tellapart.errors import InputError
from tellapart.files import RowFaults, sha256_of

SIDES = ("anchors", "options")
"""Where a text stands: an anchor is embedded as a query, a positive or a negative as a document."""

_TEXT_BYTES = 64 * 2**20
"""Bytes of distinct texts after which a chunk ends that has not many bundles yet."""


class Chunk(NamedTuple):
    """Some bundles of one file.

    Attributes:
        name: Of its tables: ``bundles/NAME`` with a row a bundle, ``anchors/NAME`` and ``options/NAME`` with
            the distinct texts of a side; and of the array ``keys/NAME`` with the keys of all options.
        file: Position of the file among the eval's.
        options: Positives and negatives of all its bundles.
        is_described: Whether anything is said of its bundles besides their texts.
    """

    name: str
    file: int
    bundles: int
    options: int
    is_described: bool


@dataclass(frozen=True)
class ReadJob:
    """Reads an eval."""

    files: EvalFiles
    work: Folder
    counts: ClassVar[str] = "bundles"
    name: str = "reading"

    def open(self) -> None:
        """Nothing is needed."""

    def do(self, _: None, task: ReadTask) -> Receipt:
        """Read a part: the receipt has its chunks, what is wrong with rows, and the digest of the file."""
        problems = RowFaults(self.files.label(task.file))
        with self.files.folder.local(self.files.files[task.file].name) as path:
            digest = sha256_of(path) if task.start == 0 else None
            chunks = _Chunks(self, task)
            within = None if task.rows is None else range(task.start, task.start + task.rows)
            for frame, rows in read_described(path, problems, within):
                chunks.add(frame, rows)
            chunks.flush()
        return {
            "digest": digest,
            "chunks": chunks.written,
            "bundles": sum(chunk.bundles for chunk in chunks.written),
            "tiers": chunks.tiers,
            "kinds": sorted(chunks.kinds),
            "faults": problems.record(),
        }

    def describe(self, task: ReadTask) -> str:
        """Name the file, and its rows where it is read in parts."""
        label = self.files.label(task.file)
        return label if task.rows is None else f"{label}, rows {task.start + 1} to {task.start + task.rows}"


@dataclass
class _Chunks:
    """Bundles of one task, until there are enough for a chunk."""

    job: ReadJob
    task: ReadTask
    written: list[Chunk] = field(default_factory=list)
    tiers: int = 0
    kinds: set[str] = field(default_factory=set)
    _bundles: list[pl.DataFrame] = field(default_factory=list)
    _keys: list[U64] = field(default_factory=list)
    _texts: dict[str, list[pl.DataFrame]] = field(default_factory=lambda: {side: [] for side in SIDES})
    _text_bytes: int = 0

    def add(self, frame: pl.DataFrame, rows: Sequence[Mapping[str, Any]]) -> None:
        is_described = any(map(says_more, rows))
        kinds = [negative_kinds(row) if is_described else None for row in rows] or [None] * frame.height
        if is_described and len(self.kinds) <= MOST_VALUES:
            self.kinds.update(*(kinds_of_row for kinds_of_row in kinds if kinds_of_row))
        described = map(_without_texts, rows) if is_described else [None] * frame.height
        options = frame.select(pl.concat_list("positive", "negatives").alias("options"))["options"]
        sizes = options.list.len().cast(pl.Int64)
        lines = frame["line"].repeat_by(sizes).explode()
        self._keys.append(self._add_texts("options", options.explode(), lines))
        self._bundles.append(
            frame.select("line", self._ids(), "tier").with_columns(
                pl.Series("kinds", kinds, dtype=pl.List(pl.String)),
                pl.Series("described", described, dtype=pl.String),
                pl.Series("anchor", self._add_texts("anchors", frame["anchor"], frame["line"])),
                sizes.alias("size"),
            )
        )
        self.tiers += frame.height - frame["tier"].null_count()
        if sum(rows.height for rows in self._bundles) >= ROWS_A_PART or self._text_bytes > _TEXT_BYTES:
            self.flush()

    def _add_texts(self, side: str, texts: pl.Series, lines: pl.Series) -> U64:
        """Keep the distinct texts of a batch, and give the key of each text."""
        keyed = pl.DataFrame(
            {"key": texts.hash(seed=1), "check": texts.hash(seed=2), "text": texts, "line": lines}
        )
        self._texts[side].append(keyed.unique(["key", "check"], keep="first", maintain_order=True))
        self._text_bytes += int(self._texts[side][-1]["text"].str.len_bytes().sum())
        return keyed["key"].to_numpy()

    def _ids(self) -> pl.Expr:
        """Ids; those that are no more than the number of a line are told apart by their file."""
        name = pl.col("bundle_id")
        if len(self.job.files.files) == 1:
            return name
        line = pl.col("line").cast(pl.String)
        of_line = (name == line) | name.str.starts_with(line + ".")
        file = pl.lit(f"{self.job.files.files[self.task.file].name}:")
        return pl.when(of_line).then(file + name).otherwise(name).alias("bundle_id")

    def flush(self) -> None:
        """Write a chunk of what there is, if anything."""
        if not self._bundles:
            return
        work, name = self.job.work, f"{self.task.number:06d}-{len(self.written):04d}"
        bundles, keys = pl.concat(self._bundles), np.concatenate(self._keys)
        write_table(work, f"bundles/{name}", bundles)
        write_array(work, f"keys/{name}", keys)
        for side in SIDES:
            texts = pl.concat(self._texts[side]).unique(["key", "check"], keep="first", maintain_order=True)
            if texts["key"].is_duplicated().any():
                raise same_key()
            write_table(work, f"{side}/{name}", texts)
            self._texts[side].clear()
        is_described = bundles["described"].null_count() < bundles.height
        self.written.append(Chunk(name, self.task.file, bundles.height, len(keys), is_described))
        self._bundles.clear()
        self._keys.clear()
        self._text_bytes = 0


def _without_texts(row: Mapping[str, Any]) -> str:
    """A bundle as JSON, with what is said about its texts instead of them."""
    kept = {
        name: [_unwritten(text) for text in value] if isinstance(value, list) else _unwritten(value)
        for name, value in ((name, row.get(name, "")) for name in ("anchor", "positive", "negatives"))
    }
    return json.dumps(kept | {"metadata": row.get("metadata") or {}})


def _unwritten(text: str | Mapping[str, Any]) -> str | dict[str, Any]:
    return "" if isinstance(text, str) else {name: value for name, value in text.items() if name != "text"}


def same_key() -> InputError:
    """Two texts of an eval have one key: of 10 million texts by a chance of 3 in a million."""
    return InputError(
        "two texts have one key of 64 bits, which is nearly always chance",
        next_step="Put a space at the end of one text of the eval, so that its keys are others",
    )
