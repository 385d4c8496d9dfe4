"""What is said of items, reliability, variance, order and the smallest set in one sentence each."""

from __future__ import annotations

from collections import Counter

from tellapart.audit.page.record import View
from tellapart.audit.page.words import FLAGS, PARTS, SEPARATE_NOTHING, phrase
from tellapart.report import numbers as show
from tellapart.report.comparison import sentence


def items(view: View) -> str:
    """Say how many items look broken, and how many only separate nothing, by what is the matter."""
    if not view.items_flagged:
        return f"none of {show.plural(view.items, 'item')} is flagged"
    broken = {flagged.item for flagged in view.items_flagged if flagged.reason not in SEPARATE_NOTHING}
    idle = {flagged.item for flagged in view.items_flagged} - broken
    of = f" of {show.plural(view.items, 'item')}"
    told = []
    if broken:
        looks = "looks" if len(broken) == 1 else "look"
        told.append(f"{show.count(len(broken))}{of} {looks} broken ({_by_kind(view, broken, idle=False)})")
    if idle:
        others = (" other" if len(idle) == 1 else " others") if broken else of
        they = "it separates" if len(idle) == 1 else "they separate"
        counted = _by_kind(view, idle, idle=True)
        told.append(f"nothing is wrong with {show.count(len(idle))}{others}, but {they} nothing ({counted})")
    return "; ".join(told)


def _by_kind(view: View, chosen: set[str], *, idle: bool) -> str:
    counts = Counter(
        flagged.reason
        for flagged in view.items_flagged
        if flagged.item in chosen and (flagged.reason in SEPARATE_NOTHING) == idle
    )
    return ", ".join(
        f"{phrase(FLAGS, kind)} {show.count(counts[kind])}" for kind in flagged_by_kind(view) if counts[kind]
    )


def flagged_by_kind(view: View) -> dict[str, int]:
    """Count items by what is the matter, in the order of ``FLAGS``."""
    found: dict[str, int] = dict.fromkeys(FLAGS, 0)
    for flagged in view.items_flagged:
        found[flagged.reason] = found.get(flagged.reason, 0) + 1
    return {kind: number for kind, number in found.items() if number}


def reliability(view: View) -> str:
    """Give the coefficient with what it was computed over, or why there is none."""
    found = view.reliability
    if found.value is None:
        return f"no {found.name}: {sentence(found.reason)}"
    over = f"{show.plural(len(found.over_models), 'model')} and {show.plural(found.items, 'item')}"
    return f"{found.name} {show.decimal(found.value, 2)}, over {over}"


def variance(view: View) -> str:
    """Give the share of each part of the variance; parts that were not recorded are told."""
    shares = variance_shares(view)
    if not shares:
        return f"not known: {sentence(view.variance.reason)}"
    told = ", ".join(f"{show.whole_percent(share)} {PARTS[name]}" for name, share in shares.items())
    unknown = [PARTS[name] for name, value in view.variance.parts.items() if value is None]
    return f"{told}{f'; not recorded: {show.listed(unknown)}' if unknown else ''}"


def variance_shares(view: View) -> dict[str, float]:
    """Share of each part that is known, by name; empty where none is or nothing varies."""
    # An estimate of a variance can be negative where the true one is near 0.
    known = {name: max(0.0, value) for name, value in view.variance.parts.items() if value is not None}
    total = sum(known.values())
    return {name: value / total for name, value in known.items()} if total > 0 else {}


def order(view: View) -> str:
    """Say how well the order of the models stands up against itself."""
    found = view.order
    taus = {
        "τ between halves": found.halves_tau,
        "Spearman–Brown": found.spearman_brown,
        "τ without the items that rank backwards": found.without_flagged,
    }
    known = [f"{name} {show.decimal(value, 2)}" for name, value in taus.items() if value is not None]
    return ", ".join(known) or f"not known: {sentence(found.reason)}"


def smallest(view: View) -> str:
    """Say how few items keep the ranking, and whether models that they were not chosen on confirm it."""
    found = view.smallest_set
    if not found.items:
        return f"none: {sentence(found.reason)}"
    said = f"{show.count(len(found.items))} of {show.plural(view.items, 'item')} keep the ranking"
    if found.tau_chosen is not None:
        chosen = show.plural(len(found.chosen_on), "model")
        said += f": τ {show.decimal(found.tau_chosen, 2)} on the {chosen} they were chosen on"
    if found.tau_heldout is None:
        return f"{said}, not confirmed: {sentence(found.reason)}"
    held = show.plural(len(found.confirmed_on), "model")
    note = f" ({sentence(found.reason)})" if found.reason else ""
    return f"{said}, τ {show.decimal(found.tau_heldout, 2)} on {held} held out{note}"
