"""Names: what the name alone answers, and whether the models' order holds with other names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tellapart.contrastive.figures import NAMES_SUFFICE, gain_of_name
from tellapart.contrastive.page.view import View
from tellapart.report import numbers as show
from tellapart.report.comparison import words

MOST_LEADS = 3
"""Leads that are put into words; the others are in the JSON."""

MOST_MODELS = 4
"""Models whose accuracy by name alone is put into words; of more, only the lowest and the highest."""


def name_lines(view: View) -> list[str]:
    """Say what names answer where they are masked; else the headline says it."""
    if not view.header.choices.mask_names:
        return []
    return [" ".join(["Each unit's own name is masked in its code and summaries.", *names_alone(view)])]


def renaming_lines(view: View) -> list[str]:
    """Say whether the leads of the run before renaming hold."""
    if view.order_holds is None:
        return []
    if not view.order_holds:
        return ["Renamed: the original run separated no models, so that no order could change."]
    counts = Counter(pair.holds for pair in view.order_holds)
    order = "does not hold" if counts["no"] else "holds" if counts["yes"] else "cannot be told"
    leads = [
        f"{pair.ahead} over {pair.behind} {show.points(pair.before)} and "
        f"{show.DASH if pair.after is None else show.points(pair.after)} points"
        for pair in view.order_holds
    ]
    return [
        f"Renamed: the order of the models {order}. The original run has "
        f"{show.plural(counts.total(), 'lead')}: {counts['yes']} stand, {counts['no']} turn round, "
        f"{counts['cannot tell']} can no longer be told. With the original names and with others: "
        f"{show.listed(leads, most=MOST_LEADS)}."
    ]


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
