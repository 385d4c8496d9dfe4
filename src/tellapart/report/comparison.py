"""The block in which every page, terminal and Markdown file says whether models differ.

The primary verdict in one sentence, then the pairs, then the strata with the size of their family, then the
cautions. Nothing is decided here: `tellapart.core.comparison` has decided.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tellapart.core.comparison import (
    Comparison,
    Family,
    ItemsNeeded,
    PairComparison,
    Primary,
    Verdict,
)
from tellapart.core.comparison.plan import TIMES
from tellapart.core.estimate import Interval
from tellapart.report import numbers as show
from tellapart.report.document import APART_YET, Section
from tellapart.report.figures import FIGURES, cell
from tellapart.report.plain_text import plain, shortened
from tellapart.report.tables import Cell, Table, table, undefined

FEW = 3
"""So many pairs that are not separated are named in the headline; of more, only the number."""

LONG = 120
"""Characters of names that a part of the headline has room for."""

NAME = 32
"""Columns that a name may take in a headline."""

SHORT = 18
"""Columns that a name may take beside a verdict in a table that has it whole."""

_FAR = 20
"""Times the items there are: more is no number to act on."""

MOST_PAIRS = 200
"""A table of more pairs is cut: they are all in the JSON."""

VERDICTS = {
    Verdict.A_BETTER: "better",
    Verdict.B_BETTER: "better",
    Verdict.EQUIVALENT: "equivalent",
    Verdict.NOT_SEPARATED: "cannot tell",
    Verdict.WITHHELD: "withheld",
}
"""Of the model that is ahead."""

_HEADINGS = (
    "Verdict",
    *(FIGURES[name].label for name in ("difference", "p", "p_adjusted", "items_needed", "n")),
)

MISSING_COULD_TURN = "missing scores could undo it"

PairLink = Callable[[str, str], str]
"""Gives the address of the items on which two models differ, the one ahead first."""

Why = Callable[[PairComparison], str]
"""Says why two models are not separated, as a clause that stands after a colon."""


@dataclass(frozen=True)
class Scale:
    """How scores are shown.

    Attributes:
        rates: Whether they lie in [0, 1] and are shown in percent, and differences in points.
        units: What differences of other scores are in, such as ``units of cosine``.
    """

    rates: bool = True
    units: str = "score units"

    @classmethod
    def of(cls, limits: Sequence[float | None]) -> Scale:
        """Of scores with these limits."""
        return cls(tuple(limits) == (0.0, 1.0))

    @property
    def unit(self) -> str:
        """Of a mean, for a heading: ``, %`` or nothing."""
        return ", %" if self.rates else ""

    @property
    def gap_unit(self) -> str:
        """Of a difference, for a heading."""
        return "percentage points" if self.rates else self.units

    def mean(self, value: float) -> str:
        """Give a mean: ``83.5`` or ``4.12``."""
        return show.rate(value) if self.rates else show.significant(value)

    def tick(self, value: float) -> str:
        """Give a round number on an axis of means."""
        return f"{100 * value if self.rates else value:.6g}".replace("-", show.MINUS)

    def gap_tick(self, value: float) -> str:
        """Give a round number on an axis of differences, with its sign."""
        return f"+{self.tick(value)}" if value > 0 else self.tick(value)

    def span(self, ends: Sequence[float]) -> str:
        """Give an interval of a mean."""
        if self.rates:
            return show.rate_range(ends)
        return " to ".join(show.alike(ends))

    def gap(self, value: float) -> str:
        """Give a difference with its sign: ``+6.1`` or ``+0.213``."""
        if self.rates:
            return show.points(value)
        return f"{'+' if value > 0 else ''}{show.significant(value)}"

    def gap_span(self, ends: Sequence[float]) -> str:
        """Give an interval of a difference."""
        if self.rates:
            return show.points_range(ends)
        shown = show.alike(ends)
        return " to ".join(
            f"+{text}" if end > 0 and text.strip("0.") else text
            for end, text in zip(ends, shown, strict=True)
        )

    def sizes(self, ends: Sequence[float]) -> str:
        """Give an interval of the size of a difference, without the unit: ``1.0 to 5.2``."""
        if not self.rates:
            return self.span(ends)
        return " to ".join(show.rate(end).replace("-", show.MINUS) for end in ends)

    def size(self, value: float) -> str:
        """Give the size of a difference with its unit: ``2 points``; with the decimals that ``gap`` has."""
        if not self.rates:
            return show.significant(abs(value))
        tiny = 0 < abs(value) < 0.001
        number = f"{100 * abs(value):.2g}" if tiny else show.rate(abs(value)).removesuffix(".0")
        return f"{number} point{'' if number == '1' else 's'}"


def headline(
    comparison: Comparison, why: Why | None = None, scale: Scale | None = None, *, measure: str = ""
) -> str:
    """Give the primary verdict in one sentence, with the first caution where there is one."""
    return ". ".join(headline_sentences(comparison, why, scale, measure=measure))


def headline_sentences(
    comparison: Comparison, why: Why | None = None, scale: Scale | None = None, *, measure: str = ""
) -> list[str]:
    """Give the sentences of `headline`, without full stops: the verdict, what is open, the first caution."""
    family, form = comparison.primary, scale or Scale()
    beware = [f"Beware: {sentence(comparison.cautions[0])}"] if comparison.cautions else []
    if not family.declared:
        chosen, rest = f"{scope(family)} were chosen", "their pairs"
        if family.left_out:
            others = "the others" if family.scope == "all items" else f"other {scope_words(family.scope)}"
            were = "was" if family.left_out == 1 else "were"
            chosen = f"{show.plural(family.left_out, 'item')} {were} left out"
            rest = f"the pairs of {others}"
        return [f"No verdict: {chosen} after the scores were known, so {rest} are detail", *beware]
    short = {pair: replace(pair, a=_cut(plain(pair.a)), b=_cut(plain(pair.b))) for pair in family.pairs}
    causes = {(cut.a, cut.b): (why or needed)(pair) for pair, cut in short.items()}
    first, *further = _verdict(comparison, list(short.values()), lambda pair: causes[pair.a, pair.b], form)
    of_part = f"on {scope(family)}" if family.scope != "all items" else ""
    about = ", ".join(filter(None, (f"by {measure}" if measure else "", of_part)))
    if about:
        named = any(first.startswith(name) for pair in short.values() for name in (pair.a, pair.b))
        first = f"{show.capital(about)}, {first if named else first[:1].lower() + first[1:]}"
    return [first, *further, *beware]


def nothing_to_compare(names: Sequence[str], what: str = "model") -> str:
    """Say why there is no verdict, where fewer than two models, or others, have scores."""
    if len(names) == 1:
        return f"Only {names[0]} has a score: nothing to compare"
    return f"No {what} has a score: nothing to compare"


def scope(family: Primary) -> str:
    """Name the items of a primary family: ``all items``, or those of one value, as ``very hard items``.

    Behind it stands that some were left out, with their number where they are of all items.
    """
    whole = scope_words(family.scope)
    if not family.left_out:
        return whole
    return (
        f"{whole} but {family.left_out}" if family.scope == "all items" else f"{whole} without those left out"
    )


def scope_words(scope: str) -> str:
    """Name the items of ``COLUMN=VALUE``, as ``very hard items``; other names as they are."""
    value = scope.partition("=")[2]
    return f"{words(value)} items" if value else scope


def needed(pair: PairComparison) -> str:
    """Say how many items would settle two models, after a colon.

    Where so few sources share the items that no outcome could separate any models, both are counted.
    """
    if pair.p is None:
        return sentence(pair.reason) or "too few items"
    if pair.settle_items is None and pair.bounds and pair.bounds[0] < pair.bounds[1]:
        return (
            "too many of their scores are missing" if pair.misses_more_than_chance_leaves else "too few items"
        )
    if pair.settle_items is None:
        return "nothing is known of how much their difference varies"
    if pair.settle_items <= pair.n:
        return "they are about as far apart as matters"
    few_sources = pair.clusters < pair.n and _cannot_separate(pair)
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
    numbers = sorted(
        {about(pair.settle_items): pair.settle_items for pair in open_ if pair.settle_items}.items(),
        key=lambda one: one[1],
    )
    if numbers:
        span = " to ".join(dict.fromkeys([numbers[0][0], numbers[-1][0]]))
        missing = any(pair.settle_items and pair.bounds and pair.bounds[0] < pair.bounds[1] for pair in open_)
        share = " with as many scores missing" if missing else ""
        lines.append(
            f"Settling {form.size(comparison.sesoi)} takes about {span} items{share}: such a difference is "
            f"then found, or shown not to be there, with {power} power."
        )
    return [*lines, *_chances(open_)]


def _chances(open_: Sequence[PairComparison]) -> list[str]:
    """Say what the number of items that was asked for would do, else twice those there are."""
    sizes = [n for n, _ in open_[0].chance or ()]
    chances = [[chance for _, chance in pair.chance or ()] for pair in open_]
    at = len(TIMES) if len(sizes) > len(TIMES) else 1
    items = show.count(sizes[at])
    if len(open_) > 1:
        number = round(sum(of_pair[at] for of_pair in chances))
        which = f"about {number}" if number else "probably none"
        return [f"With {items} items {which} of the {len(open_)} open pairs would separate."]
    (pair,), (chance,) = open_, chances
    names = f"{_cut(pair.ahead)} and {_cut(pair.behind)}"
    most = max(sizes)
    if at == 1 and max(chance) < 0.5 and pair.settle_items and pair.settle_items <= most:
        return [
            f"{names} may well be equal: even with {show.count(most)} items the chance that they separate is "
            f"{show.chance_of(max(chance))}."
        ]
    likely = show.chance_of(chance[at])
    return [f"With {items} items there is a chance of {likely} that {names} separate."]


def _cannot_separate(pair: PairComparison) -> bool:
    """Whether so few sources share the items that no outcome could separate two models."""
    return pair.p is None or 0.5 ** (pair.clusters - 1) > pair.planned_level


def _cut(name: str) -> str:
    return shortened(name, NAME)


def sentence(text: str) -> str:
    """Give a sentence as a clause: without its full stop."""
    return text.strip().removesuffix(".")


def _verdict(comparison: Comparison, pairs: Sequence[PairComparison], why: Why, scale: Scale) -> list[str]:
    if not pairs:
        return ["There are no two models to compare"]
    if len(pairs) == 1 and pairs[0].is_separated:
        return [_of_two(comparison, pairs[0], scale)]
    if len(pairs) == 1:
        return _others(pairs, why, scale, comparison.sesoi)
    others = _others(pairs, why, scale, comparison.sesoi)
    separated = [pair for pair in pairs if pair.is_separated]
    some = show.count(len(separated)) if separated else "none"
    number = "all" if len(separated) == len(pairs) else f"{some} of"
    count = f"This evaluation separates {number} {show.plural(len(pairs), 'pair')}"
    return [_advice(comparison, pairs), count, *others]


def _of_two(comparison: Comparison, pair: PairComparison, scale: Scale) -> str:
    gap = scale.size(pair.difference or 0.0)
    _, interval = pair.of(pair.ahead)
    level = f"{100 * (1 - (pair.level or comparison.alpha)):.3g} %"
    span = f" ({level} interval {scale.sizes((interval.low, interval.high))})" if interval else ""
    if comparison.baseline == pair.ahead:
        return f"{pair.behind} is worse than {pair.ahead} by {gap}{span}"
    if comparison.baseline == pair.behind:
        return f"{pair.ahead} is better than {pair.behind} by {gap}{span}"
    return f"Use {pair.ahead}: it beats {pair.behind} by {gap}{span}"


def _advice(comparison: Comparison, pairs: Sequence[PairComparison]) -> str:
    """Name the model to use, or those that none is shown to beat."""
    models = sorted({name for pair in pairs for name in (pair.a, pair.b)})
    beaten = {pair.behind for pair in pairs if pair.is_separated}
    if comparison.baseline:
        return _beside(comparison.baseline, pairs)
    best = [model for model in models if model not in beaten]
    if not beaten:
        return "No model is clearly better than another"
    if len(best) == 1:
        (model,) = best
        won = sum(pair.is_separated for pair in pairs if pair.ahead == model)
        lost = len(models) - 1
        if won == lost:
            return f"Use {model}: it beats {'both' if lost == 2 else f'all {lost}'} others"
        return f"Use {model}: it beats {won} of {lost} others, and none beats it"
    if len(best) <= FEW:
        others = len(models) - len(best)
        wins = Counter(pair.ahead for pair in pairs if pair.is_separated)
        if all(wins[model] == others for model in best):
            whom = show.listed(sorted(beaten)) if others <= FEW else f"the other {others}"
            return f"Use {show.listed(best, 'or')}: {'both' if len(best) == 2 else 'all'} beat {whom}"
        return f"Use {show.listed(best, 'or')}: none is clearly better"
    return f"There is no single best: {len(best)} of {len(models)} are beaten by none"


def _beside(baseline: str, pairs: Sequence[PairComparison]) -> str:
    better = [pair.ahead for pair in pairs if pair.is_separated and pair.behind == baseline]
    worse = [pair.behind for pair in pairs if pair.is_separated and pair.ahead == baseline]
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


def _others(pairs: Sequence[PairComparison], why: Why, scale: Scale, sesoi: float) -> list[str]:
    """Sentences about the pairs that are not separated, by what is known of them."""
    lines = []
    alike = [pair for pair in pairs if pair.difference == 0 and pair.sd == 0]
    if alike:
        lines.append(
            _few(
                alike,
                lambda pair: f"{pair.ahead} and {pair.behind} score the same on {_all_items(pair.n)}",
                "score the same on every item",
            )
        )
    unclear = [pair for pair in pairs if pair.verdict is Verdict.NOT_SEPARATED and pair not in alike]
    if unclear:
        lines.append(_cannot(unclear, len(pairs), why))
    equal = [pair for pair in pairs if pair.verdict is Verdict.EQUIVALENT and pair not in alike]
    if equal:
        within = f"equivalent within {scale.size(sesoi)}"
        lines.append(
            _few(equal, lambda pair: f"{pair.ahead} and {pair.behind} are {within}", f"are {within}")
        )
    held = [pair for pair in pairs if pair.verdict is Verdict.WITHHELD]
    reasons = dict.fromkeys(sentence(pair.withheld) or MISSING_COULD_TURN for pair in held)
    for reason in reasons:
        alike = [pair for pair in held if (sentence(pair.withheld) or MISSING_COULD_TURN) == reason]
        which = show.listed([f"{pair.ahead} and {pair.behind}" for pair in alike], "and for")
        whom = which if len(alike) <= FEW and len(which) <= LONG else show.plural(len(alike), "pair")
        lines.append(f"No verdict for {whom}: {reason}")
    return lines


def _all_items(n: int) -> str:
    return "the only item" if n == 1 else f"all {show.count(n)} items"


def _cannot(pairs: Sequence[PairComparison], of: int, why: Why) -> str:
    by_cause: dict[str, list[str]] = {}
    for pair in pairs:
        by_cause.setdefault(why(pair), []).append(f"{pair.ahead} and {pair.behind}")
    named = [f"{show.listed(names, 'as well as')}{APART_YET}: {cause}" for cause, names in by_cause.items()]
    few = len(pairs) <= FEW and sum(map(len, named)) <= 2 * LONG
    if few and (len(pairs) < of or of == 1):
        return ". ".join(named)
    cause, number = Counter(map(_general, map(why, pairs))).most_common(1)[0]
    which = "All" if len(pairs) == of else f"The other {show.count(len(pairs))}"
    return f"{which}{APART_YET}{'' if number == len(pairs) else ', mostly'}: {cause}"


def _general(cause: str) -> str:
    """A cause without the numbers of one pair."""
    return "it would take more items to settle them" if cause.startswith("it would take") else cause


def _few(pairs: Sequence[PairComparison], singular: Callable[[PairComparison], str], many: str) -> str:
    named = [singular(pair) for pair in pairs]
    if len(pairs) <= FEW and sum(map(len, named)) <= 2 * LONG:
        return "; ".join(named)
    return f"{show.plural(len(pairs), 'pair')} {many}"


def pair_table(
    comparison: Comparison,
    scale: Scale | None = None,
    items: PairLink | None = None,
    what: str = "models",
) -> Table:
    """Every pair of the primary family, in the order in which the models rank."""
    family, form = comparison.primary, scale or Scale()
    rows: list[list[Cell | str]] = [
        [
            pair.ahead,
            pair.behind,
            Cell(VERDICTS[pair.verdict], strong=not pair.is_separated),
            *_figures(pair, form, items),
        ]
        for pair in by_rank(family.pairs)[:MOST_PAIRS]
    ]
    on = "" if scope(family) == "all items" else f" on {scope(family)}"
    against = f" against {comparison.baseline}" if comparison.baseline else ""
    return table(
        "pairs",
        f"Pairs of {what}{against}{on} (differences in {form.gap_unit})",
        ["Ahead", "Behind", *_HEADINGS],
        rows,
        words=3,
        note=_note(comparison, family, what),
    )


def by_rank(pairs: Sequence[PairComparison]) -> list[PairComparison]:
    """Order pairs by the model ahead and then the one behind, models by their mean lead over the others."""
    lead: dict[str, float] = {}
    for pair in pairs:
        lead[pair.a] = lead.get(pair.a, 0.0) + (pair.difference or 0.0)
        lead[pair.b] = lead.get(pair.b, 0.0) - (pair.difference or 0.0)
    return sorted(pairs, key=lambda pair: (-lead[pair.ahead], pair.ahead, -lead[pair.behind], pair.behind))


def strata_table(
    comparison: Comparison, scale: Scale | None = None, order: Sequence[str] | None = None
) -> Table | None:
    """Every pair in every stratum; None without a secondary family, and where no pair is left.

    A stratum that the primary family is about is left out, so that a pair on the same items has one number.
    """
    family, form = comparison.secondary, scale or Scale()
    if family is None:
        return None
    rank = {value: k for k, value in enumerate(order or ())}
    pairs = sorted(
        (pair for pair in family.pairs if f"{family.by}={pair.stratum}" != comparison.primary.scope),
        key=lambda pair: rank.get(pair.stratum or "", len(rank)),
    )
    above = f" Pairs on {scope(comparison.primary)} are above." if len(pairs) < len(family.pairs) else ""
    rows: list[list[Cell | str]] = [
        [pair.stratum or "", f"{pair.ahead} – {pair.behind}", verdict_cell(pair), *_figures(pair, form)]
        for pair in pairs[:MOST_PAIRS]
    ]
    return table(
        "strata",
        f"Pairs by {words(family.by)} (differences in {form.gap_unit})",
        [words(family.by).capitalize(), "Pair", *_HEADINGS],
        rows,
        words=3,
        note=f"{detail_note(family)}{above}",
    )


def words(column: str) -> str:
    """Give the name of a column or value as words."""
    return column.replace("_", " ")


def corrected_note(family: Family, what: str = "models") -> str:
    """Say what p and intervals are corrected for, and what that means for an interval around 0."""
    return (
        f"Adjusted p and the intervals are corrected for {show.plural(len(family.pairs), 'comparison')} "
        f"(Holm's method): an interval excludes 0 exactly where the {what} are separated."
    )


def detail_note(family: Family) -> str:
    """Say how many looks a secondary family was, and how many separate."""
    looks = show.plural(len(family.pairs), "comparison")
    return f"Detail: {len(family.separated)} of {looks} separated, corrected for all of them together."


def _note(comparison: Comparison, family: Primary, what: str) -> str:
    power = show.whole_percent(comparison.power)
    left_out = len(family.pairs) - MOST_PAIRS
    rest = f" {show.plural(left_out, 'more pair')}: add --json." if left_out > 0 else ""
    return (
        f"The {what.removesuffix('s')} with the higher mean comes first. {corrected_note(family, what)} "
        f"Items needed: with which the test would separate the two with {power} power, were the difference "
        f"the one seen, and below it were it an end of its 95 % interval.{rest}"
    )


def verdict_cell(pair: PairComparison) -> Cell:
    """The verdict on a pair; where one is better, with its name."""
    if pair.is_separated:
        return Cell(f"{shortened(pair.ahead, SHORT)} is better")
    return Cell(VERDICTS[pair.verdict], strong=True)


def _figures(pair: PairComparison, scale: Scale, link: PairLink | None = None) -> list[Cell]:
    """Difference with its interval, p, adjusted p, items needed, n."""
    no_test = sentence(pair.reason) or "too few items or clusters"
    difference, interval = pair.of(pair.ahead)
    if difference is None:
        gap = undefined(no_test)
    else:
        address = link(pair.ahead, pair.behind) if link else ""
        gap = Cell(scale.gap(difference), _span(pair, interval, scale), link=address)
    p = [cell(name, getattr(pair, name), reason=no_test) for name in ("p", "p_adjusted")]
    items = (
        undefined(no_items(pair))
        if pair.items_needed.value is None
        else Cell(show.items(pair.items_needed.value), needed_range(pair.items_needed))
    )
    clusters = "" if pair.clusters in (0, pair.n) else show.plural(pair.clusters, "cluster")
    return [gap, *p, items, Cell(show.count(pair.n), clusters)]


def no_items(pair: PairComparison) -> str:
    """Say why no number of items is known that would separate two models."""
    same = "no number of items would: they score the same" if pair.difference == 0 else ""
    return sentence(pair.withheld) or same or sentence(pair.reason) or "too few items or clusters"


def items_as_seen(items: ItemsNeeded | None) -> str:
    """Give the items needed with their range: ``304 (120 or more)``."""
    if items is None or items.value is None:
        return show.DASH
    span = needed_range(items)
    return f"{show.items(items.value)} ({span})" if span else show.items(items.value)


def needed_range(items: ItemsNeeded) -> str:
    """Give the items needed were the difference an end of its interval: ``120 or more``, or nothing."""
    if items.low is None:
        return ""
    return show.items(items.low) + (" or more" if items.high is None else f" to {show.items(items.high)}")


def _span(pair: PairComparison, interval: Interval | None, scale: Scale) -> str:
    span = "no interval" if interval is None else scale.gap_span(interval)
    if pair.verdict is not Verdict.WITHHELD or pair.withheld or pair.bounds is None:
        return span
    low, high = pair.bounds if pair.ahead == pair.a else (-pair.bounds[1], -pair.bounds[0])
    bounds = " to ".join("no limit" if abs(end) == float("inf") else scale.gap(end) for end in (low, high))
    return f"{span}; bounds {bounds}"


def section(
    comparison: Comparison,
    *,
    scale: Scale | None = None,
    why: Why | None = None,
    order: Sequence[str] | None = None,
    name: str = "comparison",
    title: str = "Which models differ",
    items: PairLink | None = None,
    what: str = "models",
) -> Section:
    """Give the block as a section of a page or of Markdown: verdict, pairs, strata, cautions."""
    strata = strata_table(comparison, scale, order)
    text = ". ".join([headline(comparison, why, scale), *map(sentence, comparison.cautions[1:])]) + "."
    return Section(
        name,
        title,
        text,
        tables=(pair_table(comparison, scale, items, what),),
        folded=() if strata is None else (strata,),
        in_terminal=True,
    )
