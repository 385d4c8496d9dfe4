"""Names: accuracy and leads by how much of the name a summary has, and what the name alone answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tellapart.contrastive.names import NAMES_SUFFICE, OVERLAPS, OverlapAccuracy, gain_of_name
from tellapart.contrastive.page.cells import rate_with_interval
from tellapart.contrastive.page.view import View
from tellapart.core.comparison import Comparison, PairComparison
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.comparison import words
from tellapart.report.document import Section
from tellapart.report.tables import Cell, Table, table, undefined

MOST_LEADS = 3
"""Leads that are put into words; the others are in the table."""

MOST_MODELS = 4
"""Models whose accuracy by name alone is put into words; of more, only the lowest and the highest."""

_WHERE = {"none": "No word of the name", "some": "Some words", "all": "Every word"}


def section(view: View) -> Section | None:
    """Accuracy and pairs by how much of the name the summaries have."""
    accuracies = by_names(view)
    if view.names is None or accuracies is None:
        return None
    compared = [compared for compared in view.names.comparisons.values() if compared.secondary]
    strata = filter(None, (block.strata_table(comparison, order=OVERLAPS) for comparison in compared))
    # The levels' strata stand on the same page.
    pairs = [replace(shown, name=f"names-pairs-{number}") for number, shown in enumerate(strata, start=1)]
    return Section(
        "names",
        "Names",
        "The name of a unit stands in its code, and often in its summary. A model may find the code by the "
        "name alone.",
        tables=(accuracies,),
        folded=tuple(pairs),
    )


def by_names(view: View) -> Table | None:
    """Accuracy of each model by how many of the name's words the summary has; None where nothing is known."""
    if view.names is None:
        return None
    rows: list[list[Cell | str]] = [
        [model, *(_accuracy(view.names.accuracy[value].get(model)) for value in OVERLAPS)]
        for model in view.models
    ]
    part = f", {view.part[1]} items" if view.part else ""
    return table(
        "names",
        f"Accuracy by words of the target's name in the summary{part}, % (95 % interval)",
        ["Model", *_WHERE.values()],
        rows,
        note="A word counts in any form: parses for parse. Intervals are Wilson's, clustered on the file.",
    )


def name_lines(view: View) -> list[str]:
    """Say how much of each lead is names, and, where names are masked, what they answer all the same."""
    if not view.header.choices.mask_names:
        return _leads(view)
    masked = "Each unit's own name is masked in its code and summaries."
    return [" ".join([masked, *names_alone(view)]), *_leads(view)]


def _leads(view: View) -> list[str]:
    """Sentences on the models that are separated, the largest lead first."""
    comparisons = view.names.comparisons.values() if view.names else ()
    leads = [
        (-abs(pair.difference or 0.0), pair.a, pair.b, _lead(pair, comparison))
        for comparison in comparisons
        if comparison.primary.declared
        for pair in comparison.primary.separated
    ]
    return [line for *_, line in sorted(leads)[:MOST_LEADS]]


def _lead(pair: PairComparison, comparison: Comparison) -> str:
    parts = comparison.secondary.pairs if comparison.secondary else ()
    by_value = {part.stratum: part for part in parts if (part.a, part.b) == (pair.a, pair.b)}
    where = (("all", "where the summary has every word of the name"), ("none", "where it has none of them"))
    clauses = [f"{show.points(abs(pair.difference or 0.0))} points overall"]
    for value, text in where:
        gap, interval = by_value[value].of(pair.ahead) if value in by_value else (None, None)
        if gap is None:
            clauses.append(f"no item {text}")
        else:
            span = f" ({show.points_range((interval.low, interval.high))})" if interval else ""
            clauses.append(f"{show.points(gap)}{span} {text}")
    genitive = f"{pair.ahead}'" if pair.ahead.endswith("s") else f"{pair.ahead}'s"
    return f"{genitive} lead over {pair.behind}: {', '.join(clauses)}."


def names_alone(view: View) -> list[str]:
    """Say what the words of the name answer without the summary, at the level that the verdict is about."""
    level = view.level
    summaries = view.report.overall if level is None else view.report.by_difficulty[level]
    controls = {
        model: control if level is None else control.by_level.get(level)
        for model, control in view.report.controls.get("identifier", {}).items()
    }
    rates = {
        model: (control.value, accuracy, gain_of_name(control, summaries[model]))
        for model in view.models
        if (control := controls.get(model)) is not None
        and control.value is not None
        and (accuracy := summaries[model].accuracy) is not None
    }
    if not rates:
        return []
    models = list(rates)
    alone = _rates(models, [value for value, _, _ in rates.values()])
    line = (
        f"The name alone answers {alone}, where the summary answers "
        f"{_rates([], [accuracy for _, accuracy, _ in rates.values()])}"
        f"{f' ({words(level)} items)' if level else ''}"
    )
    mostly = [model for model, (_, _, gain) in rates.items() if gain is not None and gain >= NAMES_SUFFICE]
    if mostly and view.header.choices.mask_names:
        line += ": the words of names stand elsewhere in the code, too"
    elif mostly:
        whom = "" if mostly == models else f" for {show.listed(mostly, most=MOST_MODELS)}"
        line += f": this benchmark mostly tests names{whom}. To take them out, build without --no-mask-names"
    return [f"{line}."]


def _rates(models: Sequence[str], rates: Sequence[float]) -> str:
    if len(rates) > MOST_MODELS:
        return show.between(rates, show.percent) + (f" for {len(models)} models" if models else "")
    if not models:
        return f"{show.listed([show.rate(rate) for rate in rates])} %"
    return show.listed(
        [f"{show.percent(rate)} for {model}" for model, rate in zip(models, rates, strict=True)]
    )


def _accuracy(result: OverlapAccuracy | None) -> Cell:
    if result is None or result.accuracy is None:
        return undefined("no item was scored")
    return rate_with_interval(result.accuracy, result.ci, f"n {show.count(result.n)}")
