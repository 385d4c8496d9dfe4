"""Worlds whose truth is known, from which tables of scores are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from scipy.special import expit, ndtri

from tellapart.core.arrays import F64, I64
from tellapart.core.randomness import generator
from tellapart.core.scores import ScoreTable


@dataclass(frozen=True)
class World:
    """Models of known ability, and the endless items, answers and gradings that they could be given.

    A model answers an item right with chance ``expit(slope x (ability - difficulty + taste))``, each answer
    by itself. The same seed gives the same items, answers and gradings in the same places, so that a larger
    table holds the smaller one.

    Attributes:
        seed: Of everything that is drawn.
        abilities: By model, on the scale of the difficulties.
        difficulty: Mean over items.
        spread: Standard deviation of the difficulty over items.
        taste: Standard deviation of what an item (or its cluster) is harder for one model than for another.
        slope: How steeply the chance rises; 1 leaves answers to luck, 10 repeats them nearly always.
        points: Points an answer is marked by; 1 gives scores of 0 and 1, more give shares.
        kinds: Difficulty that a kind of items adds to the mean, by its name; the stratum ``kind``.
        cluster_size: Items that share a source and with it the tastes; 1 for none.
        backward: Share of items whose key is wrong: right answers score 0 and wrong ones 1.
        grader_error: Chance that a grading turns a point round, in [0, .5).
        lost: By model, the chance that an answer is lost where it is not worth every point, and where it is.
    """

    seed: int
    abilities: Mapping[str, float]
    difficulty: float = 0.0
    spread: float = 1.0
    taste: float = 0.0
    slope: float = 10.0
    points: int = 1
    kinds: Mapping[str, float] = field(default_factory=lambda: {"plain": 0.0})
    cluster_size: int = 1
    backward: float = 0.0
    grader_error: float = 0.0
    lost: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def table(
        self,
        items: int | Mapping[str, int],
        *,
        replicates: int = 1,
        gradings: int = 1,
        asked_again: bool = False,
        without: Iterable[str] = (),
    ) -> ScoreTable:
        """Ask every model."""
        parts = [
            self._answers(model, kind, n, replicate, gradings, asked_again)
            for kind, n in self.counts(items).items()
            for model in self.abilities
            for replicate in range(replicates)
        ]
        frame = pl.concat(parts)
        return ScoreTable.from_frame(frame.filter(~pl.col("item").is_in(list(without))))

    def expected(self, model: str) -> float:
        """Give the mean score of a model over 10,000 evenly spaced items, keys and gradings being right."""
        places = ndtri((np.arange(10_000) + 0.5) / 10_000)
        means = []
        for shift in self.kinds.values():
            away = self.abilities[model] - self.difficulty - shift
            wide = np.hypot(self.spread, self.taste)
            means.append(float(expit(self.slope * (away - wide * places)).mean()))
        return float(np.mean(means))

    def counts(self, items: int | Mapping[str, int]) -> dict[str, int]:
        """Count the items of each kind that `table` draws."""
        if isinstance(items, Mapping):
            return dict(items)
        each, over = divmod(items, len(self.kinds))
        return {kind: each + (place < over) for place, kind in enumerate(self.kinds)}

    def _answers(
        self, model: str, kind: str, n: int, replicate: int, gradings: int, asked_again: bool
    ) -> pl.DataFrame:
        """The gradings of one answer of one model to every item of a kind."""
        places = np.arange(n)
        chance = self._chance(model, kind, n)
        # A draw for a point is that of the same place in a longer run: what is larger holds what is smaller.
        points = self._draws("answer", model, kind, str(replicate), n=n * self.points)
        right = points.reshape(n, self.points) < chance[:, None]
        keys_wrong = self._draws("key", kind, n=n) < self.backward
        lost = np.zeros(n, dtype=bool)
        if model in self.lost and not asked_again:
            share = np.where(right.all(axis=1), self.lost[model][1], self.lost[model][0])
            lost = self._draws("lost", model, kind, str(replicate), n=n) < share
        ids = pl.Series([f"{kind}-{place:06d}" for place in places], dtype=pl.String)
        clusters = ids if self.cluster_size == 1 else _named(kind, places // self.cluster_size)
        parts = []
        for grading in range(gradings):
            name = (model, kind, str(replicate), str(grading))
            slips = self._draws("grading", *name, n=n * self.points) < self.grader_error
            marks = (right ^ slips.reshape(right.shape)) ^ keys_wrong[:, None]
            score = np.where(lost, np.nan, marks.mean(axis=1))
            columns = {"score": score, "replicate": np.full(n, replicate), "grading": np.full(n, grading)}
            parts.append(pl.DataFrame(columns).with_columns(ids.alias("item"), clusters.alias("cluster")))
        return pl.concat(parts).with_columns(
            pl.lit(model).alias("model"),
            pl.lit(kind).alias("kind"),
            pl.col("score").fill_nan(None),
            pl.when(pl.col("score").is_nan()).then(pl.lit("timeout")).alias("missing"),
        )

    def _chance(self, model: str, kind: str, n: int) -> F64:
        harder = generator(self.seed, "difficulty", kind).standard_normal(n) * self.spread
        n_clusters = -(-n // self.cluster_size)
        tastes = generator(self.seed, "taste", model, kind).standard_normal(n_clusters) * self.taste
        liked = tastes[np.arange(n) // self.cluster_size]
        away = self.abilities[model] - self.difficulty - self.kinds[kind] - harder + liked
        return np.asarray(expit(self.slope * away), dtype=np.float64)

    def _draws(self, *names: str, n: int) -> F64:
        return generator(self.seed, *names).random(n)


def _named(kind: str, numbers: I64) -> pl.Series:
    return pl.Series([f"{kind}-source-{number:06d}" for number in numbers], dtype=pl.String)
