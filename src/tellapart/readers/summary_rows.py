"""Rows that sum the others up, as spreadsheets have them at the foot: they are no items."""

from __future__ import annotations

import polars as pl

_WORDS = """
total totals subtotal subtotals sum mean average avg overall median std stdev sd stderr se variance accuracy
score all min max minimum maximum ci | standardabweichung standardfehler
 gesamt summe mittelwert durchschnitt insgesamt | totaux somme moyenne | promedio media suma
totales | média soma | totale somma | totaal gemiddelde som | razem średnia ogółem | итого всего среднее сумма
toplam ortalama | 合計 平均 総計 小計 | 总计 合计 平均值 小计 | 합계 평균 총계
"""
LABELS = frozenset(_WORDS.replace("|", " ").split())
"""What such a row is called, in a dozen languages."""

_BESIDE = frozenset(
    (
        *("standard", "deviation", "dev", "error", "95", "95%", "±", "±95%", "grand", "pass", "rate"),
        *("général", "general", "geral", "of", "the", "row", "sub"),
    )
)
"""Words that may stand beside one of `LABELS`."""

_FOOT_WORDS = 3
"""Most words of a label at the foot of which the first or the last is one of `LABELS`, as in ``math avg``."""

_ROUNDED = 0.0051


def rounding(scores: pl.Series) -> float:
    """How far a mean of scores may be off that somebody rounded.

    Two decimals are usual where the greatest score, without its sign, is from 0.1 to 1,000. Below, a mean is
    given with decimals in proportion, and above, with six digits.
    """
    greatest = scores.filter(scores.is_finite()).cast(pl.Float64).abs().max()
    size = greatest if isinstance(greatest, float) else 0.0
    return _ROUNDED * (size / 1000 if size > 1000 else min(1.0, 10 * size))


def without_summary_rows(frame: pl.DataFrame, name: str) -> tuple[pl.DataFrame, list[str]]:
    """Leave out rows that are labelled as a summary and whose scores can be nothing else.

    The label is such a word, or stands at the foot of the model's rows and begins or ends with one, or there
    is none. The scores are each model's mean or sum, which is no score that the model has elsewhere; or they
    are fractions where all other scores are 0 and 1.
    """
    if frame["item"].dtype.is_nested() or frame["model"].dtype.is_nested():
        # Nobody's items or models; whoever reads the columns says so.
        return frame, []
    label = frame["item"].cast(pl.String, strict=False).str.strip_chars().str.strip_suffix(":").fill_null("")
    label = label.str.to_lowercase()
    kinds = {text: _kind(text) for text in label.unique()}
    if not any(kinds.values()) or all(kinds.values()) or not frame["score"].dtype.is_numeric():
        return frame, []
    rows = frame.select("model", pl.col("score").cast(pl.Float64)).with_columns(
        label=label, kind=label.replace_strict(kinds, return_dtype=pl.Int8)
    )
    is_item = pl.col("kind") == 0
    rows = rows.with_columns(
        foot=is_item.cast(pl.Int64).cum_sum(reverse=True).over("model") == 0,
        score=pl.when(pl.col("score").is_finite()).then("score"),
    )
    named = (pl.col("kind") == 2) | ((pl.col("kind") == 1) & pl.col("foot"))
    rows = rows.with_columns(named=named)
    others = rows.filter(~pl.col("named") & pl.col("score").is_not_null())
    totals = others.group_by("model").agg(
        mean=pl.col("score").mean(), sum=pl.col("score").sum(), usual=pl.col("score").unique()
    )
    held = rows.filter(pl.col("named") & pl.col("score").is_not_null()).join(totals, on="model", how="left")
    off = rounding(others["score"])
    score, mean, total = pl.col("score"), pl.col("mean"), pl.col("sum")
    held = held.with_columns(
        sums_up=((score - mean).abs() <= off) | ((score - total).abs() <= 0.01 * total.abs()),
        unusual=~score.is_in(pl.col("usual")),
    )
    graded = not set(others["score"].unique()) <= {0.0, 1.0}
    fits = held.group_by("label").agg(
        gone=(pl.col("sums_up").all() & pl.col("unusual").any())
        | (pl.lit(not graded) & pl.col("unusual").any() & (pl.col("label") != "").any())
    )
    gone = fits.filter("gone")["label"].sort().to_list()
    if not gone:
        return frame, []
    shown = ", ".join(repr(text) if text else "one without a name" for text in gone)
    rows_are = "a row that sums the others up is" if len(gone) == 1 else "rows that sum others up are"
    return frame.filter(~(rows["named"] & label.is_in(gone))), [f"{name}: {rows_are} left out: {shown}."]


def _kind(label: str) -> int:
    """2 where a label can name nothing but a summary, 1 where it can at the foot of a table, else 0."""
    words = [word.strip(".:") for word in label.split()]
    if not words:
        return 1
    if any(word in LABELS for word in words) and all(word in LABELS | _BESIDE for word in words):
        return 2
    return int(len(words) <= _FOOT_WORDS and not {words[0], words[-1]}.isdisjoint(LABELS))
