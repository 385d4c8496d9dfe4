"""The table in which every suite ends: a score for each model and item, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.core.score_notes import ScoreNotes
from tellapart.errors import InputError, near_match, quoted

CAUSES = (
    *("parse", "refusal", "provider", "timeout", "budget", "truncated", "judge", "infeasible"),
    *("rules cannot tell", "too few answers", "unknown"),
)
"""Why a score can be missing; ``unknown`` is for files of others that leave a score blank."""

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

LABELS = {"human": pl.Float64, "label_probability": pl.Float64}
"""Columns of a table of which people labelled some answers: their scores, null where nobody looked, and the
chance that an answer was drawn to be labelled."""

Place: TypeAlias = Callable[[int], str]
"""Says where a row is, given its position from 0, for errors."""

_TINY = 1e-100
_DEFAULTS: dict[str, Any] = {"missing": None, "replicate": 0, "grading": 0, "cluster": None}


def _in_table(row: int) -> str:
    return f"row {row + 1} of the score table"


@dataclass(frozen=True)
class ScoreTable:
    """A checked frame of scores, sorted by model, item, replicate and grading.

    Attributes:
        frame: The columns of ``FIXED``, those of ``LABELS`` that there are, and the strata, all strings.
        limits: Lowest and highest score that is possible; the bounds over missing scores use them.
        notes: What must stay with the scores.
    """

    frame: pl.DataFrame
    limits: tuple[float, float] = field(default=(0.0, 1.0))
    notes: ScoreNotes = field(default_factory=ScoreNotes)

    @classmethod
    def from_frame(
        cls,
        frame: pl.DataFrame,
        *,
        limits: tuple[float, float] = (0.0, 1.0),
        locate: Place = _in_table,
        notes: ScoreNotes | None = None,
    ) -> ScoreTable:
        """Check a frame and give it its standard form.

        Args:
            frame: At least ``model``, ``item`` and ``score``; the other fixed columns are filled in. Further
                columns of strings are strata; those of another type, such as margins and ranks, are figures
                of the suite's own and are left out.
            limits: Lowest and highest possible score; infinite where there is none.
            locate: Says in errors where a row is.
            notes: What must stay with the scores.

        Raises:
            InputError: A column is absent or of another type, a score is not finite or outside the limits,
                a score and a cause are both given or both absent, a cause is unknown, a (model, item,
                replicate, grading) occurs twice, or an item belongs to two clusters. Of every kind of fault
                in single rows the first row is told, and how many are alike.
        """
        frame = standard_columns(frame, locate)
        _check_rows(frame, limits, locate)
        items, of_item = coded(frame["item"])
        _check_clusters(frame, of_item, locate)
        return cls(_sorted(frame, of_item, len(items), locate), limits, notes or ScoreNotes())

    @property
    def models(self) -> list[str]:
        """The models in ascending order."""
        return self.frame["model"].unique().sort().to_list()

    @property
    def scored_models(self) -> list[str]:
        """Those of the models that have a score, in ascending order; it takes two of them to compare."""
        return self.frame.drop_nulls("score")["model"].unique().sort().to_list()

    @property
    def strata(self) -> list[str]:
        """The columns beyond the fixed ones."""
        return [name for name in self.frame.columns if name not in FIXED and name not in LABELS]


def standard_columns(frame: pl.DataFrame, locate: Place = _in_table) -> pl.DataFrame:
    """Bring a frame to the columns and types of a score table: ``FIXED``, ``LABELS``, then the strata."""
    absent = [name for name in ("model", "item", "score") if name not in frame.columns]
    if absent:
        raise InputError(f"the score table has no column {absent[0]!r}; it has {frame.columns}")
    frame = frame.with_columns(
        pl.lit(value, dtype=FIXED[name]).alias(name)
        for name, value in _DEFAULTS.items()
        if name not in frame.columns
    )
    ours = FIXED | {name: kind for name, kind in LABELS.items() if name in frame.columns}
    strata = [name for name, kind in frame.schema.items() if name not in ours and _is_stratum(kind)]
    return frame.select(_typed(frame[name], ours.get(name, pl.String), locate) for name in (*ours, *strata))


def coded(labels: pl.Series) -> tuple[list[str], NDArray[np.int64]]:
    """Give the different labels, sorted by code point, and each row's place among them; -1 for null."""
    names = labels.drop_nulls().unique().sort()
    codes = labels.cast(pl.Enum(names)).to_physical().cast(pl.Int64).fill_null(-1)
    return names.to_list(), codes.to_numpy()


def _is_stratum(kind: pl.DataType) -> bool:
    return kind == pl.String or isinstance(kind, pl.Categorical | pl.Enum | pl.Null)


def _typed(values: pl.Series, kind: type[pl.DataType], locate: Place) -> pl.Series:
    fitting = pl.Series(values.name, [None] * len(values), dtype=kind)
    # Bytes have no cast to numbers at all, and lists and structs are cast entry by entry.
    if not values.dtype.is_nested():
        with suppress(pl.exceptions.PolarsError):
            fitting = values.cast(kind, strict=False)
    bad = fitting.is_null() & values.is_not_null()
    if kind == pl.Int64 and values.dtype.is_float():
        bad |= (fitting.cast(values.dtype) != values).fill_null(False)
    if bad.any():
        row = bad.arg_max() or 0
        # Polars shows a list over several lines.
        shown = values[row].to_list() if isinstance(values[row], pl.Series) else values[row]
        expected = {pl.String: "a string", pl.Int64: "a whole number"}.get(kind, "a number")
        raise InputError(
            f"{values.name!r} is {quoted(shown)}, which is of the wrong type, expected {expected}"
            f"{_alike(int(bad.sum()))}",
            where=locate(row),
        )
    return fitting


