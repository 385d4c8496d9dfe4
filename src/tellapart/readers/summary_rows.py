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

_OTHERS = "standard deviation dev error 95 95% ± ±95% grand pass rate général general geral of the row sub"
_BESIDE = frozenset(_OTHERS.split())
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
    if (
        any(frame[name].dtype.is_nested() for name in ("model", "item"))
        or not frame["score"].dtype.is_numeric()
    ):
        # Nobody's items or scores; whoever reads the columns says so.
        return frame, []
    label = frame["item"].cast(pl.String).str.strip_chars().str.strip_suffix(":").fill_null("")
    label = label.str.to_lowercase()
    kind = label.replace_strict({text: _kind(text) for text in label.unique()}, return_dtype=pl.Int8)
    if not (kind > 0).any() or (kind > 0).all():
        return frame, []
    is_foot = (pl.col("kind") == 0).cast(pl.Int64).cum_sum(reverse=True).over("model") == 0
    rows = frame.select("model", "score", label=label, kind=kind).with_columns(
        named=(pl.col("kind") == 2) | ((pl.col("kind") == 1) & is_foot),
        score=pl.when(pl.col("score").is_finite()).then(pl.col("score").cast(pl.Float64)),
    )
    others = rows.filter(~pl.col("named"))["score"].drop_nulls()
    score, other = pl.col("score"), pl.when(~pl.col("named")).then("score")
    mean, total = other.mean().over("model"), other.sum().over("model")
    is_near = ((score - mean).abs() <= rounding(others)) | ((score - total).abs() <= 0.01 * total.abs())
    rows = rows.with_columns(
        sums_up=is_near, unusual=other.count().over("model", "score") == 0, has_others=mean.is_not_null()
    )
    held = rows.filter(pl.col("named") & pl.col("has_others") & score.is_not_null())
    graded = not set(others.unique()) <= {0.0, 1.0}
    gone = held.group_by("label").agg(
        (pl.col("sums_up").all() | (pl.lit(not graded) & (pl.col("label") != "").any())).alias("fits"),
        pl.col("unusual").any(),
    )
    labels = gone.filter(pl.col("fits") & pl.col("unusual"))["label"].sort().to_list()
    if not labels:
        return frame, []
    shown = ", ".join(repr(text) if text else "one without a name" for text in labels)
    rows_are = "a row that sums the others up is" if len(labels) == 1 else "rows that sum others up are"
    return frame.filter(~(rows["named"] & label.is_in(labels))), [f"{name}: {rows_are} left out: {shown}."]


def _kind(label: str) -> int:
    """2 where a label can name nothing but a summary, 1 where it can at the foot of a table, else 0."""
    words = [word.strip(".:") for word in label.split()]
    if not words:
        return 1
    if any(word in LABELS for word in words) and all(word in LABELS | _BESIDE for word in words):
        return 2
    return int(len(words) <= _FOOT_WORDS and not {words[0], words[-1]}.isdisjoint(LABELS))
