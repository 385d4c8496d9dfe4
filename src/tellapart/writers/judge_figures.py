"""From judgements to figures: how writers score, who beats whom, and what each judge is like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from tellapart.core.estimate import Estimate
from tellapart.core.randomness import generator
from tellapart.core.stats import clustered_mean, clustered_rate
from tellapart.writers.evidence import EVIDENCE, group_means, with_bounds
from tellapart.writers.judgements import (
    LEAST,
    MOST,
    PAIRWISE,
    POINTWISE,
    WEIGHTS,
    as_share,
    both_orders,
    point_shares,
)
from tellapart.writers.strengths import bradley_terry
from tellapart.writers.written import Written

_UNIT = ("writer", "target", "path")


@dataclass(frozen=True)
class JudgeUse:
    """One judge: how much it was asked, what came of it, and what else than quality moves it.

    Attributes:
        writers: Whose summaries it was asked about.
        failures: Showings without a verdict, by cause.
        severity: How much more than the others it gives the same summaries, in points of the scale from 1 to
            5; taken off the means of the writers. None without scores.
        first_share: Points of the summary that stood first; 0.5 without a bias.
        same_in_both: Share of pairs whose verdict is the same in both orders.
    """

    judge: str
    writers: tuple[str, ...]
    verdicts: dict[str, int]
    failures: dict[str, int]
    repaired: int
    severity: float | None
    first_share: Estimate | None
    same_in_both: Estimate | None


@dataclass(frozen=True)
class WriterScores:
    """One writer, by the judges of other families.

    Attributes:
        score: Mean weighted score over units, from 1 to 5, less the severity of judges.
        win_share: Mean share of points against the other writers, each opponent weighing the same.
        strength: Bradley and Terry's, as a natural logarithm, with mean 0 over the writers.
        no_summary: Units of which the writer has no summary, by cause.
    """

    writer: str
    judges: tuple[str, ...]
    score: Estimate | None
    criteria: dict[str, Estimate]
    win_share: Estimate | None
    strength: Estimate | None
    no_summary: dict[str, int]


@dataclass(frozen=True)
class Judging:
    """All that verdicts come to.

    Attributes:
        units: How many units' summaries were judged.
        writers: In descending order of score, else of strength or share of points.
    """

    methods: tuple[str, ...]
    units: int
    weights: dict[str, float]
    judges: tuple[JudgeUse, ...]
    writers: tuple[WriterScores, ...]


def judging(written: Written, judgements: pl.DataFrame) -> Judging:
    """Compute the figures of judges and of the writers that they judged."""
    shown = judgements.drop_nulls("repaired")
    scored = shown.filter(method=POINTWISE).drop_nulls("score")
    pairs = both_orders(shown).filter(pl.col("missing").is_null())
    effects = severities(scored)
    means = {
        name: _by_writer(_adjusted(scored, name), clustered_mean, scale=(LEAST, MOST))
        for name in ("score", *WEIGHTS)
    }
    shares = _by_writer(point_shares(pairs), clustered_rate)
    strengths = bradley_terry(pairs, rng=generator(written.seed, "strengths"))
    absent = judgements.filter(pl.col("repaired").is_null()).unique(["writer", "target"])
    writers = []
    for name in written.texts:
        about = shown.filter((pl.col("writer") == name) | (pl.col("opponent") == name))
        writers.append(
            WriterScores(
                writer=name,
                judges=tuple(about["judge"].unique(maintain_order=True)),
                score=means["score"].get(name),
                criteria={one: means[one][name] for one in WEIGHTS if name in means[one]},
                win_share=shares.get(name),
                strength=strengths.get(name),
                no_summary=_counts(absent.filter(writer=name)["missing"]),
            )
        )
    judges = shown["judge"].unique(maintain_order=True)
    return Judging(
        methods=tuple(method for method in (POINTWISE, PAIRWISE) if method in shown["method"]),
        units=judgements["target"].n_unique(),
        weights=dict(WEIGHTS),
        judges=tuple(
            _use(name, shown.filter(judge=name), pairs.filter(judge=name), effects.get(name))
            for name in judges
        ),
        writers=tuple(sorted(writers, key=_rank)),
    )


def _use(name: str, rows: pl.DataFrame, pairs: pl.DataFrame, severity: float | None) -> JudgeUse:
    first = same = None
    if pairs.height:
        paths = pairs["path"].to_list()
        first = _plain(clustered_rate((pairs["a_first"] + 1 - pairs["a_second"]).to_numpy() / 2, paths))
        same = _plain(clustered_rate((pairs["a_first"] == pairs["a_second"]).cast(float).to_numpy(), paths))
    return JudgeUse(
        judge=name,
        writers=tuple(sorted({*rows["writer"]})),
        verdicts=_counts(rows.drop_nulls("score")["method"]),
        failures=_counts(rows["missing"].drop_nulls()),
        repaired=int(rows["repaired"].sum()),
        severity=severity,
        first_share=first,
        same_in_both=same,
    )


def judge_evidence(written: Written, judgements: pl.DataFrame) -> pl.DataFrame:
    """Give one score for each writer and unit: of single summaries where any was scored, else of pairs."""
    if POINTWISE in judgements["method"]:
        causes = judgements.filter(method=POINTWISE)
        scores = _adjusted(causes.drop_nulls("score")).with_columns(as_share(pl.col("score")))
    else:
        scores = point_shares(both_orders(judgements))
        absent = judgements.filter(pl.col("repaired").is_null())
        causes = pl.concat(part.select("writer", "target", "missing") for part in (scores, absent))
    units = judgements.select(unit="target", path="path").unique()
    rows = pl.DataFrame({"writer": [*written.texts]}).join(units, how="cross")
    for part in (
        scores.select("writer", "score", unit="target"),
        causes.group_by("writer", unit="target").agg(pl.min("missing")),
    ):
        rows = rows.join(part, on=["writer", "unit"], how="left")
    missing = pl.when(pl.col("score").is_null()).then(pl.col("missing").fill_null("judge"))
    rows = rows.with_columns(pl.col("score").clip(0.0, 1.0), missing=missing)
    return with_bounds(rows).select(EVIDENCE.names()).sort("writer", "unit")


def severities(scored: pl.DataFrame, column: str = "score") -> dict[str, float]:
    """Fit score = summary + judge by least squares, and give the effects of the judges.

    A writer whose own family's judge is left out is scored by fewer judges than the others. If these are
    lenient, it must not look better for it.

    Source:
        The two-way additive model with summaries as blocks; Scheffé 1959, "The Analysis of Variance", 4.4.
    """
    judges = scored["judge"].unique(maintain_order=True).to_list()
    row_of = {judge: i for i, judge in enumerate(judges)}
    normal, pull = np.zeros((len(judges), len(judges))), np.zeros(len(judges))
    grouped = scored.group_by("writer", "target").agg("judge", column).sort("writer", "target")
    for raters, values in grouped.select("judge", column).iter_rows():
        at, given = np.array([row_of[judge] for judge in raters]), np.asarray(values, dtype=np.float64)
        normal[at, at] += 1
        normal[np.ix_(at, at)] -= 1 / len(at)
        pull[at] += given - given.mean()
    effects = np.linalg.pinv(normal, hermitian=True) @ pull
    # An effect that is exactly 0 is 1e-16 after the least squares.
    return dict(zip(judges, (effects.round(12) + 0.0).tolist(), strict=True))


def _adjusted(scored: pl.DataFrame, column: str = "score") -> pl.DataFrame:
    """Give each summary one score: the mean over judges, each less its severity."""
    effects = pl.Series([*map(severities(scored, column).get, scored["judge"])], dtype=pl.Float64)
    rows = scored.select(*_UNIT, score=pl.col(column) - effects)
    return group_means(rows, _UNIT, ["score"]).with_columns(pl.col("score").clip(LEAST, MOST))


def _counts(values: pl.Series) -> dict[str, int]:
    return dict(values.value_counts().sort(values.name).iter_rows())


def _plain(estimate: Estimate) -> Estimate:
    """Reduce an estimate to what JSON holds."""
    return Estimate(estimate.value, estimate.low, estimate.high, estimate.n, estimate.reason)


def _by_writer(
    rows: pl.DataFrame, estimate: Callable[..., Estimate], *, scale: tuple[float, float] = (0.0, 1.0)
) -> dict[str, Estimate]:
    """Estimate the mean of each writer; no interval goes beyond the scale."""
    estimates = {}
    for (writer,), group in rows.group_by("writer", maintain_order=True):
        mean = estimate(group["score"].to_numpy(), group["path"].to_list())
        low, high = mean.interval.within(*scale) if mean.interval else (None, None)
        estimates[str(writer)] = Estimate(mean.value, low, high, mean.n, mean.reason)
    return estimates


def _rank(writer: WriterScores) -> list[float]:
    """Best first, by the first of the figures that there is; those without any last."""
    figures = (writer.score, writer.strength, writer.win_share)
    values = [figure.value for figure in figures if figure is not None]
    return [float("inf") if value is None else -value for value in values] or [float("inf")]
