"""Which models differ: the pairs of the verdict, the same by level, and the items that each pair needs."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.contrastive.page.view import View
from tellapart.core.comparison import POWER, Comparison, PairComparison
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.browser import pair_address
from tellapart.report.comparison import detail_note
from tellapart.report.document import Section
from tellapart.report.tables import Cell, Table, table, undefined


def section(view: View) -> Section | None:
    """The verdict with its pairs; nothing where only one model has a score."""
    comparison = view.comparison
    if comparison is None:
        return None
    return block.section(
        comparison,
        order=view.levels,
        # The browser holds answers of models, and a writer's are those of several.
        items=None if view.writers else _address(comparison),
        title=f"Which {view.compared} differ",
        what=view.compared,
    )


def _address(comparison: Comparison) -> block.PairLink:
    """Where the browser lists the items on which two models differ, of those that the verdict is about."""
    column, _, value = comparison.primary.scope.partition("=")
    level = {"level": value} if column == "difficulty" else {}
    return lambda a, b: pair_address(a, b, **level)


def by_level(comparison: Comparison, levels: Sequence[str]) -> Table | None:
    """Difference and items needed of each pair at each level but that of the verdict, in brief."""
    detail = comparison.secondary
    levels = [level for level in levels if level != _declared(comparison)]
    if detail is None or not levels:
        return None
    pair_at = {(pair.a, pair.b, pair.stratum): pair for pair in detail.pairs}
    body: list[list[Cell | str]] = []
    for two in comparison.primary.pairs:
        at = [pair_at.get((two.a, two.b, level)) for level in levels]
        body.append([f"{two.ahead} – {two.behind}", *(_brief(pair, two.ahead) for pair in at)])
    return table(
        "by-level",
        "Pairs by level, in percentage points (items needed)",
        ["Pair", *levels],
        body,
        note=f"{detail_note(detail)} ● is separated. Items needed: for {show.whole_percent(POWER)} power, "
        "were the difference the one seen; ≥: at least so many, where its 95 % interval holds 0.",
    )


def _declared(comparison: Comparison) -> str:
    """Name the level that the verdict is about; empty where it is about something else, or chosen later."""
    column, _, level = comparison.primary.scope.partition("=")
    return level if column == "difficulty" and comparison.primary.declared else ""


def _brief(pair: PairComparison | None, model: str) -> Cell:
    gap = None if pair is None else pair.of(model)[0]
    if pair is None or gap is None:
        return undefined("no item that both answered")
    sign, needed = "●" if pair.is_separated else "○", pair.items_needed
    if needed.value is None:
        items = show.DASH
    elif needed.high is None and needed.low is not None:
        items = f"≥ {show.items(needed.low)}"
    else:
        items = show.items(needed.value)
    return Cell(f"{sign} {show.points(gap)}", items, strong=pair.is_separated)
