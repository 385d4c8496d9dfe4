"""Rows on their way from one stage to the next: files of segments, each for one bucket."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import IO, NamedTuple

import polars as pl

from tellapart.engine.folders import Folder


class Segment(NamedTuple):
    """Rows for one bucket, in a file with others.

    Attributes:
        bucket: Whose rows these are.
        start: Where they begin in the file, in bytes.
        length: How long they are, in bytes.
    """

    name: str
    bucket: int
    start: int
    length: int


class SegmentWriter:
    """Writes rows by bucket into one file; holds no more in memory than what is added at once."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        """Write to ``file``, which will be called ``name``."""
        self._file, self._name = file, name
        self.segments: list[Segment] = []

    def add(self, frame: pl.DataFrame, bucket: str) -> None:
        """Add rows."""
        parts = frame.partition_by(bucket, maintain_order=True, include_key=False, as_dict=True)
        for (number,), rows in parts.items():
            buffer = BytesIO()
            rows.rechunk().write_ipc(buffer, compression="lz4")
            start = self._file.tell()
            self._file.write(buffer.getbuffer())
            self.segments.append(Segment(self._name, int(str(number)), start, self._file.tell() - start))


@contextmanager
def segment_file(folder: Folder, name: str) -> Iterator[SegmentWriter]:
    """Write a file of segments, which is there whole when the block ends without an error."""
    with folder.writing(name) as path, path.open("wb") as file:
        yield SegmentWriter(file, name)


def read_segments(folder: Folder, segments: Iterable[Segment]) -> Iterator[pl.DataFrame]:
    """Read rows back, a segment at a time."""
    for segment in segments:
        yield pl.read_ipc(BytesIO(folder.read(segment.name, segment.start, segment.length)))


def by_bucket(segments: Iterable[Segment]) -> dict[int, list[Segment]]:
    """Sort segments by bucket; those of one stay in their order."""
    buckets: dict[int, list[Segment]] = {}
    for segment in segments:
        buckets.setdefault(segment.bucket, []).append(segment)
    return buckets
