"""Anchors that give the answer away, so that a model need not understand anything."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tellapart.bundles.lint.inputs import BundleFinding, LintedBundles, shortened
from tellapart.core.near_duplicates import NEAR

_QUOTE = 6
"""Words and signs in a row that are a quotation."""

_QUOTED = 0.6
"""Share of the anchor that is quoted."""

_SHORTEST = 4
"""Letters from which a short positive that stands in the anchor is more than a coincidence."""


def anchor_equals_candidate(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find anchors that equal their positive, or one of their negatives, which then beats any positive."""
    forms = inputs.forms
    near = forms.near_texts.similarity(forms.near[inputs.anchors], forms.near[inputs.positives])
    equal = forms.equal[inputs.anchors] == forms.equal[inputs.positives]
    for row in np.flatnonzero(near >= NEAR).tolist():
        nearly = "" if equal[row] else "nearly "
        yield BundleFinding(
            "error" if equal[row] else "warning",
            "anchor-equals-positive",
            (row,),
            f"the anchor is {nearly}the positive: {inputs.quote(inputs.anchors[row])}",
        )
    of_anchor = inputs.anchors[inputs.owners]
    same = forms.equal[inputs.negative_texts] == forms.equal[of_anchor]
    for row in np.unique(inputs.owners[same]).tolist():
        yield BundleFinding(
            "error",
            "anchor-equals-negative",
            (row,),
            f"a negative is the anchor itself: {inputs.quote(inputs.anchors[row])}",
        )


def anchor_quotes_positive(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find anchors that stand in the positive word for word, or it in them, and no negative likewise."""
    words, near = inputs.forms.words, inputs.forms.near
    starts = np.searchsorted(inputs.owners, np.arange(inputs.bundles.height + 1))
    known: dict[tuple[int, int], str] = {}
    for row, (anchor, positive) in enumerate(
        zip(inputs.anchors.tolist(), inputs.positives.tolist(), strict=True)
    ):
        if near[anchor] == near[positive]:
            continue
        key = anchor, positive
        if key not in known:
            known[key] = _quotation(words[anchor].strip(), words[positive].strip())
        quote = f" {known[key]} "
        if not known[key]:
            continue
        negatives = inputs.negative_texts[starts[row] : starts[row + 1]].tolist()
        if quote == words[positive]:
            shared = any(words[negative] in words[anchor] for negative in negatives)
            what, has = "the positive stands in the anchor", "does"
        else:
            shared = any(quote in words[negative] for negative in negatives)
            what, has = "the positive has words of the anchor in a row", "has them"
        if not shared:
            yield BundleFinding(
                "warning",
                "anchor-gives-away",
                (row,),
                f"{what}, and no negative {has}: {shortened(known[key])}",
            )


def _quotation(anchor: str, positive: str) -> str:
    """What of the anchor stands in the positive, or the positive that stands in it; empty of neither."""
    if len(positive) >= _SHORTEST and f" {positive} " in f" {anchor} ":
        return positive
    tokens = anchor.split(" ")
    least = max(_QUOTE, int(np.ceil(_QUOTED * len(tokens))))
    if len(tokens) < least:
        return ""
    whole, best, start = f" {positive} ", "", 0
    while start + least <= len(tokens):
        end = start + least
        if f" {' '.join(tokens[start:end])} " not in whole:
            start += 1
            continue
        while end < len(tokens) and f" {' '.join(tokens[start : end + 1])} " in whole:
            end += 1
        best = max(best, " ".join(tokens[start:end]), key=len)
        start = end - least + 1
    return best
