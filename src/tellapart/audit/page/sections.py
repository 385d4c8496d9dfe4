"""An audit as a report: which figures stand where, and what is said about them."""

from __future__ import annotations

import shlex
from collections import Counter

import polars as pl

from tellapart.audit.page import charts, details, summaries, tables
from tellapart.audit.page.kinds import kinds
from tellapart.audit.page.record import View
from tellapart.audit.page.verdict import headline, verdict
from tellapart.audit.page.words import ACTIONS, CAUSES, phrase, scale
from tellapart.report import comparison
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section

FEW_PAIRS = 20
"""A table of more pairs is folded: the matrix is read first."""


def document(view: View, items: pl.DataFrame, links: tuple[tuple[str, str], ...] = ()) -> Document:
    """Arrange an audit: verdict, causes and fixes, kinds of items, items, order, smallest set, missing.

    Args:
        view: The audit.
        items: The table of items; see `record.item_table`.
        links: Other reports, and where they lie relative to this one.
    """
    sections = [_verdict(view), _causes(view)]
    if view.by_stratum:
        sections.append(_strata(view))
    sections += [_items(view, items), _order(view), _smallest(view), _missing(view)]
    return Document(
        "audit: can this evaluation tell these models apart",
        headline(view),
        tuple(verdict(view)),
        _facts(view),
        tuple(sections),
        _origin(view),
        _commands(view),
        links,
    )


def _verdict(view: View) -> Section:
    listed = (comparison.pair_table(view.compared, scale(view)),) if view.pairs else ()
    strata = comparison.strata_table(view.compared, scale(view))
    few = len(view.pairs) <= FEW_PAIRS
    return Section(
        "verdict",
        "Verdict",
        "Two models are separated when their difference on the items that both were scored on would be rare "
        f"between equals: p of at most {view.options.alpha:g} after Holm over all pairs.",
        charts=(charts.matrix_chart(view),) if view.pairs else (),
        tables=listed if few else (),
        folded=(*(() if few else listed), *((strata,) if strata else ())),
    )


def _causes(view: View) -> Section:
    curves = charts.power_chart(view)
    budget = charts.variance_chart(view)
    listed = tables.causes(view) if view.unseparated else []
    return Section(
        "causes",
        "Why and what to do",
        _what_helps(view),
        charts=tuple(chart for chart in (curves, budget) if chart),
        tables=tuple(listed[:1]),
        folded=(*listed[1:], details.variance(view)),
    )


def _what_helps(view: View) -> str:
    """Say which causes and which cheapest actions are how common."""
    open_ = view.unseparated
    if not open_:
        return "Every pair is separated: there is nothing to repair." if view.pairs else ""
    causes = Counter(phrase(CAUSES, pair.why[0].cause) for pair in open_ if pair.why)
    actions = Counter(phrase(ACTIONS, pair.fix[0].action) for pair in open_ if pair.fix)
    told = [
        f"{what}: {', '.join(f'{words} ({show.plural(n, noun)})' for words, n in found.most_common())}."
        for what, noun, found in (("Why", "pair", causes), ("What helps most cheaply", "pair", actions))
        if found
    ]
    return " ".join(told)


def _strata(view: View) -> Section:
    found = kinds(view)
    folded = []
    for column, of_column in found.items():
        if len(of_column) <= tables.MOST_CELLS:
            folded.append(tables.strata_means(view, column, of_column))
            if len(view.pairs) <= tables.MOST_PAIRS:
                folded.append(tables.strata_needed(view, column, of_column))
    return Section(
        "strata",
        "Kinds of items",
        "Which kind of items separates the models, and with how few items.",
        charts=tuple(charts.strata_charts(view)),
        tables=tuple(tables.strata(column, of_column) for column, of_column in found.items()),
        folded=tuple(folded),
    )


def _items(view: View, items: pl.DataFrame) -> Section:
    said = f"{_capital(summaries.items(view))}. {_capital(summaries.reliability(view))}."
    if view.irt_reason:
        said += f" {_capital(view.irt_reason.removesuffix('.'))}."
    drawn = charts.item_chart(view, items)
    known = items["discrimination"].count() > 0
    return Section(
        "items",
        "Items",
        said,
        charts=(drawn,) if drawn else (),
        tables=(details.flags(view),) if view.items_flagged else (),
        folded=(
            *((details.flagged(view),) if view.items_flagged else ()),
            *((details.hardest(view, items),) if known else ()),
        ),
    )


def _order(view: View) -> Section:
    between = [
        details.between(view, column, taus)
        for column, taus in view.order.between_strata.items()
        if taus and column in view.by_stratum
    ]
    drawn = charts.ranks_chart(view)
    return Section(
        "order",
        "Order",
        charts=(drawn,) if drawn else (),
        tables=(tables.ranking(view), details.firmness(view)),
        folded=tuple(between),
    )


def _smallest(view: View) -> Section:
    found = view.smallest_set
    chosen = (
        f" Chosen on {show.listed(found.chosen_on)}; held out {show.listed(found.confirmed_on)}."
        if found.items and found.confirmed_on and len(view.models) <= 2 * tables.MOST_CELLS
        else ""
    )
    return Section(
        "smallest",
        "Smallest set",
        f"{_capital(summaries.smallest(view))}.{chosen}",
        folded=(details.smallest(view),) if found.items else (),
    )


def _missing(view: View) -> Section:
    if not view.missing_rows:
        return Section("missing", "Missing", "No score is missing.")
    return Section(
        "missing",
        "Missing",
        "A missing score is never a zero: a verdict that some values of the missing scores would turn around "
        "is withheld.",
        tables=(details.missing(view),),
    )


def _facts(view: View) -> dict[str, str]:
    number = len(view.models)
    named = show.listed(view.models) if number <= tables.MOST_CELLS else show.count(number)
    found = {"Scores": ", ".join(view.sources)} if view.sources else {}
    found |= {"Models": named, "Items": show.count(view.items)}
    if view.missing_rows:
        found["Missing scores"] = show.count(view.missing_rows)
    return found


def _origin(view: View) -> dict[str, str]:
    options = view.options
    made = {f"Source {i}": f"{path} ({form})" for i, (path, form) in enumerate(view.sources.items(), 1)}
    made |= {f"Note {i}": note for i, note in enumerate(view.notes, 1)}
    return {
        **made,
        "Smallest difference that matters": f"{options.sesoi:g}",
        "Chance of any false claim": f"{options.alpha:g}",
        "Power of the advice": f"{options.power:g}",
        "Resamples": show.count(options.resamples),
        "Seed": str(options.seed),
    }


def _commands(view: View) -> tuple[str, ...]:
    """The line that makes this report again; nothing where it is not said what was read."""
    if not view.sources:
        return ()
    options = view.options
    words = [*view.sources, *view.read_as, "--sesoi", f"{options.sesoi:g}", "--seed", str(options.seed)]
    words += ["--by", options.by] if options.by else []
    words += ["--baseline", options.baseline] if options.baseline else []
    words += ["--primary", "=".join(options.primary)] if options.primary else []
    return (f"tellapart audit {shlex.join([*words, '--html', 'audit.html', '--markdown', 'audit.md'])}",)


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
