"""An audit as a report: its sections, what stands in each, and the lines around them."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from tellapart.audit.page import charts, sentences, tables
from tellapart.audit.page.browser import items_widget
from tellapart.audit.page.sentences import ACTIONS, CAUSES, kinds, phrase, scale
from tellapart.audit.results import Findings
from tellapart.report import comparison
from tellapart.report import numbers as show
from tellapart.report.browser import pair_address
from tellapart.report.document import Document, Links, Section, opening, present
from tellapart.report.screen import MOST_MODELS, differences, ranking
from tellapart.store import ItemText


def document(
    findings: Findings,
    links: Links = (),
    texts: Mapping[str, tuple[ItemText, ...]] | None = None,
) -> Document:
    """Arrange an audit: the verdict with the ranking and the differences, then what can be opened."""
    title, rest = opening(sentences.headline_sentences(findings))
    sections = (*(section(findings) for section in SECTIONS), _browser(findings, texts or {}))
    items = pair_address if findings.item_scores else None
    return Document(
        _kind(findings),
        title,
        (*rest, *sentences.verdict(findings)),
        {},
        present(*sections),
        _origin(findings),
        _commands(findings),
        links,
        ranking=ranking(findings.ranking, scale(findings)),
        differences=differences(findings.comparison, scale(findings), items),
    )


def _kind(findings: Findings) -> str:
    """What was audited, in a line."""
    of = f" of {show.listed([Path(path).name for path in findings.sources])}" if findings.sources else ""
    models, items = show.plural(len(findings.models), "model"), show.plural(findings.items, "item")
    return f"audit{of} · {models}, {items}"


def _causes(findings: Findings) -> Section:
    causes = tables.causes(findings) if findings.unseparated else []
    items = pair_address if findings.item_scores else None
    pairs = comparison.pair_table(findings.comparison, scale(findings), items) if findings.pairs else None
    strata = comparison.strata_table(findings.comparison, scale(findings))
    many = len(findings.models) > MOST_MODELS
    return Section(
        "causes",
        "Why and what to do",
        _what_helps(findings),
        charts=(charts.matrix_chart(findings),) if many and findings.pairs else (),
        tables=(*causes[:1], *present(pairs, tables.resolution(findings))),
        folded=(*causes[1:], *present(strata), tables.variance(findings)),
    )


def _what_helps(findings: Findings) -> str:
    """Count the causes, and the cheapest actions, over the pairs that are not separated."""
    pairs = findings.unseparated
    if not pairs:
        return "Every pair is separated: nothing to fix." if findings.pairs else ""
    causes = Counter(phrase(CAUSES, pair.why[0].cause) for pair in pairs if pair.why)
    actions = Counter(phrase(ACTIONS, pair.fix[0].action) for pair in pairs if pair.fix)
    common = {"Why": _counted(causes), "What helps most cheaply": _counted(actions)}
    return " ".join(f"{what}: {counts}." for what, counts in common.items() if counts)


def _counted(phrases: Counter[str]) -> str:
    return ", ".join(f"{words} ({show.plural(n, 'pair')})" for words, n in phrases.most_common())


def _strata(findings: Findings) -> Section | None:
    if not findings.by_stratum:
        return None
    columns = kinds(findings)
    folded = []
    for column, of_column in columns.items():
        if len(of_column) <= tables.MOST_CELLS:
            folded.append(tables.strata_means(findings, column, of_column))
    return Section(
        "strata",
        "Kinds of items",
        "Which pairs each kind of items separates by itself.",
        tables=tuple(tables.strata(column, of_column) for column, of_column in columns.items()),
        folded=tuple(folded),
    )


def _judge(findings: Findings) -> Section | None:
    if findings.labels is None:
        return None
    text = f"{show.capital(sentences.judge(findings))}."
    return Section("judge", "Judge", text, tables=tables.judge(findings, findings.labels))


def _items(findings: Findings) -> Section:
    summary = [sentences.items(findings), sentences.reliability(findings)]
    return Section(
        "items",
        "Items",
        " ".join(f"{show.capital(text)}." for text in summary if text),
        tables=(tables.flags(findings),) if findings.items_flagged else (),
        folded=(tables.flagged(findings),) if findings.items_flagged else (),
    )


def _order(findings: Findings) -> Section:
    between = [
        tables.between(findings, column, taus)
        for column, taus in findings.order.between_strata.items()
        if taus and column in findings.by_stratum
    ]
    return Section(
        "order",
        "How sure is the ranking",
        sentences.separation(findings),
        tables=(tables.ranking(findings), tables.stability(findings)),
        folded=tuple(between),
    )


def _missing(findings: Findings) -> Section | None:
    if not findings.missing_rows:
        return None
    return Section(
        "missing",
        "Missing",
        "A missing score is never a zero: if the missing scores could reverse a verdict, it is withheld.",
        tables=(tables.missing(findings),),
    )


def _browser(findings: Findings, texts: Mapping[str, tuple[ItemText, ...]]) -> Section | None:
    """The items themselves; on pages alone, and only where the scores are at hand."""
    if findings.item_scores is None:
        return None
    widget = items_widget(findings, findings.item_scores, texts)
    return Section("browser", "Item by item", widget=widget)


SECTIONS: tuple[Callable[[Findings], Section | None], ...] = (
    _causes,
    _judge,
    _strata,
    _items,
    _order,
    _missing,
)
"""In the order of the page; one that does not apply gives None."""


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
    """The command that makes this report again; empty where the files that were read are not known."""
    if not findings.sources:
        return ()
    options = findings.options
    words = [
        *findings.sources,
        *findings.read_as,
        "--sesoi",
        f"{options.sesoi:g}",
        "--seed",
        str(options.seed),
    ]
    words += ["--by", options.by] if options.by else []
    words += ["--baseline", options.baseline] if options.baseline else []
    words += ["--primary", "=".join(options.primary)] if options.primary else []
    for flag, price in zip(("--price-item", "--price-label"), options.prices or (), strict=False):
        words += [flag, f"{price:g}"]
    return (f"tellapart audit {shlex.join([*words, '--html', 'audit.html'])}",)
