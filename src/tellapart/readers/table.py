"""Anybody's table: one row a score, or one column a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tellapart.core.arrays import F64
from tellapart.core.failure_words import cause_of, failed_calls
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import CAUSES, FIXED, LABELS
from tellapart.errors import InputError, UsageError, option
from tellapart.files import read_object
from tellapart.files.tables import Kind, column, head_text, holds_tables, kind_of, read_table
from tellapart.readers.cells import (
    BLANKS,
    Cells,
    is_number,
    notes_on_cells,
    read_cells,
    refuse_cell,
    with_right,
)
from tellapart.readers.column_names import (
    is_label,
    is_less_better,
    is_unnamed,
    names_metric,
    text_columns,
    written,
)
from tellapart.readers.layout import Layout, few, layout_of, wide_options
from tellapart.readers.reader import LogScores
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import ASKS, Answered, RowTexts, asked, run_texts
from tellapart.store import read_notes
from tellapart.store.runs import SCORES
from tellapart.store.tables import ITEMS

_TYPED = (Kind.PARQUET, Kind.JSON, Kind.JSON_LINES)
_ROW = "row of the table"
_ERRORS = ("error", "error_message", "error_msg", "exception")
"""Names of columns that hold the error of a failed call."""
_NO_ERROR = (*BLANKS, "false", "no", "0", "ok", "success", "completed")
_ENOUGH = 10
_ROUNDED = 0.0051
"""How far a mean of two decimals may be off."""


def is_table(path: Path) -> bool:
    """Check whether a file is a table of any sort."""
    if holds_tables(path):
        return True
    return path.is_file() and (kind_of(path) is not None or _object(path) is not None)


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Read scores from a table."""
    frame, kind = _table(path, settings)
    score_notes = read_notes(path) if kind is Kind.PARQUET else None
    return scores_of_frame(frame, settings, str(path), typed=kind in _TYPED, score_notes=score_notes)


def scores_of_frame(
    frame: pl.DataFrame,
    settings: ReadingSettings,
    where: str,
    *,
    typed: bool = True,
    score_notes: ScoreNotes | None = None,
) -> LogScores:
    """Read scores from a frame exactly as from a file that holds it.

    One without a column of models holds the scores of the model that its file is called after.
    """
    if frame.is_empty():
        raise InputError(
            "this table has no rows", where=where, next_step="Give one with a row for each answer or item"
        )
    named = settings.columns or {}
    frame, layout = layout_of(frame, settings, where)
    long, cells = _long(frame, layout, settings, where)
    long, question, item = _with_questions(long, layout, named)
    # What items ask and what was answered sorts none of them.
    asked = set(text_columns(long.columns).values()) - set(FIXED) - set(named)
    labels = [] if layout.models else [c for c in LABELS if c in long.columns and is_number(long[c])]
    others = [c for c in long.columns if c not in (*FIXED, *labels, *named, *asked, ASKS)]
    numbers = [c for c in others if is_number(long[c]) and not (typed and long[c].dtype == pl.String)]
    if settings.right is not None and settings.right.lower() not in [c.words and c.words[0] for c in cells]:
        raise UsageError(
            f"{option('right', settings.right)}, but no column of scores holds that and one other value",
            where=where,
        )
    notes = [*_notes_on_layout(layout, settings, where)]
    # What this program wrote it knows.
    if score_notes in (None, ScoreNotes()) and (unused := [c for c in numbers if not is_unnamed(c)]):
        columns, are = ("column", "is") if len(unused) == 1 else ("columns", "are")
        notes.append(
            f"the {columns} of numbers {', '.join(map(repr, unused))} {are} left out; to group items by such "
            f"a column, name it with {option('columns', '…')}."
        )
    notes += notes_on_cells(cells)
    if blank := int((long["missing"] == "unknown").sum()) if "missing" in long.columns else 0:
        are = f"of {long.height} scores {'is' if blank == 1 else 'are'}"
        notes.append(f"{blank} {are} blank without a cause, counted as missing (unknown).")
    long, summaries = _without_summary_rows(long.drop(*asked, *numbers))
    strata = [c for c in others if c in long.columns and long[c].dtype == pl.String]
    models = {str(model).strip().casefold() for model in long["model"].drop_nulls().unique()}
    outcomes = [c for c in strata if not models.isdisjoint(map(str.casefold, long[c].drop_nulls().unique()))]
    because = "because its values name models. To group them by it"
    notes += summaries
    notes += [f"items are not grouped by {c!r}, {because}: {option('columns', {c: c})}." for c in outcomes]
    scored = [layout.metric] if layout.metric else list(layout.models) or [named.get("score", layout.score)]
    return LogScores(
        long.drop(outcomes),
        tuple(f"{Path(where).name}: {note}" for note in notes),
        score_notes=score_notes or ScoreNotes(),
        metric=scored[0] if len(scored) == 1 or all(map(is_less_better, scored)) else None,
        metrics=tuple(scored) if len(scored) == 1 and names_metric(scored[0]) else (),
        scores_per_row=len(layout.models) or 1,
        question=question,
        item=item,
    )


