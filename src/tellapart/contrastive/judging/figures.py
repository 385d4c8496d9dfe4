"""From judgements to the figures of a report: writers, meetings, biases and agreement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import polars as pl

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.judging.bias import family_biases, position_biases
from tellapart.contrastive.judging.bradley_terry import bradley_terry_estimates
from tellapart.contrastive.judging.criteria import LEAST, MOST, PAIRWISE, POINTWISE, WEIGHTS
from tellapart.contrastive.judging.families import families_of
from tellapart.contrastive.judging.judgements import COUNTS, both_orders
from tellapart.contrastive.judging.results import (
    JudgeReport,
    JudgeUse,
    Meeting,
    WriterScores,
)
from tellapart.contrastive.judging.severity import severities
from tellapart.core.estimate import Estimate
from tellapart.core.randomness import generator
from tellapart.core.stats import (
    clustered_mean,
    clustered_rate,
    mean_once,
)

ONE_SIDED = "some writers never got a point from the others, so strengths have no end"
NO_END = "in too many resamples a writer never gets a point from the others, and strengths have no end"
NO_PAIR = "no pair of summaries has verdicts that count in both orders"


def judge_report(
    benchmark: Benchmark,
    judgements: pl.DataFrame,
    targets: Sequence[str],
    families: Mapping[str, str],
    methods: Sequence[str],
) -> JudgeReport:
    """Compute everything that a report shows, except the comparison, which is made from the scores."""
    counted = judgements.filter(counted=COUNTS)
    scored = counted.filter(pl.col("method") == POINTWISE, pl.col("score").is_not_null())
    orders = both_orders(judgements.filter(method=PAIRWISE))
    complete = orders.filter(pl.col("missing").is_null())
    games = complete.filter(counted=COUNTS)
    seed = benchmark.header.seed
    severity = severities(scored, "score")
    position = position_biases(complete, seed=seed)
    family = family_biases(judgements, complete, families, seed=seed)
    return JudgeReport(
        fingerprint=benchmark.header.fingerprint,
        methods=tuple(methods),
        units=len(targets),
        targets=benchmark.sets["target"].n_unique(),
        weights=dict(WEIGHTS),
        judges=_judges(judgements, families),
        writers=_writers(benchmark, counted, scored, games, targets, families, seed=seed),
        meetings=_meetings(games, benchmark.sources) if PAIRWISE in methods else (),
        position=position,
        family=family,
        severity=severity,
        cautions=_cautions(benchmark, counted),
    )


def _judges(judgements: pl.DataFrame, families: Mapping[str, str]) -> tuple[JudgeUse, ...]:
    uses = []
    for (judge,), rows in judgements.group_by("judge", maintain_order=True):
        given = rows.filter(pl.col("score").is_not_null())
        uses.append(
            JudgeUse(
                judge=str(judge),
                families=tuple(sorted(families_of(str(judge), families))),
                verdicts=_counts(given["method"]),
                not_counted=given.filter(pl.col("counted") != COUNTS).height,
                failures=_counts(rows["missing"].drop_nulls()),
                repaired=int(rows["repaired"].sum()),
            )
        )
    return tuple(uses)


def _counts(values: pl.Series) -> dict[str, int]:
    return dict(sorted(Counter(values.to_list()).items()))


def _writers(
    benchmark: Benchmark,
    counted: pl.DataFrame,
    scored: pl.DataFrame,
    games: pl.DataFrame,
    targets: Sequence[str],
    families: Mapping[str, str],
    *,
    seed: int,
) -> tuple[WriterScores, ...]:
    scores = {name: _means(scored, name) for name in ("score", *WEIGHTS)}
    shares = _win_shares(games)
    strengths = _strengths(games, benchmark.sources, seed=seed)
    written = {source: benchmark.texts(source) for source in benchmark.sources}
    writers = []
    for writer in benchmark.sources:
        missing = benchmark.summary_missing(writer)
        judges = counted.filter((pl.col("writer") == writer) | (pl.col("opponent") == writer))["judge"]
        writers.append(
            WriterScores(
                writer=writer,
                families=tuple(sorted(families_of(writer, families))),
                judges=tuple(judges.unique(maintain_order=True)),
                score=scores["score"].get(writer),
                criteria={name: scores[name][writer] for name in WEIGHTS if writer in scores[name]},
                win_share=shares.get(writer),
                strength=strengths.get(writer),
                no_summary=dict(
                    sorted(
                        Counter(
                            missing.get(target, "infeasible")
                            for target in targets
                            if target not in written[writer]
                        ).items()
                    )
                ),
            )
        )
    return tuple(sorted(writers, key=_rank))


def _rank(writer: WriterScores) -> tuple[float, ...]:
    """Best first, by the first of the figures that there is; those without any last."""
    figures = (writer.score, writer.strength, writer.win_share)
    values = [figure.value for figure in figures if figure is not None]
    return tuple(float("inf") if value is None else -value for value in values) or (float("inf"),)


def adjusted(scored: pl.DataFrame, column: str) -> pl.DataFrame:
    """Give each summary one score: the mean over judges, each less its severity."""
    severity = severities(scored, column)
    effects = pl.Series([severity[judge] for judge in scored["judge"]], dtype=pl.Float64)
    listed = (
        scored.with_columns((pl.col(column) - effects).alias("adjusted"))
        .group_by("writer", "target", "path")
        .agg("adjusted")
        .sort("writer", "target")
    )
    means = [min(max(mean_once(values) or 0.0, LEAST), MOST) for values in listed["adjusted"].to_list()]
    return listed.select("writer", "target", "path").with_columns(pl.Series("score", means, dtype=pl.Float64))


def _means(scored: pl.DataFrame, column: str) -> dict[str, Estimate]:
    return {
        str(writer): _plain(clustered_mean(rows["score"].to_numpy(), rows["path"].to_list()))
        for (writer,), rows in adjusted(scored, column).group_by("writer", maintain_order=True)
    }


def _plain(estimate: Estimate) -> Estimate:
    """An estimate without what else its kind has, as records hold it."""
    return Estimate(estimate.value, estimate.low, estimate.high, estimate.n, estimate.reason)


def unit_shares(games: pl.DataFrame) -> pl.DataFrame:
    """Give each writer's share of the points on each unit."""
    points = games.with_columns(((pl.col("a_first") + pl.col("a_second")) / 2).alias("points"))
    sides = [
        points.select(
            "target", "path", writer=pl.col(writer_side), opponent=pl.col(opponent_side), points=share
        )
        for writer_side, opponent_side, share in (
            ("a", "b", pl.col("points")),
            ("b", "a", 1 - pl.col("points")),
        )
    ]
    against = _listed(pl.concat(sides), ["writer", "target", "path", "opponent"])
    return _listed(against, ["writer", "target", "path"]).rename({"points": "score"})


