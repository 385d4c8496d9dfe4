"""What bundles can be sorted by: fields of their metadata, and the kinds of their negatives."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any
from unicodedata import normalize

import numpy as np
import polars as pl

from tellapart.core.scores import FIXED

MOST_VALUES = 200
"""A field of more different values names bundles and does not sort them."""

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

KINDS_SCHEMA = pl.List(pl.Struct({"kind": pl.String(), "margin": pl.Float64()}))
"""Of each bundle, the margin against the negatives of each kind alone."""


def field_name(name: str) -> str:
    """How ``--by`` and reports call a field of the metadata, whose own name may be that of something else."""
    return f"{METADATA}{name}" if name in (TIER, NEGATIVE_KIND, *FIXED) else name


@dataclass
class _Field:
    """Labels of one field by bundle, so far; ``why`` says why it sorts nothing, once that is clear."""

    by_bundle: list[str | None] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    why: str = ""

    def add(self, bundle: int, value: object) -> None:
        if self.why or value is None or (isinstance(value, float) and not isfinite(value)):
            return
        if not isinstance(value, str | int | float):
            self.why = "it holds lists" if isinstance(value, list | tuple) else "it holds objects"
            return
        label = _label(value)
        if len(label) > LONGEST:
            self.why = f"a value has more than {LONGEST} characters"
        elif label:
            self.by_bundle += [None] * (bundle - len(self.by_bundle))
            # Each label is held once, however many bundles have it.
            self.by_bundle.append(self.labels.setdefault(label, label))
            if len(self.labels) > MOST_VALUES:
                self.why = f"it has more than {MOST_VALUES} values"
        if self.why:
            self.by_bundle, self.labels = [], {}

    def settle(self, bundles: int) -> str:
        """Say why the field sorts nothing; empty where it does."""
        labelled = len(self.by_bundle) - self.by_bundle.count(None)
        if self.why or not labelled:
            return self.why or "it has no value"
        if len(self.labels) == 1 and labelled == bundles:
            return "it has one value in all bundles"
        return "no value occurs twice" if len(self.labels) == labelled > 1 else ""


def _label(value: str | int | float) -> str:
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
        self._kind_of = array("B")
        self._sizes = array("q")
        self._too_many_kinds = False

    def add(self, frame: pl.DataFrame, rows: Sequence[Mapping[str, Any]]) -> None:
        """Gather from a batch."""
        if not rows:
            sizes = frame["negatives"].list.len()
            self._sizes.extend(sizes.to_list())
            self._kind_of.frombytes(bytes(int(sizes.sum())))
        for number, row in enumerate(rows, start=self._bundles):
            names = negative_kinds(row)
            self._sizes.append(len(names))
            for name in names:
                # At most 201 kinds with that of no source: a byte holds them.
                if name not in self._kinds and len(self._kinds) > MOST_VALUES:
                    self._too_many_kinds, name = True, NO_KIND
                self._kind_of.append(self._kinds.setdefault(name, len(self._kinds)))
            for name, value in (row.get("metadata") or {}).items():
                if name in self._fields or len(self._fields) < MOST_FIELDS:
                    self._fields.setdefault(name, _Field()).add(number, value)
        self._bundles += frame.height

    def columns(self) -> list[pl.Series]:
        """Give what sorts bundles."""
        kept = [(name, one.by_bundle) for name, one in self._fields.items() if not one.settle(self._bundles)]
        fields = [
            pl.Series(name, labels + [None] * (self._bundles - len(labels)), dtype=pl.String)
            for name, labels in kept
        ]
        columns = [pl.DataFrame(fields).to_struct("metadata")] if fields else []
        if len(self._kinds) > 1 and not self._too_many_kinds:
            names = pl.Series([*self._kinds], dtype=pl.String)
            of_negative = pl.DataFrame(
                {
                    "bundle": np.repeat(np.arange(self._bundles), self._sizes),
                    "kind": names.gather(np.array(self._kind_of, dtype=np.int64)),
                }
            )
            listed = of_negative.group_by("bundle", maintain_order=True).agg("kind")["kind"]
            columns.append(listed.alias("kinds"))
        return columns

    def left_out(self) -> dict[str, str]:
        """Say of each field that sorts nothing why: a clause."""
        why = {field_name(name): one.settle(self._bundles) for name, one in self._fields.items()}
        if self._too_many_kinds:
            why[NEGATIVE_KIND] = f"the negatives have more than {MOST_VALUES} sources"
        return {name: reason for name, reason in why.items() if reason}


def negative_kinds(row: Mapping[str, Any]) -> list[str]:
    """The kind of each negative of a bundle: its source, or what the metadata lists, or ``NO_KIND``."""
    negatives: Sequence[str | Mapping[str, Any]] = row["negatives"]
    kinds: Sequence[Any] = [None if isinstance(text, str) else text.get("source") for text in negatives]
    if not any(kinds):
        listed = ((row.get("metadata") or {}).get(name) for name in KIND_LISTS)
        fitting = (
            of
            for of in listed
            if isinstance(of, list | tuple)
            and len(of) == len(negatives)
            and all(isinstance(kind, str) for kind in of)
        )
        kinds = next(fitting, kinds)
    return [_text(kind or "") or NO_KIND for kind in kinds]
