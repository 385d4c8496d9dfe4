"""What else than quality moves a judge: where a summary stands, and whose family wrote it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from tellapart.contrastive.judging.criteria import LEAST, MOST, PAIRWISE, POINTWISE
from tellapart.contrastive.judging.families import is_same_family
from tellapart.contrastive.judging.judgements import COUNTS
from tellapart.contrastive.judging.results import Ends, FamilyBias, PositionBias
from tellapart.contrastive.judging.severity import severities
from tellapart.core.comparison import Contrast, PairComparison, paired_effects
from tellapart.core.estimate import Estimate
from tellapart.core.stats import clustered_rate, mean_once

_SPAN = MOST - LEAST
NO_OTHER_JUDGE = "no other judge that counts gave a verdict on the same summaries"
NO_OTHER_WRITER = "no writer of another family was judged by the same judges"


def position_biases(complete: pl.DataFrame, *, seed: int) -> tuple[PositionBias, ...]:
    """Test for each judge whether the summary that stands first gets more points."""
    by_judge = [(str(judge), rows) for (judge,), rows in complete.group_by("judge", maintain_order=True)]
    first = [
        ((rows["a_first"] + 1 - rows["a_second"]) / 2).to_numpy().astype(np.float64) for _, rows in by_judge
    ]
    contrasts = [
        Contrast(f"position {judge}", share, 1 - share, rows["path"].to_list())
        for (judge, rows), share in zip(by_judge, first, strict=True)
    ]
    effects = paired_effects(contrasts, seed=seed)
    return tuple(
        PositionBias(
            judge=judge,
            pairs=rows.height,
            first_share=None if effect.difference is None else (1 + effect.difference) / 2,
            interval=_ends(effect, 0.5, 0.5),
            p=effect.p,
            p_adjusted=effect.p_adjusted,
            verdict=effect.verdict,
            same_in_both=_same_in_both(rows),
            reason=effect.reason,
        )
        for (judge, rows), effect in zip(by_judge, effects, strict=True)
    )


def _same_in_both(rows: pl.DataFrame) -> Estimate:
    same = (rows["a_first"] == rows["a_second"]).cast(pl.Float64).to_numpy()
    rate = clustered_rate(same, rows["path"].to_list())
    return Estimate(rate.value, rate.low, rate.high, rate.n, rate.reason)


def _ends(effect: PairComparison, factor: float, shift: float = 0.0) -> Ends | None:
    if effect.interval is None:
        return None
    return effect.interval.low * factor + shift, effect.interval.high * factor + shift


def family_biases(
    judgements: pl.DataFrame, complete: pl.DataFrame, families: Mapping[str, str], *, seed: int
) -> tuple[FamilyBias, ...]:
    """Test for each judge whether it gives its own family more than others give the same summaries.

    Pointwise it is also held against what the judge gives the other writers more than others do, so that a
    lenient judge is not taken for a biased one. Both are paired by unit and clustered by file.
    """
    scored = judgements.filter(pl.col("method") == POINTWISE, pl.col("score").is_not_null())
    judges = judgements["judge"].unique(maintain_order=True).to_list()
    writers = sorted(set(judgements["writer"]))
    tables = []
    for judge in judges:
        relatives = tuple(writer for writer in writers if is_same_family(judge, writer, families))
        if relatives and scored.height:
            tables.append((judge, POINTWISE, relatives, _excess(scored, judge, relatives)))
        if relatives and complete.height:
            tables.append((judge, PAIRWISE, relatives, _pair_excess(complete, judge, relatives)))
    contrasts = [_contrast(judge, method, table) for judge, method, _, table in tables]
    effects = paired_effects(contrasts, seed=seed)
    return tuple(
        _family_bias(judge, method, relatives, table, effect)
        for (judge, method, relatives, table), effect in zip(tables, effects, strict=True)
    )


def _contrast(judge: str, method: str, table: pl.DataFrame) -> Contrast:
    """Both states on the scale from 0 to 1, as tests take them."""
    a, b = (table[name].to_numpy().astype(np.float64) for name in ("own", "others"))
    if method == POINTWISE:
        a, b = (a / _SPAN + 1) / 2, (b / _SPAN + 1) / 2
    return Contrast(f"family {judge} {method}", a, b, table["path"].to_list())


def _family_bias(
    judge: str, method: str, relatives: Sequence[str], table: pl.DataFrame, effect: PairComparison
) -> FamilyBias:
    pointwise = method == POINTWISE
    factor = 2 * _SPAN if pointwise else 1
    reason = effect.reason
    if not table["own"].is_not_null().any():
        reason = NO_OTHER_JUDGE
    elif effect.n == 0:
        reason = NO_OTHER_WRITER
    both = table.drop_nulls(["own", "others"])
    own_mean, other_mean = mean_once(both["own"]), mean_once(both["others"])
    if pointwise and own_mean is None:
        own_mean = mean_once(table["own"].drop_nulls())
    return FamilyBias(
        judge=judge,
        method=method,
        writers=tuple(relatives),
        units=effect.n,
        own=own_mean if pointwise else effect.difference,
        others=other_mean if pointwise else None,
        preference=None if effect.difference is None else factor * effect.difference,
        interval=_ends(effect, factor),
        p=effect.p,
        p_adjusted=effect.p_adjusted,
        verdict=effect.verdict,
        reason=reason,
    )


def _excess(scored: pl.DataFrame, judge: str, relatives: Sequence[str]) -> pl.DataFrame:
    """By unit what a judge gives its own family, and others, more than judges do that count for them.

    These judges are not the same for every writer, so each is taken less what it gives more than they all do.
    """
    given = scored.filter(judge=judge).select("writer", "target", "path", "score")
    counts = scored.filter(pl.col("judge") != judge, pl.col("counted") == COUNTS)
    severity = severities(counts, "score")
    effects = pl.Series([severity[other] for other in counts["judge"]], dtype=pl.Float64)
    level = counts.with_columns((pl.col("score") - effects).alias("of_others"))
    others = level.group_by("writer", "target").agg("of_others")
    joined = given.join(others, on=["writer", "target"], how="inner")
    means = [mean_once(values) or 0.0 for values in joined["of_others"].to_list()]
    excess = joined.with_columns((pl.col("score") - pl.Series(means, dtype=pl.Float64)).alias("excess"))
    return _by_unit(excess, relatives)


def _by_unit(excess: pl.DataFrame, relatives: Sequence[str]) -> pl.DataFrame:
    listed = (
        excess.with_columns(pl.col("writer").is_in(list(relatives)).alias("is_own"))
        .group_by("target", "path")
        .agg(
            pl.col("excess").filter("is_own").alias("own"),
            pl.col("excess").filter(~pl.col("is_own")).alias("others"),
        )
        .sort("target")
    )
    return listed.with_columns(
        pl.Series(name, [mean_once(values) for values in listed[name].to_list()], dtype=pl.Float64)
        for name in ("own", "others")
    )


def _pair_excess(complete: pl.DataFrame, judge: str, relatives: Sequence[str]) -> pl.DataFrame:
    """By unit what the judge's own family gets against others from it, and from judges that count."""
    is_own = pl.col("a").is_in(list(relatives))
    mixed = complete.filter(is_own != pl.col("b").is_in(list(relatives))).with_columns(
        pl.when(is_own)
        .then((pl.col("a_first") + pl.col("a_second")) / 2)
        .otherwise(1 - (pl.col("a_first") + pl.col("a_second")) / 2)
        .alias("points")
    )
    given = mixed.filter(judge=judge).select("target", "path", "a", "b", "points")
    counts = mixed.filter(pl.col("judge") != judge, pl.col("counted") == COUNTS)
    others = counts.group_by("target", "a", "b").agg(pl.col("points").alias("of_others"))
    joined = given.join(others, on=["target", "a", "b"], how="inner")
    means = [mean_once(values) for values in joined["of_others"].to_list()]
    listed = (
        joined.with_columns(pl.Series("others", means, dtype=pl.Float64))
        .group_by("target", "path")
        .agg(pl.col("points").alias("own"), "others")
        .sort("target")
    )
    return listed.with_columns(
        pl.Series(name, [mean_once(values) for values in listed[name].to_list()], dtype=pl.Float64)
        for name in ("own", "others")
    )
