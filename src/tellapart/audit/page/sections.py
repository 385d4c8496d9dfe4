"""An audit as a report: the verdict with the ranking and the differences, then what can be opened."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from tellapart.audit.page import sentences
from tellapart.audit.page.sentences import bounds, flag_words, scale, variance_shares, why
from tellapart.audit.results import PARTS, Findings, Pair, Stratum
from tellapart.cli.settings import words
from tellapart.core.comparison.judge import JudgeCard
from tellapart.core.comparison.pairs import pair_key
from tellapart.report import comparison, figures
from tellapart.report import numbers as show
from tellapart.report.comparison import sentence
from tellapart.report.document import Document, Links, Section, opening, pair_address, present
from tellapart.report.screen import differences, ranking
from tellapart.report.tables import Cell, Table, table, undefined
from tellapart.store import ItemText

MOST_PAIRS, MOST_ITEMS = 200, 100
"""Pairs of a table, and items of a kind, that a page names; the JSON has them all."""

FEW_CAUSES = 8
"""So many pairs are shown with all that is known of them; those after are folded."""

Rows = list[list[Cell | str]]


def document(
    findings: Findings,
    links: Links = (),
    texts: Mapping[str, tuple[ItemText, ...]] | None = None,
    *,
    browser: bool = True,
) -> Document:
    """Arrange an audit; with a browser of its items where the scores are at hand and it is wanted."""
    title, rest = opening(sentences.headline_sentences(findings))
    form = scale(findings)
    sections = (
        _causes(findings),
        _judge(findings, findings.labels) if findings.labels else None,
        _strata(findings),
        _items(findings),
        _order(findings),
        _missing(findings),
    )
    of = f" of {show.listed([Path(path).name for path in findings.sources])}" if findings.sources else ""
    models, items = show.plural(len(findings.models), "model"), show.plural(findings.items, "item")
    return Document(
        f"audit{of} · {models}, {items}",
        title,
        (*rest, *sentences.to_know_first(findings), *sentences.advice(findings)),
        {},
        present(*sections, _browser(findings, texts or {}) if browser else None),
        _origin(findings),
        _commands(findings),
        links,
        ranking=ranking(findings.ranking, form),
        differences=differences(findings.comparison, form, pair_address if findings.item_scores else None),
    )


def _causes(findings: Findings) -> Section:
    form, pairs = scale(findings), findings.unseparated
    first, more = pairs[:FEW_CAUSES], pairs[FEW_CAUSES:]
    items = pair_address if findings.item_scores else None
    title = f"{show.plural(len(more), 'more pair')} that {'is' if len(more) == 1 else 'are'} not separated"
    return Section(
        "causes",
        "Why and what to do",
        sentences.what_helps(findings),
        tables=present(
            _why("causes", "Why pairs are not separated, and what would help", first) if first else None,
            comparison.pair_table(findings.comparison, form, items) if findings.pairs else None,
        ),
        folded=present(
            _why("more-causes", title, more) if more else None,
            comparison.strata_table(findings.comparison, form),
            _variance(findings),
        ),
        in_terminal=True,
    )


def _why(name: str, title: str, pairs: Sequence[Pair]) -> Table:
    """For each pair that is not separated, why, and everything that would help, the cheapest first."""
    rows: Rows = []
    for pair in pairs[:MOST_PAIRS]:
        causes = Cell(why(pair), "; ".join(_part(cause.text) for cause in pair.why))
        if not pair.fix:
            rows.append([pair.names, causes, undefined("no known fix"), show.DASH, show.DASH])
            continue
        first, *others = pair.fix
        fix = Cell(sentence(first.text), "; ".join(_part(other.text) for other in others))
        costs = [show.items(first.cost_items), show.count(first.cost_replicates)]
        rows.append([pair.names, causes, fix, *costs])
    headings = ["Pair", "Why", "What to do", "New items", "New answers per item"]
    return table(name, title, headings, rows, words=3, note=_left_out(len(pairs) - len(rows), "pair"))


def _part(text: str) -> str:
    """A part of a cell's detail, which semicolons would take apart."""
    return sentence(text).replace("; ", f" {show.DASH} ")


