"""Bundles that are the same, or nearly, within a file and across files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

import numpy as np
import polars as pl

from tellapart.bundles.lint.inputs import BundleFinding, LintedBundles
from tellapart.core.arrays import I64
from tellapart.core.near_duplicates import NEAR, groups
from tellapart.report import numbers as show


def duplicate_bundles(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find bundles whose anchor, positive and set of negatives are equal but for case, space and Unicode.

    All are bad but the first that can be used, or the first where none can.
    """
    for (listed,) in _equal(inputs).iter_rows():
        kept = next((row for row in listed if inputs.sound[row]), listed[0])
        where = _across(inputs, listed)
        detail = f"{show.plural(len(listed), 'bundle')} have the same anchor, positive and negatives{where}: "
        yield BundleFinding(
            "error",
            "duplicate-bundle",
            tuple(listed),
            detail + _pair(inputs, listed[0]),
            tuple(row for row in listed if row != kept),
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


def repeated_pairs(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Count bundles that have anchor and positive of another one, and other negatives."""
    equal = _keyed(inputs)
    per_pair = equal.group_by("anchor", "positive").agg(
        pl.col("row").first(), pl.col("negatives").n_unique().alias("kinds")
    )
    several = per_pair.filter(pl.col("kinds") > 1)
    if several.height:
        rows = equal.join(several.select("anchor", "positive"), on=["anchor", "positive"], how="semi")
        yield BundleFinding(
            "info",
            "repeated-pair",
            (),
            f"{show.count(rows.height)} bundles share anchor and positive with another one and have other "
            f"negatives: there are {show.count(per_pair.height)} pairs of anchor and positive in "
            f"{show.plural(equal.height, 'bundle')}",
        )


def near_duplicates(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find pairs of anchor and positive that are nearly those of another bundle.

    Bad are bundles whose pair is nearly one of those that stay: each stays unless it is nearly an earlier one
    that does. Pairs with a bundle that can be used come before those without.
    """
    forms = inputs.forms
    keyed = _keyed(inputs).with_columns(
        a=pl.Series(forms.near[inputs.anchors]), p=pl.Series(forms.near[inputs.positives])
    )
    pairs = keyed.group_by("anchor", "positive", maintain_order=True).agg(
        pl.col("a", "p").first(), pl.col("row")
    )
    pairs = pairs.with_row_index("pair")
    near = forms.near_pairs
    moved = (
        pairs.select("pair", "a", "p")
        .join(near.rename({"b": "a2"}), on="a")
        .join(near.rename({"a": "p", "b": "p2"}), on="p")
    )
    others = pairs.select(pl.col("pair").alias("other"), pl.col("a").alias("a2"), pl.col("p").alias("p2"))
    alike = (
        moved.join(others, on=["a2", "p2"]).filter(pl.col("pair") < pl.col("other")).unique(["pair", "other"])
    ).sort("pair", "other")
    rows = pairs["row"].to_list()
    gone = _too_near(inputs, pairs, alike.select("pair", "other").to_numpy())
    for pair, other in alike.select("pair", "other").iter_rows():
        first, second = rows[pair][0], rows[other][0]
        listed = sorted([*rows[pair], *rows[other]])
        where = _across(inputs, listed)
        yield BundleFinding(
            "warning",
            "near-duplicate",
            tuple(listed),
            f"nearly the same anchor and positive{where}: {_pair(inputs, first)} and {_pair(inputs, second)}",
            tuple(sorted(row for one in (pair, other) if one in gone for row in rows[one])),
        )


def _too_near(inputs: LintedBundles, pairs: pl.DataFrame, alike: I64) -> set[int]:
    """Pairs that are nearly one that stays, of those that others connect."""
    group = groups(pairs.height, alike)
    usable = [any(inputs.sound[row] for row in rows) for rows in pairs["row"]]
    anchors, positives = pairs["a"].to_numpy().astype(np.int64), pairs["p"].to_numpy().astype(np.int64)
    similarity = inputs.forms.near_texts.similarity
    staying: dict[int, list[int]] = {}
    gone = set[int]()
    for pair in sorted(np.unique(alike).tolist(), key=lambda pair: (not usable[pair], pair)):
        # Not every two of many that are all alike are listed, so that they are compared here.
        stay = staying.setdefault(int(group[pair]), [])
        near = similarity(np.full(len(stay), anchors[pair]), anchors[stay]) >= NEAR
        if (similarity(np.full(int(near.sum()), positives[pair]), positives[stay][near]) >= NEAR).any():
            gone.add(pair)
        else:
            stay.append(pair)
    return gone


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
