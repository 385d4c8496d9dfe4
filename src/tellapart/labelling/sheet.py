"""Which answers people are to label, as a sheet that hides the models, and what the labels would buy."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import numpy as np
import polars as pl
from scipy.special import stdtrit

from tellapart.core.comparison import ComparisonSettings, compare
from tellapart.core.comparison.judge import MORE_LABELS, JudgeCard, judge_card
from tellapart.core.comparison.labels import LEAST_LABELS
from tellapart.core.randomness import asking_order, generator
from tellapart.core.score_grid import UNDECIDED, ScoreGrid, score_grid
from tellapart.core.scores import ScoreTable
from tellapart.core.stats.intervals import OUTSIDE_95
from tellapart.errors import InputError, UsageError, option
from tellapart.files import write_text
from tellapart.readers.labels import CODE, label_table, with_codes
from tellapart.report import numbers as show
from tellapart.report.comparison import Scale
from tellapart.store import ItemText

ANSWER_OF = "Answer of "
"""Before the model in the name of an answer's text."""

BESIDE_UNDECIDED = 60
"""Items of the others that are labelled beside all that have no verdict."""

_CELL = r"(?:\A|(?<=[;\t]))"
"""Where a cell begins, also for a program that splits at semicolons or tabs."""
_FORMULA = re.compile(_CELL + r"(?='*[=+\-@\t\r])")
_GUARD = re.compile(_CELL + r"'(?='*[=+\-@\t\r])")


@dataclass(frozen=True)
class Sheet:
    """Answers to label.

    Attributes:
        frame: A row an answer, in random order: ``code``, ``item``, the texts that there are, the column
            ``human`` to fill (what is labelled already is in it) and ``label_probability``.
        items: How many items, with the answers of all models.
        of: Out of how many.
        has_answers: Whether the texts of the answers are there.
        lost: Labels that there are of answers which are not in the draw.
        outlook: What more labels would buy, in sentences.
    """

    frame: pl.DataFrame
    items: int
    of: int
    has_answers: bool
    lost: int
    outlook: tuple[str, ...]


def check_out(out: Path, labels: Path | None = None, *, takes_labels: bool = False) -> None:
    """Refuse to write a sheet over one with labels that the new one does not take over."""
    if out.suffix.casefold() != ".csv":
        raise UsageError("a sheet is CSV", where=out, next_step=f"Such as {out.with_suffix('.csv')}")
    if not out.is_file() or not out.stat().st_size or (labels and labels.resolve() == out.resolve()):
        return
    try:
        there = label_table(out)
    except InputError as error:
        what = f"there is a file of this name, which is no sheet: {error.what}"
        raise UsageError(what, where=out, next_step="Choose another name") from None
    if "human" in there.columns and there["human"].count():
        raise UsageError(
            f"this file has {there['human'].count():,} labels",
            where=out,
            next_step="Choose another name"
            + (f", or take them over: {option('human', str(out))}" if takes_labels else ""),
        )


def draw_sheet(
    table: ScoreTable, texts: Mapping[str, Sequence[ItemText]], *, budget: int, seed: int
) -> Sheet:
    """Draw items at random, each with the same chance, and lay out the answers of all models to them.

    Items on which the models' scores differ and items with high, middle and low scores are spread evenly over
    the draw. A larger budget with the same seed holds the items of a smaller one.
    """
    grid = score_grid(table)
    given = [str(item) for item in grid.items[grid.attempted.all(axis=0)]]
    if budget < LEAST_LABELS:
        raise UsageError(
            f"the budget is {budget} items, expected {LEAST_LABELS} or more: fewer labels correct no verdict",
            next_step=f"Such as {option('budget', 60)}",
        )
    if len(given) < LEAST_LABELS:
        raise InputError(
            f"all models answered only {len(given)} items, expected {LEAST_LABELS} or more: fewer labels "
            "correct no verdict"
        )
    if budget > len(given):
        raise UsageError(
            f"the budget is {budget:,} items, but all models answered only {len(given):,}",
            next_step=f"Label all of them: {option('budget', len(given))}",
        )
    drawn = asking_order(given, seed=seed, kinds=_kinds(grid))[:budget]
    frame = lay_out(table, texts, dict.fromkeys(drawn, budget / len(given)), seed=seed)
    labelled = table.frame["human"].count() if "human" in table.frame.columns else 0
    lost = labelled - frame["human"].count()
    return Sheet(frame, budget, len(given), "answer" in frame.columns, lost, _outlook(grid))