def _check_rows(frame: pl.DataFrame, limits: tuple[float, float], locate: Place) -> None:
    score, cause = pl.col("score"), pl.col("missing")
    checks = {
        "has no model or no item": pl.col("model").is_null() | pl.col("item").is_null(),
        "has no number in 'replicate' or 'grading'": pl.any_horizontal(
            pl.col("replicate", "grading").is_null()
        ),
        "has a score that is not finite": ~score.is_finite(),
        f"has a score nearer to 0 than {_TINY:g}, of which squares are no numbers": (
            (score.abs() < _TINY) & (score != 0)
        ),
        f"has a score outside [{limits[0]:g}, {limits[1]:g}]": score.is_finite() & ~score.is_between(*limits),
        f"has neither a score nor a cause in 'missing', which is one of {', '.join(CAUSES)}": (
            score.is_null() & cause.is_null()
        ),
        "has both a score and a cause in 'missing'": score.is_not_null() & cause.is_not_null(),
        "has an unknown cause in 'missing'": ~cause.is_in(CAUSES),
    }
    if "human" in frame.columns:
        checks[f"has a label in 'human' outside [{limits[0]:g}, {limits[1]:g}]"] = ~pl.col(
            "human"
        ).is_between(*limits)
    if "label_probability" in frame.columns:
        chance = pl.col("label_probability")
        checks["has a 'label_probability' that is not above 0 and up to 1"] = ~((chance > 0) & (chance <= 1))
    counts = frame.select(bad.sum().alias(fault) for fault, bad in checks.items()).row(0)
    faults = [
        _fault(frame, bad, fault, n, locate)
        for (fault, bad), n in zip(checks.items(), counts, strict=True)
        if n
    ]
    if faults:
        raise InputError(". ".join(faults))


def _fault(frame: pl.DataFrame, bad: pl.Expr, fault: str, n: int, locate: Place) -> str:
    row = frame.select(bad.arg_max()).item()
    values = frame.row(row, named=True)
    shown = [f"{name} {values[name] or ''!r}" for name in ("model", "item")] + [f"score {values['score']!r}"]
    shown += [f"missing {values['missing']!r}"] if values["missing"] is not None else []
    shown += [f"{name} {values[name]:g}" for name in LABELS if values.get(name) is not None]
    hint = ""
    if "unknown cause" in fault:
        hint = f". {near_match(values['missing'], CAUSES)}".removesuffix(".")
    return f"{locate(row)}: {', '.join(shown)} {fault}{_alike(n)}{hint}"


def _alike(n: int) -> str:
    return f"; {n} rows in all have this fault" if n > 1 else ""


def _check_clusters(frame: pl.DataFrame, of_item: NDArray[np.int64], locate: Place) -> None:
    if frame["cluster"].null_count() == frame.height:
        return
    _, cluster = coded(frame["cluster"])
    first = np.empty(of_item.max(initial=-1) + 1, dtype=np.int64)
    first[of_item[::-1]] = np.arange(len(of_item))[::-1]
    bad = cluster != cluster[first[of_item]]
    if bad.any():
        row = int(bad.argmax())
        there = int(first[of_item[row]])
        n_items = len(np.unique(of_item[bad]))
        raise InputError(
            f"item {frame['item'][row]!r} is in cluster {frame['cluster'][row]!r}, but in "
            f"{frame['cluster'][there]!r} at {locate(there)}; an item belongs to one source"
            + (f"; {n_items} items in all have this fault" if n_items > 1 else ""),
            where=locate(row),
        )


def _sorted(frame: pl.DataFrame, of_item: NDArray[np.int64], n_items: int, locate: Place) -> pl.DataFrame:
    """Sort by model, item, replicate and grading, as one number a row."""
    _, key = coded(frame["model"])
    key = key * n_items + of_item
    for name in ("replicate", "grading"):
        codes = frame[name].rank("dense").to_numpy().astype(np.int64) - 1
        key = key * (codes.max(initial=0) + 1) + codes
    if (key[1:] > key[:-1]).all():
        return frame
    order = pl.Series(key).arg_sort().to_numpy()
    _check_duplicates(frame, key, order, locate)
    return frame[order]


def _check_duplicates(
    frame: pl.DataFrame, key: NDArray[np.int64], order: NDArray[np.uint32], locate: Place
) -> None:
    in_order = key[order]
    again = in_order[1:] == in_order[:-1]
    if again.any():
        earlier, later = np.sort(np.stack([order[:-1][again], order[1:][again]]), axis=0)
        at = int(later.argmin())
        row = int(later[at])
        values = frame.row(row, named=True)
        of = ", ".join(f"{name} {values[name]!r}" for name in ("model", "item", "replicate", "grading"))
        raise InputError(
            f"{of} occurs twice, first at {locate(int(earlier[at]))}{_alike(len(later))}",
            where=locate(row),
            next_step="Number answers to the same item in 'replicate', gradings of an answer in 'grading'",
        )
