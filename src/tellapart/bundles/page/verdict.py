"""Which models differ, in words, how each did, and what to beware of."""

from __future__ import annotations

from tellapart.bundles.page.view import Board, View
from tellapart.bundles.tier_names import ADVERSARIAL, OVERALL
from tellapart.report import comparison as block
from tellapart.report import numbers as show

TIES = 0.01
"""Above this share of ties, pass rate and mean rank disagree enough to be worth a sentence."""

COSINE = 2.0
"""No two cosines are further apart."""

STAMP = "Exploratory, the evals differ: "
"""Stands before every statement about scoreboards of different evals."""


def headline(view: View) -> str:
    """Give the verdict; of one model, how often it passes."""
    return ". ".join(headline_sentences(view))


def headline_sentences(view: View) -> list[str]:
    """The sentences of `headline`, without full stops."""
    if view.comparison is not None:
        first, *others = block.headline_sentences(view.comparison)
        return [f"{STAMP if view.exploratory else ''}{first}", *others]
    board = view.boards[0]
    if not board.tiers[view.scope].n:
        return ["There are no bundles: nothing passes or fails"]
    return [f"{board.label} passes {_rate(board, view.scope)} {_where(view, view.scope)}"]


def verdict(view: View) -> list[str]:
    """Give the pass rates, then the cautions that the headline does not give."""
    scopes = dict.fromkeys((OVERALL, view.scope))
    rates = [_rates(view, scope) for scope in scopes] if len(view.boards) > 1 else []
    cautions = view.comparison.cautions[1:] if view.comparison else view.cautions
    return [
        *filter(None, rates),
        *(f"{_capital(block.sentence(caution))}." for caution in cautions),
        *filter(None, (units_differ(view), _ties(view))),
    ]


def units_differ(view: View) -> str:
    """Say that margins of different models are not in one unit; empty where they are."""
    boards = [board for board in view.boards if board.typical]
    if len({board.scoreboard.margin_unit for board in boards}) < 2:
        return ""
    shown = ", ".join(
        f"{board.label} {board.scoreboard.margin_unit} (median size {show.significant(board.typical)})"
        for board in boards
    )
    return f"Margins are in different units: {shown}. Compare their signs and shares, not their sizes."


def _rates(view: View, scope: str) -> str:
    ranked = sorted(view.boards, key=lambda board: -(board.tiers[scope].pass_rate or 0.0))
    shown = [
        f"{board.label} {_rate(board, scope)}" for board in ranked if board.tiers[scope].pass_rate is not None
    ]
    if not shown:
        return ""
    return f"Pass rate {_where(view, scope)}: {'; '.join(shown)}."


def _rate(board: Board, scope: str) -> str:
    stats = board.tiers[scope]
    rate = show.percent(stats.pass_rate or 0.0)
    if scope != OVERALL and board.own_cut:
        return f"{rate} (by its own cut)"
    interval = stats.ci95.get("pass_rate")
    span = f" (95 % interval {show.rate_range(interval)})" if interval else " (no interval)"
    return f"{rate}{span}"


def _where(view: View, scope: str) -> str:
    sizes = sorted({board.tiers[scope].n for board in view.boards})
    n = show.between(sizes, lambda size: show.count(int(size)))
    return f"on the adversarial tier (n {n})" if scope == ADVERSARIAL else f"over all bundles (n {n})"


def _ties(view: View) -> str:
    shares = {
        board.label: board.scoreboard.overall.ties / board.scoreboard.overall.n
        for board in view.boards
        if board.scoreboard.overall.n
    }
    many = [f"{label} {show.percent(share)}" for label, share in shares.items() if share > TIES]
    if not many:
        return ""
    return (
        f"Positives that tie with a negative: {show.listed(many)}. A tie fails and still ranks first; see "
        "the expected rank."
    )


def _capital(text: str) -> str:
    """Begin a sentence in upper case, unless it begins with a name that is not a word of ours."""
    first = text.partition(" ")[0]
    return text if first.endswith(":") else show.capital(text)
