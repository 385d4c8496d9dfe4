"""Verdicts of judges, and their figures: how writers score, who beats whom, and what each judge is like."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from scipy.sparse.csgraph import connected_components

from tellapart.contrastive.benchmark import Benchmark
from tellapart.core.arrays import F64
from tellapart.core.estimate import Estimate
from tellapart.core.randomness import generator
from tellapart.core.stats.bootstrap import bca_statistic
from tellapart.core.stats.intervals import cluster_codes
from tellapart.errors import UsageError
from tellapart.writers.evidence import EVIDENCE, counts, group_means, rate_by_file, with_bounds

CRITERIA = {
    "accuracy": 0.25,
    "completeness": 0.20,
    "semantic_richness": 0.25,
    "abstraction": 0.15,
    "conciseness": 0.15,
}
"""The five criteria, and what each weighs in a summary's score."""

LEAST, MOST = 1, 5
"""Ends of the scale of each criterion."""

POINTWISE, PAIRWISE = "pointwise", "pairwise"

POINTS = {"first": 1.0, "tie": 0.5, "second": 0.0}

JUDGEMENTS = pl.Schema(
    {
        **dict.fromkeys(("judge", "method", "target", "path", "writer", "opponent"), pl.String),
        **dict.fromkeys(CRITERIA, pl.Int64),
        "score": pl.Float64,
        **dict.fromkeys(("reasoning", "missing", "failure"), pl.String),
        "repaired": pl.Boolean,
    }
)
"""One row a judge and showing, and one for each summary that there is not, where ``repaired`` is null.

``score`` is null just where ``missing`` gives the cause. It is pointwise the weighted score of the five
criteria, from 1 to 5; pairwise what ``writer``, whose summary stood first, gets against ``opponent``: 1 for a
win, 0.5 for a tie, 0 for a loss.
"""

ONE_SIDED = "some writers never got a point from the others, so strengths have no end"
NO_END = "in some resamples a writer never gets a point from the others, and strengths have no end"

ITEM = (
    pl.when(pl.col("method") == PAIRWISE)
    .then(pl.format("{} | {} | {}", "target", "judge", "method"))
    .otherwise(pl.format("{} | {}", "target", "judge"))
    .alias("item")
)
"""The item of a judgement in the scores; all pairs of a unit together are one."""

_SUMMARY = ("writer", "target", "path")


@dataclass(frozen=True)
class JudgeUse:
    """One judge: how much it was asked, what came of it, and what moves it besides quality.

    ``severity`` is how much more it gives the same summaries than the others, in points of the scale;
    ``first_share`` the points of the summary that stood first; ``same_in_both`` the pairs decided alike.
    """

    judge: str
    writers: tuple[str, ...]
    verdicts: dict[str, int]
    failures: dict[str, int]
    severity: float | None
    first_share: Estimate | None
    same_in_both: Estimate | None


def both_orders(judgements: pl.DataFrame) -> pl.DataFrame:
    """Join the two orders of each pair: what ``a``, the first by name, gets first and second."""
    pairs = judgements.filter(method=PAIRWISE)
    second = pairs.select("judge", "target", "score", "missing", writer="opponent", opponent="writer")
    joined = pairs.filter(pl.col("writer") < pl.col("opponent")).join(
        second,
        on=["judge", "target", "writer", "opponent"],
        how="left",
        maintain_order="left",
        suffix="_second",
    )
    return joined.select(
        "judge",
        "target",
        "path",
        a="writer",
        b="opponent",
        a_first="score",
        a_second=1 - pl.col("score_second"),
        missing=pl.coalesce("missing", "missing_second"),
    )


