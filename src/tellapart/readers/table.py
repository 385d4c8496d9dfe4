"""Anybody's table: one row a score, or one column a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import FIXED
from tellapart.errors import InputError, UsageError, option
from tellapart.files import read_object
from tellapart.files.columns import column
from tellapart.files.databases import holds_tables
from tellapart.files.tables import Kind, head_text, kind_of, read_table
from tellapart.readers.cells import Cells, is_number, notes_on_cells, read_cells, refuse_cell, with_right
from tellapart.readers.column_names import TEXTS, is_less_better, is_unnamed, text_columns
from tellapart.readers.outcomes import outcome_columns
from tellapart.readers.reader import LessIsBetter, LogScores, NoItemScores
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.summary_rows import without_summary_rows
from tellapart.readers.table_columns import (
    Layout,
    few,
    item_names,
    layout_of,
    named_columns,
    of_one_metric,
    wide_options,
    with_failures,
)
from tellapart.readers.texts import Answered, Texts, run_texts
from tellapart.store import read_frame, read_notes
from tellapart.store.item_texts import ITEMS
from tellapart.store.parts import is_parted
from tellapart.store.runs import SCORES

NAME = "table"

TAKES = ("columns", "models", "model", "right", "metric")

_DELIMITED = (Kind.COMMAS, Kind.TABS, Kind.SEMICOLONS)
_MODELS_SHOWN = 6
_AVERAGES = re.compile(r".*_results(?:_@\d+)?\.csv")
"""How sentence-transformers ends the names of the averages it writes; rerankers add a number."""


def recognises(path: Path) -> bool:
    """Check whether a file is a table of any sort."""
    if holds_tables(path) or is_parted(path):
        return True
    return path.is_file() and (kind_of(path) is not None or _object(path) is not None)


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Read scores from a table."""
    frame, kind = _table(path, settings)
    return scores_of_frame(
        frame,
        settings,
        str(path),
        typed=kind not in _DELIMITED,
        score_notes=read_notes(path) if kind is Kind.PARQUET else None,
        file_name=path.name.partition(".")[0],
    )


def scores_of_frame(
    frame: pl.DataFrame,
    settings: ReadingSettings,
    where: str,
    *,
    typed: bool = True,
    score_notes: ScoreNotes | None = None,
    file_name: str | None = None,
) -> LogScores:
    """Read scores from a frame exactly as from a file that holds it.

    One without a column of models holds the scores of the model that its file is called after.
    """
    if frame.is_empty():
        raise InputError("this table has no rows", where=where)
    name, columns = Path(where).name, settings.columns or {}
    frame = of_one_metric(named_columns(frame, columns, where), settings, where)
    layout = layout_of(frame, settings, where)
    if layout.models:
        long, cells = _by_model(frame, layout, where)
        notes = [_note_on_models(frame, layout, name)]
        scored = "score"
    else:
        long, cells, notes, scored = _by_row(frame, layout, settings, where, file_name)
    # What items ask and what was answered sorts none of them.
    long = long.drop(name for name in text_columns(long.columns).values() if name not in (*FIXED, *columns))
    # What this program wrote it knows.
    is_written_here = score_notes is not None and score_notes != ScoreNotes()
    numbers = [c for c in long.columns if c not in FIXED and c not in columns and is_number(long[c])]
    if not is_written_here and not layout.models:
        notes += _notes_on_unused(name, long.drop(FIXED, strict=False), numbers)
    if not typed or columns:
        long = long.drop(numbers)
    ordered = [
        *(name for name in FIXED if name in long.columns),
        *(c for c in long.columns if c not in FIXED),
    ]
    long = long.select(_plain(long[column], columns) for column in ordered)
    if settings.right is not None and not any(
        c.words and c.words[0] == settings.right.lower() for c in cells
    ):
        raise UsageError(
            f"{option('right', settings.right)}, but no column of scores holds that and one other value",
            where=where,
        )
    notes += notes_on_cells(name, cells)
    blank = long.filter(pl.col("missing") == "unknown").height if "missing" in long.columns else 0
    if blank:
        notes.append(
            f"{name}: {blank} of {long.height} scores {'is' if blank == 1 else 'are'} blank without a cause, "
            "counted as missing (unknown)."
        )
    long, summaries = without_summary_rows(long, name)
    strata = [
        c for c, kind in long.schema.items() if c not in FIXED and c not in columns and kind == pl.String
    ]
    outcomes = {} if score_notes else outcome_columns(long, strata)
    notes += summaries
    notes += [
        f"{name}: items are not grouped by {stratum!r}, because {reason}. To group them by it: "
        f"{option('columns', {stratum: stratum})}."
        for stratum, reason in outcomes.items()
    ]
    return LogScores(
        long.drop(outcomes),
        tuple(notes),
        score_notes=score_notes or ScoreNotes(),
        less_is_better=LessIsBetter(scored, is_negated=False) if is_less_better(scored) else None,
        scores_per_row=len(layout.models) or 1,
    )


