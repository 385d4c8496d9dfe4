"""From judgements to figures: how writers score, who beats whom, and what else than quality moves a judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from tellapart.core.comparison import Contrast, PairComparison, Verdict, paired_effects
from tellapart.core.estimate import Estimate
from tellapart.core.randomness import generator
from tellapart.core.stats import ClusteredEstimate, clustered_mean, clustered_rate
from tellapart.report import numbers as show
from tellapart.writers.bradley_terry import bradley_terry_estimates
from tellapart.writers.evidence import UNIT_SCHEMA, Evidence, group_means, plain, with_bounds
from tellapart.writers.families import families_of, is_same_family
from tellapart.writers.judgements import (
    LEAST,
    MOST,
    PAIRWISE,
    POINTWISE,
    WEIGHTS,
    absences,
    as_share,
    both_orders,
    point_shares,
)
from tellapart.writers.written import Written

ONE_SIDED = "some writers never got a point from the others, so strengths have no end"
NO_END = "in too many resamples a writer never gets a point from the others, and strengths have no end"
NO_PAIR = "no pair of summaries has verdicts that count in both orders"

_UNIT = ("writer", "target", "path")


@dataclass(frozen=True)
class Verdicts:
    """The verdicts of one or several runs about the same summaries.

    Attributes:
        judgements: Rows of ``judgements.JUDGEMENTS``.
        targets: Units whose summaries were judged.
        families: By model its family, where its name does not say it.
    """

    written: Written
    judgements: pl.DataFrame
    targets: Sequence[str]
    families: Mapping[str, str]

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of which there are verdicts, or failures."""
        methods = set(self.judgements["method"])
        return tuple(method for method in (POINTWISE, PAIRWISE) if method in methods)

    @property
    def judges(self) -> list[str]:
        """The judges, in the order of the verdicts."""
        return self.judgements["judge"].unique(maintain_order=True).to_list()

    def scored(self) -> pl.DataFrame:
        """Scores of single summaries."""
        return self.judgements.filter(method=POINTWISE).drop_nulls("score")

    def pairs(self) -> pl.DataFrame:
        """Pairs of summaries with a verdict in both orders."""
        return both_orders(self.judgements).filter(pl.col("missing").is_null())

    def relatives(self, judge: str) -> list[str]:
        """Writers of the judge's own family."""
        return [name for name in self.written.writers if is_same_family(judge, name, self.families)]


@dataclass(frozen=True)
class JudgeUse:
    """One judge: how much it was asked, and what came of it; ``failures`` count showings by cause."""

    judge: str
    families: tuple[str, ...]
    verdicts: dict[str, int]
    failures: dict[str, int]
    repaired: int


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
    families: tuple[str, ...]
    judges: tuple[str, ...]
    score: Estimate | None
    criteria: dict[str, Estimate]
    win_share: Estimate | None
    strength: Estimate | None
    no_summary: dict[str, int]


@dataclass(frozen=True)
class Meeting:
    """Two writers' summaries of the same units in both orders; ``share`` is what ``a`` gets of the points."""

    a: str
    b: str
    pairs: int
    wins: int
    ties: int
    losses: int
    share: Estimate


@dataclass(frozen=True)
class PositionBias:
    """Whether a judge prefers the summary that stands first; ``a>b`` is for the first place.

    Attributes:
        first_share: Points of the summary that stood first; 0.5 without a bias.
        p_adjusted: Over the judges.
        same_in_both: Share of pairs whose verdict is the same in both orders.
    """

    judge: str
    pairs: int
    first_share: float | None
    interval: tuple[float, float] | None
    p: float | None
    p_adjusted: float | None
    verdict: Verdict
    same_in_both: Estimate
    reason: str


@dataclass(frozen=True)
class Judging:
    """All that verdicts come to.

    Attributes:
        writers: In descending order of score, else of strength or win share.
        severity: By judge, how much more than the others it gives the same summaries, in points of the scale
            from 1 to 5; taken off the means of the writers.
    """

    methods: tuple[str, ...]
    units: int
    targets: int
    weights: dict[str, float]
    judges: tuple[JudgeUse, ...]
    writers: tuple[WriterScores, ...]
    meetings: tuple[Meeting, ...]
    position: tuple[PositionBias, ...]
    severity: dict[str, float]


