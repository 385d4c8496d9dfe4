"""The verdict on models in sentences: which to use, what is open, and what more items would do.

Nothing is decided here: `tellapart.core.comparison` has decided.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from tellapart.core.comparison import Comparison, PairComparison, Primary, Verdict
from tellapart.core.comparison.plan import TIMES
from tellapart.report import numbers as show
from tellapart.report.document import APART_YET
from tellapart.report.numbers import Scale, words
from tellapart.report.plain_text import plain, shortened

FEW = 3
"""So many pairs that are not separated are named in the headline; of more, only the number."""

LONG = 120
"""Characters of names that a part of the headline has room for."""

NAME = 32
"""Columns that a name may take in a headline."""

_FAR = 20
"""Times the items there are: more is no number to act on."""

MISSING_COULD_TURN = "missing scores could undo it"

Why = Callable[[PairComparison], str]
"""Says why two models are not separated, as a clause that stands after a colon."""


def headline(comparison: Comparison, why: Why | None = None, scale: Scale | None = None) -> str:
    """Give the primary verdict in one sentence, with the first caution where there is one."""
    return ". ".join(headline_sentences(comparison, why, scale))


def headline_sentences(
    comparison: Comparison, why: Why | None = None, scale: Scale | None = None, *, measure: str = ""
) -> list[str]:
    """Give the sentences of `headline`, without full stops: the verdict, what is open, the first caution."""
    family = comparison.primary
    beware = [f"Beware: {sentence(comparison.cautions[0])}"] if comparison.cautions else []
    if not family.declared:
        return [_chosen_late(family), *beware]
    pairs = [replace(pair, a=_cut(pair.a), b=_cut(pair.b)) for pair in family.pairs]
    causes = {(cut.a, cut.b): (why or needed)(pair) for pair, cut in zip(family.pairs, pairs, strict=True)}
    within = f"equivalent within {(scale or Scale()).size(comparison.sesoi)}"
    open_ = _open(pairs, lambda pair: causes[pair.a, pair.b], within)
    if not pairs:
        first, further = "There are no two models to compare", []
    elif len(pairs) > 1:
        first, further = _advice(comparison, pairs), [_count(pairs), *open_]
    elif pairs[0].is_separated:
        first, further = _of_two(comparison, pairs[0], scale or Scale()), []
    else:
        first, *further = open_
    on = f"on {scope(family)}" if family.scope != "all items" else ""
    about = ", ".join(filter(None, (f"by {measure}" if measure else "", on)))
    if about:
        named = any(first.startswith(name) for pair in pairs for name in (pair.a, pair.b))
        first = f"{show.capital(about)}, {first if named else first[:1].lower() + first[1:]}"
    return [first, *further, *beware]


def nothing_to_compare(names: Sequence[str], what: str = "model") -> str:
    """Say why there is no verdict, where fewer than two models, or others, have scores."""
    if len(names) == 1:
        return f"Only {names[0]} has a score: nothing to compare"
    return f"No {what} has a score: nothing to compare"


def scope(family: Primary) -> str:
    """Name the items of a primary family, such as ``very hard items``, and that some were left out."""
    whole = scope_words(family.scope)
    if not family.left_out:
        return whole
    return f"{whole} but {family.left_out}" if whole == "all items" else f"{whole} without those left out"


def scope_words(scope: str) -> str:
    """Name the items of ``COLUMN=VALUE``, as ``very hard items``; other names as they are."""
    value = scope.partition("=")[2]
    return f"{words(value)} items" if value else scope


def sentence(text: str) -> str:
    """Give a sentence as a clause: without its full stop."""
    return text.strip().removesuffix(".")


def _cut(name: str) -> str:
    return shortened(plain(name), NAME)


def _chosen_late(family: Primary) -> str:
    if not family.left_out:
        chosen, rest = f"{scope(family)} were chosen", "their pairs"
    else:
        others = "the others" if family.scope == "all items" else f"other {scope_words(family.scope)}"
        were = "was" if family.left_out == 1 else "were"
        chosen = f"{show.plural(family.left_out, 'item')} {were} left out"
        rest = f"the pairs of {others}"
    return f"No verdict: {chosen} after the scores were known, so {rest} are detail"


def _count(pairs: Sequence[PairComparison]) -> str:
    separated = sum(pair.is_separated for pair in pairs)
    number = "all" if separated == len(pairs) else f"{show.count(separated) if separated else 'none'} of"
    return f"This evaluation separates {number} {show.plural(len(pairs), 'pair')}"


def _of_two(comparison: Comparison, pair: PairComparison, scale: Scale) -> str:
    gap = scale.size(pair.difference or 0.0)
    _, interval = pair.of(pair.ahead)
    level = f"{100 * (1 - (pair.level or comparison.alpha)):.3g} %"
    span = f" ({level} interval {scale.sizes(interval)})" if interval else ""
    if comparison.baseline is None:
        return f"Use {pair.ahead}: it beats {pair.behind} by {gap}{span}"
    if _cut(comparison.baseline) == pair.ahead:
        return f"{pair.behind} is worse than {pair.ahead} by {gap}{span}"
    return f"{pair.ahead} is better than {pair.behind} by {gap}{span}"


def _advice(comparison: Comparison, pairs: Sequence[PairComparison]) -> str:
    """Name the model to use, or those that none is shown to beat."""
    if comparison.baseline:
        return _beside(_cut(comparison.baseline), pairs)
    models = sorted({name for pair in pairs for name in (pair.a, pair.b)})
    wins = Counter(pair.ahead for pair in pairs if pair.is_separated)
    beaten = {pair.behind for pair in pairs if pair.is_separated}
    best = [model for model in models if model not in beaten]
    if not beaten:
        return "No model is clearly better than another"
    if len(best) == 1:
        (model,), lost = best, len(models) - 1
        if wins[model] == lost:
            return f"Use {model}: it beats {'both' if lost == 2 else f'all {lost}'} others"
        return f"Use {model}: it beats {wins[model]} of {lost} others, and none beats it"
    if len(best) > FEW:
        return f"There is no single best: {len(best)} of {len(models)} are beaten by none"
    others = len(beaten)
    if any(wins[model] < others for model in best):
        return f"Use {show.listed(best, 'or')}: none is clearly better"
    whom = show.listed(sorted(beaten)) if others <= FEW else f"the other {others}"
    return f"Use {show.listed(best, 'or')}: {'both' if len(best) == 2 else 'all'} beat {whom}"


def _beside(baseline: str, pairs: Sequence[PairComparison]) -> str:
    separated = [pair for pair in pairs if pair.is_separated]
    better = [pair.ahead for pair in separated if pair.behind == baseline]
    worse = [pair.behind for pair in separated if pair.ahead == baseline]
    clauses = [
        f"{_named(names)} {'is' if len(names) == 1 else 'are'} {how} than {baseline}"
        for names, how in ((better, "better"), (worse, "worse"))
        if names
    ]
    return "; ".join(clauses) or f"No model is shown to be better or worse than {baseline}"


def _named(models: Sequence[str]) -> str:
    if len(models) > FEW + 1 or sum(map(len, models)) > LONG:
        return f"{models[0]} and {show.count(len(models) - 1)} others"
    return show.listed(list(models))


def _open(pairs: Sequence[PairComparison], why: Why, within: str) -> list[str]:
    """Sentences about the pairs that are not separated, by what is known of them."""
    alike = [pair for pair in pairs if pair.difference == 0 and pair.sd == 0]
    others = [pair for pair in pairs if pair not in alike]
    equal = [pair for pair in others if pair.verdict is Verdict.EQUIVALENT]
    unclear = [pair for pair in others if pair.verdict is Verdict.NOT_SEPARATED]
    held: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.verdict is Verdict.WITHHELD:
            reason = sentence(pair.withheld) or MISSING_COULD_TURN
            held.setdefault(reason, []).append(f"{pair.ahead} and {pair.behind}")
    return [
        *_few([_alike(pair, within) for pair in alike], "score the same on every item"),
        *([_cannot(unclear, len(pairs), why)] if unclear else []),
        *_few([f"{pair.ahead} and {pair.behind} are {within}" for pair in equal], f"are {within}"),
        *(f"No verdict for {_whom(names)}: {reason}" for reason, names in held.items()),
    ]


def _alike(pair: PairComparison, within: str) -> str:
    items = "the only item" if pair.n == 1 else f"all {show.count(pair.n)} items"
    open_ = f", too few to show that they are {within}" if pair.verdict is Verdict.NOT_SEPARATED else ""
    return f"{pair.ahead} and {pair.behind} score the same on {items}{open_}"


def _few(named: Sequence[str], many: str) -> list[str]:
    if len(named) <= FEW and sum(map(len, named)) <= 2 * LONG:
        return ["; ".join(named)] if named else []
    return [f"{show.plural(len(named), 'pair')} {many}"]


def _whom(names: Sequence[str]) -> str:
    listed = show.listed(names, "and for")
    return listed if len(names) <= FEW and len(listed) <= LONG else show.plural(len(names), "pair")


def _cannot(pairs: Sequence[PairComparison], of: int, why: Why) -> str:
    by_cause: dict[str, list[str]] = {}
    for pair in pairs:
        by_cause.setdefault(why(pair), []).append(f"{pair.ahead} and {pair.behind}")
    named = [f"{show.listed(names, 'as well as')}{APART_YET}: {cause}" for cause, names in by_cause.items()]
    few = len(pairs) <= FEW and sum(map(len, named)) <= 2 * LONG
    if few and (len(pairs) < of or of == 1):
        return ". ".join(named)
    causes = Counter(
        "it would take more items to settle them" if cause.startswith("it would take") else cause
        for cause in map(why, pairs)
    )
    cause, number = causes.most_common(1)[0]
    which = "All" if len(pairs) == of else f"The other {show.count(len(pairs))}"
    return f"{which}{APART_YET}{'' if number == len(pairs) else ', mostly'}: {cause}"


def needed(pair: PairComparison) -> str:
    """Say how many items would settle two models, after a colon.

    Where so few sources share the items that no outcome could separate any models, both are counted.
    """
    if pair.p is None:
        return sentence(pair.reason) or "too few items"
    if pair.settle_items is None:
        if pair.bounds and pair.bounds[0] < pair.bounds[1]:
            missing = "too many of their scores are missing"
            return missing if pair.misses_more_than_chance_leaves else "too few items"
        return "nothing is known of how much their difference varies"
    if pair.settle_items <= pair.n:
        return "they are about as far apart as matters"
    few_sources = pair.clusters < pair.n and 0.5 ** (pair.clusters - 1) > pair.planned_level
    if pair.settle_items > _FAR * pair.n:
        there = f" from {show.plural(pair.clusters, 'source')}" if few_sources else ""
        return f"{show.plural(pair.n, 'item')}{there} {'is' if pair.n == 1 else 'are'} far too few"
    take, there = f"about {about(pair.settle_items)} items", show.count(pair.n)
    if few_sources:
        sources = math.ceil(pair.settle_items * pair.clusters / pair.n)
        take, there = f"{take} from {about(sources)} sources", f"{there} from {pair.clusters}"
    return f"it would take {take} to settle it, and there are {there}"


def about(number: int) -> str:
    """Give a planned number in two digits: it is no more certain than that."""
    unit: int = 10 ** max(0, len(str(number)) - 2)
    return show.count(unit * math.ceil(number / unit))


def outlook(comparison: Comparison, scale: Scale | None = None) -> list[str]:
    """Say what these items resolve, what settles the open pairs, and how likely more would separate them."""
    form, power = scale or Scale(), show.whole_percent(comparison.power)
    lines = []
    for n, gap in comparison.resolution[:1]:
        gaps = "no difference, however large," if gap is None else f"differences of {form.size(gap)}"
        lines.append(f"{show.plural(n, 'item')} find {gaps} with {power} power.")
    open_ = [pair for pair in comparison.primary.pairs if pair.chance]
    if not open_:
        return lines
    numbers = sorted(pair.settle_items for pair in open_ if pair.settle_items)
    if numbers:
        span = " to ".join(dict.fromkeys([about(numbers[0]), about(numbers[-1])]))
        missing = any(pair.settle_items and pair.bounds and pair.bounds[0] < pair.bounds[1] for pair in open_)
        share = " with as many scores missing" if missing else ""
        lines.append(
            f"Settling {form.size(comparison.sesoi)} takes about {span} items{share}: such a difference is "
            f"then found, or shown not to be there, with {power} power."
        )
    return [*lines, _chances(open_)]


def _chances(open_: Sequence[PairComparison]) -> str:
    """Say what the number of items that was asked for would do, else twice those there are."""
    sizes = [n for n, _ in open_[0].chance or ()]
    chances = [[chance for _, chance in pair.chance or ()] for pair in open_]
    at = len(TIMES) if len(sizes) > len(TIMES) else 1
    items = show.count(sizes[at])
    if len(open_) > 1:
        number = round(sum(of_pair[at] for of_pair in chances))
        which = f"about {number}" if number else "probably none"
        return f"With {items} items {which} of the {len(open_)} open pairs would separate."
    (pair,), (chance,), most = open_, chances, max(sizes)
    names = f"{_cut(pair.ahead)} and {_cut(pair.behind)}"
    if at == 1 and max(chance) < 0.5 and pair.settle_items and pair.settle_items <= most:
        return (
            f"{names} may well be equal: even with {show.count(most)} items the chance that they separate is "
            f"{show.chance_of(max(chance))}."
        )
    return f"With {items} items there is a chance of {show.chance_of(chance[at])} that {names} separate."
