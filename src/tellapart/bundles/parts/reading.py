"""Stage one: files become bundles of keys, sorted by anchor; texts, sorted by key; and ids to be checked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import polars as pl

from tellapart.bundles.parts.inputs import EvalFiles, ReadTask
from tellapart.bundles.parts.keys import SeenTexts, hashed
from tellapart.bundles.parts.layout import ANCHOR, OPTION, ORDER_BITS, Layout
from tellapart.bundles.parts.texts import write_table
from tellapart.bundles.reading import read_described
from tellapart.bundles.slice_fields import MOST_VALUES, negative_kinds, says_more
from tellapart.core.arrays import U64
from tellapart.engine import Folder, Receipt, SegmentWriter, segment_file
from tellapart.files import RowFaults, sha256_of

_TEXTS_AT_ONCE = 200_000
_ROWS_AT_ONCE = 131_072


@dataclass(frozen=True)
class ReadStage:
    """Reads an eval.

    Attributes:
        layout: How bundles and texts are sorted.
    """

    files: EvalFiles
    layout: Layout
    work: Folder
    counts: ClassVar[str] = "bundles"
    name: str = "reading"

    def open(self) -> None:
        """Nothing is needed."""

    def do(self, state: None, task: ReadTask) -> Receipt:
        """Read a part: the receipt has segments, what is wrong with rows, and the digest of the file."""
        label = self.files.label(task.file)
        problems = RowFaults(label)
        with ExitStack() as stack:
            path = stack.enter_context(self.files.folder.local(self.files.files[task.file].name))
            digest = sha256_of(path) if task.start == 0 else None
            writers = {
                what: stack.enter_context(segment_file(self.work, f"{what}/{task.number:06d}"))
                for what in ("rows", "texts", "ids")
            }
            part = _Part(self, task, writers)
            within = None if task.rows is None else range(task.start, task.start + task.rows)
            for frame, rows in read_described(path, problems, within):
                part.add(frame, rows)
            part.flush()
        if part.described:
            write_table(self.work, described_name(task.number), pl.DataFrame({"row": part.described}))
        return {
            "digest": digest,
            "bundles": part.bundles,
            "tiers": part.tiers,
            "is_described": bool(part.described),
            "kinds": sorted(part.kinds),
            "faults": problems.record(),
            **{what: writer.segments for what, writer in writers.items()},
        }

    def describe(self, task: ReadTask) -> str:
        """Name the file, and its rows where it is read in parts."""
        label = self.files.label(task.file)
        return label if task.rows is None else f"{label}, rows {task.start + 1} to {task.start + task.rows}"


@dataclass
class _Part:
    """Bundles of one task, until there are enough to be written."""

    stage: ReadStage
    task: ReadTask
    files: dict[str, SegmentWriter]
    bundles: int = 0
    tiers: int = 0
    described: list[str] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    _anchors: SeenTexts = field(default_factory=SeenTexts)
    _options: SeenTexts = field(default_factory=SeenTexts)
    _sizes: list[list[int]] = field(default_factory=list)
    _rows: list[pl.DataFrame] = field(default_factory=list)
    _texts: list[pl.DataFrame] = field(default_factory=list)

    def add(self, frame: pl.DataFrame, rows: list[dict[str, Any]]) -> None:
        kinds = self._describe(frame, rows)
        listed = frame.select(pl.concat_list("positive", "negatives").alias("options"))["options"]
        options_flat = listed.explode()
        owners = np.repeat(frame["line"].to_numpy(), listed.list.len().to_numpy())
        anchors, new_anchors = self._anchors.add(frame["anchor"])
        options, new_options = self._options.add(options_flat)
        self._texts += [
            pl.DataFrame(
                {
                    "key": new.keys,
                    "text": column.gather(new.rows),
                    "side": pl.Series(np.full(len(new.keys), side), dtype=pl.UInt8),
                    "file": pl.Series(np.full(len(new.keys), self.task.file), dtype=pl.Int32),
                    "line": of_row[new.rows],
                },
                schema_overrides={"line": pl.Int64},
            )
            for column, new, side, of_row in (
                (frame["anchor"], new_anchors, ANCHOR, frame["line"].to_numpy()),
                (options_flat, new_options, OPTION, owners),
            )
        ]
        order = (self.task.number << ORDER_BITS) + self.bundles + np.arange(frame.height)
        self._rows.append(
            frame.select(
                pl.Series("order", order, dtype=pl.Int64),
                pl.lit(self.task.file, dtype=pl.Int32).alias("file"),
                "line",
                self._ids(),
                "tier",
                pl.Series("anchor", anchors),
                _listed(options, listed.list.len()).alias("options"),
                pl.Series("kinds", kinds, dtype=pl.List(pl.String)),
            )
        )
        if not self.described:
            self._sizes.append(frame["negatives"].list.len().to_list())
        self.bundles += frame.height
        self.tiers += frame.height - frame["tier"].null_count()
        if sum(rows.height for rows in self._rows) > _ROWS_AT_ONCE:
            self._flush_rows()
        if sum(texts.height for texts in self._texts) > _TEXTS_AT_ONCE:
            self._flush_texts()

    def _describe(self, frame: pl.DataFrame, rows: list[dict[str, Any]]) -> list[list[str] | None]:
        """Keep what is said about bundles besides their texts; give the kinds of their negatives."""
        if not any(map(says_more, rows)):
            if self.described:
                self.described += map(_without_texts, frame.select("negatives").iter_rows(named=True))
            return [None] * frame.height
        if not self.described and self.bundles:
            # Of those before nothing was said, but they count.
            sizes = [size for before in self._sizes for size in before]
            self.described += [_without_texts({"negatives": [""] * size}) for size in sizes]
        self.described += map(_without_texts, rows)
        kinds = [negative_kinds(row) for row in rows]
        if len(self.kinds) <= MOST_VALUES:
            self.kinds.update(*kinds)
        return [*kinds]

    def _ids(self) -> pl.Expr:
        """Ids; those that are no more than the number of a line are told apart by their file."""
        name = pl.col("bundle_id")
        if len(self.stage.files.files) == 1:
            return name
        line = pl.col("line").cast(pl.String)
        of_line = (name == line) | name.str.starts_with(line + ".")
        file = pl.lit(f"{self.stage.files.files[self.task.file].name}:")
        return pl.when(of_line).then(file + name).otherwise(name).alias("bundle_id")

    def flush(self) -> None:
        self._flush_rows()
        self._flush_texts()

    def _flush_rows(self) -> None:
        for rows in _joined(self._rows):
            layout = self.stage.layout
            self.files["rows"].add(rows.with_columns(bucket=layout.bucket_of("anchor")), "bucket")
            ids = rows.select("bundle_id", "order", "file", "line").with_columns(
                pl.Series("key", hashed(rows["bundle_id"])[0])
            )
            self.files["ids"].add(ids.with_columns(bucket=layout.bucket_of("key")), "bucket")

    def _flush_texts(self) -> None:
        for texts in _joined(self._texts):
            self.files["texts"].add(texts.with_columns(bucket=self.stage.layout.bucket_of("key")), "bucket")


def _joined(frames: list[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Give frames as one, and forget them; nothing where there are none."""
    if frames:
        joined = pl.concat(frames)
        frames.clear()
        yield joined


def described_name(task: int) -> str:
    """Where stage one puts what a task's bundles say besides their texts."""
    return f"described/{task:06d}"


def _without_texts(row: Mapping[str, Any]) -> str:
    """A bundle as JSON, with what is said about its texts instead of them."""
    kept = {
        name: [_unwritten(text) for text in value] if isinstance(value, list) else _unwritten(value)
        for name, value in ((name, row.get(name, "")) for name in ("anchor", "positive", "negatives"))
    }
    return json.dumps(kept | {"metadata": row.get("metadata") or {}})


def _unwritten(text: str | Mapping[str, Any]) -> str | dict[str, Any]:
    return "" if isinstance(text, str) else {name: value for name, value in text.items() if name != "text"}


def _listed(keys: U64, sizes: pl.Series) -> pl.Series:
    """Cut keys up into lists."""
    if sizes.n_unique() == 1:
        return pl.Series(keys.reshape(len(sizes), -1)).arr.to_list()
    owners = np.repeat(np.arange(len(sizes)), sizes.to_numpy())
    flat = pl.DataFrame({"row": owners, "key": keys})
    return flat.group_by("row", maintain_order=True).agg("key")["key"]
