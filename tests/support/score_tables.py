"""Small tables of scores, written by model and item."""

import math

import numpy as np
import polars as pl

from tellapart.core.score_grid import score_grid
from tellapart.core.scores import FIXED, ScoreTable


def table_of(scores, clusters=None, limits=(0.0, 1.0), notes=None, name="q{:04}", **strata):
    """A table from scores by model, item by item; clusters and strata have a value an item.

    None and NaN are missing because of a timeout, a text is the cause why there is no score, and ... is an
    item that the model was never asked.
    """
    items = {"cluster": clusters, **strata}
    rows = [
        {"model": model, "item": name.format(i), **_cell(score)}
        | {column: None if values is None else values[i] for column, values in items.items()}
        for model, of_model in scores.items()
        for i, score in enumerate(of_model)
        if score is not ...
    ]
    types = {column: FIXED.get(column, pl.String) for column in ("model", "item", "score", "missing", *items)}
    return ScoreTable.from_frame(pl.DataFrame(rows, schema=types, strict=False), limits=limits, notes=notes)


def grid_of(scores, *arguments, **options):
    """The same as a grid."""
    return score_grid(table_of(scores, *arguments, **options))


def right(only_a, only_b, both, neither=0):
    """Scores of two models, of which so many items are passed only by one, by both and by neither."""
    counts = [only_a, only_b, both, neither]
    return np.repeat([1.0, 0, 1, 0], counts).tolist(), np.repeat([0.0, 1, 1, 0], counts).tolist()


def _cell(score):
    if isinstance(score, str):
        return {"score": None, "missing": score}
    is_missing = score is None or math.isnan(score)
    return {"score": None if is_missing else float(score), "missing": "timeout" if is_missing else None}
