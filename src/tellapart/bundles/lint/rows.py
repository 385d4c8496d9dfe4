"""Rows that the reader refuses, and ids that stand for several bundles."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from tellapart.bundles.lint.inputs import BundleFinding, LintedBundles, RowFault

_REPEATED_ID, _AMONG_NEGATIVES = "duplicate id", "positive among the negatives"


def unreadable(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find rows that no other command reads: not JSON, a field that is missing, an empty text and so on."""
    places = _rows_by_place(inputs)
    for fault in sorted(inputs.faults, key=lambda fault: (fault.file, fault.line)):
        if fault.cause not in (_REPEATED_ID, _AMONG_NEGATIVES):
            yield _of_fault(inputs, "unreadable", fault, places)


def duplicate_ids(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find ids that two bundles of a file have, or bundles of several files."""
    places = _rows_by_place(inputs)
    for fault in inputs.faults:
        if fault.cause == _REPEATED_ID:
            yield _of_fault(inputs, "duplicate-id", fault, places)
    if len(inputs.files) < 2:
        return
    shared = (
        inputs.bundles.with_row_index("row")
        # A line's number, which rows without an id have, means nothing in another file.
        .filter(pl.col("bundle_id").str.split(".").list.first() != pl.col("line").cast(pl.String))
        .group_by("bundle_id", maintain_order=True)
        .agg("row", pl.col("file").n_unique().alias("files"))
        .filter(pl.col("files") > 1)
    )
    for bundle_id, rows, files in shared.iter_rows():
        detail = f"{files} of the files have a bundle {bundle_id!r}"
        yield BundleFinding("warning", "duplicate-id", tuple(rows), detail)


def _rows_by_place(inputs: LintedBundles) -> dict[tuple[int, int], tuple[int, ...]]:
    lines = {(fault.file, fault.line) for fault in inputs.faults}
    if not lines:
        return {}
    wanted = pl.DataFrame(sorted(lines), schema={"file": pl.Int32, "line": pl.Int64}, orient="row")
    concerned = (
        inputs.bundles.select("file", "line")
        .with_row_index("row")
        .join(wanted, on=["file", "line"], how="semi")
        .group_by("file", "line")
        .agg(pl.col("row").sort())
    )
    return {(file, line): tuple(rows) for file, line, rows in concerned.iter_rows()}


def _of_fault(
    inputs: LintedBundles, check: str, fault: RowFault, places: dict[tuple[int, int], tuple[int, ...]]
) -> BundleFinding:
    key = fault.file, fault.line
    detail = f"{fault.field}: {fault.cause}{fault.detail and f', {fault.detail}'}"
    rows = places.get(key, ())
    name = inputs.unread.get(key, str(fault.line))
    where = f"{inputs.files[fault.file]}:{fault.line}"
    return BundleFinding("error", check, rows, detail, location=where, bundle_ids=() if rows else (name,))
