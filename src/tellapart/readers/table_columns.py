"""Which columns of anybody's table hold what."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from tellapart.core.failure_words import cause_of
from tellapart.core.scores import CAUSES, FIXED
from tellapart.errors import InputError, UsageError, near_match, option, options
from tellapart.readers.cells import Cells, is_number, read_cells, refuse_cell, with_right, words_of
from tellapart.readers.column_names import is_about_items, is_metric, is_unnamed, likely_columns, written
from tellapart.readers.nested import paths_in, value_at
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.summary_rows import rounding

NEEDED = ("model", "item", "score")

_CARRIED = ("cluster", "replicate", "grading")
_SHOWN = 6
_LISTED = 30
_ERROR_COLUMNS = (
    *("error", "error_message", "error_msg", "error_type", "exception", "failure", "failure_reason"),
    *("status", "state", "call_status", "response_status", "finish_status"),
)
_NO_FAILURE = (
    *("", "-", "n/a", "nan", "no", "none", "null", "false", "ok"),
    *("success", "succeeded", "complete", "completed", "done"),
)
_FAILED = re.compile(r"error|exception|fail|timeout|timed|limit|refus|cancel|abort|invalid|unavailable")
_METRIC_COLUMNS = ("metric", "metric_name", "scorer", "evaluator", "measure", "score_name")
_OF_MANY = ("run", "run_id", "name")
"""Likely names of a column of models that other columns have as well."""
_METRIC_AT_THE_END = re.compile(r"(?P<model>.+)[\s_.\-/:](?P<metric>[A-Za-z0-9@]+)")


@dataclass(frozen=True)
class Layout:
    """Which columns hold what: one row a score, or one column a model.

    Attributes:
        item: The column that names the items; None where the rows are numbered.
        model: That of the models, of one row a score; None where all scores are of one model.
        score: That of the scores; None of one column a model.
        models: By column of a model, how its cells are read; empty of one row a score.
        replicate: The column that tells several answers to an item apart.
        others: Of one column a model, the columns that go with the item: strata, and those of ours.
        left_out: Of one column a model, columns of numbers that describe items by their names.
    """

    item: str | None
    model: str | None = None
    score: str | None = None
    models: Mapping[str, Cells] = field(default_factory=dict)
    replicate: str | None = None
    others: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def names(self) -> dict[str, str]:
        """Column of ours -> column of the table, of one row a score."""
        columns = {"model": self.model, "item": self.item, "score": self.score}
        return {ours: theirs for ours, theirs in columns.items() if theirs is not None}


def layout_of(frame: pl.DataFrame, settings: ReadingSettings, where: str) -> Layout:
    """Find out which columns hold what.

    The columns that a user named have our names already. A table has one column a model where no column is
    named like a column of models or a metric, and at least two hold scores and are not named like a fact
    about items, such as ``n_tokens``; what may be something else is asked about.
    """
    named = settings.columns or {}
    if settings.name in frame.columns and "model" not in frame.columns:
        raise UsageError(
            f"{option('model', settings.name)} names one model, and there is a column of that name",
            where=where,
            next_step=f"If it holds the models' names: {option('columns', {'model': settings.name})}",
        )
    if settings.models:
        return _confirmed(frame, settings, where)
    if settings.name is None and {"model", "score"}.isdisjoint(named):
        layout = _one_column_a_model(frame, settings, where)
        if layout is not None:
            return layout
    return _one_row_a_score(frame, settings, where)


def named_columns(frame: pl.DataFrame, columns: Mapping[str, str], where: str) -> pl.DataFrame:
    """Give the columns that a user named our names, and leave the others theirs."""
    values: dict[str, pl.Series] = {}
    for ours, theirs in columns.items():
        found = value_at(frame, theirs)
        if found is None:
            raise InputError(
                f"there is no column {theirs!r} for {ours!r}",
                where=where,
                next_step=near_match(theirs, paths_in(frame)),
            )
        values[ours] = found.alias(ours)
    ours_of = {theirs: ours for ours, theirs in columns.items()}
    kept = [name for name in frame.columns if name in ours_of or name not in values]
    return pl.DataFrame({**{ours_of.get(name, name): frame[name] for name in kept}, **values})


def of_one_metric(frame: pl.DataFrame, settings: ReadingSettings, where: str) -> pl.DataFrame:
    """The rows of one metric, where a column names several."""
    column = next((n for n in frame.columns if written(n) in _METRIC_COLUMNS and n not in FIXED), None)
    names = [] if column is None else frame[column].drop_nulls().unique(maintain_order=True).to_list()
    if settings.metric is None and len(names) < 2:
        return frame
    if settings.metric is None:
        raise InputError(
            f"the rows hold {len(names)} metrics, named by {column!r}: {few([str(name) for name in names])}",
            where=where,
            next_step=f"Choose one, such as {option('metric', str(names[0]))}",
        )
    if column is None or settings.metric not in names:
        there = near_match(settings.metric, map(str, names)) if names else "No column names metrics"
        raise UsageError(f"there is no metric {settings.metric!r}", where=where, next_step=there)
    return frame.filter(pl.col(column) == settings.metric).drop(column)


def with_failures(frame: pl.DataFrame, settings: ReadingSettings, where: str) -> pl.DataFrame:
    """Take from a column of errors why scores are missing; a failed row that has a score is asked about.

    A column that the user named ``missing`` may hold errors in any words, and a row with one has no score.
    """
    columns = settings.columns or {}
    if columns.get("missing", "missing") != "missing":
        causes = _causes(frame["missing"])
        score = [pl.when(causes.is_null()).then("score").alias("score")] if "score" in frame.columns else []
        return frame.with_columns(causes.alias("missing"), *score)
    if "missing" in frame.columns or "score" not in frame.columns:
        return frame
    named = [n for n in frame.columns if written(n) in _ERROR_COLUMNS and n not in (*FIXED, *columns)]
    for name in named:
        causes = _causes(frame[name])
        failed = causes.is_not_null()
        scored = failed & read_cells(frame["score"]).scores.is_not_null()
        if failed.all() or not failed.any():
            continue
        if not scored.any():
            return frame.with_columns(causes.alias("missing")).drop(name)
        raise InputError(
            f"{scored.sum()} of {frame.height} rows have a score, and {name!r} says that they failed, such "
            f"as {str(frame[name].filter(scored)[0])[:60]!r}",
            where=where,
            next_step=f"If these are no scores: {option('columns', {**columns, 'missing': name})}; if they "
            f"are: {option('columns', {**columns, name: name})}",
        )
    return frame


def _causes(values: pl.Series) -> pl.Series:
    """Why scores are missing, by what a column says of failures; null where it says of none."""
    texts = values.cast(pl.String).str.strip_chars()
    kinds = {text: _failure(text) for text in texts.unique()}
    return texts.replace_strict(kinds, return_dtype=pl.String)


def _failure(text: str | None) -> str | None:
    if text is None or text in CAUSES:
        return text
    if text.casefold() == "true":
        return "unknown"
    if text.casefold() in _NO_FAILURE or text.isdigit():
        return None
    is_status = len(text.split()) == 1
    return cause_of(text) if not is_status or _FAILED.search(text.casefold()) else None


def distinguishing(frame: pl.DataFrame, keys: Sequence[str], free: Sequence[str]) -> str | None:
    """Give the column, named like seeds or trials, by which rows differ that have the same keys."""
    if "replicate" in frame.columns or not frame.select(keys).is_duplicated().any():
        return None
    for name in likely_columns("replicate", [name for name in free if name not in keys]):
        is_complete = not frame[name].dtype.is_nested() and not frame[name].has_nulls()
        if is_complete and not frame.select(*keys, name).is_duplicated().any():
            return name
    return None


def item_names(frame: pl.DataFrame, layout: Layout) -> pl.Series:
    """The column ``item``: the one that names the items, else the number of each row, from 1."""
    if layout.item is not None:
        return frame[layout.item].alias("item")
    return pl.int_range(1, frame.height + 1, eager=True).cast(pl.String).alias("item")


def _plain_names(frame: pl.DataFrame) -> list[str]:
    return [name for name in frame.columns if not frame[name].dtype.is_nested()]


# One column a model.


def _confirmed(frame: pl.DataFrame, settings: ReadingSettings, where: str) -> Layout:
    """The layout of a table whose models the user named."""
    named = settings.columns or {}
    fixed = [option("columns", {ours: named[ours]}) for ours in ("model", "score") if ours in named]
    fixed += [option("model", settings.model)] if settings.model else []
    if fixed:
        raise UsageError(
            f"{fixed[0]} does not go with {option('models', settings.models)}, by which each of "
            "these columns holds the scores of a model",
            next_step="Leave one of them out",
        )
    names = _plain_names(frame)
    models = _named_models(settings.models, names, where)
    free = [name for name in names if name not in models]
    item = _item_of_rows(frame, free)
    words = with_right([frame[name] for name in models], settings.right)
    return _with_others(
        frame, settings, Layout(item, models={name: read_cells(frame[name], words) for name in models}), where
    )


def _one_column_a_model(frame: pl.DataFrame, settings: ReadingSettings, where: str) -> Layout | None:
    """The layout of a table whose models nobody named; None where it has one row a score."""
    names, named = _plain_names(frame), settings.columns or {}
    if _is_long(names):
        _ask_about_metrics(frame, names, where)
        return None
    words = with_right([frame[name] for name in names], settings.right)
    item = _item_of_rows(frame, names)
    free = [name for name in names if name not in (item, *FIXED, *named) and not is_unnamed(name)]
    replicate = None if item is None else distinguishing(frame, [item], free)
    cells = {name: read_cells(frame[name], words) for name in free if name != replicate}
    _refuse_unread(frame, cells, where)
    scores = [name for name, column in cells.items() if column.are_scores]
    words_alone = [name for name in scores if cells[name].words is not None]
    if len(scores) - len(words_alone) > 1:
        # Beside models with numbers, what is yes or no sorts the items.
        scores = [name for name in scores if name not in words_alone]
    models = [name for name in scores if not is_about_items(name)]
    means = _means_of_others(cells, models)
    models = [name for name in models if name not in means]
    if len(models) < 2:
        return None
    of_models = {name: cells[name] for name in models}
    if item is not None and set(frame[item].cast(pl.String)) <= set(scores):
        raise InputError(
            f"the rows are called like the columns, {few(models)}, as in a table of who wins against whom",
            where=where,
            next_step="Give a score for each item and model",
        )
    _ask_about_doubts(of_models, item, where)
    left_out = tuple(name for name in scores if name not in models)
    layout = Layout(item, models=of_models, left_out=left_out)
    return _with_others(frame, settings, layout, where)


def _with_others(frame: pl.DataFrame, settings: ReadingSettings, layout: Layout, where: str) -> Layout:
    """Add the columns that go with the items: replicates, strata, and those of ours."""
    used = (layout.item, *layout.models, *layout.left_out)
    free = [name for name in _plain_names(frame) if name not in used and not is_unnamed(name)]
    replicate = None if layout.item is None else distinguishing(frame, [layout.item], free)
    if replicate is None:
        _check_items(frame, layout.item, where)
    kept = (*_CARRIED, *(settings.columns or {}), replicate)
    others = [name for name in free if name in kept or (name not in FIXED and not is_number(frame[name]))]
    models = {
        model: _with_causes(frame, model, cells, others, where) for model, cells in layout.models.items()
    }
    return replace(layout, models=models, replicate=replicate, others=tuple(others))


def _with_causes(frame: pl.DataFrame, model: str, cells: Cells, others: list[str], where: str) -> Cells:
    """Take a column such as ``gpt_status`` off the others: it says why scores of the model are missing."""
    ends = {f"{written(model)}_{end}" for end in _ERROR_COLUMNS}
    name = next((name for name in others if written(name) in ends), None)
    if name is None:
        return cells
    causes = _causes(frame[name])
    failed = causes.is_not_null() & cells.scores.is_not_null()
    if failed.any():
        raise InputError(
            f"{failed.sum()} of {frame.height} rows have a score of {model!r}, and {name!r} says that they "
            f"failed, such as {str(frame[name].filter(failed)[0])[:60]!r}",
            where=where,
            next_step="Write nothing for the score of a failed call, or leave that column out",
        )
    others.remove(name)
    return replace(cells, causes=pl.select(pl.coalesce(causes, cells.causes)).to_series())


def _is_long(names: list[str]) -> bool:
    """Whether a column has the name of a model or of a metric."""
    models = [name for name in likely_columns("model", names) if written(name) not in _OF_MANY]
    return bool(models) or any(is_metric(name) for name in names)


def _ask_about_metrics(frame: pl.DataFrame, names: list[str], where: str) -> None:
    """Ask where models seem to have columns of their own, and a metric stands beside them."""
    if likely_columns("model", names) or "score" in map(written, names):
        return
    metrics = [name for name in names if is_metric(name)]
    free = [
        name for name in names if name not in metrics and not is_about_items(name) and not is_unnamed(name)
    ]
    models = [
        name for name in free if read_cells(frame[name]).are_scores and not likely_columns("item", [name])
    ]
    if len(models) > 1:
        _ask(where, _item_of_rows(frame, names), models, f"{few(metrics)} may be a metric")


def _item_of_rows(frame: pl.DataFrame, free: list[str]) -> str | None:
    """The column that names the items of a table with one row an item."""
    if "item" in free:
        return "item"
    likely = likely_columns("item", free)
    differing = [name for name in likely if _differs(frame[name])]
    unnamed = [name for name in free if is_unnamed(name) and _differs(frame[name])]
    if likely and not differing:
        repeated = next((name for name in likely if distinguishing(frame, [name], free)), None)
        if repeated is not None:
            return repeated
    if likely:
        # Where the text of questions repeats, an index tells them apart.
        return (differing or unnamed or likely)[0]
    texts = [name for name in free if frame[name].dtype == pl.String and not is_number(frame[name])]
    unique = [name for name in texts if _differs(frame[name]) and name not in FIXED]
    if len(unique) == 1:
        return unique[0]
    if unnamed:
        return unnamed[0]
    running = [name for name in free[:1] if is_number(frame[name]) and _is_running(frame[name])]
    return next(iter([*running, *unique]), None)


def _differs(values: pl.Series) -> bool:
    return values.null_count() == 0 and values.n_unique() == len(values)


def _is_running(values: pl.Series) -> bool:
    """Whether a column numbers its rows, from 0 or 1."""
    numbers = values.cast(pl.Float64, strict=False)
    first = numbers.first()
    return len(numbers) > 2 and first in (0, 1) and bool((numbers.diff().drop_nulls() == 1).all())


def _refuse_unread(frame: pl.DataFrame, columns: Mapping[str, Cells], where: str) -> None:
    """Refuse where several columns look like scores and a cell of one is none, or two words are not known."""
    free = {name: cells for name, cells in columns.items() if not is_about_items(name)}
    faulty = [name for name, cells in free.items() if cells.wrong.any() and cells.are_mostly_scores]
    if faulty and sum(cells.are_mostly_scores for cells in free.values()) > 1:
        raise refuse_cell(frame[faulty[0]], free[faulty[0]], where)
    words = {name: set(words_of(frame[name])) for name, cells in free.items() if not cells.are_scores}
    for name, two in words.items():
        alike = [other for other in words if words[other] and words[other] <= two]
        if len(two) == 2 and len(alike) > 1 and not any(cells.are_scores for cells in free.values()):
            raise refuse_cell(frame[name], free[name], where)


def _means_of_others(cells: Mapping[str, Cells], models: Sequence[str]) -> set[str]:
    """Columns that are the mean of the others in every row, as spreadsheets have them on the right."""
    scores = pl.DataFrame([cells[name].scores.alias(name) for name in models])
    if scores.width < 3:
        return set()
    sums = scores.select(total=pl.sum_horizontal(pl.all()), n=pl.sum_horizontal(pl.all().is_not_null()))
    means = set()
    for candidate in scores:
        # Where there is a score of its own, so that the others are one fewer.
        rows = sums.with_columns(candidate=candidate).drop_nulls().filter(pl.col("n") > 1)
        others = (rows["total"] - rows["candidate"]) / (rows["n"] - 1)
        fractions = (rows["candidate"] % 1 != 0).any()
        near = (rows["candidate"] - others).abs() <= rounding(candidate)
        if rows.height > 1 and fractions and near.all():
            means.add(candidate.name)
    return means


def _ask_about_doubts(models: Mapping[str, Cells], item: str | None, where: str) -> None:
    """Ask where columns of scores may be no models: metrics, truths beside numbers, benchmarks, counts."""
    names = list(models)
    ends = {name: _METRIC_AT_THE_END.fullmatch(name) for name in names}
    metrics = {name: match["metric"] for name, match in ends.items() if match and is_metric(match["metric"])}
    if len(set(metrics.values())) > 1:
        first = next(iter(metrics.values()))
        of_first = [name for name, metric in metrics.items() if metric == first]
        _ask(where, item, of_first, f"{few(list(metrics))} look like several metrics of each model")
    truths = [name for name in names if models[name].are_truths]
    numbers = [name for name in names if name not in truths]
    if truths and numbers:
        doubt = f"{few(truths)} are right or wrong and {few(numbers)} numbers"
        _ask(where, item, numbers if len(numbers) > 1 else truths, doubt)
    if item is not None and likely_columns("model", [item]):
        _ask(where, item, names, f"it is not clear whether {item!r} names items or models")
    if all(re.fullmatch(r"-?[0-9.]+", name) for name in names):
        _ask(where, item, names, f"{few(names)} are numbers, as if the first line were one of scores")
    largest = {name: _largest(cells.scores) for name, cells in models.items()}
    within = [name for name in names if largest[name] <= 1]
    beyond = [name for name in names if name not in within]
    if within and beyond and (len(beyond) == 1 or max(largest.values()) > 10):
        doubt = (
            f"the values of {few(within)} are within [0, 1] and those of {few(beyond)} go up to "
            f"{max(largest.values()):g}"
        )
        _ask(where, item, within if len(within) >= len(beyond) else beyond, doubt)


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


def _largest(scores: pl.Series) -> float:
    return float(scores.filter(scores.is_finite()).abs().max() or 0)  # type: ignore[arg-type]


def _check_items(frame: pl.DataFrame, item: str | None, where: str) -> None:
    """Refuse rows that repeat an item without a number: which of a model's scores would count is not said."""
    if item is None or "replicate" in frame.columns:
        return
    repeated = frame[item].drop_nulls()
    repeated = repeated.filter(repeated.is_duplicated())
    if repeated.is_empty():
        return
    raise InputError(
        f"{len(repeated):,} of {frame.height:,} rows share their {item!r} with another row, such as "
        f"{str(repeated[0])[:60]!r}, so it does not name the items",
        where=where,
        next_step=f"Name a column that differs in each row, {option('columns', {'item': '…'})}; or where "
        "rows are several answers to one item, number them in a column 'replicate'",
    )


