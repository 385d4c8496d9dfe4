"""Runs of any kind as one long frame: trainings at steps and seeds, on an eval, by metric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import polars as pl

from tellapart.bundles.figures import FIGURES, MARGINS, Summary
from tellapart.bundles.tier_stats import tier_and_figure
from tellapart.core.arrays import F64
from tellapart.errors import UsageError, near_match

RUN_SCHEMA = pl.Schema(
    {
        "condition": pl.String,
        "training": pl.String,
        "step": pl.Int64,
        "seed": pl.String,
        "eval": pl.String,
        "metric": pl.String,
        "value": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "n": pl.Int64,
        "where": pl.String,
    }
)
"""A row is one metric of one run; ``low`` and ``high`` are its recorded 95 % interval, ``n`` its items,
``where`` the file and the entry in it.

``condition`` is the training with its step, ``seed`` is empty where none is recorded, and a run without any
figure has one row whose metric is null.
"""


class Figure(NamedTuple):
    """A figure of a run, with what is recorded of its noise."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None


@dataclass(frozen=True)
class Run:
    """One run as a file records it; ``where`` names the file and the entry in it."""

    training: str
    step: int | None
    seed: str
    figures: Mapping[str, Figure]
    where: str

    @property
    def condition(self) -> str:
        """The training with its step."""
        return self.training if self.step is None else f"{self.training} step {self.step}"


@dataclass(frozen=True)
class Runs:
    """Runs on one eval, as rows of ``RUN_SCHEMA``, and by condition and seed their ``SCORE_SCHEMA`` rows.

    The latter are there if every run is a scoreboard of the same bundles with its scores: ``no_scores`` says
    why not.
    """

    frame: pl.DataFrame
    fingerprints: tuple[str, ...] = ()
    scores: Mapping[str, Mapping[str, pl.DataFrame]] = field(default_factory=dict)
    no_scores: str = ""
    margins_differ: str = ""
    default_metrics: tuple[str, ...] = ()
    own_cut: int = 0

    def check_metric(self, metric: str) -> None:
        """Raise UsageError where no run has a metric, or it does not compare between the runs."""
        metrics = self.frame["metric"].drop_nulls().unique(maintain_order=True).to_list()
        if metric not in metrics:
            raise UsageError(f"no run has the metric {metric!r}", next_step=near_match(metric, metrics))
        if self.margins_differ and tier_and_figure(metric)[1] in MARGINS:
            raise UsageError(
                f"{metric!r} does not compare between these scoreboards: {self.margins_differ}",
                next_step="Choose a rate or a rank with --metric",
            )

    def figures(self, metric: str) -> dict[str, dict[str, Figure | None]]:
        """Give a metric by condition and seed; None where a run lacks it."""
        runs = self.frame.select("condition", "seed").unique(maintain_order=True)
        have = self.frame.filter(metric=metric).select("condition", "seed", "value", "low", "high", "n")
        joined = runs.join(have, on=["condition", "seed"], how="left", maintain_order="left")
        figures: dict[str, dict[str, Figure | None]] = {}
        for condition, seed, value, *noise in joined.iter_rows():
            figures.setdefault(condition, {})[seed] = None if value is None else Figure(value, *noise)
        return figures

    def items(self, metric: str) -> tuple[dict[str, dict[str, F64]], list[str] | None]:
        """Give the item scores of a metric by condition and seed, and the sources of the items."""
        places = [(condition, seed) for condition, by_seed in self.scores.items() for seed in by_seed]
        behind = scores_behind([self.scores[condition][seed] for condition, seed in places], metric)
        scores: dict[str, dict[str, F64]] = {}
        for (condition, seed), frame in zip(places, behind, strict=False):
            scores.setdefault(condition, {})[seed] = frame["score"].to_numpy()
        return scores, behind[0]["cluster"].to_list() if behind else None

    def keep(self, runs: Iterable[tuple[str, str]]) -> Runs:
        """Keep some runs, given by condition and seed."""
        kept = set(runs)
        is_kept = [place in kept for place in self.frame.select("condition", "seed").iter_rows()]
        scores = {
            condition: {seed: frame for seed, frame in by_seed.items() if (condition, seed) in kept}
            for condition, by_seed in self.scores.items()
        }
        frame = self.frame.filter(pl.Series(is_kept, dtype=pl.Boolean))
        return replace(self, frame=frame, scores={name: of for name, of in scores.items() if of})


def frame_of(runs: Iterable[tuple[str, Run]]) -> pl.DataFrame:
    """Lay runs, each with the name of its eval, out as rows of ``RUN_SCHEMA``."""
    without = [(None, (None, None, None, None))]
    rows = [
        (run.condition, run.training, run.step, run.seed, eval_name, metric, *figure, run.where)
        for eval_name, run in runs
        for metric, figure in (run.figures.items() or without)
    ]
    return pl.DataFrame(rows, schema=RUN_SCHEMA, orient="row")


def scores_behind(frames: Sequence[pl.DataFrame], metric: str) -> list[pl.DataFrame]:
    """Give ``item``, ``score`` and ``cluster`` of the bundles whose mean a metric is; of percentiles none."""
    tier, name = tier_and_figure(metric)
    figure = FIGURES.get(name)
    if figure is None or figure.summary is Summary.QUANTILE or not frames:
        return []
    if tier is not None:
        inside = [frame["tier"].eq_missing(tier) for frame in frames]
        if any(not mask.equals(inside[0]) for mask in inside):
            return []
        frames = [frame.filter(mask) for frame, mask in zip(frames, inside, strict=True)]
    if not frames[0].height or any(frame[figure.column].null_count() for frame in frames):
        return []
    chosen = ["item", pl.col(figure.column).cast(pl.Float64).alias("score"), "cluster"]
    return [frame.select(chosen) for frame in frames]