def _left_out(number: int, noun: str) -> str:
    return f"{show.plural(number, f'more {noun}')}: add --json." if number else ""


def _variance(findings: Findings) -> Table:
    """Each part of the variance with its share."""
    shares = variance_shares(findings)
    rows: Rows = [
        [
            PARTS[name],
            figures.cell("variance", value),
            figures.cell("variance_share", shares.get(name), reason="not recorded" if value is None else ""),
        ]
        for name, value in findings.variance.parts.items()
    ]
    note = sentence(findings.variance.reason)
    return table(
        "variance",
        "Where the variance of the scores comes from",
        ["Part", *figures.headings(["variance", "variance_share"])],
        rows,
        note=f"{show.capital(note)}." if note else "",
    )


def _judge(findings: Findings, card: JudgeCard) -> Section:
    """How much higher the judge scores each model than people do, and what more labels would buy."""
    form, note = scale(findings), ""
    biases: Rows = [
        [model, Cell(form.gap(of.bias), form.gap_span(of.interval), strong=model in card.favours)]
        for model, of in card.judge.items()
    ]
    biases += [
        [
            f"models of {family}, beside the rest",
            Cell(form.gap(of.bias), form.gap_span(of.interval), strong=of.interval.low > 0),
        ]
        for family, of in card.families.items()
    ]
    more: Rows = [
        [f"{show.count(of.labels)} of {show.count(of.items)}", f"±{form.size(of.half_width)}"]
        for of in (*card.more, *([card.settle] if card.settle else []))
    ]
    if card.settle is not None and card.settle.cost is not None:
        note = (
            f"The last row is the cheapest that finds {form.size(findings.options.least)} with "
            f"{show.whole_percent(findings.options.power)} power, for {show.count(round(card.settle.cost))}."
        )
    quality = f"{show.capital(sentences.judge(card, sentences.scale(findings)))}."
    bias = table("bias", f"Judge less people, {form.gap_unit}", ["Model", "Bias"], biases, note=quality)
    headings = ["Items labelled", "95 % interval of a difference"]
    bought = table("labels", "What labels buy", headings, more, note=note) if more else None
    return Section("judge", "Judge", tables=present(bias, bought), in_terminal=True)


def _strata(findings: Findings) -> Section | None:
    if not findings.by_stratum:
        return None
    columns = {
        column: sorted(values.items(), key=_by_share)
        for column, values in findings.by_stratum.items()
        if values
    }
    tables = [_kinds(column, kinds) for column, kinds in columns.items()]
    text = "Which pairs each kind of items separates by itself."
    return Section(
        "strata", "Kinds of items", text, tables=tuple(tables), in_terminal=findings.options.by is not None
    )


def _by_share(kind: tuple[str, Stratum]) -> tuple[float, str]:
    value, stratum = kind
    return 1.0 if stratum.separated_paired is None else -stratum.separated_paired, value


def _kinds(column: str, kinds: Sequence[tuple[str, Stratum]]) -> Table:
    """What each kind of items of a column separates, that which separates most first."""
    shown = ["items", "separated_paired"]
    rows: Rows = [[comparison.words(value), *figures.cells(kind, shown)] for value, kind in kinds]
    return table(
        f"strata-{_word(column)}",
        f"What the items separate, by {comparison.words(column)}",
        [show.capital(comparison.words(column)), *figures.headings(shown)],
        rows,
        note="Corrected for the pairs of all kinds together. The kind that separates most comes first.",
    )


def _word(column: str) -> str:
    """A column's name as a part of an identifier."""
    return "".join(c if c.isascii() and c.isalnum() else f"-{ord(c):x}-" for c in column)


def _items(findings: Findings) -> Section:
    summary = (sentences.items(findings), sentences.reliability(findings))
    return Section(
        "items",
        "Items",
        " ".join(f"{show.capital(text)}." for text in summary),
        folded=(_flagged(findings),) if findings.items_flagged else (),
    )


