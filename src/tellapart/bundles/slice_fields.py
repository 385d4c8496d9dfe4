"""What bundles can be sorted by: fields of their metadata, and the kinds of their negatives."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any
from unicodedata import normalize

import numpy as np
import polars as pl

from tellapart.core.arrays import F64
from tellapart.core.scores import FIXED

MOST_VALUES = 200
"""A field of more different values names bundles and does not sort them."""

MOST_NUMBERS = 10
"""Numbers of more different values are cut into bands."""

BANDS = 4
"""Bands hold about equally many bundles each."""

LONGEST = 100
"""A field with a value of more characters is free text."""

MOST_FIELDS = 100
"""Fields of an eval that are kept, in the order in which they are first seen."""

NO_KIND = "(none)"
"""The kind of negatives without a source, and the value of bundles without a field."""

TIER = "tier"

NEGATIVE_KIND = "negative_kind"
"""What ``--by`` calls the kinds of negatives."""

METADATA = "metadata."
"""What may stand before a field, and does where its name alone means something else."""

KIND_LISTS = ("negatives_from", "strategies")
"""Fields of the metadata in which ``mine`` and ``contrastive bundles`` list the kind of each negative."""

OF_TEXTS = (("anchor", "source"), ("anchor", "sense"), ("positive", "source"))
"""What is recorded of texts and sorts bundles as a field such as ``anchor.source`` does."""

KINDS_SCHEMA = pl.List(pl.Struct({"kind": pl.String(), "margin": pl.Float64()}))
"""Of each bundle, the margin against the negatives of each kind alone."""

_PLAIN = str | int | float | bool

_LARGEST = 2**1000


def field_name(name: str) -> str:
    """How ``--by`` and reports call a field of the metadata, whose own name may be that of something else."""
    return f"{METADATA}{name}" if name in (TIER, NEGATIVE_KIND, *FIXED) else name


@dataclass
class _Field:
    """Values of one field so far; ``why`` says why it sorts nothing, once that is clear.

    Labels are coded with whether they are text: 1 and "1" are two values.
    """

    bundles: array[int] = field(default_factory=lambda: array("q"))
    codes: array[int] = field(default_factory=lambda: array("q"))
    numbers: array[float] = field(default_factory=lambda: array("d"))
    labels: dict[tuple[str, bool], int] = field(default_factory=dict)
    is_number: bool = True
    why: str = ""

    def add(self, bundle: int, value: _PLAIN) -> None:
        is_number = not isinstance(value, bool | str) and abs(value) <= _LARGEST
        self.is_number &= is_number
        label = _label(value), isinstance(value, str)
        if len(label[0]) > LONGEST:
            self._drop(f"a value has more than {LONGEST} characters")
            return
        if len(self.labels) <= MOST_VALUES or label in self.labels:
            code = self.labels.setdefault(label, len(self.labels))
        else:
            code = -1
        if not self.is_number and len(self.labels) > MOST_VALUES:
            self._drop(f"it has more than {MOST_VALUES} values")
            return
        self.bundles.append(bundle)
        self.codes.append(code)
        if self.is_number:
            self.numbers.append(float(value))

    def _drop(self, why: str) -> None:
        self.why = why
        self.bundles, self.codes, self.numbers, self.labels = array("q"), array("q"), array("d"), {}

    def settle(self, bundles: int) -> str:
        """Say why the field sorts nothing; empty where it does."""
        if self.why:
            return self.why
        if len(self.labels) == 1 and len(self.bundles) == bundles:
            return "it has one value in all bundles"
        if len(self.labels) == len(self.bundles) > 1 and not self.is_banded:
            return "no value occurs twice"
        return "" if self.bundles else "it has no value"

    @property
    def is_banded(self) -> bool:
        return self.is_number and len(self.labels) > MOST_NUMBERS

    def series(self, bundles: int) -> pl.Series:
        """Give a label or null for each bundle."""
        labels = np.full(bundles, None, dtype=object)
        if self.is_banded:
            labels[self.bundles] = bands(np.array(self.numbers))
        else:
            labels[self.bundles] = np.array(self._names(), dtype=object)[self.codes]
        return pl.Series(labels.tolist(), dtype=pl.String)

    def _names(self) -> list[str]:
        """The labels; text that looks like another value, or like none, is in quotes."""
        return [
            f'"{label}"' if is_text and (label == NO_KIND or (label, False) in self.labels) else label
            for label, is_text in self.labels
        ]


def bands(numbers: F64) -> list[str]:
    """Cut numbers into some ``BANDS`` bands of about equally many, and name each by its ends."""
    cuts = np.unique(_upper_ends(np.sort(numbers)))
    band = np.searchsorted(cuts, numbers)
    ends = [(numbers[band == k].min(), numbers[band == k].max()) for k in np.unique(band)]
    for digits in range(3, 18):
        names = [_ends(low, high, digits) for low, high in ends]
        shown = [end for low, high in ends for end in (low, high)]
        if len({f"{end:.{digits}g}" for end in shown}) == len(set(shown)):
            break
    name_of = dict(zip(np.unique(band).tolist(), names, strict=True))
    return [name_of[k] for k in band.tolist()]


def _upper_ends(ascending: F64) -> list[float]:
    """The greatest number of each band."""
    values, counts = np.unique(ascending, return_counts=True)
    full = len(ascending) / BANDS
    is_full = counts >= full
    ends = []
    for run in np.split(np.arange(len(values)), np.flatnonzero(np.diff(is_full) | is_full[1:]) + 1):
        inside = np.repeat(values[run], counts[run])
        parts = max(1, round(len(inside) / full))
        cuts = np.quantile(inside, np.arange(1, parts) / parts, method="inverted_cdf")
        # Where ties reach the greatest number, what is below them is a band still.
        ends += [float(cut) for cut in np.minimum(cuts, values[run][-2:][0])] + [float(inside[-1])]
    return ends


def _ends(low: float, high: float, digits: int) -> str:
    first, last = (f"{end:.0f}" if end.is_integer() else f"{end:.{digits}g}" for end in (low, high))
    return first if low == high else f"{first} to {last}"


def _label(value: _PLAIN) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _text(value: str) -> str:
    """White space and ways to write an accent make no two values of one."""
    return normalize("NFC", " ".join(value.split()))


class BundleFields:
    """Gathers the metadata of bundles and the kinds of their negatives, batch by batch."""

    def __init__(self) -> None:
        """Gather none yet."""
        self._fields: dict[str, _Field] = {}
        self._bundles = 0
        self._kinds: dict[str, int] = {NO_KIND: 0}
        self._kind_of = array("q")
        self._sizes = array("q")
        self._too_many_kinds = False

    def add(self, frame: pl.DataFrame, rows: Sequence[Mapping[str, Any]]) -> None:
        """Gather from a batch."""
        if not rows:
            sizes = frame["negatives"].list.len()
            self._sizes.extend(sizes.to_list())
            self._kind_of.extend([0] * int(sizes.sum()))
        for number, row in enumerate(rows, start=self._bundles):
            metadata = row.get("metadata") or {}
            self._add_kinds(row)
            for name, value in (*_of_texts(row), *_flat(metadata)):
                self._add(number, name, value)
        self._bundles += frame.height

    def add_undescribed(self, bundles: int) -> None:
        """Count bundles of which only the texts are known; ``columns`` then has no ``kinds``."""
        self._bundles += bundles

    def _add(self, bundle: int, name: str, value: object) -> None:
        gathered = self._fields.get(name)
        if gathered is None:
            if len(self._fields) >= MOST_FIELDS:
                return
            gathered = self._fields[name] = _Field()
        if gathered.why or value is None:
            return
        if isinstance(value, float) and not isfinite(value):
            return
        if isinstance(value, _PLAIN):
            if not isinstance(value, str) or value.strip():
                gathered.add(bundle, value)
        elif isinstance(value, list | tuple):
            gathered._drop("it holds lists")
        else:
            gathered.add(bundle, str(value))

    def _add_kinds(self, row: Mapping[str, Any]) -> None:
        names = negative_kinds(row)
        self._sizes.append(len(names))
        for name in names:
            if name not in self._kinds and len(self._kinds) > MOST_VALUES:
                self._too_many_kinds, name = True, NO_KIND
            self._kind_of.append(self._kinds.setdefault(name, len(self._kinds)))

    def columns(self) -> list[pl.Series]:
        """Give what sorts bundles."""
        fields = {
            name: gathered.series(self._bundles)
            for name, gathered in self._fields.items()
            if not gathered.settle(self._bundles)
        }
        columns = [pl.DataFrame(fields).to_struct("metadata")] if fields else []
        if len(self._kinds) > 1 and not self._too_many_kinds and len(self._sizes) == self._bundles:
            of_negative = pl.DataFrame(
                {
                    "bundle": np.repeat(np.arange(self._bundles), self._sizes),
                    "kind": pl.Series([*self._kinds], dtype=pl.String).gather(
                        np.array(self._kind_of, dtype=np.int64)
                    ),
                }
            )
            listed = of_negative.group_by("bundle", maintain_order=True).agg("kind")["kind"]
            columns.append(listed.alias("kinds"))
        return columns

    def left_out(self) -> dict[str, str]:
        """Say of each field that sorts nothing why: a clause."""
        why = {field_name(name): gathered.settle(self._bundles) for name, gathered in self._fields.items()}
        if self._too_many_kinds:
            why[NEGATIVE_KIND] = f"the negatives have more than {MOST_VALUES} sources"
        return {name: reason for name, reason in why.items() if reason}


def negative_kinds(row: Mapping[str, Any]) -> list[str]:
    """The kind of each negative of a bundle: its source, or what the metadata lists, or ``NO_KIND``."""
    negatives: Sequence[str | Mapping[str, Any]] = row["negatives"]
    kinds: Sequence[str | None] = [
        None if isinstance(text, str) else text.get("source") for text in negatives
    ]
    if not any(kinds):
        kinds = _listed_kinds(row.get("metadata") or {}, len(negatives)) or kinds
    names = [_text(kind or "") or NO_KIND for kind in kinds]
    return [
        f'"{name}"' if kind and name == NO_KIND else name for kind, name in zip(kinds, names, strict=True)
    ]


def says_more(row: Mapping[str, Any]) -> bool:
    """Whether a bundle has more than its texts that could sort it."""
    texts = (row["anchor"], row["positive"], *row["negatives"])
    return bool(row.get("metadata")) or any(not isinstance(text, str) for text in texts)


def _of_texts(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Give where the anchor and the positive come from, and what the anchor means."""
    for text, name in OF_TEXTS:
        if isinstance(row[text], Mapping) and row[text].get(name):
            yield f"{text}.{name}", row[text][name]


def _flat(metadata: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Give fields by name; those of objects in it have theirs behind a dot."""
    for name, value in metadata.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _listed_kinds(metadata: Mapping[str, Any], negatives: int) -> list[str] | None:
    for name in KIND_LISTS:
        listed = metadata.get(name)
        if not isinstance(listed, list | tuple) or len(listed) != negatives:
            continue
        if all(isinstance(kind, str) for kind in listed):
            return list(listed)
    return None


def gathered(
    batches: Iterable[tuple[pl.DataFrame, Sequence[Mapping[str, Any]]]], fields: BundleFields
) -> Iterator[pl.DataFrame]:
    """Pass frames on, while ``fields`` gathers what is said about their bundles."""
    for frame, rows in batches:
        fields.add(frame, rows)
        yield frame
