"""Conditions over seeds in a terminal and as a page: how far seeds scatter, and what is beyond that."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tellapart.report import numbers as show
from tellapart.report.bundles.seed_dots import draw_seeds
from tellapart.report.charts import Chart
from tellapart.report.document import Document, Section
from tellapart.report.page import html_document
from tellapart.report.tables import Cell, Table, table, undefined
from tellapart.report.terminal import rich_list, rich_table
from tellapart.store import write_text

Figures = Mapping[str, Any]

_OTHER = ("differences", "exploratory", "fingerprints")
_ALPHA = 0.05
_MOST_SAID = 6


def terminal(figures: Figures) -> list[RenderableType]:
    """Show the verdict, each metric by condition, and the differences; ``figures`` as ``--json`` has them."""
    shown = [conditions(i, *metric) for i, metric in enumerate(_metrics(figures).items(), start=1)]
    if figures["differences"]:
        shown.append(differences(figures))
    return [Text(headline(figures), style="bold"), rich_list(verdict(figures)), *map(rich_table, shown)]


def write_page(figures: Figures, path: Path) -> None:
    """Write the page, whole or not at all.

    Raises:
        StorageError: The place cannot be written.
    """
    write_text(path, html_document(document(figures)))


def document(figures: Figures) -> Document:
    """Arrange the figures as a report: a section a metric, then the differences."""
    metrics = _metrics(figures)
    sections = [
        Section(f"metric-{i}", name, charts=(chart(i, name, stats),), tables=(conditions(i, name, stats),))
        for i, (name, stats) in enumerate(metrics.items(), start=1)
    ]
    if figures["differences"]:
        text = (
            "The documented rule asks for 2 points between the means of three seeds each; Welch's test asks "
            "how far apart the means are for seeds that vary as these do."
        )
        sections.append(Section("differences", "Differences", text, tables=(differences(figures),)))
    names = sorted({name for stats in metrics.values() for name in stats})
    facts = {"Conditions": show.listed(names), "Metrics": show.count(len(metrics))}
    words = [f"--metric {name}" for name in metrics]
    return Document(
        "bundles: conditions over seeds",
        headline(figures),
        tuple(verdict(figures)),
        facts,
        tuple(sections),
        {"Evals": "; ".join(figures.get("fingerprints", ())) or "as the files have them"},
        (f"tellapart bundles seeds FILE {' '.join(words)}",),
    )


def headline(figures: Figures) -> str:
    """Say how many of the differences that can be tested are beyond the noise of seeds."""
    tested = [one for one in figures["differences"] if one["welch_p"] is not None]
    if not figures["differences"]:
        if any(len(stats) > 1 for stats in _metrics(figures).values()):
            return "No metric has values of two conditions: nothing to hold seeds against"
        return "One condition: nothing to hold its seeds against"
    if not tested:
        return "No difference between conditions can be tested: the seeds are too few or do not vary"
    found = sum(one["welch_p_holm"] < _ALPHA for one in tested)
    verb = "is" if found == 1 else "are"
    of = "The difference" if len(tested) == 1 else f"{found or 'None'} of {len(tested)} differences"
    negated = " not" if len(tested) == 1 and not found else ""
    return f"{of} between conditions {'is' if len(tested) == 1 else verb}{negated} beyond the noise of seeds"


def verdict(figures: Figures) -> list[str]:
    """Say where the rule and the test disagree, and what to know of the intervals."""
    apart = [
        f"{one['metric']}: {one['a']} and {one['b']} differ by {_gap(one['delta'])} "
        f"({_p(one['welch_p_holm'])})."
        for one in figures["differences"]
        if one["welch_p_holm"] is not None and one["welch_p_holm"] < _ALPHA
    ]
    torn = [
        f"{one['metric']}, {one['a']} and {one['b']}: {one['disagreement']}"
        for one in figures["differences"]
        if one["disagreement"]
    ]
    lacking = [
        f"{condition}: {show.count(one['missing'])} of {show.plural(one['n_seeds'] + one['missing'], 'run')} "
        f"without {name}."
        for name, stats in _metrics(figures).items()
        for condition, one in stats.items()
        if one["missing"]
    ]
    said = [*_first(apart, "difference"), *_first(torn, "disagreement"), *_first(lacking, "gap")]
    counts = {stats["n_seeds"] for metric in _metrics(figures).values() for stats in metric.values()}
    if 3 in counts:
        said.append("At three seeds the interval by Student's t is 2.2 times as wide as the documented one.")
    if figures.get("exploratory"):
        said.append("Exploratory: the scoreboards are of different evals.")
    return said


def conditions(number: int, name: str, stats: Mapping[str, Figures]) -> Table:
    """One metric by condition, with both intervals."""
    rows: list[list[Cell | str]] = [
        [
            condition,
            _cell(one["mean"], one["reason"]),
            undefined(one["reason"]) if one["std"] is None else Cell(_figure(one["std"])),
            _cell(one["min"], one["reason"]),
            _cell(one["max"], one["reason"]),
            show.count(one["n_seeds"]),
            _interval(one["ci95_normal"], one["reason"]),
            _interval(one["ci95_t"], one["reason"]),
        ]
        for condition, one in stats.items()
    ]
    headings = ["condition", "mean", "std", "min", "max", "seeds", "95 % (1.96)", "95 % (t)"]
    flat = {one["reason"] for one in stats.values() if one["reason"] and one["std"] is not None}
    return table(f"seeds-{number}", name, headings, rows, note="; ".join(sorted(flat)))


def differences(figures: Figures) -> Table:
    """Every pair of conditions by metric: the rule and the test side by side."""
    rows: list[list[Cell | str]] = []
    for one in figures["differences"]:
        rule = one["rule_2pct"]
        p, adjusted = one["welch_p"], one["welch_p_holm"]
        interval = one["ci95_delta"]
        rows.append(
            [
                f"{one['metric']}: {one['a']} – {one['b']}",
                Cell(_gap(one["delta"]), f"{_gap(interval[0])} to {_gap(interval[1])}" if interval else ""),
                undefined(one["rule_reason"]) if rule is None else Cell("apart" if rule else "not apart"),
                undefined(one["welch_reason"]) if p is None else Cell(show.p_value(p)),
                undefined(one["welch_reason"])
                if adjusted is None
                else Cell(show.p_value(adjusted), strong=adjusted < _ALPHA),
            ]
        )
    return table(
        "differences",
        "Differences between conditions (95 % interval by Welch)",
        ["metric and pair", "difference", "2 % rule", "Welch p", "p, Holm"],
        rows,
        note="Holm: adjusted for all pairs of the metric.",
    )


def chart(number: int, name: str, stats: Mapping[str, Figures]) -> Chart:
    """Seeds of each condition by one metric, with both intervals."""
    stats = {condition: one for condition, one in stats.items() if one["n_seeds"]}
    top = max(stats, key=lambda condition: stats[condition]["mean"])
    title = f"Highest mean of {name}: {_figure(stats[top]['mean'])}, {top}"
    rest = sorted(one["mean"] for condition, one in stats.items() if condition != top)
    if rest:
        span = dict.fromkeys((_figure(rest[0]), _figure(rest[-1])))
        title += f"; {'the other' if len(rest) == 1 else 'the others'} {' to '.join(span)}"
    description = (
        "A ring a seed, a bar at the mean; the thick line is the documented interval, 1.96 standard errors "
        "to each side, the thin one that by Student's t, which knows how few seeds there are."
    )
    return Chart(f"seeds-{number}", title, description, lambda width: draw_seeds(name, stats, width))


def _metrics(figures: Figures) -> dict[str, Figures]:
    """Metrics by name, as they were called before any was written ``metric:NAME``."""
    return {key.removeprefix("metric:"): value for key, value in figures.items() if key not in _OTHER}


def _first(sentences: list[str], noun: str) -> list[str]:
    rest = len(sentences) - _MOST_SAID
    return [*sentences[:_MOST_SAID], *([f"And {show.plural(rest, f'more {noun}')}."] if rest > 0 else [])]


def _cell(value: float | None, reason: str | None) -> Cell:
    return undefined(reason or "unknown") if value is None else Cell(_figure(value))


def _interval(pair: list[float] | None, reason: str | None) -> Cell:
    if pair is None:
        return undefined(reason or "unknown")
    return Cell(f"{_figure(pair[0])} to {_figure(pair[1])}")


def _figure(value: float) -> str:
    return show.decimal(value) if 0.001 <= abs(value) < 10 or not value else show.significant(value)


def _p(p: float) -> str:
    shown = show.p_value(p)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def _gap(value: float) -> str:
    return f"+{_figure(value)}" if value > 0 else _figure(value)
