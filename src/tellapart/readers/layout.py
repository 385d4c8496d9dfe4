"""Which columns of anybody's table hold what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import polars as pl

from tellapart.core.scores import FIXED
from tellapart.errors import InputError, UsageError, near_match, option, options
from tellapart.files import JsonError, parse_json
from tellapart.files.tables import column
from tellapart.readers.cells import (
    MOST_WORDS,
    Cells,
    is_number,
    read_cells,
    refuse_cell,
    refuse_lists,
    refuse_spreads,
    with_right,
    words_of,
)
from tellapart.readers.column_names import (
    LIKELY,
    METRIC_COLUMNS,
    is_about_items,
    is_key,
    is_metric,
    is_unnamed,
    likely_columns,
    looks_like_model,
    odd_names,
    text_columns,
    written,
)
from tellapart.readers.settings import ReadingSettings

_NEEDED = ("model", "item", "score")
_SHOWN = 6
_LISTED = 30
_OF_MANY = ("run", "run_id", "name")
"""Likely names of a column of models that other columns have as well."""
_UNSAID = ("score", "value", "rating", "grade", "result")
"""Likely names of a column of scores that answers have as well."""
_METRIC_AT_THE_END = re.compile(r"(?P<model>.+)[\s_.\-/:](?P<metric>[A-Za-z0-9@]+)")
_ANSWER_AT_THE_END = re.compile(
    r"(?P<model>.*?)_?(run|seed|trial|attempt|try|epoch|repeat|rep|replicate|round|answer)_?\d+"
)
_DEEPEST, _PLACES = 4, 10
"""How many levels, and of lists how many places, can be named by a path."""


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
    plain = frame.select(name for name in frame.columns if not frame[name].dtype.is_nested())
    refuse_spreads(plain, where)
    titles = [name for name in frame.columns if not is_unnamed(name)]
    if frame.width > 2 and len(titles) < 2:
        raise InputError(
            f"the first row has {titles[0]!r} and no names of the other columns, so it may be a title"
            if titles
            else "the first row names no columns",
            where=where,
            next_step="Delete what is above the row of names",
        )
    layout = None
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
    if settings.metric is None:
        if len(names) < 2:
            return frame, str(names[0]) if names else None
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


# Columns that a user named, and values inside others: ``scores.Factuality``, ``results.0.score``.


def _named_columns(frame: pl.DataFrame, settings: ReadingSettings, where: str) -> pl.DataFrame:
    """Give the columns that a user named our names; add the nested ones that hold models."""
    columns = settings.columns or {}
    wanted = {*columns.values(), *settings.models} - set(frame.columns)
    inner = _inner_columns(frame) if wanted else {}
    for role, source in columns.items():
        if source in wanted and source not in inner:
            raise InputError(
                f"there is no column {source!r} for {role!r}",
                where=where,
                next_step=near_match(source, _listable(frame, inner)),
            )
    everything = {name: frame[name] for name in frame.columns}
    everything |= {name: inner[name] for name in (*columns.values(), *settings.models) if name in inner}
    by_name = {name: [role for role, source in columns.items() if source == name] for name in everything}
    return pl.DataFrame(
        values.alias(name)
        for source, values in everything.items()
        for name in by_name[source] or ([] if source in columns else [source])
    )


def _inner_columns(frame: pl.DataFrame) -> dict[str, pl.Series]:
    """What is inside objects and lists, which may be written as JSON, by its path."""
    values: dict[str, list[Any]] = {}
    for name in frame.columns:
        for row, value in enumerate(frame[name].to_list()):
            for path, leaf in _leaves(value, name):
                if path != name:
                    values.setdefault(path, [None] * frame.height)[row] = leaf
    return {path: column(path, of_path) for path, of_path in values.items()}


def _leaves(value: Any, path: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    if isinstance(value, str) and value[:1] in ("{", "["):
        with suppress(JsonError):
            value = parse_json(value, "")
    inner = dict(enumerate(value[:_PLACES])) if isinstance(value, list) else value
    if isinstance(inner, dict) and inner and depth < _DEEPEST:
        for key, part in inner.items():
            yield from _leaves(part, f"{path}.{key}", depth + 1)
    else:
        yield path, value


def _listable(frame: pl.DataFrame, inner: Mapping[str, pl.Series]) -> list[str]:
    """The columns, and for those that hold more the paths to what is inside, of lists to the first."""
    inside = {name: [p for p in inner if p.startswith(f"{name}.")] for name in frame.columns}
    return [
        path
        for name, paths in inside.items()
        for path in ([p for p in paths if not re.search(r"\.[1-9]\d*(\.|$)", p)] or [name])
    ]


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
    if "response" in text_columns(frame.columns):
        # One model's answers, beside what graded them.
        return None
    item = _item_of_rows(frame)
    replicate = None if item is None else _distinguishing(frame, item)
    no_models = (item, replicate, *FIXED, *(settings.columns or {}))
    words = with_right(frame, settings.right)
    free = [name for name in frame.columns if name not in no_models and not is_unnamed(name)]
    cells = {name: read_cells(frame[name], words) for name in free}
    scores = [name for name in free if cells[name].are_scores]
    models = [name for name in scores if not is_about_items(name)]
    if is_long:
        models = [name for name in models if name not in metrics and not likely_columns("item", [name])]
        if len(models) > 1:
            _ask(where, item, models, f"{few(metrics)} may be a metric")
        return None
    models = [name for name in models if not _numbers_rows(cells[name].scores)]
    _refuse_a_row_a_model(frame, None, where)
    _refuse_unread(frame, {name: of for name, of in cells.items() if not is_about_items(name)}, where)
    words_alone = [name for name in models if cells[name].words and not looks_like_model(name)]
    if len(words_alone) == 1 and sum(cells[name].words is None for name in scores) > 1:
        # Beside models with numbers, what is yes or no sorts the items.
        models.remove(words_alone[0])
    odd, every = odd_names(models), models
    models = [name for name in models if name not in odd]
    gold = odd if len(odd) == 1 < len(models) else []
    keys = [name for name in frame.columns if (is_key(name) or name in gold) and name not in (item, *models)]
    step = next(filter(None, (_scoring_step(frame, models, key) for key in keys)), "")
    if odd or step:
        doubt = f"{few(odd)} may be no model" if odd else "its cells may be answers, not scores"
        _ask(where, item, models if len(models) > 1 else every, doubt, every, step)
    if len(models) < 2:
        return None
    of_model = {name: cells[name] for name in models}
    for likely, doubt in _doubts(of_model, item, where):
        _ask(where, item, likely, doubt, models)
    return _wide(frame, item, of_model, where)


def _numbers_rows(scores: pl.Series) -> bool:
    """Whether whole numbers rise by the same step from row to row."""
    steps = scores.drop_nulls().diff().drop_nulls().unique().to_list()
    return len(scores) > 3 and len(steps) == 1 and steps[0] > 0 == steps[0] % 1


def _computed(models: Mapping[str, Cells]) -> list[str]:
    """The graded columns that are in each row the greatest, least, sum, mean or distance of others."""
    columns, found = pl.DataFrame(of.scores.alias(name) for name, of in models.items()), []
    for values in columns if columns.height > _SHOWN and 2 < columns.width < _LISTED else ():
        others = columns.drop(values.name)
        ways = [others.max_horizontal(), others.min_horizontal(), others.mean_horizontal()]
        ways += [others.sum_horizontal(), *(a - b for a, b in combinations(others[:, :_SHOWN], 2))]
        near = 0.0051 if models[values.name].largest <= 1 else 0.051
        fits = [bool(((values.abs() - of.abs()).abs() <= near).all()) for of in (*others, *ways)]
        if values.n_unique() > 2 and any(fits) and not any(fits[: others.width]):
            found.append(values.name)
    return found


def _scoring_step(frame: pl.DataFrame, columns: Sequence[str], key: str) -> str:
    """How to score the cells of columns where one has the values of a key, so that they may be answers."""
    for name in columns:
        texts = [frame[of].cast(pl.String).str.strip_chars().str.to_lowercase() for of in (name, key)]
        texts = [of.cast(pl.Float64, strict=False).cast(pl.String).fill_null(of).drop_nulls() for of in texts]
        in_other = [of.is_in(other.implode()) for of, other in (texts, texts[::-1])]
        if texts[1].n_unique() > 1 and all(2 * int(of.sum()) >= len(of) for of in in_other):
            return (
                f"If {key!r} holds the right answers, score the cells first, in Polars: frame.with_columns("
                f"pl.col({', '.join(map(repr, columns))}) == pl.col({key!r})).drop({key!r}). Otherwise "
            )
    return ""


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
        words = {name: set(words_of(frame[name], MOST_WORDS)) for name in columns}
        alike = {name: [w for w in words.values() if w and w <= words[name]] for name in columns}
        faulty += [name for name in columns if len(words[name]) > 1 and len(alike[name]) > 1]
    if faulty:
        raise refuse_cell(frame[faulty[0]], columns[faulty[0]], where)


def _doubts(models: Mapping[str, Cells], item: str | None, where: str) -> Iterator[tuple[list[str], str]]:
    """Why columns of scores may be no models, each with those that may be."""
    names = list(models)
    answers = [match["model"] for name in names if (match := _ANSWER_AT_THE_END.fullmatch(written(name)))]
    if len(answers) == len(names) > len(set(answers)):
        of = f" of {few(sorted(set(answers)))}" if all(answers) else ""
        doubt = f"{few(names)} look like several answers{of} to each item, and --replicates is for files"
        step = "If they are, write a row for each answer, with columns model, item, replicate and score."
        _ask(where, item, names, doubt, step=f"{step} Else ")
    ends = {name: _METRIC_AT_THE_END.fullmatch(name) for name in names}
    metrics = {name: match["metric"] for name, match in ends.items() if match and is_metric(match["metric"])}
    if len(set(metrics.values())) > 1:
        of_first = [name for name, metric in metrics.items() if metric == next(iter(metrics.values()))]
        yield of_first, f"{few(list(metrics))} look like several metrics of each model"
    if computed := _computed(models):
        last = max(reversed(computed), key=lambda name: not looks_like_model(name))
        yield [name for name in names if name != last], f"{few(computed)} can be computed from the others"
    if item is not None and likely_columns("model", [item]):
        yield names, f"it is not clear whether {item!r} names items or models"
    if all(re.fullmatch(r"[\d./:-]+", name) for name in names):
        yield names, f"{few(names)} are numbers, as if the first line were one of scores"
    scales: dict[str, list[str]] = {}
    are_whole = {name: (of.scores % 1 == 0) for name, of in models.items()}
    is_graded = any(len(of) > _SHOWN and 2 * int(of.sum()) < of.count() for of in are_whole.values())
    for name, cells in models.items():
        scale = "beyond [0, 1]" if cells.largest > 1 else "within [0, 1]"
        scale += ", whole" if is_graded and are_whole[name].all() and not looks_like_model(name) else ""
        scales.setdefault("right or wrong" if cells.are_truths else scale, []).append(name)
    if len(scales) > 1:
        doubt = ", ".join(f"{few(of_scale)} {scale}" for scale, of_scale in scales.items())
        yield max(scales.values(), key=len), f"their values differ, {doubt}"


def _ask(
    where: str, item: str | None, models: list[str], doubt: str, every: Sequence[str] = (), step: str = ""
) -> None:
    raise InputError(
        f"this looks like a table with one column per model, but {doubt}, so it is not clear which columns "
        "are models",
        where=where,
        next_step=f"{step}{'n' if step else 'N'}ame them: {wide_options(item, models)}"
        + (f"; or, if all are: {wide_options(item, every)}" if len(every) > len(models) else ""),
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
    named, chosen = dict(settings.columns or {}), {role: role for role in _NEEDED if role in frame.columns}
    wanted = [role for role in _NEEDED if role not in chosen and not (role == "model" and settings.model)]
    for role in ("model", "score"):
        candidates = _candidates(role, plain, chosen) if role in wanted else []
        likely = likely_columns(role, candidates)
        if role == "score" and not likely:
            likely = [name for name in candidates if is_metric(name)]
        if len(likely) == 1:
            chosen[role] = likely[0]
    if "item" in wanted and "score" in chosen:
        likely = likely_columns("item", _candidates("item", plain, chosen))
        fits = [name for name in likely if _names_items(frame, name, chosen)]
        chosen |= {"item": fits[0]} if fits else {}
    absent = [role for role in wanted if role not in chosen]
    if absent == ["model"] and not frame[chosen["item"]].is_duplicated().any():
        several = any(frame[name].is_duplicated().any() for name in likely_columns("model", frame.columns))
        absent = absent if several else []
    if absent:
        _refuse_a_row_a_model(plain, chosen.get("model"), where)
        _refuse(absent, where, frame, plain, named)
    key, score = next(filter(is_key, plain.columns), None), chosen["score"]
    is_unsaid = "score" not in named and written(score) in _UNSAID
    has_answers = "response" in text_columns(frame.columns)
    if key and is_unsaid and not has_answers and (step := _scoring_step(plain, [score], key)):
        raise InputError(
            f"the cells of {score!r} may be answers, not scores",
            where=where,
            next_step=f"{step}name it: {option('columns', {**named, 'score': score})}",
        )
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


def _candidates(role: str, frame: pl.DataFrame, chosen: Mapping[str, str]) -> list[str]:
    """The columns that can be one of ours by what they hold: scores within [0, 1] or grades, or text."""
    used = (*chosen.values(), *FIXED)
    if role == "score":
        used = (*used, *text_columns(frame.columns).values())
    free = [name for name in frame.columns if name not in used and not is_unnamed(name)]
    if role != "score":
        likely = likely_columns(role, free)
        return [name for name in free if name in likely or not is_number(frame[name])]
    filled = [name for name in free if 2 * frame[name].null_count() <= frame.height]
    cells = {name: read_cells(frame[name]) for name in filled}
    scores = [name for name, of in cells.items() if of.are_mostly_scores and of.are_within_one]
    # Of a column that is called so and holds a few words, the reader asks which is right.
    return scores or [name for name in likely_columns("score", free) if words_of(frame[name], MOST_WORDS)]


def _refuse_a_row_a_model(frame: pl.DataFrame, model: str | None, where: str) -> None:
    """Refuse a table with a row for each model: by ``model``, names of models, or numbers of items."""
    texts = [n for n in frame.columns if frame[n].dtype == pl.String and not is_number(frame[n])]
    columns = [n for n in frame.columns if n not in (model, *texts) and not is_metric(n)]
    columns = [n for n in columns if not is_about_items(n) and not likely_columns("item", [n])]
    columns = [n for n in columns if read_cells(frame[n]).are_scores]
    stems = {written(re.sub(r"\d+$", "", name)) for name in columns}
    are_items = len(stems) == 1 and stems <= {"q", *LIKELY["item"]}
    if any(map(looks_like_model, columns)) or "score" in frame.columns or frame.height < 2:
        return
    for label in texts if model is None else [model]:
        names = frame[label].cast(pl.String).drop_nulls().to_list()
        are_models = 2 * sum(map(looks_like_model, names)) > len(names)
        is_label = (model or are_models or are_items) and len(set(names)) == frame.height
        if is_label and len(columns) > 2 - are_models:
            raise InputError(
                f"each row is a model here ({label!r}), and {few(columns)} are items or tasks of it",
                where=where,
                next_step=f"If they are means of tasks: tellapart leaderboard {where}. If they are items, "
                "turn the table round: one row an item, one column a model. If they are models: "
                + wide_options(label, columns if len(columns) <= _SHOWN else ["…"]),
            )


def _refuse(
    absent: Sequence[str], where: str, frame: pl.DataFrame, plain: pl.DataFrame, given: dict[str, str]
) -> None:
    """Say which columns there are, and which options name them: filled in where names or contents say so."""
    if "score" in absent and (lists := refuse_lists(frame, where)) is not None:
        raise lists
    example = {role: role for role in _NEEDED if role in frame.columns}
    candidates = {role: _candidates(role, plain, example) for role in _NEEDED if role not in example}
    nested = _inner_columns(frame)
    names = _listable(frame, nested)
    for role, columns in candidates.items():
        likely = [name for name in _likely(role, columns) if name not in example.values()]
        likely = likely or _likely(role, list(nested))
        example |= {role: likely[0]} if likely else {}
    texts = [name for name in candidates.get("item", ()) if name not in example.values()]
    if {"model", "item"}.isdisjoint(example) and len(texts) == 2 and plain.select(texts).is_unique().all():
        example["model"], example["item"] = sorted(texts, key=lambda name: plain[name].n_unique())
    scores = candidates.get("score", [])
    free = [name for name in scores if name not in example.values()]
    if "score" not in example and len(free) == 1 and not is_about_items(free[0]):
        example["score"] = free[0]
    named = {role: example.get(role, "…") for role in _NEEDED} | given
    unclear = [role for role in absent if role not in example]
    item = example.get("item", "")
    items = frame[item] if item in frame.columns else nested.get(item)
    if unclear == ["model"] and items is not None and items.is_unique().all():
        # With an item in each row they are the scores of one model, which is called after the file.
        unclear = []
        del named["model"]
    step = f"Name the columns, such as {option('columns', named)}"
    if list(absent) == ["model"]:
        step = f"If all scores belong to one model, give {option('model', 'NAME')}; else name the column of "
        step += f"models: {option('columns', {'model': named['model'], **given})}"
    elif unclear:
        step = f"Name the columns: {option('columns', named)}; it is unclear which is {_listed(unclear)}"
    if unclear and {"model", "score"} <= set(absent) and not given:
        inner = [n for n, of in nested.items() if not is_metric(n) and read_cells(of).are_scores]
        models = option("models", inner if len(inner) > 1 else ["A", "B"])
        step += f". If each model has a column of its own, name these: {models}"
    shown = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
    raise InputError(f"there is no column {_listed(absent)}; there are: {shown}", where=where, next_step=step)


def _likely(role: str, names: list[str]) -> list[str]:
    """Those of columns and paths that have a likely name for one of ours; a path has its last part's."""
    parts = {name.rpartition(".")[2]: name for name in reversed(names)}
    likely = likely_columns(role, names) or [parts[part] for part in likely_columns(role, list(parts))]
    return likely or [name for name in names if role == "score" and is_metric(name)]


def _listed(names: Sequence[str]) -> str:
    return " and ".join(map(repr, names)) if len(names) < 3 else "'model', 'item' or 'score'"


def few(names: Sequence[str]) -> str:
    """List the first names, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
