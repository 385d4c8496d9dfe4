"""The table in which every suite ends: a score for each model and item, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from tellapart.errors import InputError

CAUSES = ("parse", "refusal", "provider", "timeout", "budget", "truncated", "judge", "infeasible")
"""Why a score can be missing."""

FIXED = {
    "model": pl.String,
    "item": pl.String,
    "score": pl.Float64,
    "missing": pl.String,
    "replicate": pl.Int64,
    "grading": pl.Int64,
    "cluster": pl.String,
}
"""The columns that every table has, in their order; any other column of strings is a stratum.

A model may answer an item several times (``replicate``), an answer may be graded several times (``grading``).
"""

_DEFAULTS: dict[str, Any] = {"missing": None, "replicate": 0, "grading": 0, "cluster": None}


@dataclass(frozen=True)
class ScoreTable:
    """A checked frame of scores, sorted by model, item, replicate and grading.

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
            frame: At least ``model``, ``item`` and ``score``; the other fixed columns are filled in. Further
                columns of strings are strata; those of another type, such as margins and ranks, are figures
                of the suite's own and are left out.
            limits: Lowest and highest possible score.

        Raises:
            InputError: A column is absent or of another type, a score is not finite or outside the limits,
                a score and a cause are both given or both absent, a cause is unknown, a (model, item,
                replicate, grading) occurs twice, or an item belongs to two clusters.
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
        return cls(frame.sort("model", "item", "replicate", "grading"), limits)

    @property
    def models(self) -> list[str]:
        """The models in ascending order."""
        return self.frame["model"].unique().sort().to_list()

    @property
    def strata(self) -> list[str]:
        """The columns beyond the fixed ones."""
        return [name for name in self.frame.columns if name not in FIXED]


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
            pl.struct("model", "item", "replicate", "grading").is_duplicated(),
            "occurs twice (same model, item, replicate, grading)",
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