def texts(path: Path, settings: ReadingSettings) -> RowTexts[Any]:
    """The columns that are called like texts (`column_names.TEXTS`); of a table in a run, what the run keeps.

    A column that names the items is no question beside them.
    """
    if path.name == SCORES and (path.parent / ITEMS).is_file():
        return run_texts(path.parent)
    frame, layout = layout_of(_table(path, settings)[0], settings, str(path))
    used = (layout.model, layout.item, layout.score, *layout.models)
    columns = text_columns([name for name in frame.columns if name not in used])
    models = pl.lit(settings.name or _called_after(str(path)))
    if layout.models:
        # Each model has a column of scores, and none of answers.
        models, columns = pl.lit(""), {k: name for k, name in columns.items() if k != "response"}
    elif layout.model is not None:
        models = pl.col(layout.model).cast(pl.String).fill_null("")
    rows = frame.select(models.alias("model"), **{text: pl.col(name) for text, name in columns.items()})
    items: Iterable[str | None] = layout.item_names(frame).cast(pl.String) if columns else []
    return RowTexts(
        ((item, row) for row, item in enumerate(items) if item is not None),
        lambda row: Answered.of((texts := rows.row(row, named=True))["model"], texts, {}),
    )


def _table(path: Path, settings: ReadingSettings) -> tuple[pl.DataFrame, Kind]:
    kind = kind_of(path)
    columns = _object(path) if kind in (None, Kind.JSON_LINES) else None
    if columns is not None:
        return pl.DataFrame([column(name, values) for name, values in columns.items()]), Kind.JSON
    if kind is None:
        raise InputError(
            "this is not a table", where=path, next_step="Expected Parquet, CSV, TSV, JSON or JSON Lines"
        )
    frame = read_table(path, kind, [*(settings.columns or {}).values(), *settings.models])
    is_one_object = kind is Kind.JSON_LINES and frame.height == 1 and "score" not in frame.columns
    if is_one_object and not settings.columns:
        raise InputError(
            "this is one JSON object, and no table of scores",
            where=path,
            next_step="Write one object for each score, a line each, with model, item and score",
        )
    return frame, kind


def _object(path: Path) -> Mapping[str, Sequence[Any]] | None:
    """The columns of one JSON object: a list for each, or names beside rows, as of W&B; None of another."""
    text = (head_text(path) or "").lstrip()
    try:
        whole = read_object(path) if text.startswith("{") and "[" in text else {}
    except InputError:
        return None
    names, rows = whole.get("columns"), whole.get("data")
    if isinstance(names, list) and isinstance(rows, list):
        fits = all(isinstance(row, list) and len(row) == len(names) for row in rows)
        return {str(name): [row[i] for row in rows] for i, name in enumerate(names)} if fits else None
    lengths = {len(values) if isinstance(values, list) else -1 for values in whole.values()}
    return whole if len(whole) > 1 and len(lengths) == 1 and lengths.pop() > 1 else None


def _called_after(where: str) -> str:
    return Path(where).name.partition(".")[0] or "scores"