def _named_models(given: Sequence[str], names: list[str], where: str) -> list[str]:
    """The columns that were named between commas; a column may itself have one in its name."""
    pieces, models = list(given), []
    while pieces:
        fits = [n for n in range(len(pieces), 0, -1) if ",".join(pieces[:n]) in names]
        if not fits:
            raise InputError(
                f"there is no column {pieces[0]!r} for {option('models', given)}",
                where=where,
                next_step=near_match(pieces[0], names),
            )
        models.append(",".join(pieces[: fits[0]]))
        pieces = pieces[fits[0] :]
    return models


# One row a score.


def _one_row_a_score(frame: pl.DataFrame, settings: ReadingSettings, where: str) -> Layout:
    """The layout of a table whose columns have our names or likely ones.

    One column alone may have a likely name for models, and one for scores. Of several for items the
    likeliest is taken by which every model has one row an item, and models share items. A table that has
    nothing that could name several models is of one model.
    """
    chosen = {ours: ours for ours in NEEDED if ours in frame.columns}
    wanted = [ours for ours in NEEDED if ours not in chosen and not (ours == "model" and settings.model)]
    for ours in ("model", "score"):
        candidates = _candidates(ours, frame, chosen) if ours in wanted else []
        likely = likely_columns(ours, candidates)
        if ours == "score" and not likely:
            likely = [name for name in candidates if is_metric(name)]
        if len(likely) == 1:
            chosen[ours] = likely[0]
    if "item" in wanted and "score" in chosen:
        likely = likely_columns("item", _candidates("item", frame, chosen))
        item = next((name for name in likely if _names_items(frame, name, chosen)), None)
        if item is not None:
            chosen["item"] = item
    is_of_one_model = "model" not in chosen and "model" in wanted and _has_one_model(frame, chosen)
    absent = [ours for ours in wanted if ours not in chosen and not (ours == "model" and is_of_one_model)]
    if absent:
        _refuse_a_row_a_model(frame, chosen, where)
        _refuse(absent, where, frame, settings)
    keys = [chosen[ours] for ours in ("model", "item") if ours in chosen]
    keys += [name for name in ("grading",) if name in frame.columns]
    replicate = distinguishing(frame, keys, [name for name in frame.columns if name not in chosen.values()])
    if is_of_one_model and (replicate is None and frame.select(keys).is_duplicated().any()):
        _refuse(["model"], where, frame, settings)
    return Layout(chosen["item"], chosen.get("model"), chosen["score"], replicate=replicate)


