"""CSV and Parquet: cells, columns and rows."""

import csv
import io
import json

import polars as pl

from damage.registry import PARQUET, TABLE, of, pick
from damage.trees import NUMBERS, TEXTS, change_value, renamed, tree_changed


@of(TABLE, weight=16)
def cells_changed(data, rng):
    text = data.decode()
    head = text.splitlines()[0]
    sign = "\t" if head.count("\t") > head.count(",") else ","
    rows = list(csv.reader(io.StringIO(text), delimiter=sign))
    value = json.loads(pick(rng, TEXTS)) if rng.random() < 0.3 else pick(rng, NUMBERS)
    row, column = int(rng.integers(len(rows))), int(rng.integers(max(map(len, rows))))
    change = _CELLS[pick(rng, list(_CELLS))]
    for at, cells in enumerate(rows):
        if column < len(cells):
            change(cells, column, at, row, value)
    out = io.StringIO()
    csv.writer(out, delimiter=sign, lineterminator="\n").writerows(rows)
    return out.getvalue().encode(errors="surrogatepass")


def _cell(cells, column, at, row, value):
    if at == row:
        cells[column] = value


def _column(cells, column, at, _, value):
    if at:
        cells[column] = value


def _no_column(cells, column, *_):
    del cells[column]


def _column_twice(cells, column, *_):
    cells.insert(column, cells[column])


def _name(cells, column, at, *_):
    if not at:
        cells[column] = cells[column].upper()


def _other_name(cells, column, at, _, value):
    if not at:
        cells[column] = value


def _blank(cells, column, at, *_):
    if at:
        cells[column] = ""


def _short(cells, column, at, row, _):
    if at == row:
        del cells[column:]


def _long(cells, _, at, row, value):
    if at == row:
        cells.append(value)


_CELLS = {
    f"{change.__name__} {at}": change
    for change, times in (
        (_cell, 4), (_column, 1), (_no_column, 1), (_column_twice, 1), (_name, 1), (_other_name, 1),
        (_blank, 1), (_short, 1), (_long, 1),
    )
    for at in range(times)
}  # fmt: skip
_TYPES = (pl.String, pl.Int8, pl.Int64, pl.Float32, pl.Boolean, pl.Date, pl.Binary, pl.UInt64)
_FRAMES = {
    "cast": lambda frame, name, rng: frame.cast({name: pick(rng, _TYPES)}, strict=False),
    "cast too": lambda frame, name, rng: frame.cast({name: pick(rng, _TYPES)}, strict=False),
    "null": lambda frame, name, _: frame.with_columns(pl.lit(None).alias(name)),
    "dropped": lambda frame, name, _: frame.drop(name),
    "renamed": lambda frame, name, rng: frame.rename({name: renamed(name, rng)}),
    "fewer": lambda frame, _, rng: frame.head(int(rng.integers(frame.height + 1))),
    "none": lambda frame, *_: frame.clear(),
    "twice": lambda frame, *_: pl.concat([frame, frame.head(1)]),
    "shuffled": lambda frame, _, rng: frame.sample(fraction=1, shuffle=True, seed=int(rng.integers(2**31))),
    "value": lambda frame, name, rng: _value_changed(frame, name, rng),
    "value too": lambda frame, name, rng: _value_changed(frame, name, rng),
    "list": lambda frame, name, _: frame.with_columns(pl.concat_list(name).alias(name)),
    "struct": lambda frame, name, _: frame.with_columns(pl.struct(name).alias(name)),
    "categorical": lambda frame, name, _: frame.cast({name: pl.String}).cast({name: pl.Categorical}),
    "one more": lambda frame, _, rng: frame.with_columns(pl.lit(1).alias(pick(rng, ("model", "y")))),
}


@of(PARQUET, weight=14)
def columns_changed(data, rng):
    frame, notes = _read(data)
    change = _FRAMES[pick(rng, list(_FRAMES))]
    return _written(change(frame, pick(rng, frame.columns), rng), notes)


@of(PARQUET, weight=2)
def notes_changed(data, rng):
    frame, notes = _read(data)
    if not notes:
        return None
    key = pick(rng, sorted(notes))
    if rng.random() < 0.2:
        del notes[key]
    else:
        notes[key] = tree_changed(notes[key], change_value, rng)
    return _written(frame, notes)


def _read(data):
    notes = pl.read_parquet_metadata(io.BytesIO(data))
    notes.pop("ARROW:schema", None)
    return pl.read_parquet(io.BytesIO(data)), notes


def _written(frame, notes):
    out = io.BytesIO()
    frame.write_parquet(out, metadata=notes or None)
    return out.getvalue()


_FLOATS = (float("nan"), float("inf"), -float("inf"), 1e308, 5e-324, -0.0, None, -1.0, 2.0)


def _value_changed(frame, name, rng):
    values = frame[name].to_list()
    at = int(rng.integers(len(values)))
    old = values[at]
    if isinstance(old, bool):
        choices = (not old, None)
    elif isinstance(old, float):
        choices = _FLOATS
    elif isinstance(old, int):
        choices = (0, -1, old + 1, 2**31, -(2**31) - 1, None, 100)
    elif isinstance(old, str):
        text = json.loads(pick(rng, TEXTS)).encode(errors="replace").decode()
        choices = (text, None, old + " ", values[0], old[:-1])
    else:
        choices = (None,)
    values[at] = pick(rng, choices)
    return frame.with_columns(pl.Series(name, values, dtype=frame.schema[name], strict=False))
