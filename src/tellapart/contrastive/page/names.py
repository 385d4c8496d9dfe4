"""What the page says about names: accuracy and leads by how much of the name a summary has."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.contrastive.names import NAMES_SUFFICE, OVERLAPS, gain_of_name
from tellapart.contrastive.page.view import View
from tellapart.contrastive.results import OverlapAccuracy
from tellapart.core.comparison import Comparison, PairComparison, from_json
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table, undefined

MOST_LEADS = 3
"""Leads that are put into words; the others are in the table."""

MOST_MODELS = 4
"""Models whose accuracy by name alone is put into words; of more, only the lowest and the highest."""

_WHERE = {"none": "No word of the name", "some": "Some words", "all": "Every word"}


def accuracy_by_names(view: View) -> Table | None:
    """Accuracy of each model by how many of the name's words the summary has; None where nothing is known."""
    if view.names is None:
        return None
    rows: list[list[Cell | str]] = [
        [model, *(_accuracy(view.names.accuracy[value].get(model)) for value in OVERLAPS)]
        for model in view.models
    ]
    return table(
        "names",
        f"Accuracy by words of the target's name in the summary{_of_part(view)}, % (95 % interval)",
        ["Model", *_WHERE.values()],
        rows,
        note="A word counts in any form: parses for parse. Intervals are Wilson's, clustered on the file.",
    )


def _of_part(view: View) -> str:
    primary = view.settings.primary or view.run.scores().notes.primary
    return f", {primary[1]} items" if primary else ""


def pairs_by_names(view: View) -> list[Table]:
    """Every pair of models by how much of the name the summary has, a table for each source of summaries."""
    named = [(source, comparison) for source, comparison in _comparisons(view) if comparison.secondary]
    tables = [(source, block.strata_table(comparison, order=OVERLAPS)) for source, comparison in named]
    return [table for _, table in tables if table is not None]


def name_lines(view: View) -> list[str]:
    """Say how much of each lead is names, and what the name alone answers."""
    masked = (
        ["Each unit's own name is masked in its code and summaries."]
        if view.header.choices.mask_names
        else []
    )
    return [*masked, *_leads(view), *_names_alone(view)]


def _leads(view: View) -> list[str]:
    """Sentences on the models that are separated, the largest lead first."""
    leads = []
    declared = [compared for _, compared in _comparisons(view) if compared.primary.declared]
    for comparison in declared:
        for pair in comparison.primary.separated:
            leads.append((-abs(pair.difference or 0.0), pair.a, pair.b, _lead(pair, comparison)))
    return [line for *_, line in sorted(leads)[:MOST_LEADS]]


def _lead(pair: PairComparison, comparison: Comparison) -> str:
    parts = comparison.secondary.pairs if comparison.secondary else ()
    by_value = {part.stratum: part for part in parts if (part.a, part.b) == (pair.a, pair.b)}
    where = (("all", "where the summary has every word of the name"), ("none", "where it has none of them"))
    clauses = [f"{show.points(abs(pair.difference or 0.0))} points overall"]
    for value, words in where:
        gap, interval = by_value[value].of(pair.ahead) if value in by_value else (None, None)
        if gap is None:
            clauses.append(f"no item {words}")
        else:
            span = f" ({show.points_range((interval.low, interval.high))})" if interval else ""
            clauses.append(f"{show.points(gap)}{span} {words}")
    return f"{_genitive(pair.ahead)} lead over {pair.behind}: {', '.join(clauses)}."


def _genitive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def _names_alone(view: View) -> list[str]:
    """Say what the words of the name answer without the summary, and what follows from it."""
    controls, overall = view.report.controls.get("identifier", {}), view.report.overall
    gains = {
        model: gain
        for model in view.models
        if model in controls and (gain := gain_of_name(controls[model], overall[model])) is not None
    }
    if not gains:
        return []
    mostly = [model for model, gain in gains.items() if gain >= NAMES_SUFFICE]
    lines = []
    for models in filter(None, (mostly, [model for model in gains if model not in mostly])):
        alone = _rates(models, [controls[model].value or 0.0 for model in models])
        summaries = _rates([], [overall[model].accuracy or 0.0 for model in models])
        whom = show.listed(models, most=MOST_MODELS)
        follows = (
            ": the words of names stand elsewhere in the code, too"
            if view.header.choices.mask_names
            else f": this benchmark mostly tests names for {whom}. To take them out, build with --mask-names"
        )
        lines.append(
            f"The name alone answers {alone}, where the summary answers {summaries}"
            f"{follows if models is mostly else ''}."
        )
    return lines


def _rates(models: Sequence[str], rates: Sequence[float]) -> str:
    if len(rates) > MOST_MODELS:
        return show.between(rates, show.percent) + (f" for {len(models)} models" if models else "")
    if not models:
        return f"{show.listed([show.rate(rate) for rate in rates])} %"
    return show.listed(
        [f"{show.percent(rate)} for {model}" for model, rate in zip(models, rates, strict=True)]
    )


def _comparisons(view: View) -> list[tuple[str, Comparison]]:
    records = view.names.comparisons if view.names else {}
    return [(source, from_json(record)) for source, record in records.items()]


def _accuracy(result: OverlapAccuracy | None) -> Cell:
    if result is None or result.accuracy is None:
        return undefined("no item was scored")
    interval = show.rate_range(result.ci) if result.ci else "no interval"
    return Cell(show.rate(result.accuracy), f"{interval}; n {show.count(result.n)}")