def judging(verdicts: Verdicts) -> Judging:
    """Compute the figures of judges and of the writers that they judged."""
    games = verdicts.pairs()
    return Judging(
        methods=verdicts.methods,
        units=len(verdicts.targets),
        targets=len(verdicts.written.targets),
        weights=dict(WEIGHTS),
        judges=tuple(_use(verdicts, judge) for judge in verdicts.judges),
        writers=_writers(verdicts, games),
        meetings=_meetings(games, verdicts.written.writers) if PAIRWISE in verdicts.methods else (),
        position=_position_biases(verdicts),
        severity=severities(verdicts.scored()),
    )


def judge_evidence(verdicts: Verdicts, cautions: Sequence[str]) -> Evidence:
    """Give one score for each writer and unit: of single summaries where any was scored, else of pairs."""
    if POINTWISE in verdicts.methods:
        scores = _adjusted(verdicts.scored()).with_columns(as_share(pl.col("score")))
        causes = verdicts.judgements.filter(method=POINTWISE)
    else:
        scores = causes = point_shares(both_orders(verdicts.judgements))
    written = verdicts.written
    absent = pl.DataFrame(
        list(absences(written, verdicts.targets)),
        schema=dict.fromkeys(("writer", "target", "missing"), pl.String),
        orient="row",
    )
    missing = pl.concat([causes.select("writer", "target", "missing"), absent])
    units = pl.DataFrame(
        [(name, unit, written.units[unit].path) for name in written.writers for unit in verdicts.targets],
        schema=dict.fromkeys(_UNIT, pl.String),
        orient="row",
    )
    rows = units.join(scores.select("writer", "target", "score"), on=["writer", "target"], how="left").join(
        missing.group_by("writer", "target").agg(pl.min("missing")), on=["writer", "target"], how="left"
    )
    no_score = pl.when(pl.col("score").is_null())
    rows = with_bounds(rows.with_columns(pl.col("score").clip(0.0, 1.0))).with_columns(
        unit=pl.col("target"), missing=no_score.then(pl.col("missing").fill_null("judge"))
    )
    relatives = {judge: verdicts.relatives(judge) for judge in sorted(verdicts.judges)}
    return Evidence(
        rows.select(UNIT_SCHEMA.names()).sort("writer", "unit"),
        show.listed(list(relatives)),
        tuple(cautions),
        tuple(
            f"{judge} was not asked about {show.listed(writers)}, of its own family."
            for judge, writers in relatives.items()
            if writers
        ),
    )


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


def _use(verdicts: Verdicts, judge: str) -> JudgeUse:
    rows = verdicts.judgements.filter(judge=judge)
    given = rows.drop_nulls("score")
    return JudgeUse(
        judge=judge,
        families=tuple(sorted(families_of(judge, verdicts.families))),
        verdicts=_counts(given["method"]),
        failures=_counts(rows["missing"].drop_nulls()),
        repaired=int(rows["repaired"].sum()),
    )


def _counts(values: pl.Series) -> dict[str, int]:
    return dict(sorted(Counter(values.to_list()).items()))


def _writers(verdicts: Verdicts, games: pl.DataFrame) -> tuple[WriterScores, ...]:
    scored, asked = verdicts.scored(), verdicts.judgements
    means = {name: _by_writer(_adjusted(scored, name), clustered_mean) for name in ("score", *WEIGHTS)}
    shares = _by_writer(point_shares(games), clustered_rate)
    strengths = _strengths(games, verdicts.written)
    absent = Counter((writer, cause) for writer, _, cause in absences(verdicts.written, verdicts.targets))
    writers = [
        WriterScores(
            writer=name,
            families=tuple(sorted(families_of(name, verdicts.families))),
            judges=tuple(
                asked.filter((pl.col("writer") == name) | (pl.col("opponent") == name))["judge"].unique(
                    maintain_order=True
                )
            ),
            score=means["score"].get(name),
            criteria={criterion: means[criterion][name] for criterion in WEIGHTS if name in means[criterion]},
            win_share=shares.get(name),
            strength=strengths.get(name),
            no_summary={cause: count for (writer, cause), count in sorted(absent.items()) if writer == name},
        )
        for name in verdicts.written.writers
    ]
    return tuple(sorted(writers, key=_rank))


