"""People's labels from the page: a sheet that is drawn, shown and filled without the names of models."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from threading import Lock
from typing import Any

import polars as pl
from pydantic import ConfigDict

from tellapart.core.fingerprint import sha256
from tellapart.core.seed import SEED
from tellapart.errors import InputError, TellapartError, UsageError
from tellapart.files.tables import Kind, kind_of, read_table
from tellapart.labelling.sheet import cell_text, draw_sheet, write_sheet
from tellapart.readers import item_texts
from tellapart.readers.labels import CODE
from tellapart.readers.settings import ReadingSettings
from tellapart.view.folder import SHEET, Entry
from tellapart.view.loaded import NO_SETTINGS, Loaded, load, read

_TEXTS = {"question": "Question", "expected": "Expected answer", "answer": "Answer"}
_STEPS = 5
"""Keys for a graded scale that is not of whole numbers: 0 for its lowest score, this for its highest."""

_WRITING = Lock()


@dataclass(frozen=True)
class Draw:
    """What the page sends to have a sheet drawn for some runs."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    runs: list[str]
    budget: int


@dataclass(frozen=True)
class Label:
    """What the page sends: a person's score of the answer with this code."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    runs: list[str]
    code: str
    human: float


def sheet_of(entries: Sequence[Entry], human: Path | None) -> Path:
    """Say where the labels of some runs are: in the file of ``--human``, else beside the first run."""
    if human is not None:
        return human
    first, *others = sorted(entries, key=lambda entry: entry.path)
    several = f".{sha256(' '.join(sorted(entry.id for entry in entries)).encode())[:8]}" if others else ""
    return first.location.with_name(f"{first.location.name}{several}{SHEET}")


def state_of(sheet: Path) -> tuple[int, int] | None:
    """Say when a sheet was written and how large it is; None where there is none."""
    try:
        status = sheet.lstat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise InputError("this is no regular file, and links are not followed", where=sheet)
    return status.st_mtime_ns, status.st_size


def draw(entries: Sequence[Entry], reading: ReadingSettings, sheet: Path, budget: int) -> None:
    """Draw a sheet as ``tellapart label`` does; one that is there stays."""
    scores = read(entries, reading)
    paths = [entry.location for entry in entries]
    with _WRITING:
        if state_of(sheet) is not None:
            raise UsageError(f"there is a sheet {sheet.name!r} already", next_step="Label its answers")
        texts = item_texts(paths, NO_SETTINGS, scores.models)
        if reading != NO_SETTINGS:
            with suppress(TellapartError):
                texts = item_texts(paths, reading, scores.models)
        write_sheet(sheet, draw_sheet(scores.table, texts, budget=budget, seed=SEED).frame)


def next_answer(sheet: Path, loaded: Loaded, code: str | None = None) -> dict[str, Any]:
    """Give an answer of a sheet, without its model: that with the code, else the first without a label.

    ``before`` and ``after`` are the codes of its neighbours; ``code`` is null where all answers have a label.
    """
    frame = _read(sheet)
    codes, unlabelled = frame[CODE].to_list(), frame["human"].is_null()
    counts = {"answers": frame.height, "left": int(unlabelled.sum())}
    if code is None and not counts["left"]:
        return counts | {"code": None, "before": codes[-1]}
    place = _place(codes, code) if code is not None else int(unlabelled.arg_true()[0])
    row = frame.row(place, named=True)
    low, high = loaded.grid.limits
    return counts | {
        "code": codes[place],
        "place": place + 1,
        "before": codes[place - 1] if place else None,
        "after": codes[place + 1] if place + 1 < len(codes) else None,
        "item": cell_text(row["item"]),
        "texts": [{"name": _TEXTS[name], "text": cell_text(row[name])} for name in _TEXTS if row.get(name)],
        "human": row["human"],
        "steps": _steps(loaded),
        "limits": [f"{low:g}", f"{high:g}"],
    }


def keep_label(sheet: Path, loaded: Loaded, label: Label) -> dict[str, Any]:
    """Write a label into its sheet, and give the next answer after it without one."""
    low, high = loaded.grid.limits
    if not (isfinite(label.human) and low <= label.human <= high):
        raise UsageError(f"the score is {label.human:g}, expected {low:g} to {high:g}")
    with _WRITING:
        frame = _read(sheet)
        place = _place(frame[CODE].to_list(), label.code)
        is_labelled = pl.int_range(pl.len()) == place
        human = pl.when(is_labelled).then(pl.lit(f"{label.human:.12g}")).otherwise("human").alias("human")
        frame = frame.with_columns(human)
        write_sheet(sheet, frame)
    later = frame.slice(place + 1).filter(pl.col("human").is_null())
    return next_answer(sheet, loaded, later[CODE][0] if later.height else None)


def corrected(
    entries: Sequence[Entry], reading: ReadingSettings, sheet: Path
) -> tuple[Loaded | None, dict[str, Any]]:
    """Give the scores with the labels of a sheet, where there are enough; and how far the sheet is."""
    if state_of(sheet) is None:
        return None, {"sheet": None}
    about: dict[str, Any] = {"sheet": sheet.name, "problem": None}
    with suppress(InputError):
        frame = _read(sheet)
        about |= {"answers": frame.height, "labelled": frame["human"].count()}
    try:
        return load(entries, replace(reading, human=sheet)), about
    except InputError as error:
        return None, about | {"problem": f"The labels do not correct this yet: {error}"}


def _read(sheet: Path) -> pl.DataFrame:
    if state_of(sheet) is None:
        raise InputError("there is no sheet yet", where=sheet.name, next_step="Draw one on the comparison")
    kind = kind_of(sheet)
    frame = read_table(sheet, kind) if kind in (Kind.COMMAS, Kind.TABS, Kind.SEMICOLONS) else pl.DataFrame()
    if not {CODE, "item", "human"} <= set(frame.columns) or frame.is_empty():
        raise InputError(
            "answers can be labelled here in a sheet of tellapart label alone, CSV with the columns "
            "'code', 'item' and 'human'",
            where=sheet.name,
        )
    return frame


def _place(codes: Sequence[str], code: str) -> int:
    if code not in codes:
        raise UsageError(f"there is no answer {code!r} in the sheet any more")
    return codes.index(code)


def _steps(loaded: Loaded) -> list[float]:
    """The scores that have a key, 0 to 9; where it is a whole number, the score is its own key."""
    low, high = loaded.grid.limits
    if loaded.is_binary and (low, high) == (0, 1):
        return [0, 1]
    if not (isfinite(low) and isfinite(high)):
        return []
    if high - low > 1 and low >= 0 and high <= 9 and low == int(low) and high == int(high):
        return [float(score) for score in range(int(low), int(high) + 1)]
    return [round(low + (high - low) * step / _STEPS, 12) for step in range(_STEPS + 1)]
