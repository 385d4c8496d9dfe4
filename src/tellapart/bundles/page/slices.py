"""Slices on a page, in Markdown and in a terminal: a heat map of slice and model, and the same as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from tellapart.bundles.results import KindRecord, SliceRecord
from tellapart.bundles.slices import Slices
from tellapart.core.comparison import Comparison
from tellapart.report import numbers as show
from tellapart.report.charts import Chart, Drawing, Tile, heatmap
from tellapart.report.charts.axes import LETTER, SHARE, room_for
from tellapart.report.comparison import words
from tellapart.report.palette import looks
from tellapart.report.plain_text import shortened
from tellapart.report.tables import Cell, Table, figure, table, undefined

MOST_ROWS = 40
"""Slices in the heat map; the table has all of them."""

LISTED = 25
"""Slices in the tables of a terminal; a page folds a longer table."""

MOST_MODELS = 8
"""Models in the heat map."""

_NAME = 28
"""Characters that the name of a slice may take in the heat map."""

_WIDEST, _ROOMY = 130, 104
"""Pixels that a tile may be wide, and from which it has room for an interval."""

_PALEST, _FULLEST = 0.06, 0.5
"""How strong the ground of a tile is, at a pass rate of 0 and of 1; text on it stays legible."""

OneT = TypeVar("OneT", SliceRecord, KindRecord)


def title(slices: Slices) -> str:
    """What the section of the slices is called."""
    return "By kind of negative" if slices.is_by_kind else f"By {words(slices.by)}"


def slice_tables(slices: Slices | None, most: int | None = None) -> list[Table]:
    """Give the tables of the slices; none without slices."""
    if slices is None:
        return []
    tables = [_kinds(slices), _winners(slices)] if slices.is_by_kind else [_fields(slices)]
    left_out = len(slices.values) - len(slices.values[:most])
    if not left_out:
        return tables
    remark = f" {show.plural(left_out, 'more slice')}: add --json."
    return [replace(shown, rows=shown.rows[:most], note=f"{shown.note}{remark}") for shown in tables]


def _fields(slices: Slices) -> Table:
    by_value = _by_row(slices, slices.record.slices, lambda record: record.value)
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
        f"all of them together.{_no_intervals(slices.record.slices)}",
    )


def _kinds(slices: Slices) -> Table:
    by_kind = _by_row(slices, slices.record.kinds, lambda record: record.kind)
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
        f"{_no_intervals(slices.record.kinds)}",
    )


def _winners(slices: Slices) -> Table:
    by_kind = _by_row(slices, slices.record.kinds, lambda record: record.kind)
    rows: list[list[Cell | str]] = [[kind, *map(_winner_cell, records)] for kind, records in by_kind.items()]
    return table(
        "winners",
        "Failures by the kind of the winning negative, %",
        ["Kind of negative", *slices.labels],
        rows,
        note="Of the bundles that a model fails, those in which the best negative is of the kind; where "
        "several kinds tie, each has an equal part. Each model fails other bundles, so these shares describe "
        "a model and do not compare models; the pass rates above do.",
    )


def _by_row(slices: Slices, records: Sequence[OneT], name: Callable[[OneT], str]) -> dict[str, list[OneT]]:
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


def _winner_cell(record: KindRecord) -> Cell:
    return figure(
        record.share_of_failures, show.rate, "the model fails no bundle", f"{record.failures:g} bundles"
    )


def slices_chart(slices: Slices, comparison: Comparison | None = None) -> Chart | None:
    """Draw slices down and models across, with pass rate, interval and n in each tile."""
    tiles = [tile for tile in _tiles(slices) if tile.rate is not None]
    if not tiles:
        return None
    rows = f" The first {MOST_ROWS} slices are drawn." if len(slices.values) > MOST_ROWS else ""
    columns = f" The first {MOST_MODELS} models are drawn." if len(slices.labels) > MOST_MODELS else ""
    what = "against the negatives of each kind alone" if slices.is_by_kind else "in each slice"
    description = (
        f"For {show.listed(slices.labels, most=MOST_MODELS)}, the pass rate in percent {what}; below it the "
        "95 % interval and n where there is room. The stronger the ground, the higher the pass rate. The "
        f"table below has the same figures.{rows}{columns}"
    )
    return Chart("slices", _range(tiles, comparison), description, lambda width: _drawn(slices, width))


@dataclass(frozen=True)
class _Tile:
    """What a tile shows: a slice, a model, and its pass rate."""

    value: str
    model: str
    n: int
    rate: float | None
    interval: Sequence[float] | None


def _tiles(slices: Slices) -> list[_Tile]:
    record = slices.record
    return [
        *(
            _Tile(cut.value, cut.model, cut.stats.n, cut.stats.pass_rate, cut.stats.ci95.get("pass_rate"))
            for cut in record.slices
        ),
        *(_Tile(kind.kind, kind.model, kind.n, kind.pass_rate, kind.interval) for kind in record.kinds),
    ]


def _range(tiles: Sequence[_Tile], comparison: Comparison | None) -> str:
    rates = show.between([tile.rate or 0.0 for tile in tiles], show.percent)
    ends = [end for tile in tiles if tile.interval for end in tile.interval]
    doubt = f" (95 % intervals within {show.rate_range((min(ends), max(ends)))} %)" if ends else ""
    family = comparison.secondary if comparison else None
    if family is None:
        return f"Pass rates of {rates}{doubt}"
    looks = f"{len(family.separated) or 'None'} of {show.plural(len(family.pairs), 'comparison')} separated"
    return f"{looks}; pass rates of {rates}{doubt}"


def _drawn(slices: Slices, width: int) -> Drawing:
    values, models = slices.values[:MOST_ROWS], slices.labels[:MOST_MODELS]
    rows = _names(values, min(_NAME, int((SHARE * width - 14) / LETTER)))
    room = (width - room_for([*rows.values()], width) - 14) / len(models)
    heads = _names(models, max(3, int(min(room, _WIDEST) / LETTER)))
    colour = looks(("rate", "other"))["rate"].colour
    drawn = []
    for tile in _tiles(slices):
        if tile.value not in rows or tile.model not in heads:
            continue
        cell = (rows[tile.value], heads[tile.model])
        if tile.rate is None:
            drawn.append(Tile(*cell, show.DASH, f"n {show.count(tile.n)}"))
            continue
        size = f"n {show.count(tile.n)}"
        if tile.interval and room >= _ROOMY:
            size = f"{show.rate_range(tile.interval)}, {size}"
        full = _PALEST + (_FULLEST - _PALEST) * tile.rate
        drawn.append(Tile(*cell, show.rate(tile.rate), size, colour, full))
    return heatmap(
        drawn,
        width,
        rows=[*rows.values()],
        columns=[*heads.values()],
        heads="top",
        largest=(_WIDEST, 36),
    )


def _names(names: Sequence[str], letters: int) -> dict[str, str]:
    """Shorten names, and number them where that makes two alike."""
    short = [shortened(name, letters) for name in names]
    if len(set(short)) < len(short):
        short = [f"{i} {shortened(name, max(3, letters - 3))}" for i, name in enumerate(names, 1)]
    return dict(zip(names, short, strict=True))