def _rank(writer: WriterScores) -> tuple[float, ...]:
    """Best first, by the first of the figures that there is; those without any last."""
    figures = (writer.score, writer.strength, writer.win_share)
    values = [figure.value for figure in figures if figure is not None]
    return tuple(float("inf") if value is None else -value for value in values) or (float("inf"),)


def _by_writer(rows: pl.DataFrame, estimate: Callable[..., ClusteredEstimate]) -> dict[str, Estimate]:
    return {
        str(writer): plain(estimate(group["score"].to_numpy(), group["path"].to_list()))
        for (writer,), group in rows.group_by("writer", maintain_order=True)
    }


def _strengths(games: pl.DataFrame, written: Written) -> dict[str, Estimate]:
    playing = [name for name in written.writers if name in {*games["a"], *games["b"]}]
    if len(playing) < 2:
        return {}
    row_of = {name: i for i, name in enumerate(playing)}
    points = np.zeros((games.height, len(playing), len(playing)))
    for k, (a, b, first, second) in enumerate(games.select("a", "b", "a_first", "a_second").iter_rows()):
        points[k, row_of[a], row_of[b]] = first + second
        points[k, row_of[b], row_of[a]] = 2 - first - second
    rng = generator(written.seed, "strengths")
    estimates = bradley_terry_estimates(points, games["path"].to_list(), rng=rng)
    return {name: _strength(estimate) for name, estimate in zip(playing, estimates, strict=True)}


def _strength(estimate: Estimate) -> Estimate:
    if estimate.value is None or np.isnan(estimate.value):
        return Estimate(None, None, None, estimate.n, ONE_SIDED)
    if estimate.reason and estimate.reason.startswith("undefined in"):
        return Estimate(estimate.value, estimate.low, estimate.high, estimate.n, NO_END)
    return plain(estimate)


def _meetings(games: pl.DataFrame, writers: Sequence[str]) -> tuple[Meeting, ...]:
    meetings = []
    for a, b in combinations(writers, 2):
        rows = games.filter(a=a, b=b)
        points = [*rows["a_first"], *rows["a_second"]]
        share = Estimate(None, None, None, 0, NO_PAIR)
        if rows.height:
            halves = (rows["a_first"] + rows["a_second"]).to_numpy() / 2
            share = plain(clustered_rate(halves, rows["path"].to_list()))
        wins, ties, losses = (points.count(value) for value in (1.0, 0.5, 0.0))
        meetings.append(Meeting(a, b, rows.height, wins, ties, losses, share))
    return tuple(meetings)


def _position_biases(verdicts: Verdicts) -> tuple[PositionBias, ...]:
    """Test for each judge whether the summary that stands first gets more points."""
    pairs = verdicts.pairs()
    by_judge = {str(judge): rows for (judge,), rows in pairs.group_by("judge", maintain_order=True)}
    contrasts = []
    for judge, rows in by_judge.items():
        first = ((rows["a_first"] + 1 - rows["a_second"]) / 2).to_numpy().astype(np.float64)
        contrasts.append(Contrast(f"position {judge}", first, 1 - first, rows["path"].to_list()))
    effects = paired_effects(contrasts, seed=verdicts.written.seed)
    biases = []
    for (judge, rows), effect in zip(by_judge.items(), effects, strict=True):
        same = (rows["a_first"] == rows["a_second"]).cast(pl.Float64).to_numpy()
        biases.append(
            PositionBias(
                judge=judge,
                pairs=rows.height,
                first_share=None if effect.difference is None else (1 + effect.difference) / 2,
                interval=_scaled(effect, 0.5, 0.5),
                p=effect.p,
                p_adjusted=effect.p_adjusted,
                verdict=effect.verdict,
                same_in_both=plain(clustered_rate(same, rows["path"].to_list())),
                reason=effect.reason,
            )
        )
    return tuple(biases)


def _scaled(effect: PairComparison, factor: float, shift: float = 0.0) -> tuple[float, float] | None:
    if effect.interval is None:
        return None
    return effect.interval.low * factor + shift, effect.interval.high * factor + shift