def _refuse_a_row_a_model(frame: pl.DataFrame, chosen: Mapping[str, str], where: str) -> None:
    """Refuse a table that has a row for each model, and a column for each item or task."""
    model = chosen.get("model")
    if model is None or frame[model].is_duplicated().any() or "score" in frame.columns:
        return
    named = [*likely_columns("item", frame.columns), model]
    names = [n for n in _plain_names(frame) if n not in named and not is_metric(n) and not is_about_items(n)]
    columns = [name for name in names if read_cells(frame[name]).are_scores]
    if len(columns) > 2 and frame.height > 1:
        raise InputError(
            f"each row is a model here ({model!r}), and {few(columns)} are items or tasks of it",
            where=where,
            next_step=f"If they are means of tasks: tellapart leaderboard {where}. If they are items, turn "
            "the table round: one row an item, one column a model",
        )


def _names_items(frame: pl.DataFrame, name: str, chosen: Mapping[str, str]) -> bool:
    """Whether no model has an item twice, but for replicates, and some item is of two of several models."""
    model = chosen.get("model")
    keys = [*([model] if model else []), *(n for n in ("replicate", "grading") if n in frame.columns), name]
    free = [other for other in frame.columns if other not in chosen.values()]
    if frame.select(keys).is_duplicated().any() and distinguishing(frame, keys, free) is None:
        return False
    return model is None or frame[model].n_unique() == 1 or frame[name].n_unique() < frame.height


