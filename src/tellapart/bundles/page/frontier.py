"""A Pareto frontier as a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import polars as pl

from tellapart.bundles.cliff import cliff_lines
from tellapart.bundles.figures import FIGURES, Figure
from tellapart.bundles.pareto import FrontierRecord, Metric, figure_of
from tellapart.bundles.tier_stats import tier_and_figure
from tellapart.core.figure_units import FigureKind
from tellapart.report import numbers as show
from tellapart.report.charts import Chart, Scatter, scatter
from tellapart.report.comparison import words
from tellapart.report.document import Document, Section
from tellapart.report.tables import Cell, Table, figure, table, undefined

_ROWS = 200
"""Rows of a table; nobody reads more, and the JSON holds them."""

_NAMED = 4
"""Names in a sentence."""


def document(record: FrontierRecord, points: pl.DataFrame, command: str = "") -> Document:
    """Show the verdict, the frontier and what it dominates; ``command`` makes it anew."""
    on, *others = tables(record, points)
    section = Section(
        "frontier",
        "The frontier",
        "A configuration is on the frontier if no other is better in one metric and no worse in the rest.",
        charts=(frontier_chart(record, points),) if points.height else (),
        tables=(on, *others),
    )
    directions = {
        show.capital(_words(metric.name)): "more is better" if metric.direction == "max" else "less is better"
        for metric in record.metrics
    }
    evals = [f"{name} {' '.join(prints)}" for name, prints in record.evals.items()]
    return Document(
        "bundles: Pareto frontier",
        headline(record),
        tuple(verdict(record)),
        {"Configurations": show.count(points.height), **directions},
        (section,),
        {"Evals": "; ".join(evals or record.fingerprints) or "as the file has them"},
        (command,) if command else (),
    )


def headline(record: FrontierRecord) -> str:
    """Say how many configurations are worth a look, and by what."""
    metrics = show.listed([_words(metric.name) for metric in record.metrics])
    on, off = len(record.frontier), len(record.dominated)
    if not on:
        return "There is no configuration"
    if not off:
        return f"No configuration is beaten in {metrics}: {show.plural(on, 'choice')}, a matter of preference"
    all_ = show.plural(on + off, "configuration")
    verb = "is" if on == 1 else "are"
    return f"{show.count(on)} of {all_} {verb} on the frontier of {metrics}; {_how_sure(record)}"


def _how_sure(record: FrontierRecord) -> str:
    """How many of those that are dominated are so beyond noise, for a title."""
    off = len(record.dominated)
    if record.within_noise is None:
        return "whether the others are worse beyond noise is not known"
    beyond = off - len(record.within_noise)
    if off == 1:
        return f"the other is dominated {'beyond noise' if beyond else 'within noise only'}"
    number, verb = (show.count(beyond) if beyond else "none"), ("is" if beyond == 1 else "are")
    return f"{number} of the other {show.count(off)} {verb} dominated beyond noise"


def verdict(record: FrontierRecord) -> list[str]:
    """Say which, how sure that is, and what decides how much it is worth."""
    if not record.frontier:
        return []
    lines = [f"On the frontier: {_some(record.frontier)}."]
    noise, off = record.within_noise, record.dominated
    if noise:
        pairs = [f"{name} from {record.dominance[name].by}" for name in noise]
        lines.append(
            f"Cannot tell {_some(pairs, 'or')}: dominated within noise only, no metric shows a difference. "
            "Do not drop these on this evidence."
        )
    beaten = [] if noise is None else [name for name in off if name not in set(noise)]
    if beaten:
        which = "Whatever is dominated" if not noise else "Every other dominated configuration"
        lines.append(f"{which} is beaten beyond noise in at least one metric ({_family(record)}).")
    elif off and noise is None:
        lines.append(f"Cannot tell whether dominated configurations are worse beyond noise: {record.reason}.")
    if record.exploratory:
        lines.append("Exploratory: the scoreboards are of different evals.")
    lines += [*cliff_lines(record.cliffs), *_left_out(record)]
    return lines + [f"{show.capital(caution)}." for caution in record.cautions]


def _left_out(record: FrontierRecord) -> list[str]:
    """Name what an eval lacks, by reason."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in record.left_out.items():
        by_reason.setdefault(reason, []).append(name)
    return [f"Left out, {reason}: {_some(names)}." for reason, names in by_reason.items()]


def _family(record: FrontierRecord) -> str:
    return f"level {record.alpha:g}, corrected for {show.plural(record.looks, 'difference')}"


