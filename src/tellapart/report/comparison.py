"""The block in which every page, terminal and Markdown file says whether models differ.

The primary verdict in one sentence, then the pairs, then the strata with the size of their family, then the
cautions. Nothing is decided here: `tellapart.core.comparison` has decided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tellapart.core.comparison import Comparison, Family, ItemsNeeded, PairComparison, Verdict
from tellapart.core.estimate import Interval
from tellapart.report import numbers as show
from tellapart.report.document import Section, present
from tellapart.report.figures import cell, labels
from tellapart.report.headline import (
    FEW,
    NAME,
    about,
    headline,
    headline_sentences,
    nothing_to_compare,
    outlook,
    scope,
    scope_words,
    sentence,
)
from tellapart.report.numbers import Scale, words
from tellapart.report.plain_text import shortened
from tellapart.report.tables import Cell, Table, table, undefined

__all__ = [
    "FEW",
    "NAME",
    "VERDICTS",
    "PairLink",
    "Scale",
    "about",
    "by_rank",
    "corrected_note",
    "detail_note",
    "headline",
    "headline_sentences",
    "items_as_seen",
    "needed_range",
    "no_items",
    "nothing_to_compare",
    "outlook",
    "pair_table",
    "scope",
    "scope_words",
    "section",
    "sentence",
    "strata_table",
    "verdict_cell",
    "words",
]

MOST_PAIRS = 200
"""A table of more pairs is cut: they are all in the JSON."""

VERDICTS = {
    Verdict.A_BETTER: "better",
    Verdict.B_BETTER: "better",
    Verdict.EQUIVALENT: "equivalent",
    Verdict.NOT_SEPARATED: "cannot tell",
    Verdict.WITHHELD: "withheld",
}
"""Of the model that is ahead."""

_SHORT = 18
"""Columns that a name may take beside a verdict in a table that has it whole."""

_FIGURES = ("difference", "p", "p_adjusted", "items_needed", "n")

PairLink = Callable[[str, str], str]
"""Gives the address of the items on which two models differ, the one ahead first."""


def section(
    comparison: Comparison,
    *,
    order: Sequence[str] | None = None,
    name: str = "comparison",
    title: str = "Which models differ",
    items: PairLink | None = None,
    what: str = "models",
) -> Section:
    """Give the block as a section of a page or of Markdown: verdict, pairs, strata, cautions."""
    sentences = [*headline_sentences(comparison), *map(sentence, comparison.cautions[1:])]
    return Section(
        name,
        title,
        f"{'. '.join(sentences)}.",
        tables=(pair_table(comparison, None, items, what),),
        folded=present(strata_table(comparison, None, order)),
        in_terminal=True,
    )


def pair_table(
    comparison: Comparison,
    scale: Scale | None = None,
    items: PairLink | None = None,
    what: str = "models",
) -> Table:
    """Every pair of the primary family, in the order in which the models rank."""
    family, form = comparison.primary, scale or Scale()
    rows: list[list[Cell | str]] = [
        [
            pair.ahead,
            pair.behind,
            Cell(VERDICTS[pair.verdict], strong=not pair.is_separated),
            *_figures(pair, form, items),
        ]
        for pair in by_rank(family.pairs)[:MOST_PAIRS]
    ]
    on = "" if scope(family) == "all items" else f" on {scope(family)}"
    against = f" against {comparison.baseline}" if comparison.baseline else ""
    left_out = len(family.pairs) - MOST_PAIRS
    rest = f" {show.plural(left_out, 'more pair')}: add --json." if left_out > 0 else ""
    return table(
        "pairs",
        f"Pairs of {what}{against}{on} (differences in {form.gap_unit})",
        ["Ahead", "Behind", "Verdict", *labels(_FIGURES)],
        rows,
        words=3,
        note=f"The {what.removesuffix('s')} with the higher mean comes first. {corrected_note(family, what)} "
        f"Items needed: with which the test would separate the two with "
        f"{show.whole_percent(comparison.power)} power, were the difference the one seen, and below it were "
        f"it an end of its 95 % interval.{rest}",
    )


def by_rank(pairs: Sequence[PairComparison]) -> list[PairComparison]:
    """Order pairs by the model ahead and then the one behind, models by their mean lead over the others."""
    lead: dict[str, float] = {}
    for pair in pairs:
        lead[pair.a] = lead.get(pair.a, 0.0) + (pair.difference or 0.0)
        lead[pair.b] = lead.get(pair.b, 0.0) - (pair.difference or 0.0)
    return sorted(pairs, key=lambda pair: (-lead[pair.ahead], pair.ahead, -lead[pair.behind], pair.behind))


def strata_table(
    comparison: Comparison, scale: Scale | None = None, order: Sequence[str] | None = None
) -> Table | None:
    """Every pair in every stratum; None without a secondary family, and where no pair is left.

    A stratum that the primary family is about is left out, so that a pair on the same items has one number.
    """
    family, form = comparison.secondary, scale or Scale()
    if family is None:
        return None
    rank = {value: k for k, value in enumerate(order or ())}
    pairs = sorted(
        (pair for pair in family.pairs if f"{family.by}={pair.stratum}" != comparison.primary.scope),
        key=lambda pair: rank.get(pair.stratum or "", len(rank)),
    )
    above = f" Pairs on {scope(comparison.primary)} are above." if len(pairs) < len(family.pairs) else ""
    rows: list[list[Cell | str]] = [
        [pair.stratum or "", f"{pair.ahead} – {pair.behind}", verdict_cell(pair), *_figures(pair, form)]
        for pair in pairs[:MOST_PAIRS]
    ]
    return table(
        "strata",
        f"Pairs by {words(family.by)} (differences in {form.gap_unit})",
        [words(family.by).capitalize(), "Pair", "Verdict", *labels(_FIGURES)],
        rows,
        words=3,
        note=f"{detail_note(family)}{above}",
    )


def corrected_note(family: Family, what: str = "models") -> str:
    """Say what p and intervals are corrected for, and what that means for an interval around 0."""
    return (
        f"Adjusted p and the intervals are corrected for {show.plural(len(family.pairs), 'comparison')} "
        f"(Holm's method): an interval excludes 0 exactly where the {what} are separated."
    )


def detail_note(family: Family) -> str:
    """Say how many looks a secondary family was, and how many separate."""
    looks = show.plural(len(family.pairs), "comparison")
    return f"Detail: {len(family.separated)} of {looks} separated, corrected for all of them together."


def verdict_cell(pair: PairComparison) -> Cell:
    """The verdict on a pair; where one is better, with its name."""
    if pair.is_separated:
        return Cell(f"{shortened(pair.ahead, _SHORT)} is better")
    return Cell(VERDICTS[pair.verdict], strong=True)


def _figures(pair: PairComparison, scale: Scale, link: PairLink | None = None) -> list[Cell]:
    """Difference with its interval, p, adjusted p, items needed, n."""
    no_test = sentence(pair.reason) or "too few items or clusters"
    difference, interval = pair.of(pair.ahead)
    if difference is None:
        gap = undefined(no_test)
    else:
        address = link(pair.ahead, pair.behind) if link else ""
        gap = Cell(scale.gap(difference), _span(pair, interval, scale), link=address)
    if pair.items_needed.value is None:
        items = undefined(no_items(pair))
    else:
        items = Cell(show.items(pair.items_needed.value), needed_range(pair.items_needed))
    clusters = "" if pair.clusters in (0, pair.n) else show.plural(pair.clusters, "cluster")
    p = [cell(name, getattr(pair, name), reason=no_test) for name in ("p", "p_adjusted")]
    return [gap, *p, items, Cell(show.count(pair.n), clusters)]


def _span(pair: PairComparison, interval: Interval | None, scale: Scale) -> str:
    span = "no interval" if interval is None else scale.gap_span(interval)
    if pair.verdict is not Verdict.WITHHELD or pair.withheld or pair.bounds is None:
        return span
    low, high = pair.bounds if pair.ahead == pair.a else (-pair.bounds[1], -pair.bounds[0])
    bounds = " to ".join("no limit" if abs(end) == float("inf") else scale.gap(end) for end in (low, high))
    return f"{span}; bounds {bounds}"


def no_items(pair: PairComparison) -> str:
    """Say why no number of items is known that would separate two models."""
    same = "no number of items would: they score the same" if pair.difference == 0 else ""
    return sentence(pair.withheld) or same or sentence(pair.reason) or "too few items or clusters"


def items_as_seen(items: ItemsNeeded | None) -> str:
    """Give the items needed with their range: ``304 (120 or more)``."""
    if items is None or items.value is None:
        return show.DASH
    span = needed_range(items)
    return f"{show.items(items.value)} ({span})" if span else show.items(items.value)


def needed_range(items: ItemsNeeded) -> str:
    """Give the items needed were the difference an end of its interval: ``120 or more``, or nothing."""
    if items.low is None:
        return ""
    return show.items(items.low) + (" or more" if items.high is None else f" to {show.items(items.high)}")
