"""Comparisons as JSON: the contract for scripts, and how pages read it back."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import SerializerFunctionWrapHandler, model_serializer

from tellapart.core.comparison.pairs import Comparison, Family, PairComparison, TwoModels, Verdict
from tellapart.core.estimate import Interval
from tellapart.core.record import Record
from tellapart.core.stats.paired import Discordant, PairedTest

_Ends = tuple[float, float]
_OpenEnds = tuple[float | None, float | None]


class PairRecord(Record, TwoModels):
    """Two models; see `PairComparison` for each figure."""

    a: str
    b: str
    n: int
    clusters: int
    difference: float | None
    interval: _Ends | None
    interval_95: _Ends | None
    level: float | None
    test: PairedTest | None
    p: float | None
    p_adjusted: float | None
    p_equivalent: float | None
    bounds: _OpenEnds | None
    verdict: Verdict
    items_needed: int | None
    planned_level: float
    reason: str
    binary: bool
    sd: float | None
    design_effect: float | None
    only_a: int | None
    only_b: int | None
    withheld: str = ""

    @model_serializer(mode="wrap")
    def _with_what_applies(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave ``withheld`` out where it is empty, which it nearly always is."""
        fields: dict[str, Any] = handler(self)
        return fields if self.withheld else {k: v for k, v in fields.items() if k != "withheld"}


class StratumPairRecord(PairRecord):
    """Two models on the items of one value of the secondary column."""

    stratum: str


class PrimaryRecord(Record):
    """The primary family: pairs on ``scope``, without ``left_out`` items."""

    scope: str
    declared: bool
    left_out: int = 0
    method: Literal["holm"] = "holm"
    size: int
    pairs: tuple[PairRecord, ...]

    @model_serializer(mode="wrap")
    def _with_what_applies(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave ``left_out`` out where it is 0, which it nearly always is."""
        fields: dict[str, Any] = handler(self)
        return fields if self.left_out else {k: v for k, v in fields.items() if k != "left_out"}


class SecondaryRecord(Record):
    """The secondary family."""

    by: str
    method: Literal["holm"] = "holm"
    size: int
    pairs: tuple[StratumPairRecord, ...]


class ComparisonRecord(Record):
    """What stands under ``comparison`` in the JSON of every command that compares models."""

    alpha: float
    power: float
    sesoi: float
    baseline: str | None
    primary: PrimaryRecord
    secondary: SecondaryRecord | None
    cautions: tuple[str, ...]


def to_json(comparison: Comparison) -> dict[str, Any]:
    """Give a comparison as dictionaries, lists, strings and finite numbers; infinite bounds are None."""
    return comparison_record(comparison).model_dump(mode="json")


def comparison_record(comparison: Comparison) -> ComparisonRecord:
    """Give a comparison as it is stored; infinite bounds are None."""
    secondary = comparison.secondary
    return ComparisonRecord(
        alpha=comparison.alpha,
        power=comparison.power,
        sesoi=comparison.sesoi,
        baseline=comparison.baseline,
        primary=PrimaryRecord(
            scope=comparison.primary.name,
            declared=comparison.primary.declared,
            left_out=comparison.primary.left_out,
            size=len(comparison.primary.pairs),
            pairs=tuple(PairRecord(**pair_fields(pair)) for pair in comparison.primary.pairs),
        ),
        secondary=None
        if secondary is None
        else SecondaryRecord(
            by=secondary.name,
            size=len(secondary.pairs),
            pairs=tuple(
                StratumPairRecord(**pair_fields(pair), stratum=pair.stratum or "") for pair in secondary.pairs
            ),
        ),
        cautions=comparison.cautions,
    )


def from_json(record: dict[str, Any] | ComparisonRecord) -> Comparison:
    """Read what `to_json` gave."""
    read = record if isinstance(record, ComparisonRecord) else ComparisonRecord.model_validate(record)
    secondary = read.secondary
    return Comparison(
        alpha=read.alpha,
        power=read.power,
        sesoi=read.sesoi,
        baseline=read.baseline,
        primary=Family(
            read.primary.scope,
            tuple(map(_pair, read.primary.pairs)),
            read.primary.declared,
            read.primary.left_out,
        ),
        secondary=None if secondary is None else Family(secondary.by, tuple(map(_pair, secondary.pairs))),
        cautions=read.cautions,
    )


def pair_fields(pair: PairComparison) -> dict[str, Any]:
    """Give the fields of `PairRecord`."""
    return {
        "a": pair.a,
        "b": pair.b,
        "n": pair.n,
        "clusters": pair.n_clusters,
        "difference": pair.difference,
        "interval": pair.interval,
        "interval_95": pair.interval_95,
        "level": pair.level,
        "test": pair.test,
        "p": pair.p,
        "p_adjusted": pair.p_adjusted,
        "p_equivalent": pair.p_equivalent,
        "bounds": None if pair.bounds is None else tuple(map(_finite, pair.bounds)),
        "verdict": pair.verdict,
        "items_needed": pair.items_needed,
        "planned_level": pair.planned_level,
        "reason": pair.reason,
        "binary": pair.binary,
        "sd": pair.sd,
        "design_effect": pair.design_effect,
        "only_a": None if pair.discordant is None else pair.discordant.only_a,
        "only_b": None if pair.discordant is None else pair.discordant.only_b,
        "withheld": pair.withheld,
    }


def _pair(read: PairRecord) -> PairComparison:
    low, high = read.bounds or (None, None)
    return PairComparison(
        a=read.a,
        b=read.b,
        n=read.n,
        n_clusters=read.clusters,
        difference=read.difference,
        sd=read.sd,
        design_effect=read.design_effect,
        binary=read.binary,
        interval=read.interval and Interval(*read.interval),
        interval_95=read.interval_95 and Interval(*read.interval_95),
        level=read.level,
        test=read.test,
        p=read.p,
        p_adjusted=read.p_adjusted,
        p_equivalent=read.p_equivalent,
        bounds=None
        if read.bounds is None
        else (float("-inf") if low is None else low, float("inf") if high is None else high),
        verdict=read.verdict,
        items_needed=read.items_needed,
        planned_level=read.planned_level,
        reason=read.reason,
        discordant=None
        if read.only_a is None or read.only_b is None
        else Discordant(read.only_a, read.only_b),
        stratum=read.stratum if isinstance(read, StratumPairRecord) else None,
        withheld=read.withheld,
    )


def _finite(end: float) -> float | None:
    return end if abs(end) < float("inf") else None
