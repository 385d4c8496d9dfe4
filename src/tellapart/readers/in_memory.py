"""Scores in memory: frames of any library, dictionaries, records, and lists of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.core.scores import ScoreTable
from tellapart.errors import UsageError
from tellapart.files.tables import column
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
    if isinstance(scores, RunDirectory | Path):
        return [scores if isinstance(scores, Path) else scores.path]
    if isinstance(scores, str):
        if not scores:
            raise UsageError("the path of the scores is empty", next_step="Was a variable not set?")
        return list(matching_paths([Path(scores)]))
    frame = _of_mapping(scores) if isinstance(scores, Mapping) else as_polars(scores)
    if frame is not None:
        return [NamedFrame(name, frame)]
    if not isinstance(scores, Iterable):
        raise UsageError(f"scores are {type(scores).__name__!r}, expected {_SCORES}")
    parts = list(scores)
    if not parts:
        raise UsageError("there are no scores: the list is empty", next_step=f"Give {_SCORES}")
    if all(isinstance(part, Mapping) for part in parts) and not any(map(_is_by_model, parts)):
        names = dict.fromkeys(str(key) for part in parts for key in part)
        return [NamedFrame(name, pl.DataFrame([column(key, [p.get(key) for p in parts]) for key in names]))]
    if _numbers(parts) is not None:
        raise UsageError(
            "these are scores of one model without its name",
            next_step="Give {model: [score, …]}, with the items in the same order for all",
        )
    names_of = [name if len(parts) == 1 else f"{name} {i}" for i in range(1, len(parts) + 1)]
    return [
        source for part, of_part in zip(parts, names_of, strict=True) for source in sources(part, of_part)
    ]


def side(scores: Any, name: str) -> list[Path | NamedFrame]:
    """The same of one side of a comparison, which may be numbers alone: the items are in one order then."""
    values = None if isinstance(scores, str | Path | Mapping) else _numbers(scores)
    return sources(scores, name) if values is None else [NamedFrame(name, _of_model(name, values))]


def as_polars(frame: Any) -> pl.DataFrame | None:
    """A frame of another library as one of Polars; None for what is no frame."""
    if isinstance(frame, Reading | ScoreTable):
        return frame.frame if isinstance(frame, ScoreTable) else frame.table.frame
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
    if not scores:
        raise UsageError("there are no scores: the dictionary is empty", next_step=f"Give {_SCORES}")
    if _is_by_model(scores):
        rows = [(str(model), str(item), score) for model in scores for item, score in scores[model].items()]
        odd = next((s for _, _, s in rows if not (s is None or isinstance(s, str | int | float))), None)
        if odd is not None:
            raise UsageError(f"a score is {odd!r}, expected a number, or None for a missing one")
        columns = zip(("model", "item", "score"), zip(*rows, strict=True), strict=False)
        return pl.DataFrame([column(name, values) for name, values in columns])
    values = {str(name): v.tolist() if hasattr(v, "tolist") else v for name, v in scores.items()}
    for name, v in values.items():
        if not isinstance(v, list | tuple):
            raise UsageError(
                f"the scores of {name!r} are {type(v).__name__!r}, expected {{item: score}} or a list",
                next_step="Give {model: {item: score}}, or {model: [score, …]} with the items in one order",
            )
    if len({len(v) for v in values.values()}) > 1:
        shown = ", ".join(f"{name!r} {len(v)}" for name, v in values.items())
        raise UsageError(
            f"the lists are of different lengths: {shown}",
            next_step="Give {model: {item: score}}, so that the same items can be paired",
        )
    frame = pl.DataFrame([column(name, list(v)) for name, v in values.items()])
    # Whatever the names, columns of shares alone are models: neither ids nor other facts lie from 0 to 1.
    lists = list(frame)
    if all(each.dtype.is_numeric() and each.drop_nulls().is_between(0, 1).all() for each in lists):
        return pl.concat([_of_model(each.name, each) for each in lists], how="vertical_relaxed")
    is_one_model = frame.width == 1 and lists[0].dtype.is_numeric()
    return _of_model(lists[0].name, lists[0]) if is_one_model else frame


def _of_model(name: str, scores: pl.Series) -> pl.DataFrame:
    """Scores of one model, whose items are numbered in their order."""
    items = pl.int_range(1, len(scores) + 1, eager=True).cast(pl.String)
    return pl.DataFrame({"model": [name] * len(items), "item": items, "score": scores})


def _is_by_model(scores: Mapping[Any, Any]) -> bool:
    return bool(scores) and all(isinstance(of_model, Mapping) for of_model in scores.values())


def _of_pandas(frame: Any) -> pl.DataFrame:
    """A pandas frame with its index, where that names the items; gaps of every kind are null.

    By lists, since the exchange with Arrow takes a further package.
    """
    if not hasattr(frame, "columns"):
        if all(name is None for name in frame.index.names):
            raise UsageError(
                f"scores are a pandas {type(frame).__name__} without a named index, expected a DataFrame",
                next_step="Give it as columns, with reset_index()",
            )
        frame = frame.rename("score").to_frame()
    index = frame.index
    if any(name is not None for name in index.names):
        frame = frame.reset_index()
    elif "item" not in frame.columns and _index_names_items(frame):
        frame = frame.set_axis([*map(_label, index)]).rename_axis("item").reset_index()
    else:
        frame = frame.reset_index(drop=True)
    names = [_label(name) for name in frame.columns]
    again = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if again is not None:
        raise UsageError(f"there are two columns {again!r}", next_step="Rename one, or leave it out")
    return pl.DataFrame([_of_series(frame.iloc[:, i], name) for i, name in enumerate(names)])


def _label(label: Any) -> str:
    return " ".join(str(part) for part in label if part != "") if isinstance(label, tuple) else str(label)


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
