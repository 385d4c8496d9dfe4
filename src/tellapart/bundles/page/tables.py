"""Tables of scoreboards: figures by tier, and the hardest bundles."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tellapart.bundles.figures import MARGINS, SHOWN, Figure, Summary, TierStats
from tellapart.bundles.page.view import Report
from tellapart.bundles.scoreboards import Scored
from tellapart.bundles.tier_names import OVERALL, TIERS
from tellapart.core.figure_units import FigureKind
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table, undefined

NO_BUNDLES = "no bundles"

_COSINE = 2.0
"""No two cosines are further apart."""

_RANKS = {
    name: figure
    for name, figure in SHOWN.items()
    if name != "pass_rate" and name not in MARGINS and not figure.of_queries
}
_QUERIES = {name: figure for name, figure in SHOWN.items() if figure.of_queries}


def pass_rates(report: Report) -> Table:
    """Pass rates and margins of each tier and model."""
    forms = {label: _margin_form(report, label, scored) for label, scored in report}

    def cells(scope: str, label: str, scored: Scored) -> list[Cell | str]:
        stats = scored.board.tiers[scope]
        rate = figure_cell(stats, "pass_rate", show.rate)
        if scope != OVERALL and scored.is_own_cut and not rate.reason:
            rate = Cell(rate.text, "by its own cut")
        names = ("q10_margin", "median_margin", "q90_margin")
        quantiles = [figure_cell(stats, name, forms[label], " to ") for name in names]
        return [show.count(stats.n), rate, *quantiles]

    return _by_tier(
        report,
        "tiers",
        "Pass rate, %, and margins by tier (95 % interval)",
        ["n", "Pass rate, %", "Margin Q10", "Median", "Q90"],
        cells,
        "A bundle passes where its positive is strictly more similar to the anchor than every negative: "
        "margin > 0. Q10 and Q90: 10th and 90th percentile. Intervals are clustered on the anchor.",
    )


def ranks(report: Report) -> Table:
    """Figures of ranks of each tier and model."""
    return _by_tier(
        report,
        "ranks",
        "Rank of the positive by tier (95 % interval)",
        [*_titles(_RANKS), "Ties"],
        lambda scope, _, scored: [
            *_cells(scored.board.tiers[scope], _RANKS),
            show.count(scored.board.tiers[scope].ties),
        ],
        "Mean rank ranks a tie first; expected rank, MRR and top 3 and 5 are the expectation over the "
        "orders that ties allow.",
    )


def queries(report: Report) -> Table:
    """Figures of queries of each tier and model."""
    return _by_tier(
        report,
        "queries",
        "Retrieval by tier (95 % interval)",
        ["Queries", *_titles(_QUERIES)],
        lambda scope, _, scored: [
            show.count(scored.board.tiers[scope].queries),
            *_cells(scored.board.tiers[scope], _QUERIES),
        ],
        "A query is an anchor with all its positives and the negatives of all its bundles, ranked once; "
        "a tier has the queries with a bundle in it. Any correct: the first text is one of the positives.",
    )


def _by_tier(
    report: Report,
    name: str,
    title: str,
    headings: list[str],
    cells: Callable[[str, str, Scored], list[Cell | str]],
    note: str,
) -> Table:
    rows: list[list[Cell | str]] = [
        [scope, label, *cells(scope, label, scored)]
        for scope in (OVERALL, *TIERS)
        for label, scored in report
    ]
    return table(name, title, ["Tier", "Model", *headings], rows, words=2, note=note)


def hardest_table(report: Report) -> Table:
    """The hardest bundles with each model's margin."""
    forms = [_margin_form(report, label, scored) for label, scored in report]
    rows = [
        [
            Cell(item, tier or "no tier"),
            *(Cell(form(margin), strong=margin > 0) for form, margin in zip(forms, margins, strict=True)),
        ]
        for item, tier, *margins in report.hardest.drop("place").iter_rows()
    ]
    order, passed = "margin", ""
    if len(forms) > 1:
        order, passed = "mean place among each model's margins", " Margins of bundles that pass are bold."
    return table(
        "hardest",
        f"The {len(rows)} hardest bundles, by {order}",
        ["Bundle", *report.boards.labels],
        rows,
        note=f"Margins, lowest first.{passed}"
        + (" The tier is the first scoreboard's." if report.boards.moved else ""),
    )


def heading(figure: Figure) -> str:
    """What tables call a figure; shares are in percent."""
    return f"{figure.title}, %" if figure.summary is Summary.SHARE else figure.title


def form_of(figure: Figure) -> Callable[[float], str]:
    """How to write a figure: shares in percent, ranks with two decimals, all else with three."""
    if figure.summary is Summary.SHARE:
        return show.rate
    return lambda value: show.decimal(value, 2 if figure.kind is FigureKind.RANK else 3)


def figure_cell(stats: TierStats, name: str, form: Callable[[float], str], ends: str = "–") -> Cell:
    """A figure with its interval."""
    value, interval = getattr(stats, name), stats.ci95.get(name)
    if value is None:
        return undefined(NO_BUNDLES)
    return Cell(form(value), ends.join(map(form, interval)) if interval else "no interval")


def _titles(figures: Mapping[str, Figure]) -> list[str]:
    return [show.capital(heading(figure)) for figure in figures.values()]


def _cells(stats: TierStats, figures: Mapping[str, Figure]) -> list[Cell]:
    return [figure_cell(stats, name, form_of(figure)) for name, figure in figures.items()]


def _margin_form(report: Report, label: str, scored: Scored) -> Callable[[float], str]:
    """How to write a model's margins: two decimals above cosines, else three or three digits."""
    if report.largest_margin(label, scored) > _COSINE:
        return lambda value: show.decimal(value, 2)
    return show.any_size
