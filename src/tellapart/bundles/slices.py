"""Slices of an eval: pass rates by a field of the metadata, and by the kind of the negatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from tellapart.bundles.rounding import rounded, rounded_ends
from tellapart.bundles.scoreboards import Boards, Scored
from tellapart.bundles.slice_fields import METADATA, NEGATIVE_KIND, NO_KIND, TIER, field_name
from tellapart.bundles.tier_stats import cluster_numbers
from tellapart.core.record import Record
from tellapart.core.scores import ScoreTable
from tellapart.core.stats import clustered_rate
from tellapart.errors import UsageError, near_match

_BETWEEN = "\x1f"


class SliceRecord(Record):
    """One model on the bundles that have one value of a field or lack it, or on the negatives of one kind.

    ``n`` are these bundles, or those that have a negative of the kind. The interval is at 95 %, clustered on
    the anchor; ``reason`` says why there is none.
    """

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
    def is_by_kind(self) -> bool:
        """Whether it is the negatives that are sorted, and not the bundles."""
        return self.by == NEGATIVE_KIND

    @property
    def values(self) -> list[str]:
        """Of the field, in the order in which they are shown."""
        return list(dict.fromkeys(one.value for one in self.slices))


@dataclass(frozen=True)
class Slices:
    """Scoreboards cut into slices, whose values stand in the order in which they are shown.

    Each board has a frame of ``item``, ``cluster``, ``score`` and ``value``. Of kinds of negatives there is a
    row for each bundle and each kind among its negatives, whose score is 1 where the positive beats all
    negatives of that kind.
    """

    by: str
    labels: tuple[str, ...]
    values: tuple[str, ...]
    frames: tuple[pl.DataFrame, ...]

    def table(self, boards: Boards) -> ScoreTable:
        """Give the scores for the secondary family, whose column is ``by``."""
        item = pl.col("item")
        if self.by == NEGATIVE_KIND:
            item = pl.concat_str("item", "value", separator=_BETWEEN)
        joined = pl.concat(
            frame.select(
                pl.lit(label).alias("model"),
                item.alias("item"),
                "score",
                "cluster",
                pl.col("value").alias(self.by),
            )
            for label, frame in zip(self.labels, self.frames, strict=True)
        )
        if boards.is_exploratory:
            # Of different evals, a bundle has the source and the value of the first board with it.
            joined = joined.with_columns(pl.col("cluster", self.by).first().over("item"))
        return ScoreTable.from_frame(joined, notes=boards.table.notes)

    @cached_property
    def record(self) -> SlicesRecord:
        """Give the pass rate of every slice and model."""
        parts = [frame.partition_by("value", as_dict=True) for frame in self.frames]
        return SlicesRecord(
            by=self.by,
            slices=tuple(
                _slice(value, label, part.get((value,), frame.clear()))
                for value in self.values
                for label, frame, part in zip(self.labels, self.frames, parts, strict=True)
            ),
        )


def slices_of(boards: Boards, by: str) -> Slices:
    """Cut scoreboards into slices."""
    name = by if by in (TIER, NEGATIVE_KIND) else field_name(by.removeprefix(METADATA))
    for scored in boards.boards:
        if name != TIER and name not in fields_of(scored):
            raise _unknown(boards, scored, name)
    if name == TIER and boards.moved and not boards.is_exploratory:
        raise UsageError(
            f"--by tier: {boards.moved:,} bundles are in different tiers on different scoreboards, cut by "
            "each model's own danger",
            next_step="Cut them once with 'tellapart bundles tier', and score the result",
        )
    frames = tuple(_cut(scored.scores, name) for scored in boards.boards)
    return Slices(name, boards.labels, _ordered(frames), frames)


def fields_of(scored: Scored) -> list[str]:
    """Name what the bundles of a scoreboard can be cut by, beside their tiers."""
    schema = scored.scores.schema
    metadata = schema.get("metadata")
    fields = [field_name(one.name) for one in metadata.fields] if isinstance(metadata, pl.Struct) else []
    return [*fields, *([NEGATIVE_KIND] if "kinds" in schema else [])]


def _unknown(boards: Boards, scored: Scored, name: str) -> UsageError:
    fields, why = [TIER, *fields_of(scored)], scored.notes.no_strata.get(name)
    listed = f"it can be {', '.join(fields)}"
    if why is not None:
        what = "Give each negative a 'source'" if name == NEGATIVE_KIND else "Write a metadata field"
        return UsageError(
            f"--by {name} makes no slices: {why}; {listed}",
            next_step=f"{what} of fewer values, and score the eval again",
        )
    if name == NEGATIVE_KIND:
        return UsageError(
            f"--by {name}: no negative of this eval has a source, which is its kind; {listed}",
            where=scored.path,
            next_step="Write negatives as {KIND: [texts]}, and score the eval again",
        )
    return UsageError(
        f"there is no field {name!r} to cut bundles by",
        where=scored.path if len(boards.boards) > 1 else None,
        next_step=near_match(name, fields),
    )


def _cut(scores: pl.DataFrame, name: str) -> pl.DataFrame:
    if name == NEGATIVE_KIND:
        return (
            scores.select("item", "cluster", "kinds")
            .explode("kinds")
            .unnest("kinds")
            .with_columns(score=(pl.col("margin") > 0).cast(pl.Float64))
            .rename({"kind": "value"})
        )
    label = pl.col(TIER)
    if name != TIER:
        fields = {field_name(one): one for one in scores["metadata"].struct.fields}
        label = pl.col("metadata").struct.field(fields[name])
    return scores.select("item", "cluster", "score", value=label.fill_null(NO_KIND))


def _ordered(frames: Sequence[pl.DataFrame]) -> tuple[str, ...]:
    """Order values: numbers ascending, others by how many bundles have them, then as the eval has them."""
    every = pl.concat([frame.select("value") for frame in frames])
    counts = dict(every.group_by("value", maintain_order=True).len().iter_rows())
    others = [value for value in counts if value != NO_KIND]
    try:
        others.sort(key=float)
    except ValueError:
        others.sort(key=lambda value: -counts[value])
    return (*others, *([NO_KIND] if NO_KIND in counts else []))


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
