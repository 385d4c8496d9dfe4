"""Whether it matters to a language model where in the list the target stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tellapart.contrastive.page.cells import rate_with_interval
from tellapart.contrastive.page.language_models import flips
from tellapart.contrastive.page.view import View, full_name, matched_by
from tellapart.core.arrays import I64
from tellapart.core.comparison import Claim, claims
from tellapart.core.estimate import Estimate
from tellapart.core.stats import clustered_rate, mean_once
from tellapart.report import numbers as show
from tellapart.report.document import Section, present
from tellapart.report.tables import Cell, Table, figure, table

FIFTHS = ("first", "2nd", "3rd", "4th", "last")
"""Parts of a list, so that lists of 5, 10 and 20 options can be pooled."""


def section(view: View) -> Section | None:
    """The order of the options, and what changes when it does."""
    if not view.llms:
        return None
    return Section(
        "slots",
        "Order of the options",
        "A language model reads the options as a list. The target goes through the slots in turn, so that a "
        "preference for a slot helps and hurts every model alike, and shows.",
        tables=present(by_fifth(view), flips(view)),
    )


@dataclass(frozen=True)
class Fifth:
    """A fifth of the list.

    Attributes:
        right: Share of the answers that are right among those whose target stands here, by file.
        first: Share of all answers that put an option first that stands here, likewise.
        even: What ``first`` would be if the place did not matter.
    """

    right: Estimate
    first: Estimate
    even: float | None


def by_fifths(view: View, model: str) -> list[Fifth]:
    """Accuracy and first choices of a model by fifth of the list, over all levels and orders."""
    rows = _scored(view, model)
    options, paths = rows["options"].to_numpy(), rows["path"].to_numpy()
    stands, picked = (_fifth(rows[name].to_numpy(), options) for name in ("slot", "picked_slot"))
    fifths = []
    for i in range(len(FIFTHS)):
        here = stands == i
        right = clustered_rate(rows["correct"].to_numpy()[here], paths[here])
        first = clustered_rate((picked == i).astype(float), paths)
        even = mean_once(_slots(options, i) / options)
        fifths.append(Fifth(right, first, even))
    return fifths


def claims_by_model(view: View) -> dict[str, Claim]:
    """Claims that accuracy depends on the place, after Holm over the language models."""
    slots = view.report.slots
    p_of = {model: slots[model].test.p for model in view.llms if model in slots}
    return dict(zip(p_of, claims(list(p_of.values())), strict=True))


def slot_preferences(view: View) -> dict[str, str]:
    """In words for each language model: whether it is right more often in some places."""
    return {model: _in_words(view, model, claim) for model, claim in claims_by_model(view).items()}


def slot_lines(view: View) -> list[str]:
    """Sentences about the language models to which the place matters."""
    matters = {model for model, claim in claims_by_model(view).items() if claim.holds}
    return [f"{text}." for model, text in slot_preferences(view).items() if model in matters]


def by_fifth(view: View, brief: bool = False) -> Table:
    """Accuracy and first choices by fifth of the list; in brief without intervals and counts."""
    p_of = {model: claim.p_adjusted for model, claim in claims_by_model(view).items()}
    rows: list[list[Cell | str]] = []
    for model in view.llms:
        fifths, p = by_fifths(view, model), p_of.get(model)
        shown = figure(p, show.p_value, _untested(view, model))
        right = [_cell(part.right, brief, counted=True) for part in fifths]
        picked = [_cell(part.first, brief) for part in fifths]
        rows += [[model, "right", *right, shown], [model, "picked", *picked, ""]]
    return table(
        "by-fifth",
        "Right, by the fifth of the list where the target stands; picked, by that of the first choice, %"
        + matched_by(view),
        ["Model", "Share", *map(show.capital, FIFTHS), "p"],
        rows,
        note="p: permutation test that accuracy does not depend on where the target stands"
        + (", corrected for the number of models." if len(p_of) > 1 else "."),
        words=2,
    )


def _in_words(view: View, model: str, claim: Claim) -> str:
    name, p = full_name(view, model), claim.p_adjusted
    if p is None:
        return f"Cannot tell whether {name} prefers a slot: {_untested(view, model)}"
    shown = show.p_value(p)
    shown = f"p {shown}" if shown.startswith("<") else f"p = {shown}"
    if not claim.holds:
        return f"No sign that {name} prefers a slot ({shown})"
    # A contrast that no slot of the list makes, or that no shuffle changes, has no z.
    z = {key: value for key, value in view.report.slots[model].test.z.items() if value is not None}
    strongest = max(z, key=lambda key: abs(z[key]))
    where = _where(view, model, strongest, z[strongest])
    return f"{name} is right more often when the target stands {where}, {shown}"


def _untested(view: View, model: str) -> str:
    slots = view.report.slots.get(model)
    return (slots.test.reason if slots else None) or "there was no test"


def _where(view: View, model: str, contrast: str, z: float) -> str:
    """Name the slots of the strongest contrast, with the accuracy there and in those held against them."""
    rows = _scored(view, model)
    slot, options, right = (rows[name].to_numpy() for name in ("slot", "options", "correct"))
    fifth = _fifth(slot, options)
    sides = {
        "first": ("in the first slot", slot == 1, "in any other", slot > 1),
        "last": ("in the last slot", slot == options, "in any other", slot < options),
        "trend": ("late", fifth == 4, "early", fifth == 0),
        "ends": ("near an end of the list", (fifth == 0) | (fifth == 4), "in its middle", fifth == 2),
    }
    there, here, elsewhere, away = sides[contrast]
    if z < 0:
        there, here, elsewhere, away = elsewhere, away, there, here
    rates = [
        show.whole_percent(float(right[mask].mean())) if mask.any() else show.DASH for mask in (here, away)
    ]
    if contrast == "trend":
        places = ("first", "last") if z < 0 else ("last", "first")
        return f"{there}: {rates[0]} in the {places[0]} fifth of the list, {rates[1]} in the {places[1]}"
    return f"{there}: {rates[0]} there, {rates[1]} {elsewhere}"


def _scored(view: View, model: str) -> pl.DataFrame:
    return view.items.filter((pl.col("model") == model) & pl.col("missing").is_null())


def _fifth(slots: I64, options: I64) -> I64:
    """Which fifth a slot, from 1, lies in, from 0."""
    return (slots.astype(np.int64) - 1) * len(FIFTHS) // options


def _slots(options: I64, fifth: int) -> I64:
    """How many slots of a list lie in a fifth."""
    ends = [-(-(options * (fifth + i)) // len(FIFTHS)) for i in (0, 1)]
    return ends[1] - ends[0]


def _cell(rate: Estimate, brief: bool, *, counted: bool = False) -> Cell:
    if brief and rate.value is not None:
        return Cell(show.rate(rate.value))
    return rate_with_interval(
        rate.value, rate.interval, f"n {show.count(rate.n)}" if counted and not brief else ""
    )
