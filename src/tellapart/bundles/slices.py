"""Slices of an eval: pass rates by a field of the metadata."""

from __future__ import annotations

import polars as pl

from tellapart.bundles.figures import rounded, rounded_ends
from tellapart.bundles.scoreboards import Boards
from tellapart.bundles.slice_fields import METADATA, TIER, field_name
from tellapart.bundles.tier_stats import cluster_numbers
from tellapart.core.record import Record
from tellapart.core.scores import ScoreTable
from tellapart.core.stats import clustered_rate
from tellapart.errors import UsageError, near_match

NO_VALUE = "(none)"
"""The value of bundles without the field."""


class SliceRecord(Record):
    """One model on the bundles that have one value of a field or lack it; the interval is at 95 %."""

    value: str
    model: str
    n: int
    clusters: int
    pass_rate: float | None
    interval: list[float] | None
    reason: str | None


class SlicesRecord(Record):
    """What ``--by`` adds to a report, slice by slice and in each model by model."""

    by: str
    slices: tuple[SliceRecord, ...]

    @property
    def values(self) -> list[str]:
        """Of the field, in the order in which they are shown."""
        return list(dict.fromkeys(one.value for one in self.slices))


def slice_column(by: str) -> str:
    """Give the column of ``--by``; ``metadata.`` may stand before a field."""
    return field_name(by.removeprefix(METADATA))


def sliced_table(boards: Boards, by: str) -> ScoreTable:
    """Give the scores of several boards with the column ``by``, a field of the metadata."""
    name, columns = slice_column(by), []
    for scored in boards.boards:
        metadata = scored.scores["metadata"].struct if "metadata" in scored.scores.columns else None
        fields = {field_name(one): one for one in metadata.fields} if metadata is not None else {}
        if metadata is None or name not in fields:
            raise UsageError(
                f"there is no field {name!r} that sorts bundles: of few values, each of which occurs twice",
                where=scored.path,
                next_step="Figures by tier are shown without --by"
                if by == TIER
                else near_match(name, fields),
            )
        columns.append(metadata.field(fields[name]).fill_null(NO_VALUE).alias(name))
    return boards.table_with(columns)


def slice_rates(boards: Boards, by: str) -> SlicesRecord:
    """Give the pass rate of every slice and model; numbers ascending, other values by how many have them."""
    frame, by = sliced_table(boards, by).frame, slice_column(by)
    counts = dict(frame.group_by(by, maintain_order=True).len().iter_rows())
    values = [value for value in counts if value != NO_VALUE]
    try:
        values.sort(key=float)
    except ValueError:
        values.sort(key=lambda value: -counts[value])
    values += [NO_VALUE] if NO_VALUE in counts else []
    return SlicesRecord(
        by=by,
        slices=tuple(
            _slice(value, model, frame.filter((pl.col(by) == value) & (pl.col("model") == model)))
            for value in values
            for model in boards.labels
        ),
    )


def _slice(value: str, model: str, frame: pl.DataFrame) -> SliceRecord:
    rate = clustered_rate(frame["score"].to_numpy(), cluster_numbers(frame))
    return SliceRecord(
        value=value,
        model=model,
        n=frame.height,
        clusters=rate.n_clusters,
        pass_rate=rounded(rate.value),
        interval=rounded_ends(rate.interval),
        reason=rate.reason,
    )
