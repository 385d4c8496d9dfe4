"""What a cell of somebody's table means: a number, a word for right or wrong, or why there is no score."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from tellapart.core.failure_words import cause_of
from tellapart.errors import InputError

BLANKS = ("", "na", "n/a", "n.a.", "nan", "null", "none", "missing", "-", "–", "—", "?")
"""How people write that there is no score, in small letters."""

PAIRS = (
    {"true": 1.0, "false": 0.0},
    {"t": 1.0, "f": 0.0},
    {"pass": 1.0, "fail": 0.0},
    {"passed": 1.0, "failed": 0.0},
    {"correct": 1.0, "incorrect": 0.0, "wrong": 0.0},
    {"right": 1.0, "wrong": 0.0},
    {"yes": 1.0, "no": 0.0},
    {"y": 1.0, "n": 0.0},
    {"✓": 1.0, "✗": 0.0, "✔": 1.0, "✘": 0.0, "✕": 0.0, "✅": 1.0, "❌": 0.0, "☑": 1.0, "☐": 0.0},
    {"success": 1.0, "failure": 0.0},
    {"resolved": 1.0, "unresolved": 0.0},
)
"""Words for right and wrong, in small letters: a column of scores holds words of one pair, or numbers."""

_TRUTH = PAIRS[0]
# Of spreadsheets, which write so what they could not compute.
_EXCEL = re.compile(r"#(n/a|n/v|div/0!|value!|ref!|name\?|num!|null!|calc!|spill!|wert!|bezug!)")
_FAILED = re.compile(r"(error|exception|timeout|timed out|api error|rate limit)\b(?s:.*)")
_GROUPED = r"^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$"


@dataclass(frozen=True)
class Cells:
    """A column read as scores.

    Attributes:
        scores: Null where there is none.
        causes: Why there is none, where a cell says so; ``unknown`` for one that is blank.
        wrong: Which cells are neither a score nor say that there is none.
        words: The words that stand for 1 and for 0; None for numbers.
        in_percent: Whether the numbers are in percent, and were divided by 100.
    """

    scores: pl.Series
    causes: pl.Series
    wrong: pl.Series
    words: tuple[str, str] | None = None
    in_percent: bool = False

    @property
    def are_scores(self) -> bool:
        """Whether every cell is understood, and some hold a score."""
        return not self.wrong.any() and self.scores.null_count() < len(self.scores)

    @property
    def are_mostly_scores(self) -> bool:
        """Whether most cells that hold something hold a score."""
        return int(self.wrong.sum()) < len(self.scores) - self.scores.null_count()


def read_cells(values: pl.Series, words: tuple[str, str] | None = None) -> Cells:
    """Read a column as scores; ``words`` are those for 1 and 0, where they say nothing by themselves."""
    if values.dtype != pl.String:
        if not (values.dtype.is_numeric() or values.dtype in (pl.Boolean, pl.Null)):
            nothing = pl.Series(values.name, [None] * len(values), dtype=pl.Float64)
            return Cells(nothing, _unknown(values.is_null()), values.is_not_null())
        scores = values.cast(pl.Float64).fill_nan(None)
        return Cells(scores, _unknown(scores.is_null()), pl.Series([False] * len(values), dtype=pl.Boolean))
    texts = values.str.strip_chars().str.to_lowercase()
    kinds = {text: _cause(text) for text in texts.unique()}
    causes = texts.replace_strict(kinds, return_dtype=pl.String)
    texts = texts.set(causes.is_not_null(), None)
    different = set(texts.drop_nulls().unique())
    given = () if words is None else ({words[0].casefold(): 1.0, words[1].casefold(): 0.0},)
    for pair in (*given, *PAIRS):
        if different and different <= pair.keys():
            scores = texts.replace_strict(pair, return_dtype=pl.Float64)
            both = [*sorted(different), *pair]
            shown = tuple(next(word for word in both if pair[word] == score) for score in (1.0, 0.0))
            return Cells(
                scores,
                causes,
                scores.is_null() & causes.is_null(),
                None if pair is _TRUTH else (shown[0], shown[1]),
            )
    if different & _TRUTH.keys():
        texts = texts.replace(list(_TRUTH), ["1", "0"])
    scores, in_percent = _numbers(texts)
    return Cells(scores, causes, scores.is_null() & causes.is_null(), in_percent=in_percent)


def scores_of(values: pl.Series) -> pl.Series | None:
    """Read a column as scores; None where some cell is neither a score nor says that there is none."""
    cells = read_cells(values)
    return None if cells.wrong.any() else cells.scores


def is_number(values: pl.Series) -> bool:
    """Check whether a column holds numbers or truth values, as such or as text; not one without a value."""
    if values.dtype != pl.String:
        return values.dtype.is_numeric() or values.dtype == pl.Boolean
    cells = read_cells(values)
    truth = set(values.drop_nulls().str.strip_chars().str.to_lowercase().unique()) & _TRUTH.keys()
    return cells.are_scores and cells.words is None and not truth


def words_of(values: pl.Series, cells: Cells) -> list[str]:
    """The two words, or the only one, of a column that holds no scores; else nothing."""
    if values.dtype != pl.String or cells.scores.null_count() < len(values):
        return []
    different = values.filter(cells.causes.is_null()).str.strip_chars().unique().sort().to_list()
    return different if len(different) < 3 else []


def with_right(columns: Sequence[pl.Series], right: str | None) -> tuple[str, str] | None:
    """The word for 1 and the one that a column holds beside it; None where there is no such column."""
    for values in columns if right is not None else ():
        words = words_of(values, read_cells(values))
        if right in words and len(words) == 2:
            return words[words.index(right)], words[1 - words.index(right)]
    return None


def refuse_cell(values: pl.Series, cells: Cells, where: str) -> InputError:
    """Say which cell is no score, or ask which of two values stands for right."""
    two = words_of(values, cells)
    if len(two) == 2:
        return InputError(
            f"{values.name!r} holds {two[0]!r} and {two[1]!r}, and which of them is right is not known",
            where=where,
            next_step=f"Say which: --right {two[0]!r} or --right {two[1]!r}",
        )
    row = cells.wrong.arg_max() or 0
    return InputError(
        f"{values.name!r} is {values[row]!r}, expected a number, or nothing for a missing score",
        where=f"{where}, row {row + 1}",
    )


def notes_on_cells(name: str, columns: Sequence[Cells]) -> list[str]:
    """Say how words and percentages are read."""
    words = dict.fromkeys(cells.words for cells in columns if cells.words is not None)
    notes = [f"{name}: the score {right!r} is read as 1, {wrong!r} as 0." for right, wrong in words]
    if any(cells.in_percent for cells in columns):
        notes.append(f"{name}: scores in percent are read as fractions, 85% as 0.85.")
    return notes


def _numbers(texts: pl.Series) -> tuple[pl.Series, bool]:
    """Text as numbers, and whether they are in percent, which then all are."""
    texts = texts.str.replace_all("[\u2212\u2013]", "-").str.replace_all("[\u00a0\u202f]", "")
    grouped = texts.str.contains(_GROUPED) & ~texts.str.contains(r"^[+-]?0,")
    texts = texts.str.replace_all(",", "", literal=True).zip_with(grouped.fill_null(False), texts)
    rates = texts.str.ends_with("%")
    in_percent = bool(rates.any()) and bool(rates.drop_nulls().all())
    if in_percent:
        texts = texts.str.strip_suffix("%").str.strip_chars()
    numbers = texts.cast(pl.Float64, strict=False).fill_nan(None)
    return (numbers / 100 if in_percent else numbers), in_percent


def _cause(text: str | None) -> str | None:
    """Why there is no score, in a cell that holds none."""
    if text is None or text in BLANKS or _EXCEL.fullmatch(text):
        return "unknown"
    return cause_of(text) if _FAILED.fullmatch(text) else None


def _unknown(missing: pl.Series) -> pl.Series:
    return pl.select(pl.when(missing).then(pl.lit("unknown"))).to_series()
