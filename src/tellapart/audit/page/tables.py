"""Tables of an audit: pairs, causes and fixes, kinds of items, order."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.audit.page.sentences import (
    FEW_LABELS,
    NO_SCORE,
    PARTS,
    bounds,
    flag_words,
    flagged_by_kind,
    no_mean,
    phrase,
    scale,
    variance_shares,
    why,
)
from tellapart.audit.results import Findings, Pair, Ranked, Stratum
from tellapart.core.comparison.judge import JudgeCard
from tellapart.core.pair_key import pair_key
from tellapart.report import numbers as show
from tellapart.report.comparison import Scale, sentence, words
from tellapart.report.tables import Cell, Table, figure, table, undefined

MOST_PAIRS = 200
"""A table of more pairs is cut: they are all in the figures."""

FEW_CAUSES = 8
"""So many pairs are shown with all that is known of them; those after are folded."""

MOST_CELLS = 10
"""So many pairs or models have a column each; with more there is no table by kind."""

ALONE = "no pair has items of this kind"


def causes(findings: Findings) -> list[Table]:
    """For each pair that is not separated, why, and everything that would help, the cheapest first."""
    pairs = findings.unseparated
    tables = [_causes("causes", "Why pairs are not separated, and what would help", pairs[:FEW_CAUSES])]
    more = pairs[FEW_CAUSES:]
    if more:
        title = (
            f"{show.plural(len(more), 'more pair')} that {'is' if len(more) == 1 else 'are'} not separated"
        )
        tables.append(_causes("more-causes", title, more))
    return tables


def _causes(name: str, title: str, pairs: Sequence[Pair]) -> Table:
    rows: list[list[Cell | str]] = [
        [
            pair.names,
            Cell(why(pair), "; ".join(_part(cause.text) for cause in pair.why)),
            _fix(pair),
            *_costs(pair),
        ]
        for pair in pairs[:MOST_PAIRS]
    ]
    return table(
        name,
        title,
        ["Pair", "Why", "What to do", "New items", "New answers per item"],
        rows,
        words=3,
        note=_left_out(len(pairs) - len(rows), "pair"),
    )


def resolution(findings: Findings) -> Table | None:
    """What so many items find; None where nothing is known of how much differences vary."""
    form, power = scale(findings), show.whole_percent(findings.options.power)
    rows: list[list[Cell | str]] = [
        [show.count(n), figure(gap, form.size, "none on this scale")]
        for n, gap in findings.comparison.resolution
    ]
    title = f"The smallest difference found with {power} power"
    return table("resolution", title, ["Items", "Difference"], rows) if rows else None


def judge(findings: Findings, card: JudgeCard) -> tuple[Table, ...]:
    """How much higher the judge scores each model than people do, and what more labels would buy."""
    form = scale(findings)
    biases: list[list[Cell | str]] = [
        [model, Cell(form.gap(of.bias), form.gap_span(of.interval), strong=model in card.favours)]
        for model, of in card.judge.items()
    ]
    more: list[list[Cell | str]] = [
        [f"{show.count(of.labels)} of {show.count(of.items)}", f"±{form.size(of.half_width)}"]
        for of in (*card.more, *([card.settle] if card.settle else []))
    ]
    note = ""
    if card.settle is not None and card.settle.cost is not None:
        note = (
            f"The last row is the cheapest that finds {form.size(findings.options.least)} with "
            f"{show.whole_percent(findings.options.power)} power, for {show.significant(card.settle.cost)}."
        )
    shown = (
        table("bias", f"Judge less people, {form.gap_unit}", ["Model", "Bias"], biases),
        table(
            "labels", "What labels buy", ["Items labelled", "95 % interval of a difference"], more, note=note
        ),
    )
    return tuple(of for of in shown if of.rows)


def strata(column: str, of_column: Sequence[tuple[str, Stratum]]) -> Table:
    """What each kind of items of a column separates."""
    rows: list[list[Cell | str]] = [
        [words(value), show.count(kind.items), figure(kind.separated_paired, show.rate, ALONE)]
        for value, kind in of_column
    ]
    return table(
        f"strata-{_word(column)}",
        f"What the items separate, by {words(column)}",
        [
            show.capital(words(column)),
            "Items",
            "Pairs separated, %",
        ],
        rows,
        note="Corrected for the pairs of all kinds together. The kind that separates most comes first.",
    )


def strata_means(findings: Findings, column: str, of_column: Sequence[tuple[str, Stratum]]) -> Table:
    """Mean of each model over the items of each kind."""
    form, lacking = scale(findings), FEW_LABELS if findings.labels else NO_SCORE
    rows: list[list[Cell | str]] = [
        [
            ranked.model,
            *(figure(kind.means.get(ranked.model), form.mean, lacking) for _, kind in of_column),
        ]
        for ranked in findings.ranking
    ]
    title = f"Mean score by {words(column)}{form.unit}"
    return table(f"means-{_word(column)}", title, ["Model", *(words(value) for value, _ in of_column)], rows)


def ranking(findings: Findings) -> Table:
    """The models in order, with the ranks that they may have; bounds where scores are missing."""
    form = scale(findings)
    rows: list[list[Cell | str]] = []
    for ranked in findings.ranking:
        rank = show.DASH if ranked.rank is None else str(ranked.rank)
        limits = [bounds(form, ranked.bounds) if ranked.bounds else undefined(NO_SCORE)]
        cells = [_ranks(ranked), _mean(form, ranked), *(limits if findings.missing_rows else [])]
        rows.append([ranked.model, rank, *cells, show.count(ranked.n)])
    headings = ["Model", "Rank", "Ranks it may have", f"Mean{form.unit}"]
    if findings.missing_rows:
        headings.append("Mean if missing scores were worst or best")
    return table(
        "ranking",
        "Models in order",
        [*headings, "n"],
        rows,
        note="A model's possible ranks follow from all separated pairs together. The highest of several "
        "means is too high by luck, which the lower end of its interval allows for.",
    )


def _ranks(ranked: Ranked) -> Cell:
    if ranked.rank_ci is None:
        return undefined(no_mean(ranked))
    return Cell(show.between(ranked.rank_ci, lambda rank: str(int(rank))))


def _mean(form: Scale, ranked: Ranked) -> Cell:
    if ranked.mean is None:
        return undefined(no_mean(ranked))
    return Cell(form.mean(ranked.mean), form.span(ranked.ci) if ranked.ci else "no interval")


def _part(text: str) -> str:
    """A part of a cell's detail, which semicolons would take apart."""
    return sentence(text).replace("; ", f" {show.DASH} ")