def _has_one_model(frame: pl.DataFrame, chosen: Mapping[str, str]) -> bool:
    """Whether a table holds one score for each item and nothing that could name several models."""
    if any(frame[name].is_duplicated().any() for name in likely_columns("model", frame.columns)):
        return False
    return {"item", "score"} <= chosen.keys() and not frame[chosen["item"]].is_duplicated().any()


def _candidates(ours: str, frame: pl.DataFrame, chosen: Mapping[str, str]) -> list[str]:
    """The columns that can be one of ours by what they hold: scores within [0, 1], or text."""
    free = [
        name
        for name in _plain_names(frame)
        if name not in chosen.values() and name not in FIXED and not is_unnamed(name)
    ]
    if ours != "score":
        likely = likely_columns(ours, free)
        return [name for name in free if name in likely or not is_number(frame[name])]
    cells = {name: read_cells(frame[name]) for name in free}
    return [
        name
        for name, column in cells.items()
        if column.are_mostly_scores and column.scores.drop_nulls().is_between(0, 1).all()
    ]


def _refuse(absent: Sequence[str], where: str, frame: pl.DataFrame, settings: ReadingSettings) -> None:
    """Say which columns there are, and which options name them."""
    names = paths_in(frame)
    shown = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
    example = _example(frame)
    scores = likely_columns("score", _candidates("score", frame, {}))
    unclear = [ours for ours in NEEDED if ours not in example and ours in absent]
    named = {ours: example.get(ours, "…") for ours in NEEDED} | dict(settings.columns or {})
    if list(absent) == ["model"]:
        steps = [
            f"If all scores belong to one model, give {option('model', 'NAME')}; else name the column of "
            "models: " + option("columns", {"model": example.get("model", "…"), **(settings.columns or {})})
        ]
    elif not unclear:
        others = [f"score={other}" for other in scores if other != example["score"]]
        which = f", or {' or '.join(others)}" if "score" in absent and others else ""
        steps = [f"Name the columns, such as {option('columns', named)}{which}"]
    else:
        steps = [f"Name the columns: {option('columns', named)}; it is unclear which is {_listed(unclear)}"]
    if {"model", "score"} <= set(absent) and not settings.columns:
        steps.append(f"If each model has a column of its own, name these: {option('models', ['A', 'B'])}")
    raise InputError(
        f"there is no column {_listed(absent)}; there are: {shown}", where=where, next_step=". ".join(steps)
    )


