"""Tables of scoreboards: pass rates, margins and ranks by tier, and the hardest bundles."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from tellapart.bundles.figures import MARGINS, SHOWN, Figure, Summary, TierStats
from tellapart.bundles.page.verdict import COSINE
from tellapart.bundles.page.view import Board, View
from tellapart.bundles.tier_names import OVERALL
from tellapart.core.figure_units import FigureKind
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table, undefined

HARDEST = 20
"""Bundles in the table of the hardest."""

NO_BUNDLES = "no bundles"
FROM_THE_CUT = "by its own cut"
"""Stands in place of the interval where the tiers were cut by the model's own margins."""


def pass_rates(view: View) -> Table:
    """Pass rates and margins of each tier and model."""
    rows: list[list[Cell | str]] = []
    for scope in (OVERALL, *view.tiers):
        for board in view.boards:
            stats = board.tiers.get(scope)
            if stats is not None:
                form = margin_form(board)
                quantiles = [_with_interval(stats, name, form, ends=" to ") for name in _QUANTILES]
                rows.append([scope, board.label, show.count(stats.n), _passed(board, scope), *quantiles])
    return table(
        "tiers",
        "Pass rate, %, and margins by tier (95 % interval)",
        ["Tier", "Model", "n", "Pass rate, %", "Margin Q10", "Median", "Q90"],
        rows,
        words=2,
        note="A bundle passes where its positive is strictly more similar to the anchor than every negative: "
        "margin > 0. Q10 and Q90: 10th and 90th percentile. Intervals are clustered on the anchor.",
    )


def ranks(view: View) -> Table:
    """Figures of ranks of each tier and model."""
    figures = {
        name: figure
        for name, figure in SHOWN.items()
        if name != "pass_rate" and name not in MARGINS and not figure.of_queries
    }
    titles = [show.capital(heading(figure)) for figure in figures.values()]
    rows: list[list[Cell | str]] = []
    for scope in (OVERALL, *view.tiers):
        for board in view.boards:
            stats = board.tiers.get(scope)
            if stats is not None:
                cells = [_with_interval(stats, name, form_of(figure)) for name, figure in figures.items()]
                rows.append([scope, board.label, *cells, show.count(stats.ties)])
    return table(
        "ranks",
        "Rank of the positive by tier (95 % interval)",
        ["Tier", "Model", *titles, "Ties"],
        rows,
        words=2,
        note="Mean rank ranks a tie first; expected rank, MRR and top 3 and 5 are the expectation over the "
        "orders that ties allow.",
    )


def queries(view: View) -> Table:
    """Figures of queries of each tier and model."""
    figures = {name: figure for name, figure in SHOWN.items() if figure.of_queries}
    rows: list[list[Cell | str]] = []
    for scope in (OVERALL, *view.tiers):
        for board in view.boards:
            stats = board.tiers.get(scope)
            if stats is not None:
                cells = [_with_interval(stats, name, form_of(figure)) for name, figure in figures.items()]
                rows.append([scope, board.label, show.count(stats.queries), *cells])
    return table(
        "queries",
        "Retrieval by tier (95 % interval)",
        ["Tier", "Model", "Queries", *(show.capital(heading(figure)) for figure in figures.values())],
        rows,
        words=2,
        note="A query is an anchor with all its positives and the negatives of all its bundles, ranked once; "
        "a tier has the queries with a bundle in it. Any correct: the first text is one of the positives.",
    )


def hardest(view: View) -> pl.DataFrame:
    """The bundles that lie lowest in the models' margins."""
    models = range(len(view.boards))
    places = [pl.col(f"margin_{i}").rank("average") for i in models]
    return view.shared.with_columns(place=pl.sum_horizontal(places)).sort("place", "item").head(HARDEST)


def hardest_table(view: View) -> Table:
    """The hardest bundles with each model's margin."""
    several = len(view.boards) > 1
    rows: list[list[Cell | str]] = []
    for row in hardest(view).iter_rows(named=True):
        margins = [
            Cell(margin_form(board)(row[f"margin_{i}"]), strong=row[f"margin_{i}"] > 0)
            for i, board in enumerate(view.boards)
        ]
        rows.append([Cell(row["item"], row["tier_0"] or "no tier"), *margins])
    order = "mean place among each model's margins" if several else "margin"
    passed = " Margins of bundles that pass are bold." if several else ""
    return table(
        "hardest",
        f"The {len(rows)} hardest bundles, by {order}",
        ["Bundle", *view.models],
        rows,
        note=f"Margins, lowest first.{passed}"
        + (" The tier is the first scoreboard's." if view.moved else ""),
    )


def heading(figure: Figure) -> str:
    """What tables call a figure; shares are in percent."""
    return f"{figure.title}, %" if figure.summary is Summary.SHARE else figure.title


def form_of(figure: Figure) -> Callable[[float], str]:
    """How to write a figure: shares in percent, ranks with two decimals, all else with three."""
    if figure.summary is Summary.SHARE:
        return show.rate
    return lambda value: show.decimal(value, 2 if figure.kind is FigureKind.RANK else 3)


def margin_form(board: Board) -> Callable[[float], str]:
    """How to write a model's margins: two decimals above cosines, else three or three digits."""
    if board.largest > COSINE:
        return lambda value: show.decimal(value, 2)
    return show.any_size


_QUANTILES = ("q10_margin", "median_margin", "q90_margin")


def _passed(board: Board, scope: str) -> Cell:
    cell = _with_interval(board.tiers[scope], "pass_rate", show.rate)
    if scope != OVERALL and board.own_cut and not cell.reason:
        return Cell(cell.text, FROM_THE_CUT)
    return cell


def _with_interval(stats: TierStats, name: str, form: Callable[[float], str], *, ends: str = "–") -> Cell:
    value = getattr(stats, name)
    if value is None:
        return undefined(NO_BUNDLES)
    interval = stats.ci95.get(name)
    return Cell(form(value), ends.join(map(form, interval)) if interval else "no interval")