def _fix(pair: Pair) -> Cell:
    if not pair.fix:
        return undefined("no known fix")
    first, *others = (fix.text for fix in pair.fix)
    return Cell(sentence(first), "; ".join(map(_part, others)))


def _costs(pair: Pair) -> list[str]:
    """What the cheapest fix costs."""
    if not pair.fix:
        return [show.DASH, show.DASH]
    return [show.items(pair.fix[0].cost_items), show.count(pair.fix[0].cost_replicates)]


def _left_out(number: int, noun: str) -> str:
    return f"{show.plural(number, f'more {noun}')}: add --json." if number else ""


def _word(column: str) -> str:
    """A column's name as a part of an identifier."""
    return "".join(c if c.isascii() and c.isalnum() else f"-{ord(c):x}-" for c in column)


MOST_ITEMS = 100
"""Items of a kind that a page names; the figures hold them all."""

FEWEST_ITEMS = 5
"""Items of a kind that are named beside their number."""

NO_DISCRIMINATION = "all models score the same, or there are too few"
NOT_RECORDED = "not recorded"


def flags(findings: Findings) -> Table:
    """How many items are flagged, by what is the matter."""
    rows: list[list[Cell | str]] = []
    for kind, number in flagged_by_kind(findings).items():
        named = [flagged.item for flagged in findings.items_flagged if flagged.reason == kind]
        more = f", and {show.count(number - FEWEST_ITEMS)} more" if number > FEWEST_ITEMS else ""
        rows.append(
            [
                phrase(flag_words(findings), kind),
                f"{', '.join(named[:FEWEST_ITEMS])}{more}",
                show.count(number),
            ]
        )
    return table("flags", "Items to look at", ["What is the matter", "Which", "Items"], rows, words=2)


