"""Bundles that are the same, within a file and across files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

import polars as pl

from tellapart.bundles.lint.inputs import BundleFinding, LintedBundles
from tellapart.report import numbers as show


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
