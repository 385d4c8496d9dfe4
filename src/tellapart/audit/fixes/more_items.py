"""More items: of the same kinds, of the kind that separates best, or of another difficulty."""

from __future__ import annotations

from dataclasses import replace

from tellapart.audit.ends import at_half
from tellapart.audit.evidence import Evidence
from tellapart.audit.fixes.kinds import Kind
from tellapart.audit.pairs import Action, Fix, Pair
from tellapart.audit.planning import Plan
from tellapart.audit.side_by_side import SideBySide
from tellapart.audit.wording import counted, plain


def first_items(pair: Pair) -> Fix:
    """Ask for what a plan takes at least: two items that both have scores on, from two sources."""
    if pair.n > 1:
        cost, what = 1, "1 item from another source"
    else:
        cost = 2 - pair.n
        what = counted(cost, "further item") + (", the same ones" if cost > 1 else "")
    text = f"Ask {pair.a} and {pair.b} at least {what}; only then can be said how many it takes."
    return Fix(Action.ADD_ITEMS, cost, 0, text)


def add_items(pair: Pair, seen: SideBySide, plan: Plan, limits: tuple[float, float]) -> list[Fix]:
    """Add items like those that there are; nothing where no number would do."""
    if seen.parts is None:
        return []
    needed, outcome = plan.items(), plan.outcome(pair)
    if plan.settles and needed is not None and needed <= pair.n:
        difference = pair.difference or 0.0
        outcome = f"separate {pair.a} and {pair.b} or show that they are equivalent, if they differ as seen"
        needed = (
            plan.items_without_variance(difference, limits[1] - limits[0])
            if seen.alike
            else plan.items_as_seen(difference)
        )
    if needed is None:
        return []
    extra = max(0, needed - pair.n)
    text = f"{_plus(extra)} like these, {needed:,} in all, would {outcome}{_beside(pair, plan)}."
    return [Fix(Action.ADD_ITEMS, extra, 0, text)]


def add_items_like(pair: Pair, seen: SideBySide, plan: Plan, kind: Kind | None) -> list[Fix]:
    """Add items of the kind that separates best to all that there are; nothing where that is dearer."""
    if kind is None or seen.parts is None or not pair.difference or kind.gap * pair.difference < 0:
        return []
    whole = plan.items()
    most = kind.needed + pair.n if whole is None else whole - pair.n
    extra = _fewest_added(pair, plan.variance, kind, most)
    if extra is None:
        return []
    text = f"{_plus(extra)} like `{kind.seen.value}`, beside the {pair.n:,}, would {kind.plan.outcome(pair)}."
    return [Fix(Action.ADD_ITEMS, extra, 0, text, stratum=(kind.seen.column, kind.seen.value))]


def use_stratum(pair: Pair, plan: Plan, kind: Kind | None) -> list[Fix]:
    """Compare on nothing but the kind of items that separates best."""
    if kind is None:
        return []
    whole = plan.items()
    extra = max(0, kind.needed - kind.seen.n)
    ahead = pair.a if kind.gap > 0 else pair.b
    instead = "" if whole is None else f" instead of {whole:,} of all kinds"
    lead, planned = plain(abs(kind.seen.gap)), plain(abs(kind.gap))
    drawn = "" if lead == planned else f" ({planned} is planned for, nearer to what all items show)"
    there = f"; there are {kind.seen.n:,}" + (f", so {extra:,} more" if extra else "")
    text = (
        f"`{kind.seen.value}` separates most per item, {ahead} is {lead} ahead there{drawn}: "
        f"{counted(kind.needed, 'item')} of it alone{instead} would {kind.plan.outcome(pair)}{there}."
    )
    return [Fix(Action.USE_STRATUM, extra, 0, text, stratum=(kind.seen.column, kind.seen.value))]


def other_items(pair: Pair, seen: SideBySide, plan: Plan, evidence: Evidence) -> list[Fix]:
    """Write harder items for models at the ceiling, easier ones for models at the floor; see `at_half`."""
    low, high = evidence.grid.limits
    span = high - low
    gap, differing = at_half(seen, low, high)
    own = replace(plan, gap=max(gap * span, plan.least), settles=gap * span < plan.least)
    needed = own.items(max(0.0, differing - gap * gap) * span**2)
    if needed is None:
        return []
    at_ceiling = seen.mean_a + seen.mean_b > low + high
    action, word = (Action.HARDER_ITEMS, "harder") if at_ceiling else (Action.EASIER_ITEMS, "easier")
    worth = "" if own.settles else f": the same difference in ability is worth {plain(own.gap)} there"
    text = (
        f"{counted(needed, f'{word} item')}, of which {pair.a} and {pair.b} get about half right, would on "
        f"their own {own.outcome(pair)}{worth}."
    )
    return [Fix(action, needed, 0, text)]


def _fewest_added(pair: Pair, variance: float, kind: Kind, most: int) -> int | None:
    """Find the fewest items of a kind, up to ``most``, with which all together separate the pair."""
    low, high = 0, most
    if most < 1 or not _enough(pair, variance, kind, most):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if _enough(pair, variance, kind, middle):
            high = middle
        else:
            low = middle
    return high


def _enough(pair: Pair, variance: float, kind: Kind, added: int) -> bool:
    n = pair.n + added
    seen = pair.difference or 0.0
    gap = (pair.n * seen + added * kind.gap) / n
    squares = (pair.n * (variance + seen**2) + added * (kind.square)) / n
    needed = kind.plan.items(max(0.0, squares - gap * gap), gap=gap)
    return needed is not None and needed <= n


def _beside(pair: Pair, plan: Plan) -> str:
    """Say what separating a pair would take where something else is planned for."""
    if not plan.settles or not pair.difference or pair.items_needed is None:
        return ""
    seen = plain(abs(pair.difference))
    return f"; to separate them, if they differ by the {seen} seen, would take {pair.items_needed:,}"


def _plus(extra: int) -> str:
    return f"+{extra:,} {'item' if extra == 1 else 'items'}"
