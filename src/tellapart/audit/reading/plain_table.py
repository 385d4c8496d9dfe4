"""Anybody's table: which of its columns are ours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote

import polars as pl

from tellapart.audit.reading.cells import (
    Cells,
    is_number,
    notes_on_cells,
    read_cells,
    refuse_cell,
    with_right,
)
from tellapart.audit.reading.column_names import (
    TEXTS,
    is_about_items,
    is_less_better,
    is_unnamed,
    likely_columns,
    text_columns,
)
from tellapart.audit.reading.evaluator_averages import refuse_averages
from tellapart.audit.reading.nested import paths_in, value_at
from tellapart.audit.reading.outcomes import outcome_columns
from tellapart.audit.reading.reader import Choices, LessIsBetter, LogScores
from tellapart.audit.reading.replicates import as_numbers, distinguishing, replicate_column
from tellapart.audit.reading.summary_rows import without_summary_rows
from tellapart.audit.reading.texts import Answered, Texts, run_texts
from tellapart.audit.reading.wide_table import WideLayout, item_names, note_on_layout, to_long, wide_layout
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import FIXED
from tellapart.errors import InputError, UsageError, near_match
from tellapart.files.tables import Kind, kind_of, read_table
from tellapart.store import read_frame, read_notes
from tellapart.store.item_texts import ITEMS
from tellapart.store.parts import is_parted
from tellapart.store.runs import SCORES

NAME = "table"

TAKES = ("columns", "wide", "model", "right")

_DELIMITED = (Kind.COMMAS, Kind.TABS, Kind.SEMICOLONS)

_NEEDED = ("model", "item", "score")


def recognises(path: Path) -> bool:
    """Check whether a file is a table of any sort."""
    return (path.is_file() and kind_of(path) is not None) or is_parted(path)


def read(path: Path, choices: Choices) -> LogScores:
    """Read scores from a table."""
    frame, kind = _table(path, choices)
    return scores_of_frame(
        frame,
        choices,
        str(path),
        typed=kind not in _DELIMITED,
        score_notes=read_notes(path) if kind is Kind.PARQUET else None,
        file_name=path.stem,
    )


def texts(path: Path, choices: Choices) -> Texts:
    """The columns that are called like texts (`column_names.TEXTS`); of a table in a run, what the run keeps.

    A column that names the items is no question beside them.
    """
    if path.name == SCORES and (path.parent / ITEMS).is_file():
        return run_texts(path.parent)
    frame, _ = _table(path, choices)
    columns, where = choices.columns or {}, str(path)
    is_long = choices.model is not None or not columns.keys().isdisjoint(_NEEDED)
    layout = None
    if choices.wide is not None or not is_long:
        layout = wide_layout(frame, choices.wide, where, columns.values(), choices.right)
    if layout is None:
        if is_of_one_model(frame, choices):
            choices = replace(choices, model=path.stem)
        ours, _ = _named(frame, choices, where)
        items = ours["item"]
    else:
        # Each model has a column of scores, and none of answers.
        ours = {name: frame[name] for name in layout.others + layout.left_out}
        items = item_names(frame, layout)
    named = text_columns([name for name in ours if name not in _NEEDED])
    models = ours.get("model", pl.Series([choices.model or ""] * frame.height, dtype=pl.String))
    return _TableTexts(
        pl.DataFrame(
            {
                "item": items.cast(pl.String),
                "model": models.cast(pl.String),
                **{text: ours[name] for text, name in named.items()},
            }
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


def _table(path: Path, choices: Choices) -> tuple[pl.DataFrame, Kind]:
    if is_parted(path):
        return read_frame(path), Kind.PARQUET
    refuse_averages(path)
    kind = kind_of(path)
    if kind is None:
        raise InputError(
            "this is not a table",
            where=path,
            next_step="Expected Parquet, CSV, TSV or JSON Lines with --columns",
        )
    frame = read_table(path, kind, list((choices.columns or {}).values()))
    if kind is Kind.JSON_LINES and frame.height == 1 and not choices.columns and "score" not in frame.columns:
        raise InputError(
            "this is one JSON object, and no table of scores",
            where=path,
            next_step="Write one object for each score, a line each, with model, item and score",
        )
    return frame, kind


def scores_of_frame(
    frame: pl.DataFrame,
    choices: Choices,
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
    columns = choices.columns or {}
    is_long = choices.model is not None or not columns.keys().isdisjoint(_NEEDED)
    if choices.wide is not None or not is_long:
        layout = wide_layout(frame, choices.wide, where, columns.values(), choices.right)
        if layout is not None:
            return _wide_scores(frame, layout, choices, where, typed=typed)
    is_after_file = file_name is not None and is_of_one_model(frame, choices)
    if is_after_file:
        choices = replace(choices, model=file_name)
    written_here = score_notes is not None and score_notes != ScoreNotes()
    long, notes, scored = _ours(frame, choices, where, typed=typed, written_here=written_here)
    if is_after_file:
        notes.append(f"{Path(where).name}: no column names models; the model is {file_name!r} (--model).")
    less = LessIsBetter(scored, is_negated=False) if is_less_better(scored) else None
    return replace(_scores(long, choices, where, notes, scored, score_notes), less_is_better=less)


def _wide_scores(
    frame: pl.DataFrame, layout: WideLayout, choices: Choices, where: str, *, typed: bool
) -> LogScores:
    columns, name = choices.columns or {}, Path(where).name
    fixed = [ours for ours in _NEEDED if ours in columns]
    if fixed or choices.model:
        named = f"--columns {fixed[0]}=…" if fixed else "--model"
        raise UsageError(
            f"{named} does not go with --wide, under which each column of scores is a model",
            next_step="Leave one of them out",
        )
    long = to_long(frame, layout, where)
    others = {
        column: columns.get(column, column)
        for column in long.columns
        if column not in columns.values() and column != layout.replicate
    }
    long, notes, _ = _ours(
        long, replace(choices, columns={**others, **columns}, wide=None), where, typed=typed
    )
    scores = _scores(long, replace(choices, right=None), where, notes, "score")
    layout_note = note_on_layout(frame, layout, scores.frame.columns, name)
    cells = list(layout.models.values())
    _check_right(choices, cells, where)
    return replace(
        scores,
        notes=(layout_note, *notes_on_cells(name, cells), *scores.notes),
        scores_per_row=len(layout.models),
    )


def _ours(
    frame: pl.DataFrame, choices: Choices, where: str, *, typed: bool, written_here: bool = False
) -> tuple[pl.DataFrame, list[str], str]:
    """Give the columns that are taken our names, with notes on those that are not, and that of the scores.

    A table ``written_here``, by this program, needs no notes: what its other columns are for is known.
    """
    name, columns = Path(where).name, choices.columns or {}
    values, by_name = _named(frame, choices, where)
    notes = [_note_on_names(name, by_name, columns)] if by_name else []
    rest = [ours for ours in values if ours not in columns]
    repeated = replicate_column(pl.DataFrame(list(values.values())), rest)
    if repeated is not None:
        values["replicate"] = as_numbers(values.pop(repeated)).alias("replicate")
        notes.append(f"{name}: {repeated!r} tells several answers to the same item apart: replicates.")
    numbers = [
        ours for ours in values if ours not in FIXED and ours not in columns and is_number(values[ours])
    ]
    if not written_here:
        notes += _unused_columns(name, {ours: values[ours] for ours in values if ours not in FIXED}, numbers)
    if not typed or columns:
        values = {ours: column for ours, column in values.items() if ours not in numbers}
    taken = pl.DataFrame([_plain(column, ours, choices) for ours, column in values.items()])
    if choices.model and "model" not in values:
        taken = taken.with_columns(pl.lit(choices.model).alias("model"))
    elif choices.model:
        notes.append(f"{name} names its models itself, so --model {choices.model} is not used.")
    return taken, notes, {**by_name, **columns}.get("score", "score")


def _named(frame: pl.DataFrame, choices: Choices, where: str) -> tuple[dict[str, pl.Series], dict[str, str]]:
    """All columns by our names and else by theirs; and which of ours were chosen by their names."""
    columns = choices.columns or {}
    values = {ours: _column(theirs, ours, where, frame) for ours, theirs in columns.items()}
    for other in frame.columns:
        if other not in values and other not in columns.values():
            values[other] = frame[other]
    absent = [ours for ours in _NEEDED if ours not in values and not (ours == "model" and choices.model)]
    by_name = _by_name(absent, frame, choices)
    if by_name:
        ours_of = {theirs: ours for ours, theirs in by_name.items()}
        renamed = (series.alias(ours_of.get(column, column)) for column, series in values.items())
        values = {series.name: series for series in renamed}
    elif absent:
        _refuse(absent, where, frame, choices)
    return values, by_name


def _column(theirs: str, ours: str, where: str, frame: pl.DataFrame) -> pl.Series:
    values = value_at(frame, theirs)
    if values is None:
        raise InputError(
            f"there is no column {theirs!r} for {ours!r}",
            where=where,
            next_step=near_match(theirs, paths_in(frame)),
        )
    return values.alias(ours)


def _scores(
    frame: pl.DataFrame,
    choices: Choices,
    where: str,
    notes: Sequence[str],
    scored: str,
    score_notes: ScoreNotes | None = None,
) -> LogScores:
    """Read the column of scores; one that is blank without a stated cause is missing for an unknown cause.

    Columns that are outcomes of the scores are left out, unless the user or a suite has ``named`` them.
    """
    name, named = Path(where).name, choices.columns or {}
    notes, cells = list(notes), read_cells(frame["score"], with_right([frame["score"]], choices.right))
    if cells.wrong.any():
        raise refuse_cell(frame["score"].alias(scored), cells, where)
    _check_right(choices, [cells], where)
    notes += notes_on_cells(name, [cells])
    stated = frame["missing"] if "missing" in frame.columns else pl.Series([None] * frame.height)
    causes = cells.causes.set(stated.is_not_null(), None)
    frame = frame.with_columns(cells.scores.alias("score"))
    if causes.is_not_null().any():
        frame = frame.with_columns(missing=pl.coalesce(causes, stated.cast(pl.String)))
    unknown = int((causes == "unknown").sum())
    if unknown:
        notes.append(
            f"{name}: {unknown} of {frame.height} scores {'is' if unknown == 1 else 'are'} blank without a "
            "cause, counted as missing (unknown)."
        )
    frame, summaries = without_summary_rows(frame, name)
    strata = [
        column
        for column, kind in frame.schema.items()
        if column not in FIXED and column not in named and kind == pl.String
    ]
    outcomes = {} if score_notes else outcome_columns(frame, strata)
    left_out = [
        f"{name}: items are not grouped by {column!r}, because {reason}. To group them by it: --columns "
        f"{quote(column)}."
        for column, reason in outcomes.items()
    ]
    notes += [*summaries, *left_out]
    return LogScores(frame.drop(outcomes), tuple(notes), score_notes=score_notes or ScoreNotes())


def _check_right(choices: Choices, cells: Sequence[Cells], where: str) -> None:
    """Refuse a word for right that no column of scores holds beside one other."""
    right = choices.right
    if right is not None and not any(c.words and c.words[0] == right.casefold() for c in cells):
        raise UsageError(
            f"--right is {right!r}, but no column of scores holds that and one other value", where=where
        )


def _unused_columns(name: str, others: Mapping[str, pl.Series], numbers: list[str]) -> list[str]:
    """List the columns that sort no items though they could: numbers, and those of one value and gaps."""
    notes = [
        f"{name}: the column {column!r} holds {kinds[0]!r} or nothing, so items are not grouped by it."
        for column, values in others.items()
        if column not in numbers and values.has_nulls() and not values.dtype.is_nested()
        if len(kinds := values.drop_nulls().unique()) == 1
    ]
    numbers = [column for column in numbers if not is_unnamed(column)]
    if numbers:
        columns, are = ("column", "is") if len(numbers) == 1 else ("columns", "are")
        notes.append(
            f"{name}: the {columns} {', '.join(map(repr, numbers))} {are} of numbers and left out; to group "
            "items by such a column, name it with --columns."
        )
    return notes


def _by_name(absent: Sequence[str], frame: pl.DataFrame, choices: Choices) -> dict[str, str]:
    """The columns that are ours under other names; empty where names leave a doubt, or nothing is absent.

    One column alone may have a name for models, and one for scores. Of several names for items the likeliest
    is taken by which every model has one row per item, and models share items.
    """
    chosen = {ours: ours for ours in _NEEDED if ours in frame.columns} | dict(choices.columns or {})
    for ours in [ours for ours in ("model", "score") if ours in absent]:
        likely = likely_columns(ours, _candidates(ours, frame, chosen))
        if len(likely) != 1:
            return {}
        chosen[ours] = likely[0]
    if "item" in absent:
        of_model = [chosen[ours] for ours in ("model", "replicate", "grading") if ours in chosen]
        of_model += [
            ours for ours in ("replicate", "grading") if ours in frame.columns and ours not in chosen
        ]
        items = likely_columns("item", _candidates("item", frame, chosen))
        item = next((name for name in items if _names_items(frame, name, chosen, of_model)), None)
        if item is None:
            return {}
        chosen["item"] = item
    return {ours: chosen[ours] for ours in absent}


def is_of_one_model(frame: pl.DataFrame, choices: Choices) -> bool:
    """Whether a table holds one score for each item and nothing that could name several models."""
    columns = choices.columns or {}
    if choices.model is not None or "model" in columns or "model" in frame.columns:
        return False
    if any(frame[name].is_duplicated().any() for name in likely_columns("model", frame.columns)):
        return False
    absent = [ours for ours in ("item", "score") if ours not in columns and ours not in frame.columns]
    chosen = _by_name(absent, frame, choices)
    items = value_at(frame, {**columns, **chosen}.get("item", "item"))
    return len(chosen) == len(absent) and items is not None and not items.is_duplicated().any()


def _names_items(frame: pl.DataFrame, name: str, chosen: Mapping[str, str], of_model: Sequence[str]) -> bool:
    """Whether no model has an item twice, but for replicates, and some item is of two of several models."""
    keys = [*of_model, name]
    if not set(keys) <= set(frame.columns):
        return False
    free = [other for other in frame.columns if other not in (*chosen.values(), name)]
    if frame.select(keys).is_duplicated().any() and distinguishing(frame, keys, free) is None:
        return False
    return not of_model or frame[of_model[0]].n_unique() == 1 or frame[name].n_unique() < frame.height


def _note_on_names(name: str, by_name: Mapping[str, str], columns: Mapping[str, str]) -> str:
    roles = {"model": "names the models", "item": "names the items", "score": "holds the scores"}
    parts = [f"{theirs!r} {roles[ours]}" for ours, theirs in by_name.items()]
    return f"{name}: {', '.join(parts)}. To choose otherwise: --columns {_option({**by_name, **columns})}."


def _refuse(absent: list[str], where: str, frame: pl.DataFrame, choices: Choices) -> None:
    names = paths_in(frame)
    shown = ", ".join(names[:30]) + (", …" if len(names) > 30 else "")
    example = _example(frame, choices)
    unclear = [ours for ours in _NEEDED if ours not in example and ours in absent]
    if absent == ["model"]:
        named = {"model": example.get("model", "…"), **(choices.columns or {})}
        steps = [
            "If all scores belong to one model, give --model NAME; else name the column of models: "
            f"--columns {_option(named)}"
        ]
    elif not unclear:
        scores = likely_columns("score", _candidates("score", frame, example))
        others = [f"score={other}" for other in scores]
        which = f", or {' or '.join(others)}" if "score" in absent and others else ""
        steps = [f"Name the columns, such as --columns {_option(example)}{which}"]
    else:
        named = {ours: example.get(ours, "…") for ours in _NEEDED}
        steps = [f"Name the columns: --columns {_option(named)}; it is unclear which is {_listed(unclear)}"]
    if "model" in absent and "score" in absent and not choices.columns:
        steps.append("If each model has a column of its own, name that of the items: --wide item=…")
    raise InputError(
        f"there is no column {_listed(absent)}; there are: {shown}", where=where, next_step=". ".join(steps)
    )


def _option(columns: Mapping[str, str]) -> str:
    text = ",".join(f"{ours}={theirs}" for ours, theirs in columns.items())
    return f"'{text}'" if re.search(r"[^\w=,.…-]", text) else text


def _listed(names: list[str]) -> str:
    return " and ".join(map(repr, names)) if len(names) < 3 else "'model', 'item' or 'score'"


def _example(frame: pl.DataFrame, choices: Choices) -> dict[str, str]:
    """Fill in ``--columns`` where names or contents say which column is which; nothing by exclusion."""
    chosen = dict(choices.columns or {})
    chosen |= {ours: ours for ours in _NEEDED if ours in frame.columns and ours not in chosen}
    candidates = {ours: _candidates(ours, frame, chosen) for ours in _NEEDED if ours not in chosen}
    for ours, names in candidates.items():
        likely = likely_columns(ours, names)
        if likely:
            chosen[ours] = likely[0]
    texts = [name for name in candidates.get("item", ()) if name not in chosen.values()]
    if {"model", "item"}.isdisjoint(chosen) and len(texts) == 2:
        kinds = sorted(texts, key=lambda name: (frame[name].n_unique(), frame.columns.index(name)))
        if frame.select(kinds).is_duplicated().any() is False:
            chosen["model"], chosen["item"] = kinds
    scores = [name for name in candidates.get("score", ()) if name not in chosen.values()]
    if "score" not in chosen and len(scores) == 1 and not is_about_items(scores[0]):
        chosen["score"] = scores[0]
    return {**{ours: chosen[ours] for ours in _NEEDED if ours in chosen}, **(choices.columns or {})}


def _candidates(ours: str, frame: pl.DataFrame, chosen: Mapping[str, str]) -> list[str]:
    """The columns that can be one of ours by what they hold: scores within [0, 1], or text."""
    free = [
        name
        for name in frame.columns
        if name not in chosen.values() and not frame[name].dtype.is_nested() and not is_unnamed(name)
    ]
    if ours != "score":
        likely = likely_columns(ours, free)
        return [name for name in free if name in likely or not is_number(frame[name])]
    return [
        name
        for name in free
        if (cells := read_cells(frame[name])).are_mostly_scores
        and cells.scores.drop_nulls().is_between(0, 1).all()
    ]


def _plain(values: pl.Series, name: str, choices: Choices) -> pl.Series:
    """Text of whole numbers as such, and a stratum that is named as text."""
    if values.dtype != pl.String:
        is_stratum = name not in FIXED and name in (choices.columns or {}) and not values.dtype.is_nested()
        return values.cast(pl.String) if is_stratum else values
    if FIXED.get(name) == pl.Int64:
        numbers = values.str.strip_chars().cast(pl.Int64, strict=False)
        return numbers if numbers.null_count() == values.null_count() else values
    return values
