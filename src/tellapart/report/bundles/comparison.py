"""Two scoreboards compared, in a terminal and as Markdown: the verdict, the gates, then the figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tellapart.report import numbers as show
from tellapart.report.markdown import escape, markdown_table
from tellapart.report.tables import Cell, Table, table, undefined
from tellapart.report.terminal import rich_list, rich_table

ALPHA = 0.05
"""A difference is shown where p, after Holm, is below this."""

Figures = dict[str, Any]

RATES = {"top3": "top 3, points", "top5": "top 5, points"}
OTHERS = {
    "mean_margin": "mean margin",
    "median_margin": "median margin",
    "q10_margin": "margin, 10th percentile",
    "q90_margin": "margin, 90th percentile",
    "mean_rank": "mean rank",
    "expected_rank": "expected rank",
    "mrr": "MRR",
    **RATES,
    "ties": "ties",
}
LOWER_IS_BETTER = {"mean_rank", "expected_rank", "ties"}


def terminal(record: Figures) -> list[RenderableType]:
    """Show the verdict, the gates and what to beware of, then pass rates and the other figures.

    Args:
        record: As ``tellapart bundles compare --json`` prints it.
    """
    first, *others = verdict(record)
    return [
        Text(first, style="bold"),
        *([rich_list(others)] if others else []),
        rich_table(pass_rates(record)),
        rich_table(other_figures(record)),
    ]


def markdown(record: Figures) -> str:
    """Give the same as Markdown."""
    first, *others = verdict(record)
    listed = "\n".join(f"- {escape(sentence)}" for sentence in others)
    tables = [markdown_table(pass_rates(record)), markdown_table(other_figures(record))]
    return "\n\n".join(filter(None, [f"**{escape(first)}**", listed, *tables])) + "\n"


def verdict(record: Figures) -> list[str]:
    """Say who passes more often and where, then which gates passed, then what to beware of."""
    stamp = "Exploratory, the evals differ: " if record["exploratory"] else ""
    return [
        stamp + _headline(record),
        *(_gate(gate, record["tiers"]) for gate in record["gates"]),
        *(f"{note}." for note in record["notes"]),
    ]


def labels(record: Figures) -> tuple[str, str]:
    """Name A and B: their models; the files where both are of one model; the paths where those are alike."""
    a, b = record["a"], record["b"]
    choices = [(side["model"], PurePath(side["scoreboard"]).name, side["scoreboard"]) for side in (a, b)]
    first, second = next(((x, y) for x, y in zip(*choices, strict=True) if x != y), (a["model"], b["model"]))
    return f"{first} (A)", f"{second} (B)"


def pass_rates(record: Figures) -> Table:
    """Pass rates of both and their difference, tier by tier."""
    rows: list[list[Cell | str]] = []
    for scope, figures in record["tiers"].items():
        found, n = figures["pass_rate"], figures["n"]
        size = show.count(n["a"]) if n["a"] == n["b"] else f"{show.count(n['a'])} / {show.count(n['b'])}"
        shares = [undefined(found["reason"]) if found[x] is None else show.rate(found[x]) for x in "ab"]
        span = show.points_range(found["ci"]) if found["ci"] else undefined(found["reason"])
        rows.append([scope, size, *shares, _delta("pass_rate", found), span, _p(found)])
    return table(
        "pass_rate",
        "Pass rate, % (difference in percentage points, B minus A)",
        ["tier", "n", "A", "B", "difference", "95 % interval", "p (Holm)"],
        rows,
        note=_how(record),
    )


def other_figures(record: Figures) -> Table:
    """Differences of all other figures, tier by tier."""
    rows: list[list[Cell | str]] = [
        [title, *(_delta(name, figures[name]) for figures in record["tiers"].values())]
        for name, title in OTHERS.items()
    ]
    return table(
        "differences",
        "Other figures, B minus A",
        ["figure", *record["tiers"]],
        rows,
        note="▲ B is better, ▼ B is worse: p < 0.05 after Holm over overall and the tiers. "
        "Margins are in the unit of each model's own similarity.",
    )


def _headline(record: Figures) -> str:
    a, b = labels(record)
    found = {scope: figures["pass_rate"] for scope, figures in record["tiers"].items()}
    shown = {
        scope: one for scope, one in found.items() if one["p_holm"] is not None and one["p_holm"] < ALPHA
    }
    parts = []
    for word, sign in (("more", 1), ("less", -1)):
        where = [
            f"{'' if scope == 'overall' else 'in '}{scope} ({show.points(one['delta'])} points)"
            for scope, one in shown.items()
            if sign * one["delta"] > 0
        ]
        if where:
            parts.append(f"{word} often than {a} {show.listed(where)}")
    if parts:
        return f"{b} passes {' and '.join(parts)}"
    overall = found["overall"]
    if overall["delta"] == 0 and all(one["delta"] in (0, None) for one in found.values()):
        return f"{b} and {a} have the same pass rate, overall and in every tier"
    if all(one["p"] is None for one in found.values()):
        return f"Whether {b} passes more often than {a} cannot be tested: {overall['reason']}"
    span = f", 95 % interval {show.points_range(overall['ci'])}" if overall["ci"] else ""
    gap = overall["delta_shared"]
    on = " on the bundles that both have" if record["exploratory"] else ""
    known = f": {show.points(gap)} points overall{on}{span}" if gap is not None else ""
    return f"No difference in pass rate is shown between {b} and {a}{known}"


def _gate(gate: Figures, tiers: Figures) -> str:
    scope, figure, _ = gate["name"].split(".")
    form = _points if figure == "pass_rate" else show.decimal
    state = "Passed" if gate["passed"] else "FAILED"
    what = f"{scope} {figure}"
    if gate["value"] is None:
        return f"{state} {gate['option']}: the drop of {what} is undefined, {gate['reason']}."
    moved = "did not change" if gate["value"] == 0 else "rose" if gate["value"] < 0 else "fell"
    by = f" by {form(abs(gate['value']))}" if gate["value"] else ""
    noise = _noise(gate, form) or f"no interval, {tiers[scope][figure]['reason']}"
    return f"{state} {gate['option']}: {what} {moved}{by}, limit {form(gate['limit'])}; {noise}."


def _noise(gate: Figures, form: Callable[[float], str]) -> str:
    """Say whether the drop, and the side of the limit that it is on, are beyond chance."""
    if gate["ci"] is None:
        return ""
    low, high = gate["ci"]
    within = "within noise" if low <= 0 <= high else "beyond noise"
    text = f"{within}, 95 % interval of the drop {_span(low, high, form)}"
    if gate["passed"] and high > gate["limit"]:
        return f"{text}: a drop beyond the limit is not ruled out"
    if not gate["passed"] and low <= gate["limit"]:
        return f"{text}: a drop within the limit is not ruled out"
    return text


def _span(low: float, high: float, form: Callable[[float], str]) -> str:
    """Give an interval with its unit once, at the end."""
    return f"{form(low).partition(' ')[0]} to {form(high)}"


def _delta(name: str, figure: Figures) -> Cell:
    delta = figure["delta"]
    if delta is None:
        return undefined(figure["reason"])
    if name == "ties":
        text = f"{delta:+,}".replace("-", show.MINUS) if delta else "0"
    elif name in RATES or name == "pass_rate":
        text = show.points(delta)
    else:
        text = _signed(delta)
    shown = figure["p_holm"] is not None and figure["p_holm"] < ALPHA and delta != 0
    if not shown:
        return Cell(text)
    gain = figure["delta_shared"] or delta
    return Cell(f"{'▲' if (gain > 0) != (name in LOWER_IS_BETTER) else '▼'} {text}", strong=True)


def _p(figure: Figures) -> Cell:
    return undefined(figure["reason"]) if figure["p_holm"] is None else Cell(show.p_value(figure["p_holm"]))


def _how(record: Figures) -> str:
    test = record["tiers"]["overall"]["pass_rate"]["test"]
    shared = "Interval and p are of the bundles that both have. " if record["exploratory"] else ""
    return f"{shared}Test: {test}; Holm over overall and the tiers." if test else ""


def _signed(difference: float) -> str:
    rounded = f"{difference:+.3f}"
    return "0.000" if float(rounded) == 0 else rounded.replace("-", show.MINUS)


def _points(share: float) -> str:
    return f"{show.decimal(100 * share, 1)} points"
