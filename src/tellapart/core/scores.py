"""The table in which every suite ends: a score for each model and item, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.core.stats import Interval, clustered_mean, mean_once
from tellapart.errors import InputError

CAUSES = ("parse", "refusal", "provider", "timeout", "budget", "truncated", "judge", "infeasible")
"""Why a score can be missing."""

FIXED = {
    "model": pl.String,
    "item": pl.String,
    "score": pl.Float64,
    "missing": pl.String,
    "replicate": pl.Int64,
    "cluster": pl.String,
}
"""The columns that every table has, in their order; any other column of strings is a stratum."""

_DEFAULTS: dict[str, Any] = {"missing": None, "replicate": 0, "cluster": None}


@dataclass(frozen=True)
class Summary:
    """What one model scored, over all items or within one stratum.

    Attributes:
        model: The model.
        stratum: Value of the stratum, or None for all items.
        n: Items with a score; the replicates of an item count once, by their mean.
        missing: Rows without a score by cause; a cause that did not occur is absent.
        mean: Mean score, or None when nothing was scored.
        interval: 95 % interval, clustered on ``cluster``; None where it cannot be computed.
        bounds: Mean if every missing score were the worst, and the best, that is possible.
    """

    model: str
    stratum: str | None
    n: int
    missing: dict[str, int]
    mean: float | None
    interval: Interval | None
    bounds: tuple[float, float] | None


@dataclass(frozen=True)
class Paired:
    """Two models on the items that at least one of them has; arrays of shape (items,), NaN where missing.

    Attributes:
        items: Item ids in ascending order.
        a: Scores of the first model, replicates averaged.
        b: Scores of the second.
        clusters: Cluster of each item, or its own id where it has none.
    """

    items: list[str]
    a: NDArray[np.float64]
    b: NDArray[np.float64]
    clusters: NDArray[np.str_]


@dataclass(frozen=True)
class ScoreTable:
    """A checked frame of scores, sorted by model, item and replicate.

    Attributes:
        frame: The columns of ``FIXED`` and then the strata, all strings.
        limits: Lowest and highest score that is possible; the bounds over missing scores use them.
    """

    frame: pl.DataFrame
    limits: tuple[float, float] = field(default=(0.0, 1.0))

    @classmethod
    def from_frame(cls, frame: pl.DataFrame, *, limits: tuple[float, float] = (0.0, 1.0)) -> ScoreTable:
        """Check a frame and give it its standard form.

        Args:
            frame: At least ``model``, ``item`` and ``score``; ``missing``, ``replicate`` and ``cluster`` are
                filled in. Further columns of strings are strata; those of another type, such as margins and
                ranks, are figures of the suite's own and are left out.
            limits: Lowest and highest possible score.

        Raises:
            InputError: A column is absent or of another type, a score is not finite or outside the limits,
                a score and a cause are both given or both absent, a cause is unknown, a (model, item,
                replicate) occurs twice, or an item belongs to two clusters.
        """
        absent = [name for name in ("model", "item", "score") if name not in frame.columns]
        if absent:
            raise InputError(f"the score table has no column {absent[0]!r}; it has {frame.columns}")
        frame = frame.with_columns(
            pl.lit(value, dtype=FIXED[name]).alias(name)
            for name, value in _DEFAULTS.items()
            if name not in frame.columns
        )
        strata = [name for name, kind in frame.schema.items() if name not in FIXED and _is_stratum(kind)]
        frame = _typed(frame.select(*FIXED, *strata))
        _check_rows(frame, limits)
        return cls(frame.sort("model", "item", "replicate"), limits)

    @property
    def models(self) -> list[str]:
        """The models in ascending order."""
        return self.frame["model"].unique().sort().to_list()

    @property
    def strata(self) -> list[str]:
        """The columns beyond the fixed ones."""
        return [name for name in self.frame.columns if name not in FIXED]

    def summarise(self, by: str | None = None) -> list[Summary]:
        """Mean, interval, counts and bounds a model, or a model and value of the stratum ``by``.

        Args:
            by: One of ``strata``, or None for all items together.

        Returns:
            Sorted by model, then stratum; empty for an empty table.

        Raises:
            InputError: There is no such stratum.
        """
        if by is not None and by not in self.strata:
            raise InputError(f"the score table has no stratum {by!r}; it has {self.strata}")
        keys = ["model"] if by is None else ["model", by]
        groups = self.frame.sort(keys).group_by(keys, maintain_order=True)
        return [
            self._summary(str(key[0]), None if by is None else str(key[1]), group) for key, group in groups
        ]

    def paired(self, a: str, b: str) -> Paired:
        """Line two models up on their items.

        Raises:
            InputError: A model is not in the table.
        """
        for model in (a, b):
            if model not in self.models:
                raise InputError(f"the score table has no model {model!r}; it has {self.models}")
        means = _item_means(self.frame.filter(pl.col("model").is_in([a, b])))
        wide = means.pivot("model", index=["item", "cluster"], values="score").sort("item")
        return Paired(
            items=wide["item"].to_list(),
            a=wide[a].cast(pl.Float64).fill_null(np.nan).to_numpy(),
            b=wide[b].cast(pl.Float64).fill_null(np.nan).to_numpy(),
            clusters=wide["cluster"].to_numpy().astype(np.str_),
        )

    def order_is_certain(self, a: str, b: str) -> bool:
        """Whether no value of the missing scores could turn the order of two models' means around."""
        first, second = (self._bounds(self.frame.filter(pl.col("model") == model)) for model in (a, b))
        return (
            first[0] >= second[1]
            or second[0] >= first[1]
            or (first[0] == first[1] and second[0] == second[1])
        )

    def _summary(self, model: str, stratum: str | None, group: pl.DataFrame) -> Summary:
        causes = group.filter(pl.col("score").is_null())["missing"].value_counts(sort=False).sort("missing")
        means = _item_means(group).drop_nulls("score")
        estimate = clustered_mean(means["score"].to_numpy(), means["cluster"].to_numpy())
        return Summary(
            model=model,
            stratum=stratum,
            n=means.height,
            missing=dict(causes.iter_rows()),
            mean=estimate.mean,
            interval=estimate.interval,
            bounds=self._bounds(group),
        )

    def _bounds(self, group: pl.DataFrame) -> tuple[float, float]:
        low, high = (
            _item_means(group.with_columns(pl.col("score").fill_null(limit)))["score"]
            for limit in self.limits
        )
        return mean_once(low), mean_once(high)  # type: ignore[return-value]