def _long(
    frame: pl.DataFrame, layout: Layout, settings: ReadingSettings, where: str
) -> tuple[pl.DataFrame, list[Cells]]:
    """Give each score a row of its own, with our names, and the columns that go with it."""
    named = settings.columns or {}
    used = [layout.model, layout.item, layout.score, *layout.models, layout.replicate]
    used += ["model", "item", "score", "missing"]
    others = [c for c in frame.columns if c not in used and not (layout.models and is_unnamed(c))]
    columns = dict(layout.models)
    if not columns:
        scores = frame[layout.score].alias(named.get("score", layout.score))
        cells = read_cells(scores, with_right([scores], settings.right))
        columns[layout.score], errors = _with_causes(frame, cells, settings, where, used)
        others = [c for c in others if c != errors]
    for scored, cells in columns.items():
        if cells.wrong.any():
            raise refuse_cell(frame[scored].alias(cells.scores.name), cells, where)
    model = pl.lit(settings.name or _called_after(where)) if layout.model is None else pl.col(layout.model)
    rows = [
        frame.select(
            pl.int_range(pl.len()).alias(_ROW),
            (pl.lit(scored) if layout.models else model).alias("model"),
            layout.item_names(frame),
            cells.scores.alias("score"),
            *([cells.causes.alias("missing")] if cells.causes.count() or "missing" in frame.columns else []),
            *([] if layout.replicate is None else [_as_numbers(frame[layout.replicate])]),
            *others,
        )
        for scored, cells in columns.items()
    ]
    long = pl.concat(rows, how="diagonal_relaxed").sort(_ROW, maintain_order=True).drop(_ROW)
    texts = [c for c in ("model", "item") if long[c].dtype == pl.String]
    long = long.with_columns(pl.col(texts).str.strip_chars())
    if not layout.models:
        _check_rows(long, named, where)
    ordered = [*(name for name in FIXED if name in long.columns), *(c for c in others if c not in FIXED)]
    return long.select(_plain(long[name], named) for name in ordered), list(columns.values())


def _with_causes(
    frame: pl.DataFrame, cells: Cells, settings: ReadingSettings, where: str, used: Sequence[str | None]
) -> tuple[Cells, str | None]:
    """Take from a column of errors why scores are missing; a failed row that has a score is asked about.

    Of a column that the user named ``missing``, a row with an error has no score.
    """
    named = settings.columns or {}
    if "missing" in frame.columns:
        is_ours = named.get("missing", "missing") == "missing"
        if is_ours and frame["missing"].dtype.is_nested():
            raise InputError(f"the column 'missing' holds {frame['missing'].dtype}, not texts", where=where)
        causes = frame["missing"].cast(pl.String) if is_ours else _causes(frame["missing"], named["missing"])
        scores = cells.scores if is_ours else cells.scores.set(causes.is_not_null(), None)
        return replace(cells, scores=scores, causes=causes.fill_null(cells.causes)), None
    name = next((n for n in frame.columns if written(n) in _ERRORS and n not in named), None)
    if name is None:
        texts = text_columns(frame.columns)
        no_outcome = {*FIXED, *named, *used, texts.get("question"), texts.get("expected")}
        others = [n for n in frame.columns if n not in no_outcome]
        failed = {n: _causes(frame[n], n, only_known=True) for n in others}
    else:
        failed = {name: _causes(frame[name], name)}
    for source, causes in failed.items():
        scored = causes.is_not_null() & cells.scores.is_not_null()
        if scored.any() and (source == name or _count_as_lowest(scored, cells.scores)):
            raise InputError(
                f"{scored.sum()} of {frame.height} rows have a score, and {source!r} says that they failed, "
                f"such as {str(frame[source].filter(scored).to_list()[0])[:60]!r}",
                where=where,
                next_step=f"If these are no scores: {option('columns', {**named, 'missing': source})}; if "
                f"they are: {option('columns', {**named, source: source})}",
            )
    return (cells if name is None else replace(cells, causes=failed[name].fill_null(cells.causes))), name


def _count_as_lowest(failed: pl.Series, scores: pl.Series) -> bool:
    """Whether all failed calls, and they are few, have the lowest score."""
    return 2 * int(failed.sum()) < len(failed) and bool((scores.filter(failed) == scores.min()).all())