def _flagged(findings: Findings) -> Table:
    """The flagged items, up to ``MOST_ITEMS`` of each kind."""
    seen: Counter[str] = Counter()
    rows: Rows = []
    for item in findings.items_flagged:
        seen[item.reason] += 1
        if seen[item.reason] <= MOST_ITEMS:
            shown = figures.cells(item, ["discrimination"])
            rows.append([item.item, flag_words(findings)[item.reason], *shown])
    return table(
        "flagged",
        "The items themselves",
        ["Item", "What is the matter", *figures.headings(["discrimination"])],
        rows,
        words=2,
        note=_left_out(len(findings.items_flagged) - len(rows), "item"),
    )


def _order(findings: Findings) -> Section:
    """The order held against itself, and between kinds of items."""
    order, reliability = findings.order, findings.reliability
    reason = sentence(order.reason) or "not known"
    halves = ("halves_tau", "halves_correlation", "spearman_brown")
    rows: Rows = [
        [figures.FIGURES[name].label, *figures.cells(order, [name], **dict.fromkeys(halves, reason))]
        for name in (*halves, "without_flagged")
    ]
    why_not = sentence(reliability.reason) or reason
    rows.append([reliability.name, figures.cell("reliability", reliability.value, reason=why_not)])
    between = [
        _between(findings, column, taus, place)
        for place, (column, taus) in enumerate(order.between_strata.items())
        if taus and column in findings.by_stratum
    ]
    return Section(
        "order",
        "How sure is the ranking",
        sentences.separation(findings),
        tables=(table("firmness", "How good the ranking is", ["Figure", "Value"], rows),),
        folded=tuple(between),
    )


def _between(findings: Findings, column: str, taus: Mapping[str, float | None], place: int) -> Table:
    """Kendall's tau between the orders on two kinds of items."""
    kinds = findings.by_stratum[column]
    names = {pair_key(a, b): f"{a} – {b}" for a in kinds for b in kinds}
    rows: Rows = [[names.get(key, key), figures.cell("tau", tau)] for key, tau in taus.items()]
    title = f"Does each {comparison.words(column)} give the same ranking? (Kendall's τ)"
    return table(f"between-{place}", title, ["Kinds", *figures.headings(["tau"])], rows)


def _missing(findings: Findings) -> Section | None:
    """Rows without a score, by model and cause, with what they could do to the mean."""
    if not findings.missing_rows:
        return None
    form = scale(findings)
    causes = sorted({cause for of_model in findings.missing.values() for cause in of_model})
    rows: Rows = []
    for ranked in findings.ranking:
        of_model = findings.missing.get(ranked.model, {})
        span = bounds(form, ranked.bounds) if ranked.bounds else undefined("nothing was scored")
        numbers = [show.count(of_model.get(cause, 0)) for cause in causes]
        rows.append([ranked.model, show.count(sum(of_model.values())), *numbers, span])
    headings = ["Model", "All", *causes, f"Mean if missing scores were worst or best{form.unit}"]
    return Section(
        "missing",
        "Missing",
        "A missing score is never a zero: if the missing scores could reverse a verdict, it is withheld.",
        tables=(table("missing", "Scores that are missing, by cause", headings, rows),),
    )


def _browser(findings: Findings, texts: Mapping[str, tuple[ItemText, ...]]) -> Section | None:
    """The items themselves; on pages alone, and only where the scores are at hand."""
    if findings.item_scores is None:
        return None
    from tellapart.audit.page.browser import items_widget

    return Section("browser", "Item by item", widget=items_widget(findings, findings.item_scores, texts))


def _origin(findings: Findings) -> dict[str, str]:
    options = findings.options
    read = {f"Source {i}": f"{path} ({form})" for i, (path, form) in enumerate(findings.sources.items(), 1)}
    read |= {f"Note {i}": note for i, note in enumerate(findings.notes, 1)}
    return {
        **read,
        "Smallest difference that matters": f"{options.sesoi:g}",
        "Chance of any false claim": f"{options.alpha:g}",
        "Power of the advice": f"{options.power:g}",
        "Seed": str(options.seed),
    }


def _commands(findings: Findings) -> tuple[str, ...]:
    """The command that makes this report again; none where only Python could make it."""
    options, usual = findings.options, type(findings.options)()
    if not findings.sources or (options.alpha, options.power) != (usual.alpha, usual.power):
        return ()
    line = [*findings.sources, *findings.read_as, *words(options), "--html", "audit.html"]
    return (f"tellapart audit {shlex.join(line)}",)