def _listed(frame: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    grouped = frame.group_by(keys).agg("points").sort(keys)
    means = [mean_once(values) for values in grouped["points"].to_list()]
    return grouped.with_columns(pl.Series("points", means, dtype=pl.Float64))


def _win_shares(games: pl.DataFrame) -> dict[str, Estimate]:
    return {
        str(writer): _plain(clustered_rate(rows["score"].to_numpy(), rows["path"].to_list()))
        for (writer,), rows in unit_shares(games).group_by("writer", maintain_order=True)
    }


def point_tables(games: pl.DataFrame, writers: Sequence[str]) -> np.ndarray:
    """Lay out the points of each game of two verdicts."""
    row_of = {writer: i for i, writer in enumerate(writers)}
    points = np.zeros((games.height, len(writers), len(writers)))
    for row, (a, b, first, second) in enumerate(games.select("a", "b", "a_first", "a_second").iter_rows()):
        points[row, row_of[a], row_of[b]] = first + second
        points[row, row_of[b], row_of[a]] = 2 - first - second
    return points


def _strengths(games: pl.DataFrame, sources: Sequence[str], *, seed: int) -> dict[str, Estimate]:
    playing = [source for source in sources if source in {*games["a"], *games["b"]}]
    if len(playing) < 2:
        return {}
    estimates = bradley_terry_estimates(
        point_tables(games, playing), games["path"].to_list(), rng=generator(seed, "strengths")
    )
    return {writer: _strength(estimate) for writer, estimate in zip(playing, estimates, strict=True)}


def _strength(estimate: Estimate) -> Estimate:
    if estimate.value is None or np.isnan(estimate.value):
        return Estimate(None, None, None, estimate.n, ONE_SIDED)
    if estimate.reason and estimate.reason.startswith("undefined in"):
        return Estimate(estimate.value, estimate.low, estimate.high, estimate.n, NO_END)
    return _plain(estimate)


def _meetings(games: pl.DataFrame, sources: Sequence[str]) -> tuple[Meeting, ...]:
    meetings = []
    for a, b in combinations(sources, 2):
        rows = games.filter(a=a, b=b)
        verdicts = [*rows["a_first"].to_list(), *rows["a_second"].to_list()]
        share = clustered_rate((rows["a_first"] + rows["a_second"]).to_numpy() / 2, rows["path"].to_list())
        meetings.append(
            Meeting(
                a=a,
                b=b,
                pairs=rows.height,
                wins=verdicts.count(1.0),
                ties=verdicts.count(0.5),
                losses=verdicts.count(0.0),
                share=_plain(share) if rows.height else Estimate(None, None, None, 0, NO_PAIR),
            )
        )
    return tuple(meetings)


def _cautions(benchmark: Benchmark, counted: pl.DataFrame) -> tuple[str, ...]:
    """What decides how much a verdict on the writers is worth."""
    judged = {*counted["writer"], *counted["opponent"]}
    without = [writer for writer in benchmark.sources if writer not in judged]
    if not without:
        return ()
    return (
        f"No judge counts for {', '.join(without)}: every judge is of the same family, or there was nothing "
        "to judge.",
    )
