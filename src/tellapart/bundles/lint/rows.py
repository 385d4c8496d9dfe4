"""Rows that the reader refuses, ids that stand for several bundles, and bundles that are the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

import polars as pl

from tellapart.bundles.lint.inputs import BundleFinding, LintedBundles, RowFault
from tellapart.report import numbers as show

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


def duplicate_bundles(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find bundles whose anchor, positive and set of negatives are equal but for case, space and Unicode."""
    for (listed,) in _equal(inputs).iter_rows():
        where = _across(inputs, listed)
        detail = f"{show.plural(len(listed), 'bundle')} have the same anchor, positive and negatives{where}: "
        yield BundleFinding(
            "error",
            "duplicate-bundle",
            tuple(listed),
            detail + _pair(inputs, listed[0]),
        )


def conflicting_tiers(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find duplicates that are in different tiers."""
    tiers = inputs.bundles["tier"]
    for (rows,) in _equal(inputs).iter_rows():
        given = sorted({tier for tier in tiers.gather(rows) if tier is not None})
        if len(given) > 1:
            yield BundleFinding(
                "error",
                "conflicting-tiers",
                tuple(rows),
                f"the same bundle is in {show.listed(given)}: {_pair(inputs, rows[0])}",
            )


def _keyed(inputs: LintedBundles) -> pl.DataFrame:
    """``row``, ``file``, and the equal forms of ``anchor``, ``positive`` and the set of ``negatives``."""
    equal = inputs.forms.equal
    sets = (
        pl.DataFrame({"row": inputs.owners, "text": equal[inputs.negative_texts]})
        .group_by("row")
        .agg(pl.col("text").unique().sort())
        .with_columns(negatives=pl.col("text").cast(pl.List(pl.String)).list.join(" "))
    )
    return (
        pl.DataFrame(
            {
                "row": pl.int_range(inputs.bundles.height, dtype=pl.Int64, eager=True),
                "file": inputs.bundles["file"],
                "anchor": equal[inputs.anchors],
                "positive": equal[inputs.positives],
            }
        )
        .join(sets.select("row", "negatives"), on="row", how="left", maintain_order="left")
        .with_columns(pl.col("negatives").fill_null(""))
    )


def _equal(inputs: LintedBundles) -> pl.DataFrame:
    """Lists of rows of equal bundles, in order."""
    return (
        _keyed(inputs)
        .group_by("anchor", "positive", "negatives", maintain_order=True)
        .agg("row")
        .filter(pl.col("row").list.len() > 1)
        .select("row")
    )


def _pair(inputs: LintedBundles, row: int) -> str:
    return f"{inputs.quote(inputs.anchors[row])} with {inputs.quote(inputs.positives[row])}"


def _across(inputs: LintedBundles, rows: list[int]) -> str:
    files = reduce(set.union, ({inputs.bundles["file"][row]} for row in rows), set[int]())
    return f" in {show.listed([str(inputs.files[file]) for file in sorted(files)])}" if len(files) > 1 else ""