def texts(path: Path, settings: ReadingSettings) -> Texts:
    """The columns that are called like texts (`column_names.TEXTS`); of a table in a run, what the run keeps.

    A column that names the items is no question beside them.
    """
    if path.name == SCORES and (path.parent / ITEMS).is_file():
        return run_texts(path.parent)
    frame = named_columns(_table(path, settings)[0], settings.columns or {}, str(path))
    frame = of_one_metric(frame, settings, str(path))
    layout = layout_of(frame, settings, str(path))
    used = (*layout.names.values(), *layout.models, layout.item)
    named = text_columns([name for name in frame.columns if name not in used])
    model = frame[layout.model] if layout.model else pl.lit(settings.name or path.name.partition(".")[0])
    if layout.models:
        # Each model has a column of scores, and none of answers.
        model, named = pl.lit(""), {text: name for text, name in named.items() if text != "response"}
    return _TableTexts(
        frame.select(
            item_names(frame, layout).cast(pl.String),
            model.cast(pl.String).alias("model"),
            **{text: pl.col(name) for text, name in named.items()},
        )
    )


class _TableTexts:
    """Rows of a table with columns ``item``, ``model``, and those of `column_names.TEXTS` that it has."""

    def __init__(self, frame: pl.DataFrame) -> None:
        has_texts = not set(TEXTS).isdisjoint(frame.columns)
        self._frame = frame.sort("item", maintain_order=True) if has_texts else frame.clear()
        runs = self._frame["item"].rle().struct.unnest()
        starts = runs["len"].cum_sum() - runs["len"]
        self._places = dict(zip(runs["value"], zip(starts, runs["len"], strict=True), strict=True))

    @property
    def items(self) -> Iterable[str]:
        return [item for item in self._places if item is not None]

    def of(self, item: str) -> list[Answered]:
        start, length = self._places.get(item, (0, 0))
        rows = self._frame.slice(start, length).rows(named=True)
        return [Answered.of(row["model"] or "", row, {}) for row in rows]


def _table(path: Path, settings: ReadingSettings) -> tuple[pl.DataFrame, Kind]:
    if is_parted(path):
        return read_frame(path), Kind.PARQUET
    _refuse_averages(path)
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


def is_averages(path: Path) -> bool:
    """Check whether a file holds averages that an evaluator of sentence-transformers wrote."""
    return (
        bool(_AVERAGES.fullmatch(path.name))
        and path.is_file()
        and (head_text(path) or "").startswith("epoch,steps,")
    )


def _refuse_averages(path: Path) -> None:
    """Refuse averages."""
    if is_averages(path):
        raise NoItemScores(
            "this file of sentence-transformers holds the averages of evaluations, and no scores of items",
            where=path,
            next_step="Wrap the evaluator, tellapart.integrations.sentence_transformers.PerQuery(evaluator), "
            "and give the per_query_*.parquet that it writes beside this file",
        )


def _by_model(frame: pl.DataFrame, layout: Layout, where: str) -> tuple[pl.DataFrame, list[Cells]]:
    """Give each score of a table with one column a model a row of its own."""
    row = "row of the wide table"
    others = [name for name in layout.others if name != layout.replicate]
    replicate = [] if layout.replicate is None else [_as_numbers(frame[layout.replicate])]
    parts = []
    for model, cells in layout.models.items():
        parts.append(
            frame.select(
                pl.int_range(pl.len()).alias(row),
                pl.lit(model).alias("model"),
                item_names(frame, layout),
                *_scores(frame[model], cells, where),
                *replicate,
                *others,
            )
        )
    long = pl.concat(parts, how="diagonal_relaxed").sort(row, maintain_order=True).drop(row)
    return long, list(layout.models.values())


def _by_row(
    frame: pl.DataFrame, layout: Layout, settings: ReadingSettings, where: str, file_name: str | None
) -> tuple[pl.DataFrame, list[Cells], list[str], str]:
    """Give the columns of a table with one row a score our names; with notes, and the name of the scores."""
    name, columns = Path(where).name, settings.columns or {}
    ours_of = {theirs: ours for ours, theirs in layout.names.items()}
    notes: list[str] = []
    if any(ours != theirs for ours, theirs in layout.names.items()):
        notes.append(_note_on_names(name, layout.names, columns))
    long = with_failures(frame.rename(ours_of), settings, where)
    texts = [n for n in ("model", "item") if n in long.columns and long[n].dtype == pl.String]
    long = long.with_columns(pl.col(texts).str.strip_chars())
    _check_rows(long, layout, columns, where)
    if layout.replicate is not None:
        notes.append(
            f"{name}: {layout.replicate!r} tells several answers to the same item apart: replicates."
        )
        long = long.with_columns(_as_numbers(long[layout.replicate])).drop(layout.replicate)
    if layout.model is None:
        model = settings.name or file_name or "scores"
        long = long.with_columns(model=pl.lit(model))
        if settings.name is None:
            notes.append(f"{name}: no column names models; the model is {model!r} ({option('model', '…')}).")
    elif settings.model:
        unused = option("model", settings.name)
        notes.append(f"{name} names its models itself, so {unused} is not used.")
    scored = columns.get("score", layout.names["score"])
    cells = read_cells(long["score"], with_right([long["score"]], settings.right))
    score, *missing = _scores(long["score"].alias(scored), cells, where)
    if missing and "missing" in long.columns:
        missing = [pl.select(pl.coalesce(long["missing"].cast(pl.String), *missing)).to_series()]
    return long.with_columns(score, *missing), [cells], notes, scored


