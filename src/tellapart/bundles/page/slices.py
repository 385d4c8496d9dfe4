"""Slices as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from tellapart.bundles.slices import KindRecord, SliceRecord, SlicesRecord
from tellapart.report import numbers as show
from tellapart.report.comparison import words
from tellapart.report.tables import Cell, Table, table, undefined

OneT = TypeVar("OneT", SliceRecord, KindRecord)


def slice_tables(slices: SlicesRecord) -> list[Table]:
    """Give the tables of the slices."""
    return [_kinds(slices) if slices.kinds else _fields(slices)]


def _fields(slices: SlicesRecord) -> Table:
    by_value = _by_row(slices, slices.slices, lambda record: record.value)
    rows: list[list[Cell | str]] = [
        [
            value,
            _sizes([record.stats.n for record in records]),
            _sizes([record.clusters for record in records]),
            *map(_slice_cell, records),
        ]
        for value, records in by_value.items()
    ]
    return table(
        "slices",
        f"Pass rate by {words(slices.by)}, % (95 % interval)",
        [show.capital(words(slices.by)), "n", "Anchors", *slices.labels],
        rows,
        note="Each interval stands for itself: which models differ in a slice is in the pairs, corrected for "
        f"all of them together.{_no_intervals(slices.slices)}",
    )


def _kinds(slices: SlicesRecord) -> Table:
    by_kind = _by_row(slices, slices.kinds, lambda record: record.kind)
    rows: list[list[Cell | str]] = [
        [
            kind,
            _sizes([record.n for record in records]),
            _sizes([record.clusters for record in records]),
            *map(_kind_cell, records),
        ]
        for kind, records in by_kind.items()
    ]
    return table(
        "slices",
        "Pass rate against the negatives of one kind alone, % (95 % interval)",
        ["Kind of negative", "n", "Anchors", *slices.labels],
        rows,
        note="n: bundles that have a negative of the kind, the same for every model. A bundle passes against "
        "a kind if its positive is more similar to the anchor than every negative of that kind."
        f"{_no_intervals(slices.kinds)}",
    )


def _by_row(
    slices: SlicesRecord, records: Sequence[OneT], name: Callable[[OneT], str]
) -> dict[str, list[OneT]]:
    return {value: [record for record in records if name(record) == value] for value in slices.values}


def _sizes(counts: Sequence[int]) -> str:
    return show.between(counts, lambda n: show.count(int(n)))


def _no_intervals(records: Sequence[SliceRecord] | Sequence[KindRecord]) -> str:
    lacking = any(record.reason for record in records)
    return " One bundle, or bundles of one anchor, have no interval." if lacking else ""


def _slice_cell(record: SliceRecord) -> Cell:
    rate, interval = record.stats.pass_rate, record.stats.ci95.get("pass_rate")
    return _rate_cell(rate, interval, record.reason)


def _kind_cell(record: KindRecord) -> Cell:
    return _rate_cell(record.pass_rate, record.interval, record.reason)


def _rate_cell(rate: float | None, interval: Sequence[float] | None, reason: str | None) -> Cell:
    if rate is None:
        return undefined(reason or "no bundles")
    return Cell(show.rate(rate), show.rate_range(interval) if interval else "no interval")