def _item_means(frame: pl.DataFrame) -> pl.DataFrame:
    """One row a model and item: the mean of its scored replicates, null when none was scored."""
    frame = frame.with_columns(pl.coalesce("cluster", "item").alias("cluster"))
    if not frame.select(pl.struct("model", "item").is_duplicated().any()).item():
        return frame.select("model", "item", "score", "cluster")
    items = frame.group_by("model", "item", maintain_order=True).agg("score", pl.col("cluster").first())
    means = [mean_once(scores.drop_nulls()) for scores in items["score"]]
    return items.with_columns(pl.Series("score", means, pl.Float64))


def _is_stratum(kind: pl.DataType) -> bool:
    return kind == pl.String or isinstance(kind, pl.Categorical | pl.Enum | pl.Null)


def _typed(frame: pl.DataFrame) -> pl.DataFrame:
    wanted = {name: FIXED.get(name, pl.String) for name in frame.columns}
    try:
        return frame.cast({name: kind for name, kind in wanted.items()})
    except pl.exceptions.PolarsError as error:
        raise InputError(f"the score table has a value of the wrong type: {error}") from None


def _check_rows(frame: pl.DataFrame, limits: tuple[float, float]) -> None:
    low, high = limits
    checks: Sequence[tuple[pl.Expr, str]] = (
        (pl.col("model").is_null() | pl.col("item").is_null(), "has no model or no item"),
        (pl.col("score").is_nan() | pl.col("score").is_infinite(), "has a score that is not finite"),
        (~pl.col("score").is_between(low, high), f"has a score outside [{low:g}, {high:g}]"),
        (
            pl.col("score").is_null() & pl.col("missing").is_null(),
            "has neither a score nor a cause in 'missing'",
        ),
        (pl.col("score").is_not_null() & pl.col("missing").is_not_null(), "has both a score and a cause"),
        (~pl.col("missing").is_in(CAUSES), f"has an unknown cause; known are {', '.join(CAUSES)}"),
        (
            pl.struct("model", "item", "replicate").is_duplicated(),
            "occurs twice (same model, item, replicate)",
        ),
        (pl.col("cluster").n_unique().over("item") > 1, "has an item that belongs to two clusters"),
    )
    for is_bad, complaint in checks:
        bad = frame.with_row_index("row").filter(is_bad)
        if bad.height:
            row = bad.row(0, named=True)
            raise InputError(
                f"row {row['row']} of the score table (model {row['model']!r}, item {row['item']!r}, score "
                f"{row['score']!r}, missing {row['missing']!r}) {complaint}; {bad.height} row(s) like it"
            )