def undecided_sheet(table: ScoreTable, texts: Mapping[str, Sequence[ItemText]], *, seed: int) -> pl.DataFrame:
    """Lay out every item that rules and judge left undecided for a model, and some drawn from the others."""
    grid = score_grid(table)
    undecided = set(table.frame.filter(pl.col("missing").is_in(UNDECIDED))["item"])
    others = [str(item) for item in grid.items if item not in undecided]
    drawn = asking_order(others, seed=seed, kinds=_kinds(grid))[:BESIDE_UNDECIDED]
    chances = dict.fromkeys(undecided, 1.0) | dict.fromkeys(drawn, len(drawn) / max(1, len(others)))
    return lay_out(table, texts, chances, seed=seed)


def lay_out(
    table: ScoreTable, texts: Mapping[str, Sequence[ItemText]], chances: Mapping[str, float], *, seed: int
) -> pl.DataFrame:
    """Give the rows of a sheet, see `Sheet`, with the answers of all models to items.

    Args:
        chances: The items, each with how likely it was to be drawn.
    """
    in_hand = pl.col("missing").is_null() | pl.col("missing").is_in(UNDECIDED)
    rows = with_codes(table.frame.filter(pl.col("item").is_in(list(chances)), in_hand))
    # Of several answers of a model one is labelled, each as likely as the others; gradings share an answer.
    rng = generator(seed, "answers to label")
    rows = rows.unique(CODE, maintain_order=True)
    rows = rows.with_columns(pl.Series("order", rng.permutation(rows.height))).sort("order")
    rows = rows.unique(["model", "item"], keep="first", maintain_order=True)
    shown = [_texts(texts.get(item, ()), model) for model, item in rows.select("model", "item").iter_rows()]
    columns = {
        name: [of_row.get(name, "") for of_row in shown] for name in ("question", "expected", "answer")
    }
    return rows.select(
        CODE,
        pl.Series("item", map(_cell, rows["item"]), dtype=pl.String),
        *(pl.Series(name, values) for name, values in columns.items() if any(values)),
        (pl.col("human") if "human" in rows.columns else pl.lit(None, pl.Float64)).alias("human"),
        pl.col("item").replace_strict(chances, return_dtype=pl.Float64).alias("label_probability"),
    )


def _kinds(grid: ScoreGrid) -> dict[str, str]:
    """Sort items by whether the models' scores differ, and by thirds of their mean score."""
    scored = np.nan_to_num(grid.scores, nan=grid.ends[0])
    third = (scored.mean(axis=0).argsort(kind="stable").argsort() * 3) // max(1, len(grid.items))
    differ = np.ptp(scored, axis=0) > 0
    return {str(item): f"{d} {t}" for item, d, t in zip(grid.items, differ, third, strict=True)}


def _texts(of_item: Sequence[ItemText], model: str) -> dict[str, str]:
    names = {"Question": "question", "Expected answer": "expected", f"{ANSWER_OF}{model}": "answer"}
    shown = {names[text.name]: text.text for text in of_item if text.name in names}
    return {name: _cell(text) for name, text in shown.items()}


def _cell(text: str) -> str:
    """Keep a program that opens the sheet from taking a text for a formula."""
    return _FORMULA.sub("'", text)


def cell_text(cell: str) -> str:
    """Give the text in a cell of a sheet without what keeps programs from taking it for a formula."""
    return _GUARD.sub("", cell)


def write_sheet(path: Path, frame: pl.DataFrame) -> None:
    """Write a sheet, its texts in quotes: most programs take each as one cell, wherever they split."""
    write_text(path, frame.write_csv(quote_style="non_numeric"))


def _outlook(grid: ScoreGrid) -> tuple[str, ...]:
    """Say what more labels would buy: by the labels there are, or else at worst and at best."""
    settings = ComparisonSettings().on(*grid.ends)
    comparison = compare(grid, settings, secondary=False)
    card, scale = judge_card(grid, comparison, settings), Scale.of(grid.limits)
    if card is not None:
        return tuple(_known(card, scale))
    pairs = sorted((pair for pair in comparison.primary.pairs if pair.sd), key=lambda pair: pair.sd or 0.0)
    if not pairs:
        return ()
    pair = pairs[len(pairs) // 2]
    error = (pair.sd or 0.0) * sqrt(pair.design_effect or 1.0 if pair.clusters < pair.n else 1.0)

    def half(items: int) -> str:
        return scale.size(float(stdtrit(max(items - 1, 1), 1 - OUTSIDE_95 / 2)) * error / sqrt(items))

    best = half(pair.n)
    return tuple(
        f"{show.count(labels)} labelled items: differences within ±{half(labels)} if the scores say nothing "
        f"about the labels, towards ±{best} the better they do."
        for labels in MORE_LABELS
        if labels < pair.n
    )


def _known(card: JudgeCard, scale: Scale) -> list[str]:
    return [
        f"{show.count(of.labels)} labelled items: differences within ±{scale.size(of.half_width)}."
        for of in card.more
    ]
