"""A Pareto frontier as a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import polars as pl

from tellapart.bundles.cliff import cliff_lines
from tellapart.bundles.figures import FIGURES as SUMMED
from tellapart.bundles.pareto import FrontierRecord, Metric, figure_of
from tellapart.bundles.tier_stats import tier_and_figure
from tellapart.report import numbers as show
from tellapart.report.charts import Chart, Scatter, scatter
from tellapart.report.comparison import words
from tellapart.report.document import Document, Section
from tellapart.report.figures import FIGURES, Figure, cell
from tellapart.report.tables import Cell, Table, table, undefined

_ROWS = 200
"""Rows of a table; nobody reads more, and the JSON holds them."""

_NAMED = 4
"""Names in a sentence."""


def document(record: FrontierRecord, points: pl.DataFrame, command: str = "") -> Document:
    """Show the verdict, the frontier and what it dominates; ``command`` makes it anew."""
    section = Section(
        "frontier",
        "The frontier",
        "A configuration is on the frontier if no other is better in one metric and no worse in the rest.",
        charts=(frontier_chart(record, points),) if points.height else (),
        tables=tuple(tables(record, points)),
        in_terminal=True,
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
    verb = "is" if on == 1 else "are"
    all_ = show.plural(on + off, "configuration")
    sure = "whether the others are worse beyond noise is not known"
    if record.within_noise is not None:
        beyond = show.count(off - len(record.within_noise))
        sure = f"dominated beyond noise: {beyond} of the other {show.count(off)}"
    return f"{show.count(on)} of {all_} {verb} on the frontier of {metrics}; {sure}"


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
    if noise is not None and len(noise) < len(off):
        which = "Every other dominated configuration" if noise else "Whatever is dominated"
        lines.append(f"{which} is beaten beyond noise in at least one metric ({_family(record)}).")
    if off and noise is None:
        lines.append(f"Cannot tell whether dominated configurations are worse beyond noise: {record.reason}.")
    if record.exploratory:
        lines.append("Exploratory: the scoreboards are of different evals.")
    by_reason: dict[str, list[str]] = {}
    for name, reason in record.left_out.items():
        by_reason.setdefault(reason, []).append(name)
    lines += cliff_lines(record.cliffs)
    lines += [f"Left out, {reason}: {_some(names)}." for reason, names in by_reason.items()]
    return lines + [f"{show.capital(caution)}." for caution in record.cautions]


def _family(record: FrontierRecord) -> str:
    return f"level {record.alpha:g}, corrected for {show.plural(record.looks, 'difference')}"


def tables(record: FrontierRecord, points: pl.DataFrame) -> list[Table]:
    """The frontier, and below it what is dominated and by what."""
    titles = [
        f"{_words(metric.name)}, %" if _is_percent(metric.name) else _words(metric.name)
        for metric in record.metrics
    ]
    forms = [_figure(metric.name) for metric in record.metrics]
    on, off = record.frontier[:_ROWS], dict(islice(record.dominated.items(), _ROWS))
    shown = points.filter(pl.col("name").is_in([*on, *off]))
    cells = {row["name"]: _cells(row, forms) for row in shown.iter_rows(named=True)}
    note = "Below each figure: its 95 % interval. " if points["low_0"].count() else ""
    tables = [
        table(
            "on-frontier",
            "On the frontier, best first",
            ["Configuration", *titles],
            [[name, *cells[name]] for name in on],
            note=note + _rest(len(record.frontier)),
        )
    ]
    if off:
        rows = [[name, *cells[name], by, *_verdict_cells(record, name)] for name, by in off.items()]
        note = _rest(len(record.dominated))
        if record.dominance:
            note = (
                "Verdict: whether the configuration that beats it most clearly is better in some metric "
                f"({_family(record)}). {note}"
            ).strip()
        headings = ["Configuration", *titles, "Dominated by", "Verdict", FIGURES["p_adjusted"].label]
        tables.append(table("dominated", "Dominated", headings, rows, note=note))
    return tables


def _verdict_cells(record: FrontierRecord, name: str) -> list[Cell | str]:
    shown = record.dominance.get(name)
    if shown is None:
        return [undefined(record.reason or "")] * 2
    better = shown.verdict == "better"
    where = f"{shown.by}: {_words(shown.metric)}" if better else ""
    return [
        Cell("better" if better else "cannot tell", where, strong=not better),
        cell("p_adjusted", shown.p_adjusted),
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
        percent=(_is_percent(x.name), _is_percent(y.name)),
    )
    faded = (
        "dominated"
        if record.within_noise is None
        else "dominated beyond noise; open: dominated within noise only; bars are 95 % intervals"
    )
    description = f"Filled and named: on the frontier; faded: {faded}."
    if others:
        description += f" The frontier is also of {show.listed(others)}, not drawn here."
    if drawn.cut:
        description += f" Of {show.count(points.height)}, {show.count(len(drawn.frame()))} are drawn."
    by = show.listed([_words(x.name), _words(y.name), *others])
    title = f"On the frontier of {by}: {_some(record.frontier)}"
    return Chart("frontier", title, description, lambda width: scatter(drawn, width))


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
    """Give how a figure of scoreboards is shown; None for a metric that is none."""
    name = tier_and_figure(figure_of(metric))[1]
    return FIGURES[name] if name in SUMMED else None


def _is_percent(metric: str) -> bool:
    known = _figure(metric)
    return known is not None and known.unit == "%"


def _cells(row: Mapping[str, Any], forms: Sequence[Figure | None]) -> list[Cell]:
    cells = []
    for i, known in enumerate(forms):
        form = known.form if known else show.any_size
        ends = [row[f"{end}_{i}"] for end in ("low", "high") if row[f"{end}_{i}"] is not None]
        cells.append(Cell(form(row[f"value_{i}"]), " to ".join(map(form, ends))))
    return cells


def _some(names: Sequence[str], last: str = "and") -> str:
    return show.listed(names, last, _NAMED)


def _rest(count: int) -> str:
    return f"The first {_ROWS} of {show.count(count)}; --json gives all." if count > _ROWS else ""