def _causes(errors: pl.Series, name: str, *, only_known: bool = False) -> pl.Series:
    """Why calls failed, by a column of their errors; null where it names none.

    In one that says something of most rows, as a status does, only what says a failure is one.
    """
    if errors.dtype.is_nested():
        messages = [str(of_row) if of_row else None for of_row in errors.to_list()]
        errors = pl.Series(messages, dtype=pl.String)
    texts, words = errors.cast(pl.String).str.strip_chars(), written(name).replace("_", " ")
    failed = texts.is_not_null() & ~texts.str.to_lowercase().is_in(_NO_ERROR)
    if only_known or (written(name) not in _ERRORS and 2 * int(failed.sum()) > len(texts)):
        failed &= failed_calls(words, texts)
    texts = texts.set(~failed, None)
    causes = {
        text: text if text is None or text in CAUSES else cause_of(f"{words}: {text.casefold()}")
        for text in texts.unique()
    }
    return texts.replace_strict(causes, return_dtype=pl.String)


def _with_questions(
    long: pl.DataFrame, layout: Layout, named: Mapping[str, str]
) -> tuple[pl.DataFrame, str, str]:
    """Add what each item asks, where another column names it; see `LogScores.question`."""
    column, name = text_columns(long.columns).get("question"), named.get("item", layout.item)
    if column is None or name is None or "question" in text_columns([name]):
        return long, "", ""
    texts = long[column]
    if texts.dtype.is_nested():
        asks = pl.Series([asked(text) for text in texts.to_list()], dtype=pl.String)
    else:
        texts = texts.cast(pl.String)
        asks = texts.replace_strict({text: asked(text) for text in texts.unique()}, return_dtype=pl.String)
    return long.with_columns(asks.alias(ASKS)), column, name


def _check_rows(long: pl.DataFrame, named: Mapping[str, str], where: str) -> None:
    """Refuse rows without a model or an item, and repeated ones where a column tells them apart."""
    for name in ("model", "item"):
        if (blank := long[name].is_null()).any():
            raise InputError(
                f"{blank.sum()} of {long.height} rows have no {name}",
                where=f"{where}, row {(blank.arg_max() or 0) + 1}",
                next_step="Leave these rows out, or fill them in",
            )
    keys = [name for name in ("model", "item", "replicate", "grading") if name in long.columns]
    if not long.select(keys).is_duplicated().any():
        return
    for name in (c for c in long.columns if c not in (*FIXED, *named) and not long[c].dtype.is_nested()):
        is_telling = not long[name].has_nulls() and not long.select(*keys, name).is_duplicated().any()
        if is_telling and long[name].n_unique() < long.height:
            further, again = ({**named, role: name} for role in ("replicate", "grading"))
            raise InputError(
                f"models have several rows for one item, which {name!r} tells apart",
                where=where,
                next_step=f"If they are further answers: {option('columns', further)}; if one answer was "
                f"graded again: {option('columns', again)}",
            )


def _notes_on_layout(layout: Layout, settings: ReadingSettings, where: str) -> Iterable[str]:
    """Say how a table was read, and how to override it."""
    if layout.models:
        items = f"{layout.item!r} names the items"
        if layout.item is None:
            items = "the rows are numbered as items"
        elif not layout.item:
            items = "the column without a name names the items"
        models = list(layout.models)
        choice = wide_options(layout.item, models if few(models) == ", ".join(models) else ["…"])
        yield f"read as one column per model: {few(models)}; {items}. To choose otherwise: {choice}."
        return
    roles = {"model": "names the models", "item": "names the items", "score": "holds the scores"}
    columns = {"model": layout.model, "item": layout.item, "score": layout.score}
    others = {role: column for role, column in columns.items() if column and role != column}
    if others:
        parts = ", ".join(f"{column!r} {roles[role]}" for role, column in others.items())
        choice = option("columns", {**others, **(settings.columns or {})})
        yield f"{parts}. To choose otherwise: {choice}."
    if layout.replicate is not None:
        yield f"{layout.replicate!r} tells several answers to the same item apart: replicates."
    if layout.model is None and settings.name is None:
        yield f"no column names models; the model is {_called_after(where)!r} ({option('model', '…')})."
    if layout.model is not None and settings.name is not None:
        yield f"it names its models itself, so {option('model', settings.name)} is not used."


