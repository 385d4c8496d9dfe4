"""Scores in memory: frames of any library, dictionaries, records, and lists of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.core.scores import ScoreTable
from tellapart.errors import UsageError
from tellapart.files.columns import column
from tellapart.readers.column_names import likely_columns
from tellapart.readers.files import Reading
from tellapart.readers.folders import matching_paths
from tellapart.readers.reader import NamedFrame
from tellapart.store import RunDirectory

_SCORES = (
    "a path, a pattern, a folder, a list of these, a frame of polars, pandas or Arrow, records, a dictionary "
    "{model: {item: score}} or {column: values}"
)


def sources(scores: Any, name: str) -> list[Path | NamedFrame]:
    """What to read: paths, with patterns written out, and frames."""
    if isinstance(scores, RunDirectory):
        return [scores.path]
    if isinstance(scores, Path):
        return [scores]
    if isinstance(scores, Reading):
        return [NamedFrame(name, scores.table.frame)]
    if isinstance(scores, str):
        if not scores:
            raise UsageError("the path of the scores is empty", next_step="Was a variable not set?")
        return list(matching_paths([Path(scores)]))
    if isinstance(scores, Mapping):
        return [NamedFrame(name, _of_mapping(scores))]
    frame = as_polars(scores)
    if frame is not None:
        return [NamedFrame(name, frame)]
    if not isinstance(scores, Iterable):
        raise UsageError(f"scores are {type(scores).__name__!r}, expected {_SCORES}")
    return _of_list(list(scores), name)


def _of_list(parts: list[Any], name: str) -> list[Path | NamedFrame]:
    """A list of sources, or of records."""
    if not parts:
        raise UsageError("there are no scores: the list is empty", next_step=f"Give {_SCORES}")
    if all(isinstance(part, Mapping) for part in parts) and not any(map(_is_by_model, parts)):
        names = dict.fromkeys(str(key) for part in parts for key in part)
        return [NamedFrame(name, pl.DataFrame([column(key, [p.get(key) for p in parts]) for key in names]))]
    if all(isinstance(part, int | float) or part is None for part in parts):
        raise UsageError(
            "these are scores of one model without its name",
            next_step="Give {model: [score, …]}, with the items in the same order for all",
        )
    return [
        source
        for i, part in enumerate(parts, start=1)
        for source in sources(part, name if len(parts) == 1 else f"{name} {i}")
    ]


def side(scores: Any, name: str) -> list[Path | NamedFrame]:
    """The same of one side of a comparison, which may be numbers alone: the items are in one order then."""
    values = None if isinstance(scores, str | Path | Mapping) else _numbers(scores)
    if values is None:
        return sources(scores, name)
    return [NamedFrame(name, _of_model(name, values))]


def as_polars(frame: Any) -> pl.DataFrame | None:
    """A frame of another library as one of Polars; None for what is no frame."""
    if isinstance(frame, ScoreTable):
        return frame.frame
    if isinstance(frame, pl.DataFrame):
        return frame
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    if type(frame).__module__.partition(".")[0] == "pandas":
        return _of_pandas(frame)
    return pl.DataFrame(frame) if hasattr(frame, "__arrow_c_stream__") else None


def _numbers(scores: Any) -> pl.Series | None:
    """A list, array or series of numbers; None of anything else."""
    values = scores.tolist() if hasattr(scores, "tolist") else scores
    if not isinstance(values, Sequence) or not values:
        return None
    return column("score", values) if all(v is None or isinstance(v, int | float) for v in values) else None


def _of_mapping(scores: Mapping[Any, Any]) -> pl.DataFrame:
    """A dictionary of models with scores by item, or of columns."""
    if _is_by_model(scores):
        rows = [(str(model), str(item), score) for model in scores for item, score in scores[model].items()]
        odd = next((s for _, _, s in rows if not (s is None or isinstance(s, str | int | float))), None)
        if odd is not None:
            raise UsageError(f"a score is {odd!r}, expected a number, or None for a missing one")
        return pl.DataFrame(
            [column(name, [row[i] for row in rows]) for i, name in enumerate(("model", "item", "score"))]
        )
    values = {str(name): v.tolist() if hasattr(v, "tolist") else v for name, v in scores.items()}
    odd_name = next((name for name, v in values.items() if not isinstance(v, list | tuple)), None)
    if odd_name is not None:
        raise UsageError(
            f"the scores of {odd_name!r} are {type(values[odd_name]).__name__!r}, expected {{item: score}} "
            "or a list",
            next_step="Give {model: {item: score}}, or {model: [score, …]} with the items in the same order",
        )
    lengths = {name: len(v) for name, v in values.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name!r} {n}" for name, n in lengths.items())
        raise UsageError(
            f"the lists are of different lengths: {shown}",
            next_step="Give {model: {item: score}}, so that the same items can be paired",
        )
    frame = pl.DataFrame([column(name, list(v)) for name, v in values.items()])
    is_one_model = frame.width == 1 and frame.schema[frame.columns[0]].is_numeric()
    return frame if not is_one_model else _of_model(frame.columns[0], frame.to_series())


def _of_model(name: str, scores: pl.Series) -> pl.DataFrame:
    """Scores of one model, whose items are numbered in their order."""
    items = [str(number) for number in range(1, len(scores) + 1)]
    return pl.DataFrame({"model": [name] * len(items), "item": items}).with_columns(score=scores)


def _is_by_model(scores: Mapping[Any, Any]) -> bool:
    return bool(scores) and all(isinstance(of_model, Mapping) for of_model in scores.values())


def _of_pandas(frame: Any) -> pl.DataFrame:
    """A pandas frame with its index, where that names the items; gaps of every kind are null.

    By lists, since the exchange with Arrow takes a further package.
    """
    if not hasattr(frame, "columns"):
        raise UsageError(
            f"scores are a pandas {type(frame).__name__}, expected a DataFrame",
            next_step="Give it as columns, with reset_index()",
        )
    index = frame.index
    if any(name is not None for name in index.names):
        frame = frame.reset_index()
    elif "item" not in frame.columns and _index_names_items(frame):
        labels = [" ".join(map(str, label)) if isinstance(label, tuple) else label for label in index]
        frame = frame.set_axis(labels).rename_axis("item").reset_index()
    else:
        frame = frame.reset_index(drop=True)
    names = [
        " ".join(str(part) for part in name if part != "") if isinstance(name, tuple) else str(name)
        for name in frame.columns
    ]
    again = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if again is not None:
        raise UsageError(f"there are two columns {again!r}", next_step="Rename one, or leave it out")
    return pl.DataFrame([_of_series(frame.iloc[:, i], name) for i, name in enumerate(names)])


def _index_names_items(frame: Any) -> bool:
    """Whether an index without a name says which item a row is: one of text, or where no column can.

    Numbers are most often those of rows, which filtering, sorting and joining frames leave in any order.
    """
    if all(isinstance(label, str) for label in frame.index):
        return True
    texts = [str(name) for name in frame.columns if frame[name].map(lambda cell: isinstance(cell, str)).any()]
    others = set(texts) - set(likely_columns("model", texts))
    return not others and not likely_columns("item", list(map(str, frame.columns)))


def _of_series(values: Any, name: str) -> pl.Series:
    plain = [None if gap else value for value, gap in zip(values.tolist(), values.isna(), strict=True)]
    kinds = {type(value) for value in plain if value is not None}
    if len(kinds) > 1 and not kinds <= {int, float, bool}:
        plain = [None if value is None else str(value) for value in plain]
    return pl.Series(name, plain, strict=False)
