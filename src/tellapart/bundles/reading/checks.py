"""What must hold in every bundle, whatever form it had; no id may come twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.bundles.reading.forms import Form, Row
from tellapart.bundles.tier_names import ALIASES, TIERS
from tellapart.errors import near_match, quoted
from tellapart.files import RowFaults

Fault = tuple[int, str, int | None, str, str]
"""Row of the frame, field, position in ``negatives``, cause, and what was found."""

_BLANK = r"^\s*$"
_NULL = "null field"


def sound(
    frame: pl.DataFrame, form: Form, given: Callable[[int], Row], seen: dict[str, int], problems: RowFaults
) -> NDArray[np.bool_]:
    """Find the bundles that can be used; ``seen`` has the line of each id so far."""
    good = np.ones(frame.height, dtype=np.bool_)
    lines = frame["line"]
    faults = [*_text_faults(frame), *_negative_faults(frame), *_tier_faults(frame)]
    incomplete = {row for row, _, _, cause, _ in faults if cause == _NULL}
    for row, field, position, cause, detail in sorted(faults, key=lambda fault: fault[0]):
        if row in incomplete and cause != _NULL:
            continue
        good[row] = False
        problems.add(int(lines[row]), form.field(field, position, given(row)), cause, detail)
    usable = frame.with_row_index("row").filter(good).select("row", "bundle_id", "line")
    for row, name, line in usable.iter_rows():
        if name in seen:
            good[row] = False
            field = form.field("bundle_id", None, given(row))
            problems.add(line, field, "duplicate id", f"{quoted(name)} is also in line {seen[name]}")
        else:
            seen[name] = line
    return good


def with_tier_names(frame: pl.DataFrame) -> pl.DataFrame:
    """Spell short names of tiers out."""
    return frame.with_columns(pl.col("tier").replace(ALIASES))


def _rows(mask: pl.Series) -> list[int]:
    return np.flatnonzero(mask.fill_null(False).to_numpy()).tolist()


def _text_faults(frame: pl.DataFrame) -> Iterator[Fault]:
    for field in ("bundle_id", "anchor", "positive"):
        empty = "empty id" if field == "bundle_id" else "empty text"
        for row in _rows(frame[field].is_null()):
            yield row, field, None, _NULL, ""
        for row in _rows(frame[field].str.contains(_BLANK)):
            yield row, field, None, empty, f"found {quoted(frame[field][row])}"


def _negative_faults(frame: pl.DataFrame) -> Iterator[Fault]:
    sizes = frame["negatives"].list.len()
    for row in _rows(sizes.is_null()):
        yield row, "negatives", None, _NULL, ""
    for row in _rows(sizes == 0):
        yield row, "negatives", None, "no negatives", ""
    filled = np.flatnonzero((sizes > 0).fill_null(False).to_numpy())
    counts = sizes.gather(filled).to_numpy().astype(np.int64)
    texts = frame["negatives"].gather(filled).explode()
    owners = np.repeat(filled, counts)
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    positives = frame["positive"].gather(owners)
    for mask, cause in (
        (texts.is_null(), _NULL),
        (texts.str.contains(_BLANK), "empty text"),
        (texts == positives, "positive among the negatives"),
    ):
        for at in _rows(mask):
            detail = "" if texts[at] is None else f"found {quoted(texts[at])}"
            yield int(owners[at]), "negatives", int(at - starts[at]), cause, detail


def _tier_faults(frame: pl.DataFrame) -> Iterator[Fault]:
    accepted = [*TIERS, *ALIASES]
    for row in _rows(~frame["tier"].is_in(accepted)):
        tier = str(frame["tier"][row])
        yield (
            row,
            "tier",
            None,
            "unknown tier",
            f"found {quoted(tier)}. {near_match(tier, accepted)}".rstrip("."),
        )
