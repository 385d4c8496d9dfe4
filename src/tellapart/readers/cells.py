"""What a cell of somebody's table means: a number, a word for right or wrong, or why there is no score."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tellapart.core.failure_words import cause_of
from tellapart.errors import InputError, option, quoted

BLANKS = ("", "na", "n/a", "n.a.", "nan", "null", "none", "nil", "<na>", "missing", "-", "--", "–", "—", "?")
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

EVERY_NUMBER = "none"
"""What ``--missing`` takes where every number is a score."""

MOST_WORDS = 6
"""Of so many different words a column may be one of grades."""

_TRUTH = PAIRS[0]
# Of spreadsheets, which write so what they could not compute.
_EXCEL = re.compile(r"#(n/a|n/v|div/0!|value!|ref!|name\?|num!|null!|calc!|spill!|wert!|bezug!)")
_FAILED = re.compile(r"(error|exception|timeout|timed out|api error|rate limit)\b(?s:.*)")
_GROUPED = r"^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$"
_SPREAD = r"^\s*([+-]?[\d.,]+\s*%?)\s*(±|\+/-|\+-)\s*[\d.,]+\s*%?\s*$"
_BELOW = (-1.0, -9.0, -99.0, -100.0, -999.0, -9999.0)
_ABOVE = (99.0, 999.0, 9999.0)


@dataclass(frozen=True)
class Cells:
    """A column read as scores.

    Attributes:
        scores: Null where there is none.
        causes: Why there is none, where a cell says so; ``unknown`` for one that is blank.
        are_truths: Whether they are right or wrong by word, and not numbers.
        words: Words for 1 and for 0 that a note must tell; None for numbers, and for true and false.
        in_percent: Whether the numbers are in percent, and were divided by 100.
    """

    scores: pl.Series
    causes: pl.Series
    are_truths: bool = False
    words: tuple[str, str] | None = None
    in_percent: bool = False

    @property
    def wrong(self) -> pl.Series:
        """Which cells are neither a score nor say that there is none."""
        return self.scores.is_null() & self.causes.is_null()

    @property
    def are_scores(self) -> bool:
        """Whether every cell is understood, and some hold a score."""
        return not self.wrong.any() and self.scores.null_count() < len(self.scores)

    @property
    def are_mostly_scores(self) -> bool:
        """Whether most cells that hold something hold a score."""
        return int(self.wrong.sum()) < self.scores.count()

    @property
    def largest(self) -> float:
        """The greatest finite score without its sign; 0 where there is none."""
        greatest = self.scores.filter(self.scores.is_finite().fill_null(False)).abs().max()
        return greatest if isinstance(greatest, float) else 0.0

    @property
    def are_within_one(self) -> bool:
        """Whether no score is outside of [0, 1]."""
        return bool(self.scores.drop_nulls().is_between(0, 1).all())


def read_cells(values: pl.Series, words: tuple[str, str] | None = None) -> Cells:
    """Read a column as scores; ``words`` are those for 1 and 0, where they say nothing by themselves."""
    if values.dtype != pl.String:
        is_plain = values.dtype.is_numeric() or values.dtype in (pl.Boolean, pl.Null)
        scores = (
            values.cast(pl.Float64).fill_nan(None)
            if is_plain
            else pl.Series(values.name, [None] * len(values))
        )
        blank = (scores if is_plain else values).is_null()
        causes = pl.select(pl.when(blank).then(pl.lit("unknown"))).to_series()
        return Cells(scores.cast(pl.Float64), causes, are_truths=values.dtype == pl.Boolean)
    texts = values.str.strip_chars().str.to_lowercase()
    different = texts.unique().to_list()
    causes_of = {text: _blank(text) for text in different}
    pairs: Iterable[Mapping[str, float]] = [dict(zip(words, (1.0, 0.0), strict=True))] if words else []
    if not words or not {text for text, cause in causes_of.items() if cause is None} <= set(words):
        words, pairs = None, PAIRS
        causes_of |= {text: cause_of(text) for text in different if text and _FAILED.fullmatch(text)}
    present = {text for text, cause in causes_of.items() if cause is None}
    causes = texts.replace_strict(causes_of, return_dtype=pl.String)
    for pair in pairs:
        if present and present <= pair.keys():
            right, wrong = (next(w for w in (*sorted(present), *pair) if pair[w] == s) for s in (1.0, 0.0))
            scores = texts.replace_strict({t: pair.get(t) for t in different}, return_dtype=pl.Float64)
            return Cells(scores, causes, are_truths=True, words=None if pair is _TRUTH else (right, wrong))
    scores, in_percent = _numbers(texts.set(causes.is_not_null(), None).replace(list(_TRUTH), ["1", "0"]))
    return Cells(scores, causes, bool(present & _TRUTH.keys()), in_percent=in_percent)


def is_number(values: pl.Series) -> bool:
    """Check whether a column holds numbers or truth values, as such or as text; not one without a value."""
    if values.dtype != pl.String:
        return values.dtype.is_numeric() or values.dtype == pl.Boolean
    cells = read_cells(values)
    return cells.are_scores and not cells.are_truths


def words_of(values: pl.Series, most: int = 2) -> list[str]:
    """The few words, two unless more are taken, that a column of text holds beside blanks; else nothing.

    One of two may be a number, as in ``1`` and ``x``, where both occur several times.
    """
    if values.dtype != pl.String:
        return []
    texts = values.str.strip_chars()
    texts = texts.filter([_blank(text and text.lower()) is None for text in texts])
    counts = texts.str.to_lowercase().value_counts(name="n")
    numbers = _numbers(counts[values.name])[0].count()
    if (
        len(counts) > most
        or numbers == len(counts)
        or (numbers and (len(counts) > 2 or (counts["n"] < 2).any()))
    ):
        return []
    return texts.unique().sort().to_list()


def with_right(columns: Iterable[pl.Series], right: str | None) -> tuple[str, str] | None:
    """The word for 1 and the one that a column holds beside it; None where there is no such column."""
    for values in columns if right is not None else ():
        words = {word.lower() for word in words_of(values)}
        if right is not None and right.lower() in words and len(words) == 2:
            return right.lower(), *(words - {right.lower()})  # type: ignore[return-value]
    return None


def refuse_cell(values: pl.Series, cells: Cells, where: str) -> InputError:
    """Say which cell is no score, or ask which of two values stands for right."""
    if (lists := refuse_lists(pl.DataFrame(values), where)) is not None:
        return lists
    words = words_of(values, MOST_WORDS)
    if len({word.lower() for word in words}) == 2:
        return InputError(
            f"{values.name!r} holds {words[0]!r} and {words[1]!r}, and which of them is right is not known",
            where=where,
            next_step=f"Say which: {option('right', words[0])} or {option('right', words[1])}",
        )
    if len(words) > 2 and len(words) < values.count():
        return InputError(
            f"{values.name!r} holds {', '.join(map(repr, words))}, and what each is worth is not known",
            where=where,
            next_step="Write a number for each in the file, such as 1, 0.5 and 0",
        )
    row = cells.wrong.arg_max() or 0
    value = values[row].to_list() if isinstance(values[row], pl.Series) else values[row]
    is_header = row == 0 and cells.wrong.sum() == 1 and len(values) > 2
    return InputError(
        f"{values.name!r} is {quoted(value)}, expected a number, or nothing for a missing score",
        where=f"{where}, row {row + 1}",
        next_step="If this row is a second one of names or units, delete it" if is_header else None,
    )


def refuse_lists(frame: pl.DataFrame, where: str) -> InputError | None:
    """Name a column of lists of numbers, such as several answers in a cell; None where there is none."""
    for values in frame:
        shown = next((str(value) for value in values.drop_nulls().head(1).to_list()), "")
        if re.match(r"\[\s*-?(\d|true|false)", shown, re.IGNORECASE):
            return InputError(
                f"{values.name!r} holds lists of numbers, such as {shown[:40]}, and not one score in a cell",
                where=where,
                next_step="If they are several answers to one item, write a row for each, with columns "
                "model, item, replicate and score. To read the first of each alone: "
                f"{option('columns', {'score': f'{values.name}.0'})}, or of a column per model: "
                f"{option('models', [f'{values.name}.0', '…'])}",
            )
    return None


def refuse_spreads(frame: pl.DataFrame, where: str) -> None:
    """Refuse columns of means with spreads, such as ``71.2 ± 1.3``."""
    for column in frame.select(pl.col(pl.String)):
        values = column.unique(maintain_order=True)
        means = values.str.replace(_SPREAD, "${1}")
        if (means != values).any() and read_cells(means).are_scores:
            first = values.filter(values.str.contains(_SPREAD).fill_null(False))[0]
            raise InputError(
                f"{values.name!r} holds means with their spread, such as {first!r}, not scores of items",
                where=where,
                next_step="Give the scores that they were computed from: a row for each item, or for each "
                "item and model",
            )


def notes_on_cells(columns: Sequence[Cells]) -> list[str]:
    """Say how words and percentages are read."""
    words = dict.fromkeys(cells.words for cells in columns if cells.words is not None)
    notes = [f"the score {right!r} is read as 1, {wrong!r} as 0." for right, wrong in words]
    if any(cells.in_percent for cells in columns):
        notes.append("scores in percent are read as fractions, 85% as 0.85.")
    return notes


def without_stand_ins(
    frame: pl.DataFrame, stated: str | None, ask: Callable[[int], str] | None
) -> tuple[pl.DataFrame, list[str]]:
    """Count the number that stands for no score as missing, such as -1 where a judge's reply was not read.

    ``ask`` names the place of a row, for a question; None asks nothing.
    """
    if stated is None and ask:
        _ask_about_stand_in(frame["score"], ask)
    if stated in (None, EVERY_NUMBER):
        return frame, []
    stands = (pl.col("score") == float(stated)).fill_null(False)
    n = frame.select(stands.sum()).item()
    if not n:
        return frame, [f"No score is {stated}, the value of {option('missing', stated)}."]
    missing = pl.when(stands).then(pl.lit("unknown")).otherwise("missing").alias("missing")
    return frame.with_columns(pl.when(~stands).then("score"), missing), [
        f"{n} of {frame.height} scores {'is' if n == 1 else 'are'} {stated}, counted as missing (unknown)."
    ]


def _ask_about_stand_in(scores: pl.Series, place: Callable[[int], str]) -> None:
    """Ask about one value, known to stand for no score, that lies alone outside of all others."""
    numbers = scores.filter(scores.is_finite().fill_null(False))
    different = numbers.unique().sort().to_list()
    if len(different) < 3:
        return
    value, *rest = different
    if not (value in _BELOW and rest[0] >= 0):
        *rest, value = different
        if not (value in _ABOVE and value >= rest[-1] + rest[-1] - rest[0]):
            return
    n = int((numbers == value).sum())
    raise InputError(
        f"{n} of {len(numbers)} scores {'is' if n == 1 else 'are'} {value:g}, and the others are from "
        f"{rest[0]:g} to {rest[-1]:g}",
        where=place(int((scores == value).arg_max() or 0)),
        next_step=f"If {value:g} stands for no score: {option('missing', f'{value:g}')}. If it is a score: "
        f"{option('missing', EVERY_NUMBER)}",
    )


def _numbers(texts: pl.Series) -> tuple[pl.Series, bool]:
    """Text as numbers, and whether they are in percent, which then all are."""
    texts = texts.str.replace_all("[\u2212\u2013]", "-").str.replace_all("[\u00a0\u202f]", "")
    grouped = texts.str.contains(_GROUPED).fill_null(False)
    texts = texts.str.replace_all(",", "", literal=True).zip_with(grouped, texts)
    rates = texts.drop_nulls().str.ends_with("%")
    in_percent = bool(rates.any()) and bool(rates.all())
    if in_percent:
        texts = texts.str.strip_suffix("%").str.strip_chars()
    numbers = texts.cast(pl.Float64, strict=False).fill_nan(None)
    return (numbers / 100 if in_percent else numbers), in_percent


def _blank(text: str | None) -> str | None:
    return "unknown" if text is None or text in BLANKS or _EXCEL.fullmatch(text) else None
