"""Right and wrong answers that are not what they are said to be, within a bundle and between bundles."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from tellapart.bundles.lint.inputs import BundleFinding, LintedBundles
from tellapart.bundles.near_texts import NEAR
from tellapart.core.arrays import I64
from tellapart.report import numbers as show

_ODD = 0.1
"""Share of a file above which bundles are not the odd ones out."""


def positive_among_negatives(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find negatives that equal their bundle's positive but for case, white space and Unicode."""
    equal = inputs.forms.equal
    same = equal[inputs.negative_texts] == equal[inputs.positives[inputs.owners]]
    for at in _first_of_each(inputs, np.flatnonzero(same)):
        row = int(inputs.owners[at])
        negative = int(inputs.negative_texts[at])
        how = "" if negative == inputs.positives[row] else " but for case, white space or Unicode"
        yield BundleFinding(
            "error",
            "positive-among-negatives",
            (row,),
            f"negatives[{_position(inputs, at)}] equals the positive{how}: {inputs.quote(negative)}",
        )


def second_right_answer(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find negatives that are nearly the positive, or the positive of the same anchor in another bundle.

    Anchors differ in no more than punctuation and layout: where a word is another one, so may the answer be.
    """
    yield from _near_own_positive(inputs)
    forms = inputs.forms
    wrong = pl.DataFrame(
        {
            "place": np.arange(len(inputs.owners)),
            "row": inputs.owners,
            "a": forms.near[inputs.anchors[inputs.owners]],
            "t": forms.near[inputs.negative_texts],
            "anchor": forms.equal[inputs.anchors[inputs.owners]],
            "text": forms.equal[inputs.negative_texts],
            "own": forms.equal[inputs.positives[inputs.owners]],
        }
    ).filter(pl.col("text") != pl.col("own"))
    right = pl.DataFrame(
        {
            "other": np.arange(inputs.bundles.height),
            "a2": forms.near[inputs.anchors],
            "t2": forms.near[inputs.positives],
            "anchor2": forms.equal[inputs.anchors],
            "text2": forms.equal[inputs.positives],
        }
    ).unique(["anchor2", "text2"], keep="first", maintain_order=True)
    # Texts that are near a positive come first: of them, few are candidates of one and the same anchor.
    near = right.select(pl.col("t2").alias("b")).unique().join(forms.near_pairs, on="b")
    alike = wrong.join(near, left_on="t", right_on="a").join(right, left_on=["a", "b"], right_on=["a2", "t2"])
    # Of several, one that is equal in both says most, then one that is equal in either.
    same = alike.select(
        "place",
        "row",
        "other",
        same_text=pl.col("text") == pl.col("text2"),
        same_anchor=pl.col("anchor") == pl.col("anchor2"),
    ).sort(
        "place",
        pl.col("same_text") & pl.col("same_anchor"),
        "same_text",
        "same_anchor",
        "other",
        descending=[False, True, True, True, False],
    )
    for at, row, other, same_text, same_anchor in same.unique(
        "place", keep="first", maintain_order=True
    ).iter_rows():
        negative = inputs.negative_texts[at]
        # What is near the bundle's own positive as well is reported there.
        if not (same_text and same_anchor) and _near(inputs, negative, inputs.positives[row]):
            continue
        name = inputs.bundles["bundle_id"][other]
        yield BundleFinding(
            "error" if same_text and same_anchor else "warning",
            "second-right-answer",
            (row, other),
            f"negatives[{_position(inputs, at)}] is {'' if same_text else 'nearly '}the positive of "
            f"{'' if same_anchor else 'nearly '}the same anchor in {name!r}: {inputs.quote(negative)}",
        )


def _near_own_positive(inputs: LintedBundles) -> Iterator[BundleFinding]:
    forms = inputs.forms
    of_negative, of_positive = inputs.negative_texts, inputs.positives[inputs.owners]
    other = np.flatnonzero(forms.equal[of_negative] != forms.equal[of_positive])
    near = forms.near_texts.similarity(forms.near[of_negative[other]], forms.near[of_positive[other]])
    for at, alike in zip(other[near >= NEAR].tolist(), near[near >= NEAR].tolist(), strict=True):
        share = "but for punctuation or layout" if alike == 1 else f"({show.whole_percent(alike)} alike)"
        yield BundleFinding(
            "warning",
            "second-right-answer",
            (int(inputs.owners[at]),),
            f"negatives[{_position(inputs, at)}] is nearly the positive {share}: "
            f"{inputs.quote(of_negative[at])}",
        )


def few_negatives(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find bundles with fewer than half as many negatives as most of their file: they are easier."""
    equal = pl.DataFrame({"row": inputs.owners, "text": inputs.forms.equal[inputs.negative_texts]})
    counts = np.zeros(inputs.bundles.height, dtype=np.int64)
    for row, count in equal.unique().group_by("row").len().iter_rows():
        counts[row] = count
    files = inputs.bundles["file"].to_numpy()
    for file in range(len(inputs.files)):
        rows = np.flatnonzero(files == file)
        usual = int(np.median(counts[rows])) if len(rows) else 0
        few = rows[(counts[rows] * 2 < usual) & (counts[rows] > 0)]
        if len(few) > _ODD * len(rows):
            listed = np.unique(counts[rows]).tolist()
            yield BundleFinding(
                "info",
                "few-negatives",
                (),
                f"bundles have {show.listed([str(n) for n in listed])} negatives: {show.count(len(few))} of "
                f"{show.count(len(rows))} have fewer than half as many as most, and are easier",
                location=str(inputs.files[file]),
            )
            continue
        for row in few.tolist():
            n = int(counts[row])
            yield BundleFinding(
                "warning",
                "few-negatives",
                (row,),
                f"{show.plural(n, 'distinct negative')}, where most bundles have {usual}: chance is "
                f"{show.whole_percent(1 / (n + 1))} instead of {show.whole_percent(1 / (usual + 1))}",
            )


def _near(inputs: LintedBundles, first: int, second: int) -> bool:
    near = inputs.forms.near
    return bool(
        inputs.forms.near_texts.similarity(np.array([near[first]]), np.array([near[second]]))[0] >= NEAR
    )


def _first_of_each(inputs: LintedBundles, places: I64) -> list[int]:
    """The first of the places of each bundle."""
    _, first = np.unique(inputs.owners[places], return_index=True)
    return [int(places[i]) for i in first]


def _position(inputs: LintedBundles, at: int) -> int:
    """Position of a negative among those of its bundle."""
    return int(at - np.searchsorted(inputs.owners, inputs.owners[at]))
