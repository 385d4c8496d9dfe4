"""Which model holds up on the adversarial tier, in words, and what to beware of."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.report import numbers as show
from tellapart.report.bundles.pairs import Pair, Status, pairs
from tellapart.report.bundles.record import ADVERSARIAL, OVERALL, Board, View

TIES = 0.01
"""A share of ties above this is told: pass rate and mean rank then disagree about them."""

SCALES = 3.0
"""Two models whose typical margins are further apart than this factor have different scales."""

COSINE = 2.0
"""No two cosines are further apart."""


def headline(view: View) -> str:
    """Say in one sentence which model holds up best."""
    stamp = "Exploratory, the evals differ: " if view.exploratory else ""
    return stamp + _best(view)


def verdict(view: View) -> list[str]:
    """Give the pass rates, the pairs told apart and not, then what to beware of."""
    ranked = _ranked(view)
    shown = [f"{board.label} {_rate(board, view.scope)}" for board in ranked]
    lines = [f"Pass rate {_where(view)}: {'; '.join(shown)}."] if ranked else []
    found = pairs(view, view.scope)
    for status in Status:
        of_status = [pair for pair in found if pair.status is status]
        if of_status:
            lines.append(_pairs_line(of_status))
    return lines + cautions(view)


def cautions(view: View) -> list[str]:
    """Say what keeps figures from meaning what they seem to mean."""
    return [
        *_mismatch(view),
        *_tier_lines(view),
        *_rising(view),
        *([scales_differ(view)] if scales_differ(view) else []),
        *_ties(view),
    ]


def scales_differ(view: View) -> str:
    """Say that margins of different models are not in one unit; empty where they are."""
    sizes = {board.label: board.typical for board in view.boards if board.typical}
    bounded = {board.largest <= COSINE for board in view.boards}
    if len(sizes) < 2 or (max(sizes.values()) <= SCALES * min(sizes.values()) and len(bounded) == 1):
        return ""
    shown = ", ".join(f"{label} {show.significant(size)}" for label, size in sizes.items())
    return (
        f"Margins are in different units (median size: {shown}): hold their signs and their shares against "
        "one another, not their sizes."
    )


def _best(view: View) -> str:
    ranked = _ranked(view)
    if not ranked:
        return "There are no bundles: nothing passes or fails"
    first = ranked[0]
    if len(view.boards) == 1:
        return f"{first.label} passes {_rate(first, view.scope)} {_where(view)}"
    if len(ranked) == 1:
        return f"Only {first.label} can be judged {_where(view)}: it passes {_rate(first, view.scope)}"
    level = _not_behind(view, ranked)
    if len(level) == 1:
        return f"{first.label} holds up best {_where(view)}: {_rate(first, view.scope)} pass"
    names = show.listed([board.label for board in level])
    if len(level) == len(ranked):
        return f"No model is shown to hold up better than another {_where(view)}: {names} are not told apart"
    return f"{names} hold up best {_where(view)}; which of them is not shown"


def _not_behind(view: View, ranked: Sequence[Board]) -> list[Board]:
    """The best model and those that are not told apart from it."""
    first = ranked[0]
    apart = {
        pair.a if pair.b == first.label else pair.b
        for pair in pairs(view, view.scope)
        if first.label in (pair.a, pair.b) and pair.status is Status.APART
    }
    return [board for board in ranked if board.label not in apart]


def _ranked(view: View) -> list[Board]:
    """Boards that can be judged where models are compared, the highest pass rate first."""
    found = [
        board
        for board in view.boards
        if board.tiers[view.scope]["pass_rate"] is not None and (view.scope == OVERALL or not board.own_cut)
    ]
    return sorted(found, key=lambda board: -board.tiers[view.scope]["pass_rate"])


def _rate(board: Board, scope: str) -> str:
    figures = board.tiers[scope]
    interval = figures["ci95"].get("pass_rate")
    span = f" (95 % interval {show.rate_range(interval)})" if interval else " (no interval)"
    return f"{show.percent(figures['pass_rate'])}{span}"


def _where(view: View) -> str:
    sizes = sorted({board.tiers[view.scope]["n"] for board in view.boards})
    n = show.between(sizes, lambda size: show.count(int(size)))
    return f"on the adversarial tier (n {n})" if view.scope == ADVERSARIAL else f"over all bundles (n {n})"


def _pairs_line(found: Sequence[Pair]) -> str:
    status = found[0].status
    what, _, why = status.value.partition(": ")
    if status is Status.APART:
        shown = [f"{pair.leader} from {_other(pair)} ({_gap(pair)})" for pair in found]
    elif status is Status.NOT_APART:
        shown = [f"{pair.name} ({_gap(pair)})" for pair in found]
    else:
        shown = [pair.name + (f" ({pair.reason})" if pair.reason and not why else "") for pair in found]
    return f"{what.capitalize()}{f' ({why})' if why else ''}: {'; '.join(shown)}."


def _other(pair: Pair) -> str:
    return pair.b if pair.leader == pair.a else pair.a


def _gap(pair: Pair) -> str:
    difference = pair.difference or 0.0
    swap = pair.status is Status.APART and difference < 0
    sign = -1 if swap else 1
    if pair.interval is None:
        return f"{show.points(sign * difference)} points"
    ends = sorted([sign * pair.interval.low, sign * pair.interval.high])
    p = f", p {show.p_value(pair.p_holm)}" if pair.p_holm is not None else ""
    return f"{show.points(sign * difference)} points, {show.points_range(ends)}{p}"


def _mismatch(view: View) -> list[str]:
    if not view.exploratory:
        return []
    n = view.shared.height
    prints = len({board.fingerprint for board in view.boards})
    compared = f"models are compared on the {show.plural(n, 'bundle')} that all have, and other figures are"
    return [
        f"The scoreboards have different {'fingerprints' if prints > 1 else 'bundles of one eval'}: "
        f"{compared if n else 'they have no bundle in common, and all figures are'} of different bundles."
    ]


def _tier_lines(view: View) -> list[str]:
    own = [board.label for board in view.boards if board.own_cut]
    lines = []
    if own:
        its = "its" if len(own) == 1 else "their"
        verb = "was cut" if len(own) == 1 else "were cut"
        tiers = "The tiering" if len(own) == 1 else "Tiers"
        lines.append(
            f"{tiers} of {show.listed(own)} {verb} by {its} own margins: pass rates of {show.listed(own)} by "
            "tier follow from the cut and say nothing about the model."
        )
    if view.moved:
        lines.append(
            f"{show.count(view.moved)} of {show.plural(view.shared.height, 'bundle')} are in different tiers "
            "on different scoreboards, so a tier is not the same bundles for all. For tiers that all share, "
            "cut them once: tellapart bundles tier EVAL --model NAME --out TIERED."
        )
    return lines


def _rising(view: View) -> list[str]:
    rising = []
    for board in view.boards:
        rates = [figures["pass_rate"] for figures in board.figures["by_tier"].values() if figures["n"]]
        if any(hard > easy for easy, hard in zip(rates, rates[1:], strict=False)):
            rising.append(board.label)
    if not rising:
        return []
    return [
        f"Tiers do not order difficulty for {show.listed(rising)}: the pass rate rises from one to the next."
    ]


def _ties(view: View) -> list[str]:
    found = {
        board.label: board.figures["overall"]["ties"] / board.figures["overall"]["n"]
        for board in view.boards
        if board.figures["overall"]["n"]
    }
    many = [f"{label} {show.percent(share)}" for label, share in found.items() if share > TIES]
    if not many:
        return []
    return [
        f"Positives tied with a negative: {show.listed(many)}. A tie fails and still ranks first; see the "
        "expected rank."
    ]