def _as_numbers(values: pl.Series) -> pl.Series:
    """Replicates as whole numbers: as they are, else by their places in ascending order, from 0."""
    values = values.str.strip_chars() if values.dtype == pl.String else values
    numbers = values.cast(pl.Int64, strict=False)
    is_whole = numbers.null_count() == 0 and (not values.dtype.is_float() or (numbers == values).all())
    return (numbers if is_whole else values.rank("dense").cast(pl.Int64) - 1).alias("replicate")


def _plain(values: pl.Series, named: Mapping[str, str]) -> pl.Series:
    """Text of whole numbers as such, and a stratum that is named as text."""
    if values.dtype == pl.String and FIXED.get(values.name) == pl.Int64:
        return _as_numbers(values).alias(values.name)
    is_named = values.name not in FIXED and values.name in named and not values.dtype.is_nested()
    return values.cast(pl.String) if is_named else values


# Rows that sum the others up, as spreadsheets have them at the foot: they are no items.


def _without_summary_rows(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Leave out the first and last rows that sum all others up for every model, and any that are labelled so.

    A label is such words alone, or the last rows have none.
    """
    if frame["item"].dtype.is_nested():
        return frame, []
    label = frame["item"].cast(pl.String).str.strip_chars(" \t:").fill_null("").str.to_lowercase()
    rows = frame.select("model", "score", label=label).filter(pl.col("score").is_finite())
    words = {text: [word.strip(".:*_()[]") for word in text.split()] for text in rows["label"].unique()}
    blank = rows.select((pl.col("label") == "").cast(pl.Int8).diff().over("model"))["label"]
    labels = [text for text in words if is_label(words[text]) or (text == "" and blank.min() != -1)]
    labels = _summaries(rows, labels, are_labelled=True)
    for end in (pl.Series.tail, pl.Series.head):
        rows = rows.filter(~pl.col("label").is_in(labels))
        blocks = [end(rows["label"].unique(maintain_order=True), n).to_list() for n in (3, 2, 1)]
        labels += next((block for block in blocks if len(_summaries(rows, block)) == len(block)), [])
    if not labels:
        return frame, []
    shown = ", ".join(repr(text) if text else "one without a name" for text in sorted(labels))
    rows_are = "a row that sums the others up is" if len(labels) == 1 else "rows that sum others up are"
    return frame.filter(~label.is_in(labels)), [f"{rows_are} left out: {shown}."]


def _summaries(rows: pl.DataFrame, labels: list[str], *, are_labelled: bool = False) -> list[str]:
    """Those of ``labels`` that no item may be: for every model the mean, percentage, sum or count of others.

    One of the scores is none that its model has elsewhere. With a label of summaries, any fraction sums up
    scores of 0 and 1; without one it takes ten others, and two models or such scores, or an item may be so by
    chance.
    """
    summing, summed = (rows.filter(pl.col("label").is_in(labels) == out) for out in (True, False))
    if summing["score"].is_in(summed["score"].implode()).all():
        return []
    others = {str(of["model"][0]): of["score"].to_numpy() for of in summed.partition_by("model")}
    are_binary = all(np.isin(scores, (0, 1)).all() for scores in others.values())
    summaries = []
    for of_label in summing.partition_by("label"):
        pairs = [(score, others[model]) for model, score, _ in of_label.iter_rows() if model in others]
        fits = bool(pairs) and all(_sums_up(score, of) for score, of in pairs)
        if are_labelled:
            fits |= are_binary and bool(of_label["label"][0])
        else:
            fits &= len(pairs) == len(others) and (are_binary or len(pairs) > 1)
            fits &= summed.height >= _ENOUGH * len(others)
        if fits and any(score not in of for score, of in pairs):
            summaries.append(of_label["label"][0])
    return summaries


def _sums_up(score: float, others: F64) -> bool:
    """Whether a score is the mean of others, the same in percent, their sum or their number."""
    digits = next((0.5 / 10**n for n in (0, 1) if round(score, n) == score), _ROUNDED)
    # Scores of 1e308 add up to more than a number holds.
    with np.errstate(over="ignore", invalid="ignore"):
        total, mean = others.sum(), others.mean()
        ways = ((mean, max(digits, _ROUNDED)), (100 * mean, digits), (total, 0.01 * abs(total)))
        return score == len(others) or any(abs(score - way) <= near for way, near in ways)
