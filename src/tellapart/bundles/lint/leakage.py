"""What of an eval is in training data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from tellapart.bundles.lint.inputs import BundleFinding, LintedBundles
from tellapart.core.severity import Severity

_WINDOW = 8
"""Words of a positive from which it is looked for inside longer texts: fewer may be there by chance."""


class _Hit(NamedTuple):
    """A text of training data that is like one of the eval; ``rank`` is 0 where they are equal."""

    rank: int
    file: int
    line: int
    negative: bool

    @property
    def place(self) -> tuple[int, int]:
        return self.file, self.line


def leakage(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find anchors and positives that training data has too, and pairs of both in one of its rows.

    Texts are equal but for case, white space and Unicode, or nearly equal. A positive of ``_WINDOW`` words or
    more is also found inside a longer text. A pair that is equal in both is an error: the model was trained
    on the answer. Where one of them is a negative in the row, it was not, and they are no pair.
    """
    if inputs.train is None:
        return
    hits = _hits(inputs, inputs.train)
    forms = inputs.forms
    pairs = (
        pl.DataFrame({"anchor": forms.equal[inputs.anchors], "positive": forms.equal[inputs.positives]})
        .with_row_index("row")
        .group_by("anchor", "positive", maintain_order=True)
        .agg("row")
    )
    for anchor, positive, rows in pairs.iter_rows():
        if hits[anchor] or hits[positive]:
            yield _finding(inputs, rows, hits[anchor], hits[positive])


def _hits(inputs: LintedBundles, train: pl.DataFrame) -> dict[int, list[_Hit]]:
    """What is like each text of the eval, by its number in ``TextForms.equal``."""
    forms, hits = inputs.forms, defaultdict[int, list[_Hit]](list)
    used = np.unique(np.concatenate([inputs.anchors, inputs.positives]))
    wanted = pl.DataFrame({"equal": forms.equal[used], "a": forms.near[used]}).unique(maintain_order=True)
    numbers = train["text"].to_numpy()
    trained = train.with_columns(b=pl.Series(forms.near[numbers]), other=pl.Series(forms.equal[numbers]))
    alike = wanted.join(forms.near_pairs, on="a").join(trained, on="b")
    for equal, other, file, line, negative in (
        alike.select("equal", "other", "file", "line", "negative").unique().iter_rows()
    ):
        hits[equal].append(_Hit(int(equal != other), file, line, negative))
    for text, equal in _inside(inputs, trained):
        for file, line, negative in (
            trained.filter(pl.col("text") == text).select("file", "line", "negative").iter_rows()
        ):
            hits[equal].append(_Hit(0, file, line, negative))
    return hits


def _inside(inputs: LintedBundles, trained: pl.DataFrame) -> set[tuple[int, int]]:
    """Longer texts of training data that hold a positive word by word, and the anchors beside it."""
    forms = inputs.forms
    words = [f" {text} " for text in forms.near_texts.texts]
    beginnings, anchors_of = defaultdict[str, set[int]](set), defaultdict[int, set[int]](set)
    for anchor, positive in zip(inputs.anchors.tolist(), inputs.positives.tolist(), strict=True):
        first = words[forms.near[positive]].split()[:_WINDOW]
        if len(first) == _WINDOW:
            beginnings[" ".join(first)].add(positive)
            anchors_of[positive].add(anchor)
    found: set[tuple[int, int]] = set()
    for text in trained["text"].unique(maintain_order=True) if beginnings else ():
        held = words[forms.near[text]]
        for positive in _begun(held.split(), beginnings):
            if forms.near[text] != forms.near[positive] and words[forms.near[positive]] in held:
                beside = [a for a in anchors_of[positive] if words[forms.near[a]] in held]
                found.update((text, int(forms.equal[one])) for one in (positive, *beside))
    return found


def _begun(words: Sequence[str], beginnings: Mapping[str, Iterable[int]]) -> set[int]:
    """The texts of which the first words stand in a row somewhere among others."""
    windows = (" ".join(words[i : i + _WINDOW]) for i in range(len(words) - _WINDOW + 1))
    return {text for window in windows for text in beginnings.get(window, ())}


def _finding(
    inputs: LintedBundles, rows: Sequence[int], anchor: Sequence[_Hit], positive: Sequence[_Hit]
) -> BundleFinding:
    pairs = [
        (max(a.rank, p.rank), a.place)
        for a in anchor
        for p in positive
        if a.place == p.place and not a.negative and not p.negative
    ]
    severity: Severity
    if pairs:
        rank, place = min(pairs)
        check, severity, text = "leaked-pair", "warning" if rank else "error", inputs.anchors[rows[0]]
        what = f"anchor and positive are {'nearly ' if rank else ''}in one row of the training data"
    else:
        side, hits = ("anchor", anchor) if anchor else ("positive", positive)
        text = (inputs.anchors if anchor else inputs.positives)[rows[0]]
        wrong = all(hit.negative for hit in hits)
        check, severity = f"leaked-{side}", "info" if wrong and side == "positive" else "warning"
        rank, place = min((hit.rank, hit.place) for hit in hits)
        what = f"the {side} is {'nearly ' if rank else ''}in the training data"
        what += ", as a negative" if wrong else ""
        if anchor and positive:
            role = "as a negative" if all(hit.negative for hit in positive) else "in another row"
            what += f", and the positive {role}"
    where = f"{inputs.train_files[place[0]]}:{place[1]}"
    return inputs.finding(check, severity, f"{what}, {where}: {inputs.quote(int(text))}", rows)