def point_shares(orders: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """Compute each writer's share of the points on each unit, in which each opponent weighs the same."""
    share = pl.when(pl.col("missing").is_null()).then((pl.col("a_first") + pl.col("a_second")) / 2)
    sides = [
        orders.select(*keys, "target", "path", "missing", writer=side, opponent=other, score=points)
        for side, other, points in (("a", "b", share), ("b", "a", 1 - share))
    ]
    unit = [*keys, *_SUMMARY]
    return group_means(group_means(pl.concat(sides), [*unit, "opponent"]), unit)


def _absent(judgements: pl.DataFrame) -> pl.DataFrame:
    """The rows of summaries that there are not."""
    return judgements.filter(pl.col("repaired").is_null())


def _as_share() -> pl.Expr:
    """Put scores from 1 to 5 on the scale from 0 to 1."""
    return (pl.col("score") - LEAST) / (MOST - LEAST)


def score_table(judgements: pl.DataFrame) -> pl.DataFrame:
    """Lay out the verdicts as ``audit`` and ``compare`` read scores."""
    pointwise = judgements.filter(method=POINTWISE).with_columns(_as_share())
    shares = point_shares(both_orders(judgements), "judge").with_columns(method=pl.lit(PAIRWISE))
    absent = _absent(judgements).filter(method=PAIRWISE)
    columns = ["judge", "method", "writer", "target", "path", "score", "missing"]
    return pl.concat(part.select(columns) for part in (pointwise, shares, absent)).select(
        pl.col("writer").alias("model"),
        ITEM,
        "score",
        "missing",
        pl.col("path").alias("cluster"),
        "target",
        "judge",
        "method",
    )


def judge_evidence(benchmark: Benchmark, judgements: pl.DataFrame) -> pl.DataFrame:
    """Compute one score for each writer and unit: of single summaries where any was scored, else of pairs."""
    if POINTWISE in judgements["method"]:
        causes = judgements.filter(method=POINTWISE)
        scores = _adjusted(causes.drop_nulls("score")).with_columns(_as_share())
    else:
        scores = point_shares(both_orders(judgements))
        causes = pl.concat(part.select(*_SUMMARY, "missing") for part in (scores, _absent(judgements)))
    rows = pl.DataFrame({"writer": benchmark.sources}).join(
        judgements.select("target", "path").unique(), how="cross"
    )
    rows = rows.join(scores.select("writer", "target", "score"), on=["writer", "target"], how="left")
    causes = causes.group_by("writer", "target").agg(pl.min("missing"))
    rows = rows.join(causes, on=["writer", "target"], how="left").with_columns(
        pl.col("score").clip(0.0, 1.0),
        missing=pl.when(pl.col("score").is_null()).then(pl.col("missing").fill_null("judge")),
    )
    return with_bounds(rows.rename({"target": "unit"})).select(EVIDENCE).sort("writer", "unit")


def judges_asked(judgements: pl.DataFrame) -> tuple[JudgeUse, ...]:
    """Describe each judge."""
    shown = judgements.drop_nulls("repaired")
    effects = severities(shown.filter(method=POINTWISE).drop_nulls("score"))
    orders = both_orders(shown).filter(pl.col("missing").is_null())
    orders = orders.with_columns(
        first=(pl.col("a_first") + 1 - pl.col("a_second")) / 2, same=pl.col("a_first") == pl.col("a_second")
    )
    judges = []
    for name in shown["judge"].unique(maintain_order=True):
        rows, pairs = shown.filter(judge=name), orders.filter(judge=name)
        judges.append(
            JudgeUse(
                judge=name,
                writers=tuple(sorted({*rows["writer"]})),
                verdicts=counts(rows.drop_nulls("score")["method"]),
                failures=counts(rows["missing"]),
                severity=effects.get(name),
                first_share=rate_by_file(pairs, "first") if pairs.height else None,
                same_in_both=rate_by_file(pairs, "same") if pairs.height else None,
            )
        )
    return tuple(judges)


def severities(scored: pl.DataFrame) -> dict[str, float]:
    """Fit score = summary + judge by least squares, and give the effects of the judges, with mean 0.

    Else a writer that a lenient judge of its own family leaves out would look worse. Source: the two-way
    additive model; Scheffé 1959, "The Analysis of Variance", 4.4.
    """
    judges = scored["judge"].unique(maintain_order=True).to_list()
    if not judges:
        return {}
    of_judge = [(pl.col("judge") == judge).cast(pl.Float64).alias(judge) for judge in judges]
    rows = scored.sort("writer", "target", "judge").select(
        value - value.mean().over("writer", "target") for value in (pl.col("score"), *of_judge)
    )
    effects = np.linalg.lstsq(rows.select(judges).to_numpy(), rows["score"].to_numpy(), rcond=None)[0]
    # An effect that is exactly 0 is 1e-16 after the least squares.
    return dict(zip(judges, (effects.round(12) + 0.0).tolist(), strict=True))


def _adjusted(scored: pl.DataFrame) -> pl.DataFrame:
    """Compute one score for each summary: the mean over judges, each less its severity."""
    effects = pl.Series([*map(severities(scored).get, scored["judge"])], dtype=pl.Float64)
    rows = scored.select(*_SUMMARY, "missing", score=pl.col("score") - effects)
    return group_means(rows, _SUMMARY).with_columns(pl.col("score").clip(LEAST, MOST))


def pair_strengths(benchmark: Benchmark, judgements: pl.DataFrame) -> dict[str, Estimate]:
    """Estimate the strengths of writers from pairs of summaries."""
    pairs = both_orders(judgements.drop_nulls("repaired")).filter(pl.col("missing").is_null())
    return bradley_terry(pairs, rng=generator(benchmark.header.seed, "strengths"))


def bradley_terry(
    pairs: pl.DataFrame, *, rng: np.random.Generator, resamples: int = 1000
) -> dict[str, Estimate]:
    """Estimate the strengths of Bradley and Terry by writer, with intervals that resample whole files.

    They are natural logarithms with mean 0: the stronger of two wins a share ``1 / (1 + exp(-difference))``
    of the points, of which a tie is half a one. Where one set of writers never got a point from the others,
    no finite strengths are most likely (Ford 1957), and there is no value but a reason.
    """
    try:
        import evalica
    except ModuleNotFoundError:
        raise UsageError(
            "strengths of pairs need evalica, which is not installed",
            next_step="pip install 'tellapart[llm]'",
        ) from None
    names = sorted({*pairs["a"], *pairs["b"]})
    if len(names) < 2:
        return {}
    outcome = ["a", "b", "points"]
    verdicts = pl.concat(
        pairs.select("a", "b", "path", points=pl.col(order).cast(pl.Float64))
        for order in ("a_first", "a_second")
    )
    outcomes = verdicts.select(outcome).unique().sort(outcome).with_row_index("outcome")
    codes, n_files = cluster_codes(verdicts["path"].to_list(), verdicts.height)
    times_in_file = np.zeros((n_files, outcomes.height))
    which = verdicts.join(outcomes, on=outcome, maintain_order="left")["outcome"].to_numpy()
    np.add.at(times_in_file, (codes, which), 1)
    a, b = ([names.index(name) for name in outcomes[side]] for side in ("a", "b"))
    points = outcomes["points"].to_numpy()
    winner = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
    winners = [winner[value] for value in points]

    def strengths(weights: F64) -> F64:
        fitted = np.full((len(weights), len(names)), np.nan)
        # Not `@`, whose sums depend on the number of threads.
        for row, times in enumerate(np.einsum("rc,co->ro", weights, times_in_file)):
            won = np.zeros((len(names), len(names)))
            np.add.at(won, (a, b), times * points)
            np.add.at(won, (b, a), times * (1 - points))
            if connected_components(won > 0, connection="strong")[0] == 1:
                result = evalica.bradley_terry(a, b, winners, weights=times, tolerance=1e-10, limit=100_000)
                logs = np.log(result.scores.sort_index().to_numpy())
                fitted[row] = logs - logs.mean()
        return fitted

    fitted = bca_statistic(strengths, n_files, rng=rng, resamples=resamples)
    return {name: replace(one, reason=_no_end(one)) for name, one in zip(names, fitted, strict=True)}


def _no_end(strength: Estimate) -> str | None:
    if strength.value is None:
        return ONE_SIDED
    return NO_END if strength.reason and strength.reason.startswith("undefined in") else strength.reason
