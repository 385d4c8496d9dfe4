"""Tables of an audit's items, the firmness of its order, its smallest set and what is missing."""

from __future__ import annotations

import polars as pl

from tellapart.audit.page.record import View
from tellapart.audit.page.summaries import flagged_by_kind, variance_shares
from tellapart.audit.page.words import FLAGS, PARTS, bounds, phrase, scale
from tellapart.core.pair_key import pair_key
from tellapart.report import numbers as show
from tellapart.report.comparison import sentence
from tellapart.report.tables import Cell, Table, table, undefined

MOST_ITEMS = 100
"""Items of a kind that a page names; the figures hold them all."""

FEWEST_ITEMS = 5
"""Items of a kind that are named beside their number."""

NO_DISCRIMINATION = "all models score the same, or there are too few"
NOT_RECORDED = "not recorded"


def flags(view: View) -> Table:
    """How many items are flagged, by what is the matter."""
    rows: list[list[Cell | str]] = []
    for kind, number in flagged_by_kind(view).items():
        named = [flagged.item for flagged in view.items_flagged if flagged.reason == kind]
        more = f", and {show.count(number - FEWEST_ITEMS)} more" if number > FEWEST_ITEMS else ""
        rows.append([phrase(FLAGS, kind), f"{', '.join(named[:FEWEST_ITEMS])}{more}", show.count(number)])
    return table("flags", "Items to look at", ["what is the matter", "which", "items"], rows, words=2)


def flagged(view: View) -> Table:
    """The flagged items, up to ``MOST_ITEMS`` of each kind."""
    seen: dict[str, int] = {}
    rows: list[list[Cell | str]] = []
    for one in view.items_flagged:
        seen[one.reason] = seen.get(one.reason, 0) + 1
        if seen[one.reason] <= MOST_ITEMS:
            found = one.discrimination
            shown = undefined(NO_DISCRIMINATION) if found is None else Cell(show.decimal(found, 2))
            rows.append([one.item, phrase(FLAGS, one.reason), one.twin or "", shown])
    left = len(view.items_flagged) - len(rows)
    return table(
        "flagged",
        "The items themselves",
        ["item", "what is the matter", "the other", "discrimination"],
        rows,
        words=3,
        note=f"{show.plural(left, 'more item')}: --json." if left else "",
    )


def hardest(view: View, items: pl.DataFrame) -> Table:
    """The items that tell models apart best, by discrimination.

    Args:
        view: The audit.
        items: The table of items; see `record.item_table`.
    """
    form = scale(view)
    found = items.filter(pl.col("discrimination").is_not_null())
    best = found.sort(["discrimination", "item"], descending=[True, False]).head(20)
    rows: list[list[Cell | str]] = [
        [
            row["item"],
            show.decimal(row["discrimination"], 2),
            show.DASH if row["difficulty"] is None else form.mean(row["difficulty"]),
            show.count(row["n_models"]),
        ]
        for row in best.iter_rows(named=True)
    ]
    return table(
        "best-items",
        "The 20 items that follow the order of the models best",
        ["item", "discrimination", f"mean score{form.unit}", "models"],
        rows,
        note="Discrimination: correlation over the models of the item with the rest of the items.",
    )


def variance(view: View) -> Table:
    """Each part of the variance with its share."""
    shares = variance_shares(view)
    rows: list[list[Cell | str]] = []
    for name, value in view.variance.parts.items():
        if value is None:
            rows.append([PARTS[name], undefined(NOT_RECORDED), undefined(NOT_RECORDED)])
        else:
            share = shares.get(name)
            rows.append(
                [
                    PARTS[name],
                    show.significant(value),
                    undefined("nothing varies") if share is None else show.rate(share),
                ]
            )
    note = sentence(view.variance.reason)
    return table(
        "variance",
        "Where the variance of the scores comes from",
        ["part", "variance", "share, %"],
        rows,
        note=f"{note[:1].upper()}{note[1:]}." if note else "",
    )


def firmness(view: View) -> Table:
    """The order held against itself."""
    found = view.order
    reason = sentence(found.reason) or "not known"
    rows: list[list[Cell | str]] = [
        ["Kendall's τ between random halves of the items", _tau(found.halves_tau, reason)],
        ["correlation of the means of the halves", _tau(found.halves_correlation, reason)],
        ["the same for the whole length (Spearman–Brown)", _tau(found.spearman_brown, reason)],
        [
            "τ with and without the items that rank backwards",
            _tau(found.without_flagged, "no item ranks the models backwards"),
        ],
        [view.reliability.name, _tau(view.reliability.value, sentence(view.reliability.reason) or reason)],
    ]
    return table("firmness", "How firm the order is", ["figure", "value"], rows)


def between(view: View, column: str, taus: dict[str, float | None]) -> Table:
    """Kendall's tau between the orders on two kinds of items."""
    names = {pair_key(a, b): f"{a} – {b}" for a in view.by_stratum[column] for b in view.by_stratum[column]}
    rows: list[list[Cell | str]] = [
        [names.get(key, key), _tau(tau, "one of the two orders is all ties")] for key, tau in taus.items()
    ]
    return table(
        f"between-{len(column)}-{list(view.by_stratum).index(column)}",
        f"Whether the models come in the same order, by {column} (Kendall's τ)",
        ["kinds", "τ"],
        rows,
    )


def smallest(view: View) -> Table:
    """The items of the smallest set."""
    names = view.smallest_set.items
    rows: list[list[Cell | str]] = [[str(i), name] for i, name in enumerate(names[:MOST_ITEMS], 1)]
    left = len(names) - len(rows)
    return table(
        "smallest",
        "The items of the smallest set",
        ["nr", "item"],
        rows,
        words=2,
        note=f"{show.plural(left, 'more item')}: --json." if left else "",
    )


def missing(view: View) -> Table:
    """Rows without a score, by model and cause, with what they could do to the mean."""
    form = scale(view)
    causes = sorted({cause for found in view.missing.values() for cause in found})
    limits = {ranked.model: ranked.bounds for ranked in view.ranking}
    rows: list[list[Cell | str]] = []
    for ranked in view.ranking:
        found = view.missing.get(ranked.model, {})
        ends = limits.get(ranked.model)
        span = bounds(form, ends) if ends else undefined("nothing was scored")
        numbers = [show.count(found.get(cause, 0)) for cause in causes]
        rows.append([ranked.model, show.count(sum(found.values())), *numbers, span])
    return table(
        "missing",
        "Scores that are missing, by cause",
        ["model", "all", *causes, f"mean if they were worst or best{form.unit}"],
        rows,
    )


def _tau(value: float | None, reason: str) -> Cell:
    return undefined(reason) if value is None else Cell(show.decimal(value, 2))
