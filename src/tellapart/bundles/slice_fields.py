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
            pl.Series(name, one.by_bundle + [None] * (self._bundles - len(one.by_bundle)), dtype=pl.String)
            for name, one in self._fields.items()
            if not one.settle(self._bundles)
        ]
        return pl.DataFrame(fields).to_struct("metadata") if fields else None

    def left_out(self) -> dict[str, str]:
        """Say of each field that sorts nothing why: a clause."""
        why = {field_name(name): one.settle(self._bundles) for name, one in self._fields.items()}
        return {name: reason for name, reason in why.items() if reason}
