"""What a cell of somebody's table means: a number, a word for right or wrong, or why there is no score."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tellapart.core.failure_words import cause_of
from tellapart.errors import InputError, option

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
        are_truths: Whether they are right or wrong by word, and not numbers.
        words: Words for 1 and for 0 that a note must tell; None for numbers, and for true and false.
        in_percent: Whether the numbers are in percent, and were divided by 100.
    """

    scores: pl.Series
    causes: pl.Series
    wrong: pl.Series
    are_truths: bool = False
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
        if values.dtype.is_numeric() or values.dtype in (pl.Boolean, pl.Null):
            scores = values.cast(pl.Float64).fill_nan(None)
            blank = scores.is_null()
        else:
            scores = pl.Series(values.name, [None] * len(values), dtype=pl.Float64)
            blank = values.is_null()
        causes = pl.select(pl.when(blank).then(pl.lit("unknown"))).to_series()
        return Cells(scores, causes, scores.is_null() & ~blank, are_truths=values.dtype == pl.Boolean)
    texts = values.str.strip_chars().str.to_lowercase()
    blanks = texts.replace_strict({text: _blank(text) for text in texts.unique()}, return_dtype=pl.String)
    if words is not None and set(texts.filter(blanks.is_null())) <= set(words):
        pair = {words[0]: 1.0, words[1]: 0.0}
        return _of_words(texts.set(blanks.is_not_null(), None), blanks, pair, words)
    causes = texts.replace_strict({text: _cause(text) for text in texts.unique()}, return_dtype=pl.String)
    texts = texts.set(causes.is_not_null(), None)
    different = set(texts.drop_nulls().unique())
    for pair in PAIRS:
        if different and different <= pair.keys():
            ordered = [*sorted(different), *pair]
            right, wrong = (next(word for word in ordered if pair[word] == score) for score in (1.0, 0.0))
            return _of_words(texts, causes, pair, None if pair is _TRUTH else (right, wrong))
    texts = texts.replace(list(_TRUTH), ["1", "0"]) if different & _TRUTH.keys() else texts
    scores, in_percent = _numbers(texts)
    are_truths = bool(different & _TRUTH.keys())
    return Cells(scores, causes, scores.is_null() & causes.is_null(), are_truths, in_percent=in_percent)


def _of_words(
    texts: pl.Series, causes: pl.Series, pair: Mapping[str, float], words: tuple[str, str] | None
) -> Cells:
    scores = texts.replace_strict(pair, default=None, return_dtype=pl.Float64)
    return Cells(scores, causes, scores.is_null() & causes.is_null(), are_truths=True, words=words)


def is_number(values: pl.Series) -> bool:
    """Check whether a column holds numbers or truth values, as such or as text; not one without a value."""
    if values.dtype != pl.String:
        return values.dtype.is_numeric() or values.dtype == pl.Boolean
    cells = read_cells(values)
    return cells.are_scores and not cells.are_truths


def words_of(values: pl.Series) -> list[str]:
    """The two words, or the only one, that a column of text holds beside blanks; else nothing.

    One of two may be a number, as in ``1`` and ``x``, where both occur several times.
    """
    if values.dtype != pl.String:
        return []
    texts = values.str.strip_chars()
    texts = texts.filter([_blank(text and text.lower()) is None for text in texts])
    counts = texts.str.to_lowercase().value_counts(name="n").rows()
    words = pl.Series([word for word, _ in counts], dtype=pl.String)
    numbers = len(words) - _numbers(words)[0].null_count()
    if len(words) > 2 or numbers == len(words) or (numbers and min(n for _, n in counts) < 2):
        return []
    return texts.unique().sort().to_list()


def with_right(columns: Sequence[pl.Series], right: str | None) -> tuple[str, str] | None:
    """The word for 1 and the one that a column holds beside it; None where there is no such column."""
    for values in columns if right is not None else ():
        words = {word.lower() for word in words_of(values)}
        if right is not None and right.lower() in words and len(words) == 2:
            (other,) = words - {right.lower()}
            return right.lower(), other
    return None


def refuse_cell(values: pl.Series, cells: Cells, where: str) -> InputError:
    """Say which cell is no score, or ask which of two values stands for right."""
    two = words_of(values)
    if len({word.lower() for word in two}) == 2:
        return InputError(
            f"{values.name!r} holds {two[0]!r} and {two[1]!r}, and which of them is right is not known",
            where=where,
            next_step=f"Say which: {option('right', two[0])} or {option('right', two[1])}",
        )
    row = cells.wrong.arg_max() or 0
    return InputError(
        f"{values.name!r} is {_shown(values[row])}, expected a number, or nothing for a missing score",
        where=f"{where}, row {row + 1}",
    )


def _shown(value: object) -> str:
    text = repr(value.to_list() if isinstance(value, pl.Series) else value)
    return text if len(text) <= 60 else f"{text[:60]}…"


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
    return _blank(text) or (cause_of(text) if text is not None and _FAILED.fullmatch(text) else None)


def _blank(text: str | None) -> str | None:
    return "unknown" if text is None or text in BLANKS or _EXCEL.fullmatch(text) else None
