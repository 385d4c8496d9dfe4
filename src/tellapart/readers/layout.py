"""Which columns of anybody's table hold what."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from tellapart.core.scores import FIXED
from tellapart.errors import InputError, UsageError, near_match, option, options
from tellapart.files import parse_json
from tellapart.files.tables import column
from tellapart.readers.cells import Cells, is_number, read_cells, refuse_cell, with_right, words_of
from tellapart.readers.column_names import (
    METRIC_COLUMNS,
    is_about_items,
    is_metric,
    is_unnamed,
    likely_columns,
    written,
)
from tellapart.readers.settings import ReadingSettings

_NEEDED = ("model", "item", "score")
_SHOWN, _LISTED = 6, 30
_OF_MANY = ("run", "run_id", "name")
"""Likely names of a column of models that other columns have as well."""
_METRIC_AT_THE_END = re.compile(r".+[\s_.\-/:](?P<metric>[A-Za-z0-9@]+)")
_NO_MODEL = re.compile(
    r"-?[0-9._]+|(?P<model>.*?)_?(run|seed|trial|attempt|try|epoch|repeat|rep|replicate|round|answer)_?\d+"
)
"""Names of several answers of a model, and numbers, as where the first line is one of scores."""


@dataclass(frozen=True)
class Layout:
    """Which columns hold what: one row a score, or one column a model.

    Attributes:
        item: The column that names the items; None where the rows are numbered, from 1.
        models: By column of a model, how its cells are read; empty of one row a score.
        model: Of one row a score, the column of the models; None where all scores are of one model.
        score: Of one row a score, the column of the scores.
        replicate: The column that tells several answers to an item apart.
        metric: Of which the scores are, where a column says so.
    """

    item: str | None
    models: Mapping[str, Cells]
    model: str | None = None
    score: str = ""
    replicate: str | None = None
    metric: str | None = None

    def item_names(self, frame: pl.DataFrame) -> pl.Series:
        """The column ``item``."""
        numbers = pl.int_range(1, frame.height + 1, eager=True).cast(pl.String)
        return (numbers if self.item is None else frame[self.item]).alias("item")


def layout_of(frame: pl.DataFrame, settings: ReadingSettings, where: str) -> tuple[pl.DataFrame, Layout]:
    """Find out which columns hold what; those that a user named get our names.

    A table has one column a model where no column is named like a column of models or a metric, and at least
    two hold scores and are not named like a fact about items, such as ``n_tokens``; what may be something
    else is asked about.
    """
    frame, metric = _of_one_metric(_named_columns(frame, settings, where), settings, where)
    titles = [name for name in frame.columns if not is_unnamed(name)]
    if frame.width > 2 and len(titles) < 2:
        raise InputError(
            f"the first row has {titles[0]!r} and no names of the other columns, so it may be a title"
            if titles
            else "the first row names no columns",
            where=where,
            next_step="Delete what is above the row of names",
        )
    plain, layout = frame.select(name for name in frame.columns if not frame[name].dtype.is_nested()), None
    if settings.models:
        layout = _confirmed(plain, settings, where)
    elif settings.name is None and {"model", "score"}.isdisjoint(settings.columns or {}):
        layout = _one_column_a_model(plain, settings, where)
    return frame, replace(layout or _one_row_a_score(frame, plain, settings, where), metric=metric)


def _of_one_metric(
    frame: pl.DataFrame, settings: ReadingSettings, where: str
) -> tuple[pl.DataFrame, str | None]:
    """The rows of one metric, where a column names several, and its name, where one does."""
    named_so = (n for n in frame.columns if written(n) in METRIC_COLUMNS and n not in FIXED)
    of = next((n for n in named_so if not frame[n].dtype.is_nested()), None)
    names = [] if of is None else frame[of].drop_nulls().unique(maintain_order=True).to_list()
    if settings.metric is None and len(names) < 2:
        return frame, str(names[0]) if names else None
    if settings.metric is None:
        raise InputError(
            f"the rows hold {len(names)} metrics, named by {of!r}: {few(list(map(str, names)))}",
            where=where,
            next_step=f"Choose one, such as {option('metric', str(names[0]))}",
        )
    if of is None or settings.metric not in names:
        there = near_match(settings.metric, map(str, names)) if names else "No column names metrics"
        raise UsageError(f"there is no metric {settings.metric!r}", where=where, next_step=there)
    return frame.filter(pl.col(of) == settings.metric).drop(of), settings.metric


def _distinguishing(frame: pl.DataFrame, *keys: str, used: Sequence[str] = ()) -> str | None:
    """The column, named like seeds or trials, by which rows differ that have the same keys."""
    if "replicate" in frame.columns or not frame.select(keys).is_duplicated().any():
        return None
    for name in likely_columns("replicate", [name for name in frame.columns if name not in (*keys, *used)]):
        is_complete = not frame[name].dtype.is_nested() and not frame[name].has_nulls()
        if is_complete and not frame.select(*keys, name).is_duplicated().any():
            return name
    return None


def _named_columns(frame: pl.DataFrame, settings: ReadingSettings, where: str) -> pl.DataFrame:
    """Give the columns that a user named our names; add the values inside others that a path names."""
    columns = settings.columns or {}
    everything = {name: frame[name] for name in frame.columns}
    for source in (*columns.values(), *settings.models):
        if source not in everything and (values := _inside(frame, source)) is not None:
            everything[source] = values
    for role, source in columns.items():
        if source not in everything:
            raise InputError(
                f"there is no column {source!r} for {role!r}",
                where=where,
                next_step=near_match(source, frame.columns),
            )
    by_name = {name: [role for role, source in columns.items() if source == name] for name in everything}
    return pl.DataFrame(
        values.alias(name)
        for source, values in everything.items()
        for name in by_name[source] or ([] if source in columns else [source])
    )


def _inside(frame: pl.DataFrame, path: str) -> pl.Series | None:
    """The values at a path, such as ``scores.Factuality`` or ``results.0.score``; None without any."""
    outer = max((name for name in frame.columns if path.startswith(f"{name}.")), key=len, default=None)
    if outer is None:
        return None
    values = [_at(value, path.removeprefix(f"{outer}.")) for value in frame[outer].to_list()]
    return column(path, values) if any(value is not None for value in values) else None


def _at(value: Any, path: str) -> Any:
    """The value at a path into objects and lists, which may be written as JSON; None without any."""
    try:
        value = parse_json(value, "") if isinstance(value, str) and value[:1] in ("{", "[") else value
    except InputError:
        return None
    if isinstance(value, list):
        value = {str(place): part for place, part in enumerate(value)}
    if not isinstance(value, dict):
        return None
    if path in value:
        return value[path]
    inner = next((key for key in value if path.startswith(f"{key}.")), None)
    return None if inner is None else _at(value[inner], path.removeprefix(f"{inner}."))


# One column a model.


def _confirmed(frame: pl.DataFrame, settings: ReadingSettings, where: str) -> Layout:
    """The layout of a table whose models the user named."""
    named = settings.columns or {}
    fixed = [option("columns", {role: named[role]}) for role in ("model", "score") if role in named]
    fixed += [option("model", settings.model)] if settings.model else []
    if fixed:
        raise UsageError(
            f"{fixed[0]} does not go with {option('models', settings.models)}, by which each of "
            "these columns holds the scores of a model",
            next_step="Leave one of them out",
        )
    pieces, models = list(settings.models), []
    while pieces:
        # A column may itself have a comma in its name.
        fits = [n for n in range(len(pieces), 0, -1) if ",".join(pieces[:n]) in frame.columns]
        if not fits:
            raise InputError(
                f"there is no column {pieces[0]!r} for {option('models', settings.models)}",
                where=where,
                next_step=near_match(pieces[0], frame.columns),
            )
        models.append(",".join(pieces[: fits[0]]))
        pieces = pieces[fits[0] :]
    words = with_right([frame[name] for name in models], settings.right)
    cells = {name: read_cells(frame[name], words) for name in models}
    return _wide(frame, _item_of_rows(frame.drop(models)), cells, where)


def _one_column_a_model(frame: pl.DataFrame, settings: ReadingSettings, where: str) -> Layout | None:
    """The layout of a table whose models nobody named; None where it has one row a score."""
    metrics = [name for name in frame.columns if is_metric(name)]
    of_models = likely_columns("model", frame.columns)
    is_long = bool(metrics) or any(written(name) not in _OF_MANY for name in of_models)
    if is_long and (of_models or "score" in map(written, frame.columns)):
        return None
    item = _item_of_rows(frame)
    no_models = (item, item and _distinguishing(frame, item), *FIXED, *(settings.columns or {}))
    words = with_right(frame, settings.right)
    cells = {
        name: read_cells(frame[name], words)
        for name in frame.columns
        if name not in no_models and not is_unnamed(name) and not is_about_items(name)
    }
    scores = {name: of for name, of in cells.items() if of.are_scores}
    if is_long:
        others = [name for name in scores if name not in metrics and not likely_columns("item", [name])]
        if len(others) > 1:
            _ask(where, item, others, f"{few(metrics)} may be a metric")
        return None
    _refuse_unread(frame, cells, where)
    # Beside models with numbers, what is yes or no sorts the items.
    numbers = {name: of for name, of in scores.items() if of.words is None}
    models = numbers if len(numbers) > 1 else scores
    if len(models) < 2:
        return None
    _refuse_doubts(models, item, where)
    return _wide(frame, item, models, where)


def _wide(frame: pl.DataFrame, item: str | None, models: Mapping[str, Cells], where: str) -> Layout:
    """The layout; rows that repeat an item without a number are refused: which would count is not said."""
    replicate = None if item is None else _distinguishing(frame, item, used=list(models))
    if item is not None and replicate is None and "replicate" not in frame.columns:
        repeated = frame[item].drop_nulls()
        repeated = repeated.filter(repeated.is_duplicated())
        if len(repeated):
            raise InputError(
                f"{len(repeated):,} of {frame.height:,} rows share their {item!r} with another row, such as "
                f"{str(repeated[0])[:60]!r}, so it does not name the items",
                where=where,
                next_step=f"Name a column that differs in each row, {option('columns', {'item': '…'})}; or "
                "where rows are several answers to one item, number them in a column 'replicate'",
            )
    return Layout(item, models, replicate=replicate)


def _item_of_rows(frame: pl.DataFrame) -> str | None:
    """The column that names the items of a table with one row an item."""
    if "item" in frame.columns:
        return "item"
    unique = [name for name in frame.columns if frame[name].is_unique().all() and not frame[name].has_nulls()]
    likely = likely_columns("item", frame.columns)
    unnamed = [name for name in unique if is_unnamed(name)]
    if likely:
        # Where the text of questions repeats, a number or an index tells them apart.
        differing = [name for name in likely if name in unique]
        numbered = (name for name in likely if not differing and _distinguishing(frame, name))
        return next(numbered, None) or (differing or unnamed or likely)[0]
    texts = [n for n in unique if frame[n].dtype == pl.String and not is_number(frame[n]) and n not in FIXED]
    return next(iter(texts if len(texts) == 1 else [*unnamed, *texts]), None)


def _refuse_unread(frame: pl.DataFrame, columns: Mapping[str, Cells], where: str) -> None:
    """Refuse where several columns look like scores and a cell of one is none, or two words are not known."""
    likely = [name for name, cells in columns.items() if cells.are_mostly_scores]
    faulty = [name for name in likely if columns[name].wrong.any()] if len(likely) > 1 else []
    if not any(cells.are_scores for cells in columns.values()):
        words = {name: set(words_of(frame[name])) for name in columns}
        alike = {name: [w for w in words.values() if w and w <= words[name]] for name in columns}
        faulty += [name for name in columns if len(words[name]) > 1 and len(alike[name]) > 1]
    if faulty:
        raise refuse_cell(frame[faulty[0]], columns[faulty[0]], where)


def _refuse_doubts(models: Mapping[str, Cells], item: str | None, where: str) -> None:
    """Ask where columns of scores may be no models, by their names or since their scores differ in kind."""
    names = list(models)
    if item is not None and likely_columns("model", [item]):
        _ask(where, item, names, f"it is not clear whether {item!r} names items or models")
    stems = [match["model"] for name in names if (match := _NO_MODEL.fullmatch(written(name)))]
    if len(stems) == len(names) > len(set(stems)):
        _ask(
            where, item, names, f"{few(names)} may be several answers to each item, or a first row of scores"
        )
    kinds: dict[tuple[str, str], list[str]] = {}
    for name, cells in models.items():
        end = _METRIC_AT_THE_END.fullmatch(name)
        metric = end["metric"] if end and is_metric(end["metric"]) else ""
        kinds.setdefault((metric, cells.kind), []).append(name)
    if len(kinds) > 1:
        shown = [f"{few(of)} {' '.join(filter(None, kind))}" for kind, of in kinds.items()]
        _ask(
            where,
            item,
            max(kinds.values(), key=len),
            f"their scores are of several kinds, {', '.join(shown)}",
        )


def _ask(where: str, item: str | None, models: list[str], doubt: str) -> None:
    raise InputError(
        f"this looks like a table with one column per model, but {doubt}, so it is not clear which columns "
        "are models",
        where=where,
        next_step=f"Name them: {wide_options(item, models)}",
    )


def wide_options(item: str | None, models: Sequence[str]) -> str:
    """What names the columns of a table with one column a model."""
    columns = {"columns": {"item": item}} if item and written(item) != "item" else {}
    return options(models=list(models), **columns)


# One row a score.


def _one_row_a_score(
    frame: pl.DataFrame, plain: pl.DataFrame, settings: ReadingSettings, where: str
) -> Layout:
    """The layout of a table whose columns have our names or likely ones.

    One column alone may have a likely name for models, and one for scores. Of several for items the
    likeliest is taken by which every model has one row an item, and models share items. A table that has
    nothing that could name several models is of one model.
    """
    chosen = {role: role for role in _NEEDED if role in frame.columns}
    wanted = [role for role in _NEEDED if role not in chosen and not (role == "model" and settings.model)]
    free = [name for name in plain.columns if name not in (*chosen, *FIXED)]
    likely = {role: likely_columns(role, free) for role in wanted}
    if "score" in wanted:
        scores = [name for name in free if _may_be_scores(plain[name])]
        likely["score"] = likely_columns("score", scores) or [name for name in scores if is_metric(name)]
        # Of a column that is called so and holds two words, the reader asks which is right.
        likely["score"] = likely["score"] or [n for n in likely_columns("score", free) if words_of(plain[n])]
    chosen |= {role: of[0] for role, of in likely.items() if len(of) == 1 and role != "item"}
    if "item" in wanted and "score" in chosen:
        fits = [n for n in likely["item"] if n not in chosen.values() and _names_items(frame, n, chosen)]
        chosen |= {"item": fits[0]} if fits else {}
    absent = [role for role in wanted if role not in chosen]
    if absent == ["model"] and not frame[chosen["item"]].is_duplicated().any():
        several = any(frame[name].is_duplicated().any() for name in likely_columns("model", frame.columns))
        absent = ["model"] if several else []
    if absent:
        raise _lacking(absent, where, frame, dict(settings.columns or {}), chosen.get("model"))
    keys = [name for name in (chosen.get("model"), chosen["item"], "grading") if name in frame.columns]
    replicate = _distinguishing(frame, *keys, used=list(chosen.values()))
    return Layout(chosen["item"], {}, chosen.get("model"), chosen["score"], replicate)


def _names_items(frame: pl.DataFrame, name: str, chosen: Mapping[str, str]) -> bool:
    """Whether no model has an item twice, but for replicates, and some item is of two of several models."""
    model = chosen.get("model")
    keys = [key for key in (model, "replicate", "grading", name) if key in frame.columns]
    repeats = frame.select(keys).is_duplicated().any()
    if repeats and not _distinguishing(frame, *keys, used=list(chosen.values())):
        return False
    return model is None or frame[model].n_unique() == 1 or frame[name].n_unique() < frame.height


def _may_be_scores(values: pl.Series) -> bool:
    """Whether at least half of a column is there, and most of that is scores."""
    return 2 * values.null_count() <= len(values) and read_cells(values).are_mostly_scores


def _lacking(
    absent: Sequence[str], where: str, frame: pl.DataFrame, given: dict[str, str], model: str | None
) -> InputError:
    """Say which columns there are, and which options name them, filled in where a name says so."""
    likely = {
        role: [role] if role in frame.columns else likely_columns(role, frame.columns) for role in _NEEDED
    }
    named = {role: names[0] if names else "…" for role, names in likely.items()} | given
    step = f"Name the columns, {option('columns', named)}"
    if list(absent) == ["model"]:
        step = f"If all scores belong to one model, give {option('model', 'NAME')}; else name the column of "
        step += f"models: {option('columns', {'model': named['model'], **given})}"
    elif model is None:
        step += ", without 'model' where all scores are of one"
        step += f". If each model has a column of its own, name these: {option('models', ['A', 'B'])}"
    elif frame[model].is_unique().all():
        step += f". If each row is a model, and its columns are tasks: tellapart leaderboard {where}"
    if inner := [name for name in frame.columns if frame[name].dtype.is_nested()]:
        step += f". A value inside of {inner[0]!r} is named by its path, such as '{inner[0]}.0'"
    lacking = " and ".join(map(repr, absent)) if len(absent) < 3 else "'model', 'item' or 'score'"
    names = ", ".join(frame.columns[:_LISTED]) + (", …" if frame.width > _LISTED else "")
    return InputError(f"there is no column {lacking}; there are: {names}", where=where, next_step=step)


def few(names: Sequence[str]) -> str:
    """List the first names, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
