"""What scoring an eval part by part would take, measured on its first bundles and extrapolated."""

from __future__ import annotations

import time
from collections.abc import Iterator
from math import log2

import polars as pl

from tellapart.bundles.parts.inputs import EvalFiles, eval_files
from tellapart.bundles.parts.layout import layout_of
from tellapart.bundles.parts.scoring import ROWS_A_RESULT
from tellapart.bundles.parts.sources import SourceOptions
from tellapart.bundles.parts.vectors import key_ranges
from tellapart.bundles.reading import read_batches
from tellapart.core.record import Record
from tellapart.embed import load_matcher
from tellapart.embed.vector_matcher import VectorMatcher
from tellapart.engine import EngineOptions
from tellapart.files import RowFaults

SAMPLE_BUNDLES = 4_096
SAMPLE_TEXTS = 64

_SECONDS_A_BUNDLE = 3e-5
"""Of sorting, scoring and writing, on one processor: measured, see ``docs/scale.md``."""


class Stages(Record):
    """Parts of the work by stage; of texts and results as many as are expected."""

    reading: int
    checking_ids: int
    sorting_texts: int
    embedding_texts: int
    scoring: int
    writing_scores: int


class Plan(Record):
    """What ``bundles score --dry-run`` prints.

    Attributes:
        workers: Parts that are worked on at a time; None where a cluster decides.
        memory_per_worker_bytes: What each may use.
        bundles: How many there are, counted where files say so, else by their size.
        distinct_texts: How many are expected, by how their number grows in the first bundles (Heaps' law).
        texts_per_s: Of the model on one worker, measured; None where vectors come from a file.
        estimated_s: All of it, with as many workers; a cluster of the same processors.
    """

    engine: str
    workers: int | None
    memory_per_worker_bytes: int
    files: int
    input_bytes: int
    bundles: int
    distinct_texts: int
    parts: Stages
    texts_per_s: float | None
    estimated_s: float


def plan_parts(address: str, source: SourceOptions, options: EngineOptions) -> Plan:
    """Plan; reads the first bundles and embeds some of their texts, and writes nothing."""
    options.check()
    files = eval_files(address)
    started = time.perf_counter()
    sample, sample_bytes = _sample(files)
    reading_s = time.perf_counter() - started
    tasks = files.tasks()
    rows = _rows(files, sample.height, sample_bytes)
    distinct, texts = _distinct(sample, rows)
    texts_per_s = None if source.embeddings else _rate(source, texts)
    layout = layout_of(files, tasks)
    workers = options.most_workers if options.engine == "local" else options.workers
    one_worker_s = rows * (reading_s / max(sample.height, 1) + _SECONDS_A_BUNDLE)
    one_worker_s += distinct / texts_per_s if texts_per_s else 0
    return Plan(
        engine=options.engine,
        workers=workers,
        memory_per_worker_bytes=options.memory_of_worker,
        files=len(files.files),
        input_bytes=files.size_bytes,
        bundles=rows,
        distinct_texts=distinct,
        parts=Stages(
            reading=len(tasks),
            checking_ids=layout.buckets,
            sorting_texts=layout.buckets,
            embedding_texts=len(key_ranges(distinct, of_file=source.embeddings is not None)),
            scoring=layout.buckets,
            writing_scores=-(-rows // ROWS_A_RESULT),
        ),
        texts_per_s=texts_per_s,
        estimated_s=round(one_worker_s / (workers or options.most_workers), 1),
    )


def _sample(files: EvalFiles) -> tuple[pl.DataFrame, int]:
    """The first bundles, and about how many bytes of a text file they are."""
    batches, taken = [], 0
    with files.folder.local(files.files[0].name) as path:
        for batch in read_batches(path, RowFaults(files.label(0))):
            batches.append(batch.head(SAMPLE_BUNDLES - taken))
            taken += batches[-1].height
            if taken >= SAMPLE_BUNDLES:
                break
    sample = pl.concat(batches)
    texts = pl.concat(list(_columns(sample)))
    return sample, int(texts.str.len_bytes().sum()) + 4 * len(texts) + 60 * sample.height


def _columns(sample: pl.DataFrame) -> Iterator[pl.Series]:
    yield sample["anchor"].alias("text")
    yield sample["positive"].alias("text")
    yield sample["negatives"].explode().alias("text")


def _rows(files: EvalFiles, sampled: int, sample_bytes: int) -> int:
    counted = {file: files.rows(file) for file in range(len(files.files))}
    counted_rows = sum(rows for rows in counted.values() if rows is not None)
    unknown = sum(files.files[file].size_bytes for file, rows in counted.items() if rows is None)
    return counted_rows + round(unknown * sampled / max(sample_bytes, 1))


def _distinct(sample: pl.DataFrame, rows: int) -> tuple[int, list[str]]:
    """How many distinct texts an eval of so many bundles has, and those of the sample."""
    whole = pl.concat(list(_columns(sample))).unique(maintain_order=True)
    if rows <= sample.height:
        return len(whole), whole.to_list()
    half = pl.concat(list(_columns(sample.head(sample.height // 2)))).n_unique()
    growth = log2(len(whole) / half) if half else 1.0
    return round(len(whole) * (rows / sample.height) ** min(max(growth, 0.0), 1.0)), whole.to_list()


def _rate(source: SourceOptions, texts: list[str]) -> float | None:
    """Texts a second; None of a ranker, which embeds none."""
    matcher = load_matcher(
        str(source.model), corpus=texts, base_url=source.base_url, similarity=source.similarity
    )
    if not isinstance(matcher, VectorMatcher):
        return None
    some = texts[:SAMPLE_TEXTS]
    matcher.embedder.encode(some[:2])
    started = time.perf_counter()
    matcher.embedder.encode(some)
    return round(len(some) / max(time.perf_counter() - started, 1e-6), 1)
