"""What must hold in every bundle, whatever form it had; no id may come twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.bundles.reading.forms import Form, Row
from tellapart.bundles.tier_names import ALIASES, TIERS
from tellapart.core.arrays import I64, U64
from tellapart.errors import near_match, quoted
from tellapart.files import RowFaults

_SEEDS = (11, 83)


@dataclass(frozen=True)
class _Run:
    """Ids in the order of the first half of their digest."""

    first: U64
    second: U64
    lines: I64

    def find(self, first: U64, second: U64) -> I64:
        """Lines of ids, 0 for those that are not here."""
        at = np.minimum(np.searchsorted(self.first, first), len(self.first) - 1)
        matches = (self.first[at] == first) & (self.second[at] == second)
        return np.where(matches, self.lines[at], 0)


class Identities:
    """Remembers 128 bits of each id, and its line: 24 bytes.

    They are kept in sorted runs, each more than twice as long as the next one, so that n ids cost
    O(n log² n). Two ids pass for one only if their digests are equal, which never happens in practice.
    """

    def __init__(self) -> None:
        """Remember none."""
        self._runs: list[_Run] = []

    def add(self, ids: pl.Series, lines: pl.Series) -> Iterable[tuple[int, int]]:
        """Remember ids."""
        if not len(ids):
            return ()
        first, second = (ids.hash(seed).to_numpy() for seed in _SEEDS)
        where = lines.to_numpy().astype(np.int64)
        earlier_lines = np.zeros(len(ids), dtype=np.int64)
        for run in self._runs:
            earlier_lines = np.maximum(earlier_lines, run.find(first, second))
        first_place = pl.int_range(len(ids), eager=True).to_frame("place").with_columns(ids.alias("id"))
        earlier = first_place.select(pl.col("place").first().over("id"))["place"].to_numpy()
        repeated = earlier < np.arange(len(ids))
        earlier_lines = np.where((earlier_lines == 0) & repeated, where[earlier], earlier_lines)
        new = earlier_lines == 0
        self._remember(_Run(first[new], second[new], where[new]))
        rows = np.flatnonzero(earlier_lines)
        return zip(rows.tolist(), earlier_lines[rows].tolist(), strict=True)

    def _remember(self, run: _Run) -> None:
        while self._runs and len(self._runs[-1].first) <= 2 * len(run.first):
            last = self._runs.pop()
            run = _Run(
                np.concatenate([last.first, run.first]),
                np.concatenate([last.second, run.second]),
                np.concatenate([last.lines, run.lines]),
            )
        if len(run.first):
            order = np.argsort(run.first, kind="stable")
            self._runs.append(_Run(run.first[order], run.second[order], run.lines[order]))


Fault = tuple[int, str, int | None, str, str]
"""Row of the frame, field, position in ``negatives``, cause, and what was found."""

_BLANK = r"^\s*$"
_NULL = "null field"


def sound(
    frame: pl.DataFrame, form: Form, given: Callable[[int], Row], seen: Identities, problems: RowFaults
) -> NDArray[np.bool_]:
    """Find the bundles that can be used."""
    good = np.ones(frame.height, dtype=np.bool_)
    lines = frame["line"]
    faults = [*_text_faults(frame), *_negative_faults(frame), *_tier_faults(frame)]
    incomplete = {row for row, _, _, cause, _ in faults if cause == _NULL}
    for row, field, position, cause, detail in sorted(faults, key=lambda fault: fault[0]):
        if row in incomplete and cause != _NULL:
            continue
        good[row] = False
        problems.add(int(lines[row]), form.field(field, position, given(row)), cause, detail)
    rows = np.flatnonzero(good)
    for at, first in seen.add(frame["bundle_id"].gather(rows), lines.gather(rows)):
        row = int(rows[at])
        good[row] = False
        name = frame["bundle_id"][row]
        problems.add(
            int(lines[row]),
            form.field("bundle_id", None, given(row)),
            "duplicate id",
            f"{quoted(name)} is also in line {first}",
        )
    return good


def with_tier_names(frame: pl.DataFrame) -> pl.DataFrame:
    """Spell short names of tiers out."""
    return frame.with_columns(pl.col("tier").replace(ALIASES))


def _rows(mask: pl.Series) -> list[int]:
    return np.flatnonzero(mask.fill_null(False).to_numpy()).tolist()


def _text_faults(frame: pl.DataFrame) -> Iterator[Fault]:
    for field in ("bundle_id", "anchor", "positive"):
        empty = "empty id" if field == "bundle_id" else "empty text"
        for row in _rows(frame[field].is_null()):
            yield row, field, None, _NULL, ""
        for row in _rows(frame[field].str.contains(_BLANK)):
            yield row, field, None, empty, f"found {quoted(frame[field][row])}"


def _negative_faults(frame: pl.DataFrame) -> Iterator[Fault]:
    sizes = frame["negatives"].list.len()
    for row in _rows(sizes.is_null()):
        yield row, "negatives", None, _NULL, ""
    for row in _rows(sizes == 0):
        yield row, "negatives", None, "no negatives", ""
    filled = np.flatnonzero((sizes > 0).fill_null(False).to_numpy())
    counts = sizes.gather(filled).to_numpy().astype(np.int64)
    texts = frame["negatives"].gather(filled).explode()
    owners = np.repeat(filled, counts)
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    positives = frame["positive"].gather(owners)
    for mask, cause in (
        (texts.is_null(), _NULL),
        (texts.str.contains(_BLANK), "empty text"),
        (texts == positives, "positive among the negatives"),
    ):
        for at in _rows(mask):
            detail = "" if texts[at] is None else f"found {quoted(texts[at])}"
            yield int(owners[at]), "negatives", int(at - starts[at]), cause, detail


def _tier_faults(frame: pl.DataFrame) -> Iterator[Fault]:
    accepted = [*TIERS, *ALIASES]
    for row in _rows(~frame["tier"].is_in(accepted)):
        tier = str(frame["tier"][row])
        yield (
            row,
            "tier",
            None,
            "unknown tier",
            f"found {quoted(tier)}. {near_match(tier, accepted)}".rstrip("."),
        )
