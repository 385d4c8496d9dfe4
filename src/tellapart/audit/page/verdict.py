"""Which models an audit separates, why not the others, and what is the cheapest fix, in words."""

from __future__ import annotations

from collections import Counter

from tellapart.audit.page.parts import Fix, Pair
from tellapart.audit.page.record import View
from tellapart.audit.page.words import ACTIONS, CAUSES, phrase, scale
from tellapart.report import comparison
from tellapart.report import numbers as show
from tellapart.report.comparison import NAME, sentence, shortened

FEW = 3
"""So many models are named; of more, only the number."""


def headline(view: View) -> str:
    """Say in one or two sentences which models are separated, and why not the others."""
    causes = {(pair.a, pair.b): why(pair) for pair in view.pairs}
    return comparison.headline(view.compared, lambda pair: causes[pair.a, pair.b], scale(view))


def verdict(view: View) -> list[str]:
    """Say what to know before the figures, then what to do, and how many pairs the evaluation separates."""
    lines = [*first(view), *_advice(view)]
    shares = []
    if view.separated_paired is not None:
        shares.append(f"{show.whole_percent(view.separated_paired)} of pairs by the paired test")
    if view.separated_arena_hard is not None:
        share = show.whole_percent(view.separated_arena_hard)
        shares.append(f"{share} by Arena-Hard's definition, intervals of the means that do not overlap")
    if view.signal_to_noise is not None:
        shares.append(f"signal to noise {show.significant(view.signal_to_noise)}")
    return [*lines, f"Separation: {'; '.join(shares)}."] if shares else lines


def first(view: View) -> list[str]:
    """Say what must be known before any figure: cautions, and what is missing by cause."""
    is_said = any(caution.kind == "missing" for caution in view.cautions)
    return [
        *view.compared.cautions[1:],
        *(caution.text for caution in view.cautions),
        *([] if is_said else missing(view)),
    ]


def missing(view: View) -> list[str]:
    """Say in one sentence which scores are missing and why; nothing when none are."""
    if not view.missing_rows:
        return []
    causes: Counter[str] = Counter()
    for found in view.missing.values():
        causes.update(found)
    told = show.listed([f"{show.count(number)} {cause}" for cause, number in causes.most_common()])
    models = [model for model, found in view.missing.items() if sum(found.values())]
    whom = (
        show.listed(list(map(_cut, models)))
        if len(models) <= FEW
        else f"{len(models)} of {len(view.models)} models"
    )
    return [f"Scores missing: {told}, of {whom}."]


def why(pair: Pair) -> str:
    """Say why a pair is not separated: its causes in people's words, or why nothing was tested."""
    if pair.why:
        return show.listed([phrase(CAUSES, cause.cause) for cause in pair.why])
    return sentence(pair.reason) or "the cause is not known"


def cheapest(pair: Pair) -> str:
    """Say what the cheapest fix of a pair is; empty where none is known."""
    return sentence(pair.fix[0].text) if pair.fix else ""


def names(pair: Pair) -> str:
    """Name both models of a pair, the one ahead first, with names cut to ``NAME``."""
    return f"{_cut(pair.ahead)} and {_cut(pair.behind)}"


def briefly(fix: Fix) -> str:
    """Say in a few words what a fix is and what it costs."""
    like = f" like `{fix.stratum[1]}`" if fix.stratum else ""
    if fix.cost_items:
        kind = {"harder_items": "harder item", "easier_items": "easier item"}.get(fix.action, "item")
        return f"+{show.plural(fix.cost_items, kind)}{like}"
    if fix.action == "rerun_missing" and fix.cost_answers:
        return f"{phrase(ACTIONS, fix.action)}, {show.count(fix.cost_answers)} in all"
    if fix.cost_replicates:
        return f"{phrase(ACTIONS, fix.action)}, {show.plural(fix.cost_replicates, 'time')} an item"
    if fix.action == "drop_items" and fix.items:
        return f"drop {show.plural(len(fix.items), 'item')}"
    return f"{phrase(ACTIONS, fix.action)}{like}"


def _advice(view: View) -> list[str]:
    """Give the cheapest fix of all, and say of which pair."""
    best = view.cheapest
    if best is None:
        return []
    whom = "" if len(view.unseparated) == 1 else f", for {names(best)}"
    return [f"Cheapest fix{whom}: {cheapest(best)}."]


def _cut(name: str) -> str:
    return shortened(name, NAME)
