"""Conditions over seeds as a report: how far seeds scatter, and what is beyond that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tellapart.bundles.conditions import ConditionPair, Rule
from tellapart.bundles.seeds import SeedResult, SeedStats
from tellapart.core.comparison import PairComparison
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section, opening
from tellapart.report.figures import FIGURES, cell
from tellapart.report.screen import differences
from tellapart.report.tables import Cell, Table, figure, table, undefined

_MOST = 6
"""Sentences of one kind; the tables have all."""


def document(result: SeedResult) -> Document:
    """Show the verdict and the pairs, then a section a metric."""
    sections = [
        Section(
            f"metric-{i}",
            name,
            tables=(conditions(f"seeds-{i}", name, result.stats(name)),),
            in_terminal=True,
        )
        for i, name in enumerate(result.metrics, start=1)
    ]
    if tables := pair_tables(result):
        sections.insert(0, Section("differences", "Which conditions differ", tables=tables, in_terminal=True))
    title, rest = opening(headline_sentences(result))
    return Document(
        "bundles: conditions over seeds",
        title,
        (*rest, *verdict(result)),
        {
            "Conditions": show.listed(sorted(result.conditions)),
            "Metrics": show.count(len(result.metrics)),
        },
        tuple(sections),
        {"Evals": "; ".join(result.fingerprints) or "as the files have them"},
        (f"tellapart bundles seeds FILE {' '.join(f'--metric {name}' for name in result.metrics)}",),
        differences=differences(result.comparison, _scale(result, result.comparison.primary.scope)),
    )


def headline(result: SeedResult) -> str:
    """Say which conditions the first metric separates, and what that verdict is worth."""
    return ". ".join(headline_sentences(result))


def headline_sentences(result: SeedResult) -> list[str]:
    """The sentences of `headline`, without full stops."""
    comparison = result.comparison
    name = comparison.primary.scope
    if comparison.primary.pairs:
        return block.headline_sentences(comparison, _why, _scale(result, name))
    several = len(result.conditions) > 1
    alone = f"{name} has values of fewer than two conditions" if several else "One condition"
    return [f"{alone}: nothing to compare", *(f"Beware: {text}" for text in comparison.cautions[:1])]


def _why(pair: PairComparison) -> str:
    """Why two conditions are not separated, after a colon."""
    if not isinstance(pair, ConditionPair) or pair.p is None:
        return pair.reason
    return "too few seeds for their spread" if pair.difference else "their means are equal"


def verdict(result: SeedResult) -> list[str]:
    """Say what to know of the verdict: where the 2 % rule differs, and what is missing."""
    disagreements = [
        f"{pair.a} and {pair.b}: {pair.rule.disagreement}"
        for pair in result.comparison.primary.pairs
        if isinstance(pair, ConditionPair) and pair.rule and pair.rule.disagreement
    ]
    lacking = [
        f"{condition}: {show.count(summary.missing)} of "
        f"{show.plural(summary.n_seeds + summary.missing, 'run')} without {name}."
        for name in result.metrics
        for condition, summary in result.stats(name).items()
        if summary.missing
    ]
    lines = [f"{show.capital(caution)}." for caution in result.comparison.cautions[1:]]
    lines += [*disagreements[:_MOST], *lacking[:_MOST]]
    if any(summary.n_seeds == 3 for of in result.conditions.values() for summary in of.values()):
        lines.append(
            "At three seeds the interval by Student's t is 2.2 times as wide as that of 1.96 standard errors."
        )
    return lines


def conditions(table_name: str, metric: str, stats: Mapping[str, SeedStats]) -> Table:
    """One metric by condition, with what each interval covers."""
    over_items = any(summary.ci95_items for summary in stats.values())
    sampled = any(summary.items_alone is not None for summary in stats.values())
    rows: list[list[Cell | str]] = []
    for condition, summary in stats.items():
        why = summary.reason or "unknown"
        values = (summary.mean, summary.std, summary.min, summary.max)
        intervals = [summary.ci95_normal, summary.ci95_t, *([summary.ci95_items] if over_items else [])]
        spans = [figure(ends, _to, why) for ends in intervals]
        alone = figure(
            summary.items_alone, lambda half: f"±{show.any_size(half)}", FIGURES["items_alone"].undefined
        )
        rows.append(
            [
                condition,
                *(figure(value, show.any_size, why) for value in values),
                show.count(summary.n_seeds),
                *spans,
                *([alone] if sampled else []),
            ]
        )
    labels = [FIGURES[name].label for name in ("mean", "std", "min", "max", "seeds")]
    headings = ["Condition", *labels, "95 % (1.96)", "95 % (t)"]
    headings += ["95 %, seeds and items"] if over_items else []
    headings += [FIGURES["items_alone"].label] if sampled else []
    flat = {summary.reason for summary in stats.values() if summary.reason and summary.std is not None}
    notes = ["std with n − 1. The intervals by 1.96 and by t cover the noise of seeds only."]
    notes += sorted(f"{show.capital(reason)}." for reason in flat)
    return table(table_name, metric, headings, rows, note=" ".join(notes))


def _to(ends: tuple[float, float]) -> str:
    return " to ".join(map(show.any_size, ends))


def pair_tables(result: SeedResult) -> tuple[Table, ...]:
    """Every pair by the first metric, and every pair by each of the others, which is detail."""
    comparison, tables = result.comparison, []
    first, second = comparison.primary, comparison.secondary
    if first.pairs:
        note = block.corrected_note(first, "conditions")
        tables.append(_pair_table(result, "pairs", f"Conditions by {first.scope}", first.pairs, note))
    if second is not None and second.pairs:
        note = block.detail_note(second)
        tables.append(_pair_table(result, "others", "Conditions by the other metrics", second.pairs, note))
    return tuple(tables)


def _pair_table(
    result: SeedResult, name: str, title: str, of_family: Sequence[PairComparison], note: str
) -> Table:
    rows: list[list[Cell | str]] = []
    pairs = [pair for pair in of_family if isinstance(pair, ConditionPair)]
    for pair in pairs:
        scale, rule = _scale(result, pair.metric), pair.rule or Rule(None)
        gap, interval = pair.of(pair.ahead)
        is_apart = "" if rule.is_apart is None else "apart" if rule.is_apart else "not apart"
        rows.append(
            [
                pair.metric,
                f"{pair.ahead} – {pair.behind}",
                Cell(block.VERDICTS[pair.verdict], strong=not pair.is_separated),
                Cell(scale.gap(gap or 0.0), scale.gap_span(interval) if interval else ""),
                *(cell(name, getattr(pair, name), reason=pair.reason) for name in ("p", "p_adjusted")),
                Cell(
                    " and ".join(dict.fromkeys(map(show.count, pair.seeds))),
                    "paired" if pair.paired else "unpaired",
                ),
                Cell(is_apart) if is_apart else undefined(rule.reason or ""),
            ]
        )
    labels = [FIGURES[one].label for one in ("difference", "p", "p_adjusted", "seeds")]
    headings = ["Metric", "Pair", "Verdict", *labels]
    covers = sorted({pair.covers.value for pair in pairs})
    noise = show.listed(covers, "or") + (" only" if covers == ["seeds"] else "")
    note += f" Intervals cover the noise of {noise}. Paired: each seed against the same seed."
    return table(name, title, [*headings, "2 % rule"], rows, words=3, note=note)


def _scale(result: SeedResult, metric: str) -> block.Scale:
    """Points for a rate; score units for anything else."""
    return block.Scale(rates=metric in result.rates)
