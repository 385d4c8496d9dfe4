"""What of an eval is in training data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from tellapart.bundles.lint.inputs import BundleFinding, LintedBundles
from tellapart.core.severity import Severity

_WINDOW = 8
"""Words of a positive from which it is looked for inside longer texts: fewer may be there by chance."""


def leakage(inputs: LintedBundles) -> Iterator[BundleFinding]:
    """Find anchors and positives that training data has too, and pairs of both in one of its rows.

    Texts are equal but for case, white space and Unicode, or nearly equal; in longer ones that are copies a
    number or a negation may differ. A positive of ``_WINDOW`` words or more is also found inside a longer
    text. A pair that is equal in both is an error: the model was trained on the answer. Where one of them is
    a negative in the row, it was not, and they are no pair.
    """
    if inputs.train is None:
        return
    forms = inputs.forms
    train = inputs.train.with_columns(
        near=pl.Series(forms.near[inputs.train["text"].to_numpy()]),
        equal=pl.Series(forms.equal[inputs.train["text"].to_numpy()]),
    ).with_row_index("at")
    used = np.unique(forms.near[np.concatenate([inputs.anchors, inputs.positives])])
    in_training = forms.copies.filter(pl.col("a").is_in(used.tolist())).join(
        train.group_by("near", maintain_order=True).agg("file", "line", "equal", "negative"),
        left_on="b",
        right_on="near",
    )
    places: dict[int, list[_Copy]] = {}
    for near, _, *columns in in_training.sort("a", "b").iter_rows():
        places.setdefault(near, []).extend(
            _Copy(*columns_of_copy) for columns_of_copy in zip(*columns, strict=True)
        )
    for text, copy in _inside(inputs):
        places.setdefault(int(forms.near[text]), []).append(copy)
    keyed = pl.DataFrame(
        {
            "anchor": forms.equal[inputs.anchors],
            "positive": forms.equal[inputs.positives],
            "row": np.arange(inputs.bundles.height),
        }
    )
    pairs = keyed.group_by("anchor", "positive", maintain_order=True).agg("row")
    for anchor, positive, rows in pairs.iter_rows():
        of_anchor = _Copies(anchor, places.get(int(forms.near[inputs.anchors[rows[0]]]), []))
        of_positive = _Copies(positive, places.get(int(forms.near[inputs.positives[rows[0]]]), []))
        if of_anchor.copies or of_positive.copies:
            yield _finding(inputs, tuple(rows), of_anchor, of_positive)


def _inside(inputs: LintedBundles) -> Iterator[tuple[int, _Copy]]:
    """Positives, and anchors beside theirs, that a longer text of the training data holds word by word."""
    if inputs.train is None:
        return
    words, equal = inputs.forms.words, inputs.forms.equal
    beginnings: dict[str, list[int]] = {}
    for positive in dict.fromkeys(inputs.positives.tolist()):
        first = words[positive].split()[:_WINDOW]
        if len(first) == _WINDOW:
            beginnings.setdefault(" ".join(first), []).append(positive)
    anchors_of: dict[int, list[int]] = {}
    for anchor, positive in zip(inputs.anchors.tolist(), inputs.positives.tolist(), strict=True):
        anchors_of.setdefault(positive, []).append(anchor)
    for text, rows in inputs.train.group_by("text", maintain_order=True):
        number = int(text[0])
        for positive in _begun(words[number].split(), beginnings):
            if equal[number] == equal[positive] or words[positive] not in words[number]:
                continue
            beside = [anchor for anchor in anchors_of[positive] if words[anchor] in words[number]]
            for file, line, negative in rows.select("file", "line", "negative").iter_rows():
                for held in (positive, *beside):
                    yield held, _Copy(file, line, int(equal[held]), negative)


def _begun(words: Sequence[str], beginnings: Mapping[str, Sequence[int]]) -> list[int]:
    """The texts of which the first words stand in a row somewhere among others."""
    windows = (" ".join(words[i : i + _WINDOW]) for i in range(len(words) - _WINDOW + 1))
    return list(dict.fromkeys(text for window in windows for text in beginnings.get(window, ())))


class _Copy(NamedTuple):
    """A text of training data that is like one of the eval: where, its equal form, and its role."""

    file: int
    line: int
    equal: int
    negative: bool


@dataclass(frozen=True)
class _Copies:
    """The equal form of a text, and what is like it in training data."""

    equal: int
    copies: list[_Copy]

    @property
    def equals(self) -> _Copies:
        """Those that are equal."""
        return _Copies(self.equal, [copy for copy in self.copies if copy.equal == self.equal])

    @property
    def lines(self) -> set[tuple[int, int]]:
        """Where they are."""
        return {(copy.file, copy.line) for copy in self.copies}

    @property
    def right_lines(self) -> set[tuple[int, int]]:
        """Where they are, and are no negatives."""
        return {(copy.file, copy.line) for copy in self.copies if not copy.negative}

    @property
    def negatives_alone(self) -> bool:
        """Whether all of them are negatives."""
        return all(copy.negative for copy in self.copies)

    def sentence(self, what: str) -> str:
        """Say that it is there."""
        nearly = "" if self.equals.copies else "nearly "
        role = ", as a negative" if self.negatives_alone else ""
        return f"the {what} is {nearly}in the training data{role}"


def _finding(
    inputs: LintedBundles, rows: tuple[int, ...], anchor: _Copies, positive: _Copies
) -> BundleFinding:
    severity: Severity = "warning"
    both = anchor.right_lines & positive.right_lines
    equal = anchor.equals.right_lines & positive.equals.right_lines
    if both:
        severity = "error" if equal else "warning"
        check, text, shown = "leaked-pair", inputs.anchors[rows[0]], equal or both
        what = f"anchor and positive are {'' if equal else 'nearly '}in one row of the training data"
    elif anchor.copies:
        check, text, shown = "leaked-anchor", inputs.anchors[rows[0]], anchor.equals.lines or anchor.lines
        role = "as a negative" if positive.negatives_alone else "in another row"
        what = anchor.sentence("anchor") + (f", and the positive {role}" if positive.copies else "")
    else:
        check, text = "leaked-positive", inputs.positives[rows[0]]
        shown, what = positive.equals.lines or positive.lines, positive.sentence("positive")
        severity = "info" if positive.negatives_alone else "warning"
    file, line = min(shown)
    return BundleFinding(
        severity, check, rows, f"{what}, {inputs.train_files[file]}:{line}: {inputs.quote(int(text))}"
    )