def _check_rows(long: pl.DataFrame, layout: Layout, columns: Mapping[str, str], where: str) -> None:
    """Refuse rows without a model or an item, and repeated ones where a column tells them apart."""
    for name in ("model", "item"):
        if name in long.columns and (blank := long[name].is_null()).any():
            row = (blank.arg_max() or 0) + 1
            raise InputError(
                f"{blank.sum()} of {long.height} rows have no {name}",
                where=f"{where}, row {row}",
                next_step="Leave these rows out, or fill them in",
            )
    keys = [name for name in ("model", "item", "replicate", "grading") if name in long.columns]
    if layout.replicate is not None or not long.select(keys).is_duplicated().any():
        return
    free = [
        name for name in long.columns if name not in (*FIXED, *columns) and not long[name].dtype.is_nested()
    ]
    telling = [n for n in free if not long[n].has_nulls() and not long.select(*keys, n).is_duplicated().any()]
    few_kinds = [name for name in telling if long[name].n_unique() < long.height]
    if few_kinds:
        named = {**columns, "replicate": few_kinds[0]}
        raise InputError(
            f"models have several rows for one item, which {few_kinds[0]!r} tells apart",
            where=where,
            next_step=f"If they are further answers: {option('columns', named)}; if one answer was graded "
            f"again: {option('columns', {**columns, 'grading': few_kinds[0]})}",
        )


def _scores(values: pl.Series, cells: Cells, where: str) -> list[pl.Series]:
    """The scores, and why some are missing where some are."""
    if cells.wrong.any():
        raise refuse_cell(values, cells, where)
    missing = [cells.causes.alias("missing")] if cells.causes.is_not_null().any() else []
    return [cells.scores.alias("score"), *missing]


def _note_on_models(frame: pl.DataFrame, layout: Layout, name: str) -> str:
    """Say how a table with one column a model was read, and how to override it."""
    items = "the rows are numbered as items" if layout.item is None else f"{layout.item!r} names the items"
    if layout.item == "":
        items = "the column without a name names the items"
    parts = [f"read as one column per model: {few(list(layout.models))}", items]
    strata = [c for c in layout.others if c not in FIXED and frame[c].n_unique() < frame.height]
    if strata:
        parts.append(f"strata: {', '.join(strata)}")
    if layout.left_out:
        parts.append(f"numbers left out: {', '.join(layout.left_out)}")
    models = list(layout.models) if len(layout.models) <= _MODELS_SHOWN else ["…"]
    return f"{name}: {'; '.join(parts)}. To choose otherwise: {wide_options(layout.item, models)}."


def _note_on_names(name: str, names: Mapping[str, str], columns: Mapping[str, str]) -> str:
    roles = {"model": "names the models", "item": "names the items", "score": "holds the scores"}
    parts = [f"{theirs!r} {roles[ours]}" for ours, theirs in names.items() if ours != theirs]
    named = {ours: theirs for ours, theirs in names.items() if ours != theirs} | dict(columns)
    return f"{name}: {', '.join(parts)}. To choose otherwise: {option('columns', named)}."


def _notes_on_unused(name: str, others: pl.DataFrame, numbers: Sequence[str]) -> list[str]:
    """List the columns that sort no items though they could: numbers, and those of one value and gaps."""
    notes = [
        f"{name}: the column {values.name!r} holds {kinds[0]!r} or nothing, so items are not grouped by it."
        for values in others
        if values.name not in numbers and values.has_nulls() and not values.dtype.is_nested()
        if len(kinds := values.drop_nulls().unique()) == 1
    ]
    unused = [column for column in numbers if not is_unnamed(column)]
    if unused:
        columns, are = ("column", "is") if len(unused) == 1 else ("columns", "are")
        notes.append(
            f"{name}: the {columns} {', '.join(map(repr, unused))} {are} of numbers and left out; to group "
            f"items by such a column, name it with {option('columns', '…')}."
        )
    return notes


def _as_numbers(values: pl.Series) -> pl.Series:
    """Replicates as whole numbers: as they are, else by their places in ascending order, from 0."""
    numbers = values.cast(pl.Int64, strict=False)
    is_whole = numbers.null_count() == 0 and (not values.dtype.is_float() or (numbers == values).all())
    return (numbers if is_whole else values.rank("dense").cast(pl.Int64) - 1).alias("replicate")


def _plain(values: pl.Series, named: Mapping[str, str]) -> pl.Series:
    """Text of whole numbers as such, and a stratum that is named as text."""
    name = values.name
    if values.dtype != pl.String:
        is_stratum = name not in FIXED and name in named and not values.dtype.is_nested()
        return values.cast(pl.String) if is_stratum else values
    if FIXED.get(name) == pl.Int64:
        return _as_numbers(values.str.strip_chars()).alias(name)
    return values
