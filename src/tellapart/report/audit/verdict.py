"""Which models an audit tells apart, why not the others, and what is the cheapest fix, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tellapart.report import numbers as show
from tellapart.report.audit.parts import Fix, Pair
from tellapart.report.audit.record import View
from tellapart.report.audit.words import ACTIONS, CAUSES, phrase, scale, sentence, shortened

FEW = 3
"""So many pairs that are not told apart are named in the headline; of more, only the number."""

LONG = 120
"""Letters of names that a headline has room for."""

NAME = 32
"""Columns that a name may take in a headline."""

LONGEST = 6
"""A chain of more models is cut in its middle."""


def headline(view: View) -> str:
    """Say in one sentence which models are told apart, and which are not."""
    if not view.pairs:
        return "There are no two models to tell apart"
    if len(view.pairs) == 1:
        return _of_two(view, view.pairs[0])
    apart = [pair for pair in view.pairs if pair.separated]
    if not apart:
        told = _except(view).replace(f"; {show.count(len(view.pairs))} are not told apart", "", 1)
        return f"Tells none of {_pairs(view)} apart{told}"
    lead = f": {_order(view)}"
    if len(apart) == len(view.pairs):
        return f"Tells all {_pairs(view)} apart{lead}"
    return f"Tells {show.count(len(apart))} of {_pairs(view)} apart{lead}{_except(view)}"


def verdict(view: View) -> list[str]:
    """Say what to know before the figures, then what to do, and how good the evaluation is at telling."""
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
    told = any(caution.kind == "missing" for caution in view.cautions)
    return [*(caution.text for caution in view.cautions), *([] if told else missing(view))]


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


def chain(view: View) -> list[str]:
    """Find a long chain of models each of which is better than all that follow it.

    It is grown from each model in the order of the ranking, so that among chains of equal length the one with
    the higher models is given.
    """
    better = {(pair.ahead, pair.behind) for pair in view.pairs if pair.separated}
    names = [ranked.model for ranked in view.ranking]
    longest: list[str] = []
    for i, start in enumerate(names):
        grown = [start]
        for name in names[i + 1 :]:
            if all((above, name) in better for above in grown):
                grown.append(name)
        longest = max(longest, grown, key=len)
    return longest


def why(pair: Pair) -> str:
    """Say why a pair is not told apart: its causes in people's words, or why nothing was tested."""
    if pair.why:
        return show.listed([phrase(CAUSES, cause.cause) for cause in pair.why])
    return sentence(pair.reason) or "the cause is not known"


def cheapest(pair: Pair) -> str:
    """Say what the cheapest fix of a pair is; empty where none is known."""
    return sentence(pair.fix[0].text) if pair.fix else ""


def _of_two(view: View, pair: Pair) -> str:
    if pair.separated:
        return f"Tells the two models apart: {_cut(pair.ahead)} > {_cut(pair.behind)}"
    if pair.verdict == "not_separated":
        return f"Does not tell {names(pair)} apart, because {why(pair)}"
    text = _group(view, pair.verdict, [pair])
    return f"{text[2:3].upper() if pair.verdict == 'withheld' else text[2:3]}{text[3:]}"


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


def _except(view: View) -> str:
    """Name the pairs that are not told apart by what is known about them."""
    groups = [
        (kind, [pair for pair in view.unseparated if pair.verdict == kind])
        for kind in ("not_separated", "equivalent", "withheld")
    ]
    return "".join(_group(view, kind, pairs) for kind, pairs in groups if pairs)


def _group(view: View, kind: str, pairs: Sequence[Pair]) -> str:
    told_of = [names(pair) for pair in pairs]
    if len(pairs) > FEW or sum(map(len, told_of)) > LONG:
        told = {
            "equivalent": "equivalent",
            "withheld": f"withheld, because {CAUSES['missing_data']}",
            "not_separated": f"not told apart, {_mostly(pairs)}",
        }
        return f"; {show.count(len(pairs))} {'is' if len(pairs) == 1 else 'are'} {told[kind]}"
    if kind == "equivalent":
        within = scale(view).size(view.options.sesoi)
        return f"; {'; '.join(told_of)} {'are' if len(pairs) == 1 else 'are each'} equivalent within {within}"
    if kind == "withheld":
        return f"; withheld for {show.listed(told_of, 'and for')}: {CAUSES['missing_data']}"
    by_cause: dict[str, list[str]] = {}
    for pair in pairs:
        by_cause.setdefault(why(pair), []).append(names(pair))
    told_apart = [f"{show.listed(whom, 'nor')}, because {cause}" for cause, whom in by_cause.items()]
    return f"; not {'; nor '.join(told_apart)}"


def _mostly(pairs: Sequence[Pair]) -> str:
    """Give the commonest first cause."""
    causes = Counter(pair.why[0].cause if pair.why else "" for pair in pairs)
    cause, number = causes.most_common(1)[0]
    if not cause:
        return "for causes that are not known"
    often = "" if number == len(pairs) else "mostly "
    return f"{often}because {phrase(CAUSES, cause)}"


def _advice(view: View) -> list[str]:
    """Give the cheapest fix of all, and say of which pair."""
    best = view.cheapest
    if best is None:
        return []
    whom = "" if len(view.unseparated) == 1 else f", for {names(best)}"
    return [f"Cheapest fix{whom}: {cheapest(best)}."]


def _pairs(view: View) -> str:
    return show.plural(len(view.pairs), "pair")


def _order(view: View) -> str:
    """Say who is better than whom: a chain, or of one link all that its first model is better than."""
    models = chain(view)
    if len(models) == 2:
        below = [pair.behind for pair in view.separated if pair.ahead == models[0]]
        below.sort(key=view.order_of.__getitem__)
        told = (
            show.listed(list(map(_cut, below))) if len(below) <= FEW else f"{show.count(len(below))} others"
        )
        return f"{_cut(models[0])} > {told}"
    shown = [_cut(model) for model in models]
    if len(shown) > LONGEST:
        shown = [*shown[: LONGEST - 2], "…", shown[-1]]
    return " > ".join(shown)


def _cut(name: str) -> str:
    return shortened(name, NAME)