def _example(frame: pl.DataFrame) -> dict[str, str]:
    """Fill in the columns where names or contents say which is which; nothing by exclusion."""
    chosen = {ours: ours for ours in NEEDED if ours in frame.columns}
    candidates = {ours: _candidates(ours, frame, chosen) for ours in NEEDED if ours not in chosen}
    for ours, names in candidates.items():
        likely = [name for name in likely_columns(ours, names) if name not in chosen.values()]
        if likely:
            chosen[ours] = likely[0]
    texts = [name for name in candidates.get("item", ()) if name not in chosen.values()]
    if {"model", "item"}.isdisjoint(chosen) and len(texts) == 2:
        kinds = sorted(texts, key=lambda name: (frame[name].n_unique(), frame.columns.index(name)))
        if not frame.select(kinds).is_duplicated().any():
            chosen["model"], chosen["item"] = kinds
    scores = [name for name in candidates.get("score", ()) if name not in chosen.values()]
    if "score" not in chosen and len(scores) == 1 and not is_about_items(scores[0]):
        chosen["score"] = scores[0]
    return chosen


def _listed(names: Sequence[str]) -> str:
    return " and ".join(map(repr, names)) if len(names) < 3 else "'model', 'item' or 'score'"


def few(names: Sequence[str]) -> str:
    """List the first names, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
