"""Fields of the metadata that bundles can be sorted by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any
from unicodedata import normalize

import polars as pl

from tellapart.core.scores import FIXED

MOST_VALUES = 200
"""A field of more different values names bundles and does not sort them."""

LONGEST = 100
"""A field with a value of more characters is free text."""

MOST_FIELDS = 100
"""Fields of an eval that are kept, in the order in which they are first seen."""

TIER = "tier"

METADATA = "metadata."
"""What may stand before a field, and does where its name alone means something else."""


def field_name(name: str) -> str:
    """How ``--by`` and reports call a field of the metadata, whose own name may be that of something else."""
    return f"{METADATA}{name}" if name in (TIER, *FIXED) else name


@dataclass
class _Field:
    """Labels of one field by bundle, so far; None once it is clear that it sorts nothing."""

    by_bundle: list[str | None] | None = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)

    def add(self, bundle: int, value: object) -> None:
        if self.by_bundle is None or value is None or (isinstance(value, float) and not isfinite(value)):
            return
        label = _label(value) if isinstance(value, str | int | float) else None
        if label:
            self.by_bundle += [None] * (bundle - len(self.by_bundle))
            # Each label is held once, however many bundles have it.
            self.by_bundle.append(self.labels.setdefault(label, label))
        if label is None or len(label) > LONGEST or len(self.labels) > MOST_VALUES:
            self.by_bundle, self.labels = None, {}

    def sorting(self, bundles: int) -> list[str | None] | None:
        """Labels of all bundles; None where all have one value, or no two have the same."""
        if self.by_bundle is None:
            return None
        labelled = len(self.by_bundle) - self.by_bundle.count(None)
        is_one_value = len(self.labels) == 1 and labelled == bundles
        if not labelled or is_one_value or len(self.labels) == labelled > 1:
            return None
        return self.by_bundle + [None] * (bundles - len(self.by_bundle))


def _label(value: str | int | float) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # White space and ways to write an accent make no two values of one.
        return normalize("NFC", " ".join(value.split()))
    return f"{value:.12g}" if isinstance(value, float) else str(value)


class BundleFields:
    """Gathers the metadata of bundles, batch by batch."""

    def __init__(self) -> None:
        """Gather none yet."""
        self._fields: dict[str, _Field] = {}
        self._bundles = 0

    def add(self, frame: pl.DataFrame, rows: Sequence[Mapping[str, Any]]) -> None:
        """Gather from a batch."""
        for number, row in enumerate(rows, start=self._bundles):
            for name, value in (row.get("metadata") or {}).items():
                if name in self._fields or len(self._fields) < MOST_FIELDS:
                    self._fields.setdefault(name, _Field()).add(number, value)
        self._bundles += frame.height

    def metadata(self) -> pl.Series | None:
        """Give what sorts bundles, as structs; None where nothing does."""
        fields = [
            pl.Series(name, labels, dtype=pl.String)
            for name, one in self._fields.items()
            if (labels := one.sorting(self._bundles)) is not None
        ]
        return pl.DataFrame(fields).to_struct("metadata") if fields else None
