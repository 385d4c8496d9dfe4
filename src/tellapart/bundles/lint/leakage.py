"""What of an eval is in training data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from tellapart.bundles.lint.inputs import BundleFinding, LintInputs


def leakage(inputs: LintInputs) -> Iterator[BundleFinding]:
    """Find anchors and positives that training data has too, and pairs of both in one of its rows.

    Texts are equal but for case, white space and Unicode, or nearly equal. A pair that is equal in both is
    an error: the model was trained on the answer.
    """
    if inputs.train is None:
        return
    forms = inputs.forms
    train = inputs.train.with_columns(
        near=pl.Series(forms.near[inputs.train["text"].to_numpy()]),
        equal=pl.Series(forms.equal[inputs.train["text"].to_numpy()]),
    ).with_row_index("at")
    used = np.unique(forms.near[np.concatenate([inputs.anchors, inputs.positives])])
    found = forms.near_pairs.filter(pl.col("a").is_in(used.tolist())).join(
        train.group_by("near", maintain_order=True).agg("file", "line", "equal"), left_on="b", right_on="near"
    )
    places: dict[int, list[tuple[int, int, int]]] = {}
    for near, _, files, lines, equals in found.sort("a", "b").iter_rows():
        of_text = places.setdefault(near, [])
        of_text += zip(files, lines, equals, strict=True)
    keyed = pl.DataFrame(
        {
            "anchor": forms.equal[inputs.anchors],
            "positive": forms.equal[inputs.positives],
            "row": np.arange(inputs.bundles.height),
        }
    )
    for anchor, positive, rows in (
        keyed.group_by("anchor", "positive", maintain_order=True).agg("row").iter_rows()
    ):
        row = rows[0]
        of_anchor = places.get(int(forms.near[inputs.anchors[row]]), [])
        of_positive = places.get(int(forms.near[inputs.positives[row]]), [])
        if of_anchor or of_positive:
            yield _finding(inputs, tuple(rows), (anchor, of_anchor), (positive, of_positive))


_Found = tuple[int, list[tuple[int, int, int]]]
"""Number of the equal form of a text, and file, line and equal form of those like it in training data."""


def _finding(inputs: LintInputs, rows: tuple[int, ...], anchor: _Found, positive: _Found) -> BundleFinding:
    lines = {(file, line) for file, line, _ in anchor[1]} & {(file, line) for file, line, _ in positive[1]}
    exact = _exact(anchor) & _exact(positive) if anchor[1] and positive[1] else set()
    row = rows[0]
    if lines:
        shown = exact or lines
        how = "" if exact else "nearly "
        what = f"anchor and positive are {how}in one row of the training data"
        check, text = "leaked-pair", inputs.anchors[row]
    elif anchor[1]:
        shown = _exact(anchor) or {(file, line) for file, line, _ in anchor[1]}
        what = f"the anchor is {'' if _exact(anchor) else 'nearly '}in the training data"
        if positive[1]:
            what += ", and the positive in another row"
        check, text = "leaked-anchor", inputs.anchors[row]
    else:
        shown = _exact(positive) or {(file, line) for file, line, _ in positive[1]}
        what = f"the positive is {'' if _exact(positive) else 'nearly '}in the training data"
        check, text = "leaked-positive", inputs.positives[row]
    file, line = min(shown)
    return BundleFinding(
        "error" if check == "leaked-pair" and exact else "warning",
        check,
        rows,
        f"{what}, {inputs.train_files[file]}:{line}: {inputs.quote(text)}",
    )


def _exact(found: _Found) -> set[tuple[int, int]]:
    return {(file, line) for file, line, equal in found[1] if equal == found[0]}
