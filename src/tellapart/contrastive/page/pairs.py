"""Which models differ: the pairs of the verdict, the same by level, and the items that each pair needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tellapart.contrastive.page.cells import AS_SEEN
from tellapart.contrastive.page.view import View
from tellapart.core.comparison import POWER, Comparison, PairComparison
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.browser import pair_address
from tellapart.report.charts import Axis, Chart, Drawing, Row, rows
from tellapart.report.comparison import detail_note, items_as_seen, scope_words, words
from tellapart.report.document import Section
from tellapart.report.tables import Cell, Table, table, undefined

_LEAST = 10
_NEEDED = Axis(
    "Items needed (log)", (_LEAST, show.MANY), [10, 100, 1000, 10_000, 100_000], "~s", log=True, grid=True
)

MOST_NEEDED = 3
"""Pairs that the title of the chart names."""


def section(view: View) -> Section | None:
    """The verdict with its pairs; nothing where only one model has a score."""
    comparison = view.comparison
    if comparison is None:
        return None
    whole = block.section(
        comparison,
        order=view.levels,
        # The browser holds answers of models, and a writer's are those of several.
        items=None if view.writers else _address(comparison),
        title=f"Which {view.compared} differ",
        what=view.compared,
    )
    return replace(whole, charts=(_chart(comparison, view.levels),))


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


def _chart(comparison: Comparison, levels: Sequence[str]) -> Chart:
    primary, declared = comparison.primary, words(_declared(comparison))
    by_row: dict[str, Sequence[PairComparison]] = {}
    if primary.scope == "all items":
        by_row["all"] = primary.pairs
    if comparison.secondary:
        by_row |= {
            words(level): [pair for pair in comparison.secondary.pairs if pair.stratum == level]
            for level in levels
        }
    if declared in by_row:
        by_row[declared] = primary.pairs
    description = (
        f"For each pair of models, the items needed {AS_SEEN}: on all items and by level, on a logarithmic "
        "axis; filled where they are separated. A grey mark is the number of items that there are."
    )
    return Chart(
        "items-needed", _fewest(primary.pairs, primary.scope), description, lambda w: _draw(by_row, w)
    )


def _fewest(pairs: Sequence[PairComparison], scope: str) -> str:
    """Say how many items each pair needs, the fewest first, and how many there are."""
    needed = sorted(
        (needed, f"{pair.ahead} and {pair.behind} {items_as_seen(pair.items_needed)}")
        for pair in pairs
        if (needed := pair.items_needed.value) is not None
    )
    if not needed:
        return "Items needed: of no two models a number is known"
    more = f"; {show.plural(len(needed) - MOST_NEEDED, 'more pair')}" if len(needed) > MOST_NEEDED else ""
    named = show.listed([text for _, text in needed[:MOST_NEEDED]])
    which = "" if scope == "all items" else f" {scope_words(scope).removesuffix(' items')}"
    there = f"there are {show.count(max(pair.n for pair in pairs))}{which}"
    return f"Items needed, were the differences the ones seen: {named}{more}; {there}"


def _draw(by_row: Mapping[str, Sequence[PairComparison]], width: int) -> Drawing:
    """A panel a pair, and a row for each entry; rows without the pair stay empty."""
    by_pair = [_row(name, pair) for name, compared in by_row.items() for pair in compared]
    return rows(by_pair, width, _NEEDED, title="Level", least=110)


def _row(name: str, pair: PairComparison) -> Row:
    needed, low, high = pair.items_needed.value, pair.items_needed.low, pair.items_needed.high
    unknown = "not tested" if pair.p is None else "no number"
    return Row(
        name,
        None if needed is None else _clamped(needed),
        low=None if low is None else _clamped(low),
        high=None if low is None else _clamped(high or show.MANY),
        open=low is not None and high is None,
        hollow=not pair.is_separated,
        there=_clamped(pair.n),
        figure=unknown if needed is None else show.items(needed),
        panel=f"{pair.a} – {pair.b}",
    )


def _clamped(items: int) -> int:
    return min(max(items, _LEAST), show.MANY)