def flagged(findings: Findings) -> Table:
    """The flagged items, up to ``MOST_ITEMS`` of each kind."""
    seen: dict[str, int] = {}
    rows: list[list[Cell | str]] = []
    for item in findings.items_flagged:
        seen[item.reason] = seen.get(item.reason, 0) + 1
        if seen[item.reason] <= MOST_ITEMS:
            shown = _two_decimals(item.discrimination, NO_DISCRIMINATION)
            rows.append([item.item, phrase(flag_words(findings), item.reason), shown])
    left = len(findings.items_flagged) - len(rows)
    return table(
        "flagged",
        "The items themselves",
        ["Item", "What is the matter", "Discrimination"],
        rows,
        words=2,
        note=_left_out(left, "item"),
    )


def variance(findings: Findings) -> Table:
    """Each part of the variance with its share."""
    shares = variance_shares(findings)
    rows: list[list[Cell | str]] = []
    for name, value in findings.variance.parts.items():
        no_share = NOT_RECORDED if value is None else "nothing varies"
        share = figure(shares.get(name), show.rate, no_share)
        rows.append([PARTS[name], figure(value, show.significant, NOT_RECORDED), share])
    note = sentence(findings.variance.reason)
    return table(
        "variance",
        "Where the variance of the scores comes from",
        ["Part", "Variance", "Share, %"],
        rows,
        note=f"{show.capital(note)}." if note else "",
    )


def stability(findings: Findings) -> Table:
    """The order held against itself."""
    order = findings.order
    reason = sentence(order.reason) or "not known"
    rows: list[list[Cell | str]] = [
        ["Kendall's τ between random halves of the items", _two_decimals(order.halves_tau, reason)],
        ["correlation of the means of the halves", _two_decimals(order.halves_correlation, reason)],
        ["the same for the whole length (Spearman–Brown)", _two_decimals(order.spearman_brown, reason)],
        [
            "τ with and without the items that rank backwards",
            _two_decimals(order.without_flagged, "no item ranks the models backwards"),
        ],
        [
            findings.reliability.name,
            _two_decimals(findings.reliability.value, sentence(findings.reliability.reason) or reason),
        ],
    ]
    return table("firmness", "How good the ranking is", ["Figure", "Value"], rows)


def between(findings: Findings, column: str, taus: dict[str, float | None]) -> Table:
    """Kendall's tau between the orders on two kinds of items."""
    names = {
        pair_key(a, b): f"{a} – {b}" for a in findings.by_stratum[column] for b in findings.by_stratum[column]
    }
    rows: list[list[Cell | str]] = [
        [names.get(key, key), _two_decimals(tau, "one of the two orders is all ties")]
        for key, tau in taus.items()
    ]
    return table(
        f"between-{len(column)}-{list(findings.by_stratum).index(column)}",
        f"Does each {words(column)} give the same ranking? (Kendall's τ)",
        ["Kinds", "τ"],
        rows,
    )


def missing(findings: Findings) -> Table:
    """Rows without a score, by model and cause, with what they could do to the mean."""
    form = scale(findings)
    causes = sorted({cause for of_model in findings.missing.values() for cause in of_model})
    limits = {ranked.model: ranked.bounds for ranked in findings.ranking}
    rows: list[list[Cell | str]] = []
    for ranked in findings.ranking:
        of_model = findings.missing.get(ranked.model, {})
        ends = limits.get(ranked.model)
        span = bounds(form, ends) if ends else undefined("nothing was scored")
        numbers = [show.count(of_model.get(cause, 0)) for cause in causes]
        rows.append([ranked.model, show.count(sum(of_model.values())), *numbers, span])
    return table(
        "missing",
        "Scores that are missing, by cause",
        ["Model", "All", *causes, f"Mean if missing scores were worst or best{form.unit}"],
        rows,
    )


def _two_decimals(value: float | None, reason: str) -> Cell:
    return figure(value, lambda number: show.decimal(number, 2), reason)