def tables(record: FrontierRecord, points: pl.DataFrame) -> list[Table]:
    """The frontier, and below it what is dominated and by what."""
    metrics = [metric.name for metric in record.metrics]
    titles = [_words(name) for name in metrics]
    rates = [_is_rate(name, points, i) for i, name in enumerate(metrics)]
    on, off = record.frontier, record.dominated
    wanted = pl.Series([*on[:_ROWS], *islice(off, _ROWS)], dtype=pl.String)
    shown = points.filter(pl.col("name").is_in(wanted.implode()))
    rows = {row["name"]: row for row in shown.iter_rows(named=True)}
    shown_tables = [
        table(
            "on-frontier",
            "On the frontier, best first",
            ["Configuration", *titles],
            [[name, *_cells(rows[name], rates)] for name in on[:_ROWS]],
            note=_about_cells(points, len(metrics), len(on)),
        )
    ]
    if off:
        lines = [
            [name, *_cells(rows[name], rates), by, *_verdict_cells(record, name)]
            for name, by in islice(off.items(), _ROWS)
        ]
        headings = ["Configuration", *titles, "Dominated by", "Verdict", "Adjusted p"]
        note = _rest(len(off))
        if record.dominance:
            note = (
                "Verdict: whether the configuration that beats it most clearly is better in some metric "
                f"({_family(record)}). {note}"
            ).strip()
        shown_tables.append(table("dominated", "Dominated", headings, lines, note=note))
    return shown_tables


def _verdict_cells(record: FrontierRecord, name: str) -> list[Cell | str]:
    shown = record.dominance.get(name)
    if shown is None:
        return [undefined(record.reason or "")] * 2
    better = shown.verdict == "better"
    where = f"{shown.by}: {_words(shown.metric)}"
    return [
        Cell("better" if better else "cannot tell", where if better else "", strong=not better),
        figure(shown.p_adjusted, show.p_value, "no test"),
    ]


def frontier_chart(record: FrontierRecord, points: pl.DataFrame) -> Chart:
    """The first two metrics against one another."""
    x, y = record.metrics[:2]
    others = [_words(metric.name) for metric in record.metrics[2:]]
    drawn = Scatter(
        points,
        frozenset(record.frontier),
        frozenset(record.within_noise or ()),
        (_axis(x), _axis(y)),
        (x.direction == "max", y.direction == "max"),
        joined=not others,
        percent=(_is_rate(x.name, points, 0), _is_rate(y.name, points, 1)),
    )
    description = (
        f"Filled and named: on the frontier; {_about_others(record)}."
        + (f" The frontier is also of {show.listed(others)}, not drawn here." if others else "")
        + (
            f" Of {show.count(points.height)}, {show.count(len(drawn.frame()))} are drawn."
            if drawn.cut
            else ""
        )
    )
    by = show.listed([_words(x.name), _words(y.name), *others])
    sure = f"; {_how_sure(record)}" if record.dominated else ""
    title = f"On the frontier of {by}: {_some(record.frontier)}{sure}"
    return Chart("frontier", title, description, lambda width: scatter(drawn, width))


def _about_others(record: FrontierRecord) -> str:
    if record.within_noise is None:
        return "faded: dominated"
    return "faded: dominated beyond noise; open: dominated within noise only; bars are 95 % intervals"


def _axis(metric: Metric) -> str:
    title = _words(metric.name)
    return title if metric.direction == "max" else f"{title} (less is better)"


def _words(metric: str) -> str:
    """Give ``EVAL:TIER.FIGURE`` as words; what is no figure of scoreboards is called as the file calls it."""
    if _figure(metric) is None:
        return metric
    name, colon, _ = metric.partition(":")
    return words(f"{name} {figure_of(metric)}" if colon else figure_of(metric))


def _figure(metric: str) -> Figure | None:
    return FIGURES.get(tier_and_figure(figure_of(metric))[1])


def _is_rate(metric: str, points: pl.DataFrame, i: int) -> bool:
    """Whether a metric is shown in percent: a rate of scoreboards, which a list may have in other units."""
    figure_shown = _figure(metric)
    if figure_shown is None or figure_shown.kind is not FigureKind.RATE:
        return False
    return bool(points[f"value_{i}"].is_between(0, 1).all())


def _cells(row: Mapping[str, Any], rates: Sequence[bool]) -> list[Cell | str]:
    return [_cell(row[f"value_{i}"], row[f"low_{i}"], row[f"high_{i}"], rate) for i, rate in enumerate(rates)]


def _cell(value: float, low: float | None, high: float | None, rate: bool) -> Cell:
    if rate:
        span = "" if low is None or high is None else show.rate_range((low, high))
        return Cell(show.percent(value), span)
    shown = "" if low is None or high is None else f"{show.any_size(low)} to {show.any_size(high)}"
    return Cell(show.any_size(value), shown)


def _some(names: Sequence[str], last: str = "and") -> str:
    return show.listed(names, last, _NAMED)


def _about_cells(points: pl.DataFrame, metrics: int, count: int) -> str:
    has_intervals = any(points[f"low_{i}"].count() for i in range(metrics))
    return " ".join(
        filter(None, ["Below each figure: its 95 % interval." if has_intervals else "", _rest(count)])
    )


def _rest(count: int) -> str:
    return f"The first {_ROWS} of {show.count(count)}; --json gives all." if count > _ROWS else ""
