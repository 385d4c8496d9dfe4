"""Conditions over seeds as a report: how far seeds scatter, and what is beyond that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tellapart.bundles.conditions import ConditionPair, Covers
from tellapart.bundles.seeds import Rule, SeedResult, SeedStats
from tellapart.core.comparison import PairComparison
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.charts import Axis, Chart, Row, rows
from tellapart.report.document import Document, Section, opening
from tellapart.report.tables import Cell, Table, figure, table, undefined

_HEADINGS = ("Verdict", "Difference", "p", "Adjusted p", "Seeds", "2 % rule")
_MOST_SAID = 6


def document(result: SeedResult) -> Document:
    """Show the verdict and the pairs, then a section a metric."""
    sections = [
        Section(
            f"metric-{i}",
            name,
            charts=(chart(i, name, stats),),
            tables=(conditions(i, name, stats),),
        )
        for i, name, stats in _numbered(result)
    ]
    tables = pair_tables(result)
    if tables:
        text = f"{headline(result)}."
        sections.insert(0, Section("differences", "Which conditions differ", text, tables=tuple(tables)))
    metrics = result.stats
    names = sorted({name for stats in metrics.values() for name in stats})
    facts = {"Conditions": show.listed(names), "Metrics": show.count(len(metrics))}
    words = [f"--metric {name}" for name in metrics]
    title, rest = opening(headline_sentences(result))
    return Document(
        "bundles: conditions over seeds",
        title,
        (*rest, *verdict(result)),
        facts,
        tuple(sections),
        {"Evals": "; ".join(result.fingerprints) or "as the files have them"},
        (f"tellapart bundles seeds FILE {' '.join(words)}",),
    )


def headline(result: SeedResult) -> str:
    """Say which conditions the first metric separates, and what that verdict is worth."""
    return ". ".join(headline_sentences(result))


def headline_sentences(result: SeedResult) -> list[str]:
    """The sentences of `headline`, without full stops."""
    comparison = result.compared.comparison
    metrics = result.stats
    if not comparison.primary.pairs:
        beware = [f"Beware: {caution}" for caution in comparison.cautions[:1]]
        if any(len(stats) > 1 for stats in metrics.values()):
            name = comparison.primary.scope
            return [f"{name} has values of fewer than two conditions: nothing to compare", *beware]
        return ["One condition: nothing to compare", *beware]
    return block.headline_sentences(comparison, _why, _scale(result))


def _why(pair: PairComparison) -> str:
    """Why two conditions are not separated, after a colon."""
    if not isinstance(pair, ConditionPair) or pair.p is None:
        return pair.reason
    return "too few seeds for their spread" if pair.difference else "their means are equal"


def verdict(result: SeedResult) -> list[str]:
    """Say what to know of the verdict: where the 2 % rule differs, and what is missing."""
    primary = result.compared.comparison.primary.scope
    torn = [
        f"{pair.a} and {pair.b}: {rule.disagreement}"
        for pair, rule in zip(result.compared.pairs, result.rules, strict=True)
        if rule.disagreement and pair.metric == primary
    ]
    lacking = [
        f"{condition}: {show.count(summary.missing)} of "
        f"{show.plural(summary.n_seeds + summary.missing, 'run')} without {name}."
        for name, stats in result.stats.items()
        for condition, summary in stats.items()
        if summary.missing
    ]
    lines = [f"{show.capital(caution)}." for caution in result.compared.comparison.cautions[1:]]
    lines += [*_first(torn, "disagreement"), *_first(lacking, "gap")]
    counts = {stats.n_seeds for metric in result.stats.values() for stats in metric.values()}
    if 3 in counts:
        lines.append(
            "At three seeds the interval by Student's t is 2.2 times as wide as that of 1.96 standard errors."
        )
    return lines


def conditions(number: int, name: str, stats: Mapping[str, SeedStats]) -> Table:
    """One metric by condition, with what each interval covers."""
    over_items = any(summary.ci95_items for summary in stats.values())
    sampled = any(summary.items_alone is not None for summary in stats.values())
    rows: list[list[Cell | str]] = [
        [
            condition,
            _cell(summary.mean, summary.reason),
            _cell(summary.std, summary.reason),
            _cell(summary.min, summary.reason),
            _cell(summary.max, summary.reason),
            show.count(summary.n_seeds),
            _interval(summary.ci95_normal, summary.reason),
            _interval(summary.ci95_t, summary.reason),
            *([_interval(summary.ci95_items, summary.reason)] if over_items else []),
            *([_items_alone(summary)] if sampled else []),
        ]
        for condition, summary in stats.items()
    ]
    headings = ["Condition", "Mean", "std", "Min", "Max", "Seeds", "95 % (1.96)", "95 % (t)"]
    headings += ["95 %, seeds and items"] if over_items else []
    headings += ["Items alone"] if sampled else []
    flat = {summary.reason for summary in stats.values() if summary.reason and summary.std is not None}
    notes = [
        "std with n − 1. The intervals by 1.96 and by t cover the noise of seeds only.",
        *sorted(f"{show.capital(reason)}." for reason in flat),
    ]
    return table(f"seeds-{number}", name, headings, rows, note=" ".join(notes))


def pair_tables(result: SeedResult) -> list[Table]:
    """Every pair by the first metric, and every pair by each of the others, which is detail."""
    compared = result.compared
    rules = {
        (pair.metric, pair.a, pair.b): rule for pair, rule in zip(compared.pairs, result.rules, strict=True)
    }
    comparison, tables = compared.comparison, []
    if comparison.primary.pairs:
        first = [pair for pair in compared.pairs if pair.stratum is None]
        note = f"{block.corrected_note(comparison.primary, 'conditions')} {_note(first)}"
        rows = [
            [pair.ahead, pair.behind, *_pair_cells(pair, rules, _scale(result, pair.metric))]
            for pair in first
        ]
        title = f"Conditions by {comparison.primary.scope}"
        tables.append(table("pairs", title, ["Ahead", "Behind", *_HEADINGS], rows, words=3, note=note))
    secondary = comparison.secondary
    if secondary is not None and secondary.pairs:
        others = [pair for pair in compared.pairs if pair.stratum is not None]
        note = f"{block.detail_note(secondary)} {_note(others)}"
        rows = [
            [
                pair.metric,
                f"{pair.ahead} – {pair.behind}",
                *_pair_cells(pair, rules, _scale(result, pair.metric)),
            ]
            for pair in others
        ]
        title = "Conditions by the other metrics"
        tables.append(table("others", title, ["Metric", "Pair", *_HEADINGS], rows, words=3, note=note))
    return tables


def _note(pairs: Sequence[ConditionPair]) -> str:
    covers = sorted({pair.covers for pair in pairs})
    what = (
        f"the noise of {covers[0]}"
        if len(covers) == 1
        else "what their metric has: seeds, or seeds and items"
    )
    only = " only" if covers == [Covers.SEEDS] else ""
    return f"Intervals cover {what}{only}. Paired: each seed against the same seed."


def _pair_cells(
    pair: ConditionPair, rules: Mapping[tuple[str, str, str], Rule], scale: block.Scale
) -> list[Cell | str]:
    why = pair.reason or "no test"
    gap, interval = pair.of(pair.ahead)
    rule = rules[pair.metric, pair.a, pair.b]
    is_apart = rule.is_apart
    span = "" if interval is None else scale.gap_span((interval.low, interval.high))
    p = [figure(p, show.p_value, why) for p in (pair.p, pair.p_adjusted)]
    return [
        Cell(block.VERDICTS[pair.verdict], strong=not pair.is_separated),
        Cell(scale.gap(gap or 0.0), span),
        *p,
        Cell(_seeds(pair), "paired" if pair.paired else "unpaired"),
        undefined(rule.reason or "") if is_apart is None else Cell("apart" if is_apart else "not apart"),
    ]


def _seeds(pair: ConditionPair) -> str:
    first, second = pair.seeds
    return show.count(first) if first == second else f"{first} and {second}"


def _scale(result: SeedResult, metric: str | None = None) -> block.Scale:
    """Points for a rate, as the first metric or another one is; score units for anything else."""
    return block.Scale(rates=(metric or result.compared.comparison.primary.scope) in result.rates)


def chart(number: int, name: str, stats: Mapping[str, SeedStats]) -> Chart:
    """Seeds of each condition by one metric, with both intervals."""
    stats = {condition: summary for condition, summary in stats.items() if summary.n_seeds}
    means = sorted(summary.mean for summary in stats.values() if summary.mean is not None)
    span = " to ".join(dict.fromkeys((show.any_size(means[0]), show.any_size(means[-1]))))
    what = "Mean" if len(means) == 1 else f"Means of {len(means)} conditions"
    title = f"{what} by {block.words(name)}: {span}"
    description = (
        "Each ring is a seed; the diamond is the mean. The thick line is 1.96 standard errors to each side, "
        "the thin one the 95 % interval by Student's t, which allows for how few seeds there are; both cover "
        "the noise of seeds only."
    )
    if any(summary.ci95_items for summary in stats.values()):
        description += " The dotted line is the 95 % interval over seeds and items."
    seed_rows = [row for condition, summary in stats.items() for row in _seed_rows(condition, summary)]
    axis = Axis(name, grid=True)
    return Chart(f"seeds-{number}", title, description, lambda width: rows(seed_rows, width, axis))


def _seed_rows(condition: str, summary: SeedStats) -> list[Row]:
    """The mean with its intervals, and every seed."""
    thin, broad, fine = (
        ends or (None, None) for ends in (summary.ci95_t, summary.ci95_normal, summary.ci95_items)
    )
    mean = Row(
        condition,
        summary.mean,
        shape="diamond",
        low=thin[0],
        high=thin[1],
        broad_low=broad[0],
        broad_high=broad[1],
        fine_low=fine[0],
        fine_high=fine[1],
    )
    return [mean, *(Row(condition, dot=value) for value in summary.values.values())]


def _numbered(result: SeedResult) -> list[tuple[int, str, Mapping[str, SeedStats]]]:
    return [(i, name, stats) for i, (name, stats) in enumerate(result.stats.items(), start=1)]


def _items_alone(summary: SeedStats) -> Cell:
    if summary.items_alone is None:
        return undefined("the number of items is not recorded")
    return Cell(f"±{show.any_size(summary.items_alone)}", f"{show.plural(summary.n_items or 0, 'item')}")


def _first(sentences: list[str], noun: str) -> list[str]:
    others = len(sentences) - _MOST_SAID
    return [*sentences[:_MOST_SAID], *([f"And {show.plural(others, f'more {noun}')}."] if others > 0 else [])]


def _cell(value: float | None, reason: str | None) -> Cell:
    return figure(value, show.any_size, reason or "unknown")


def _interval(pair: tuple[float, float] | None, reason: str | None) -> Cell:
    if pair is None:
        return undefined(reason or "unknown")
    return Cell(f"{show.any_size(pair[0])} to {show.any_size(pair[1])}")
