"""Converting an eval from one form to another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from tellapart.bundles.embedding import check_source, embed_eval
from tellapart.bundles.outputs import check_outs
from tellapart.bundles.reading import read_batches, read_bundles
from tellapart.bundles.row_export import (
    PARQUET,
    ROW_TARGETS,
    as_table,
    beside_texts,
    check_suffix,
    columns_of,
    write_json_lines,
    write_parquet,
)
from tellapart.bundles.scoring import drop_faulty, number_items
from tellapart.bundles.trec import read_trec, write_trec
from tellapart.core.bundle import Bundle
from tellapart.core.record import Record
from tellapart.errors import InputError, UsageError, near_match
from tellapart.files import RowFaults, replacing
from tellapart.store.outputs import check_directory

TARGETS = (*ROW_TARGETS, "trec")

_ALL = "bundles"


class Converted(Record):
    """What was written.

    Attributes:
        bundles: How many.
        left_out: What the form cannot hold, with the number of bundles that had it.
        dropped: Bad rows that were left out, by cause.
        files: Written.
    """

    bundles: int
    left_out: dict[str, int]
    dropped: dict[str, int]
    files: tuple[Path, ...]


@dataclass(frozen=True)
class Scorer:
    """What gives the scores of a TREC run: a model, or a file with vectors."""

    model: str | None = None
    embeddings: Path | None = None
    base_url: str | None = None
    similarity: str | None = None

    @property
    def name(self) -> str | None:
        """Of the model or of the file; None where nothing is to be scored."""
        return self.model or (self.embeddings.stem if self.embeddings else None)


def convert(
    source: Path,
    out: Path,
    to: str,
    *,
    scorer: Scorer = Scorer(),
    skip_invalid: bool = False,  # noqa: B008
) -> Converted:
    """Convert an eval."""
    if to not in TARGETS:
        raise UsageError(f"unknown form {to!r}", next_step=near_match(to, TARGETS))
    check_outs([] if to == "trec" else [out], [source, scorer.embeddings])
    if to == "trec":
        check_directory(out)
    problems, has = RowFaults(source), Counter[str]()
    settle = (lambda: None) if skip_invalid else problems.refuse
    if to == "trec":
        files = _to_trec(source, out, scorer, problems, has, settle)
        holds = {"bundle_id", "tier"}
    else:
        if scorer.name:
            raise UsageError("only --to trec writes scores; leave --model and --embeddings out")
        check_suffix(out)
        _to_rows(source, out, to, problems, has, settle)
        files, holds = (out,), set(ROW_TARGETS[to].holds)
    left_out = {name: count for name, count in sorted(has.items()) if name not in holds | {_ALL}}
    return Converted(bundles=has[_ALL], left_out=left_out, dropped=dict(problems.counts), files=files)


def _to_rows(
    source: Path, out: Path, to: str, problems: RowFaults, has: Counter[str], settle: Callable[[], None]
) -> None:
    with replacing(out) as temporary:
        rows = ROW_TARGETS[to].rows(_counted(_bundles(source, problems), has))
        first = next(rows, None)
        if first is None:
            settle()
            raise InputError("no bundle is left to be written", where=source)
        rows = chain([first], rows)
        if out.suffix.lower() == PARQUET:
            # Columns come before the first row, and only the last bundle may have a tier or a source.
            seen = Counter[str]()
            for _ in _counted(_bundles(source, RowFaults(source)), seen):
                pass
            write_parquet(temporary, rows, partial(as_table, columns=columns_of(to, first, set(seen))))
        else:
            write_json_lines(temporary, rows)
        settle()


def _to_trec(
    source: Path,
    out: Path,
    scorer: Scorer,
    problems: RowFaults,
    has: Counter[str],
    settle: Callable[[], None],
) -> tuple[Path, ...]:
    if source.is_dir():
        raise UsageError("these are TREC files already", where=source)
    if out.exists() and not out.is_dir():
        raise UsageError("--to trec writes a directory, and this is a file", where=out)
    if scorer.name:
        check_source(scorer.model, scorer.embeddings, scorer.similarity)
    items = number_items(read_batches(source, problems))
    similarity = None
    if scorer.name:
        embedded = embed_eval(
            items, scorer.model, scorer.embeddings, scorer.base_url, similarity=scorer.similarity
        )
        items, similarity = drop_faulty(items, embedded, problems), embedded.similarity
    settle()
    has[_ALL] += items.items.height
    return write_trec(out, items, similarity, tag=scorer.name or "")


def _bundles(source: Path, problems: RowFaults) -> Iterator[Bundle]:
    return read_trec(source, problems) if source.is_dir() else read_bundles(source, problems)


def _counted(bundles: Iterator[Bundle], has: Counter[str]) -> Iterator[Bundle]:
    for bundle in bundles:
        has.update(beside_texts(bundle))
        has[_ALL] += 1
        yield bundle
