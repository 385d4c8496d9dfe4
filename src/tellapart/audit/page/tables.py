"""Tables of an audit: pairs, causes and fixes, kinds of items, order."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.audit.page.kinds import Kind, keyed
from tellapart.audit.page.parts import Pair, Ranked
from tellapart.audit.page.record import View
from tellapart.audit.page.verdict import why
from tellapart.audit.page.words import bounds, scale
from tellapart.report import numbers as show
from tellapart.report.comparison import Scale, sentence
from tellapart.report.tables import Cell, Table, table, undefined

MOST_PAIRS = 200
"""A table of more pairs is cut: they are all in the figures."""

FEW_CAUSES = 8
"""So many pairs are shown with all that is known of them; those after are folded."""

MOST_CELLS = 10
"""So many pairs or models have a column each; with more there is no table by kind."""

NO_NUMBER = "no number of items would: they score the same"
NO_SCORE = "nothing was scored"
NO_RIVAL = "no other model has a score on the same items"
ALONE = "there is no pair with items of this kind"


def causes(view: View) -> list[Table]:
    """For each pair that is not separated, why, and everything that would help, the cheapest first.

    Returns:
        The ``FEW_CAUSES`` pairs that are cheapest to separate, and where there are more, those.
    """
    found = view.unseparated
    tables = [_causes("causes", "Why pairs are not separated, and what would help", found[:FEW_CAUSES])]
    more = found[FEW_CAUSES:]
    if more:
        title = (
            f"{show.plural(len(more), 'more pair')} that {'is' if len(more) == 1 else 'are'} not separated"
        )
        tables.append(_causes("more-causes", title, more))
    return tables


def _causes(name: str, title: str, found: Sequence[Pair]) -> Table:
    rows: list[list[Cell | str]] = [
        [
            pair.names,
            Cell(why(pair), "; ".join(_part(cause.text) for cause in pair.why)),
            _fix(pair),
            *_costs(pair),
        ]
        for pair in found[:MOST_PAIRS]
    ]
    return table(
        name,
        title,
        ["pair", "why", "what to do", "new items", "new answers per item"],
        rows,
        words=3,
        note=_left_out(len(found), MOST_PAIRS, "pair").strip(),
    )


def strata(column: str, found: Sequence[Kind]) -> Table:
    """What each kind of items of a column separates."""
    rows: list[list[Cell | str]] = [
        [kind.value, _hardest_pair(kind), show.count(kind.items), _share(kind), _hardest_needed(kind)]
        for kind in found
    ]
    return table(
        f"strata-{_word(column)}",
        f"What the items separate, by {column}",
        [column, "hardest pair", "items", "pairs separated, %", "items for the hardest pair"],
        rows,
        words=2,
        note="Detail: Holm over the pairs of all kinds together; the kind that separates most comes first.",
    )


def strata_means(view: View, column: str, found: Sequence[Kind]) -> Table:
    """Mean of each model over the items of each kind."""
    form = scale(view)
    rows: list[list[Cell | str]] = [
        [
            ranked.model,
            *(
                undefined(NO_SCORE) if mean is None else form.mean(mean)
                for mean in (kind.figures.means.get(ranked.model) for kind in found)
            ),
        ]
        for ranked in view.ranking
    ]
    title = f"Mean score by {column}{form.unit}"
    return table(f"means-{_word(column)}", title, ["model", *(kind.value for kind in found)], rows)


def strata_needed(view: View, column: str, found: Sequence[Kind]) -> Table:
    """Items of each kind that would separate each pair."""
    rows: list[list[Cell | str]] = []
    for key, pair in keyed(view):
        cells = [
            _needed(kind.figures.items_needed[key]) if key in kind.figures.items_needed else undefined(ALONE)
            for kind in found
        ]
        rows.append([f"{pair.a} – {pair.b}", *cells])
    headings = ["pair", *(kind.value for kind in found)]
    title = f"Items needed to separate each pair, by {column}"
    return table(f"needed-{_word(column)}", title, headings, rows)


def ranking(view: View) -> Table:
    """The models in order, with the ranks that they may have; bounds where scores are missing."""
    form = scale(view)
    rows: list[list[Cell | str]] = []
    for ranked in view.ranking:
        rank = show.DASH if ranked.rank is None else str(ranked.rank)
        wins = undefined(NO_RIVAL) if ranked.win_rate is None else show.rate(ranked.win_rate)
        limits = [bounds(form, ranked.bounds) if ranked.bounds else undefined(NO_SCORE)]
        cells = [_ranks(ranked), _mean(form, ranked), wins, *(limits if view.missing_rows else [])]
        rows.append([ranked.model, rank, *cells, show.count(ranked.n)])
    headings = ["model", "rank", "ranks it may have", f"mean{form.unit}", "win rate, %"]
    if view.missing_rows:
        headings.append("mean if what is missing were worst or best")
    return table(
        "ranking",
        "Models in order",
        [*headings, "n"],
        rows,
        note="The ranks that a model may have follow from the pairs that are separated, all at once. Win "
        "rate: share of common items on which the model scores higher than another, ties counting half.",
    )


def _ranks(ranked: Ranked) -> Cell:
    if ranked.rank_ci is None:
        return undefined(NO_SCORE)
    return Cell(show.between(ranked.rank_ci, lambda rank: str(int(rank))))


def _mean(form: Scale, ranked: Ranked) -> Cell:
    if ranked.mean is None:
        return undefined(NO_SCORE)
    return Cell(form.mean(ranked.mean), form.span(ranked.ci) if ranked.ci else "no interval")


def _needed(number: int | None) -> Cell:
    return undefined(NO_NUMBER) if number is None else Cell(show.items(number))


def _part(text: str) -> str:
    """A part of a cell's detail, which semicolons would take apart."""
    return sentence(text).replace("; ", f" {show.DASH} ")


def _fix(pair: Pair) -> Cell:
    if not pair.fix:
        return undefined("nothing that is known would")
    first, *others = (fix.text for fix in pair.fix)
    return Cell(sentence(first), "; ".join(map(_part, others)))


def _costs(pair: Pair) -> list[str]:
    """What the cheapest fix costs."""
    if not pair.fix:
        return [show.DASH, show.DASH]
    return [show.items(pair.fix[0].cost_items), show.count(pair.fix[0].cost_replicates)]


def _share(kind: Kind) -> Cell:
    share = kind.figures.separated_paired
    return undefined(ALONE) if share is None else Cell(show.rate(share))


def _hardest_pair(kind: Kind) -> Cell:
    return Cell(f"{kind.hardest[0].a} – {kind.hardest[0].b}") if kind.hardest else undefined(ALONE)


def _hardest_needed(kind: Kind) -> Cell:
    return _needed(kind.hardest[1]) if kind.hardest else undefined(ALONE)


def _left_out(number: int, most: int, noun: str) -> str:
    return "" if number <= most else f" {show.plural(number - most, f'more {noun}')}: --json."


def _word(column: str) -> str:
    """A column's name as a part of an identifier."""
    return "".join(c if c.isascii() and c.isalnum() else f"-{ord(c):x}-" for c in column)
