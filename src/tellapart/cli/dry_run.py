"""What a dry run says: for every model the calls, tokens and dollars, as they are expected and at most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from tellapart.cli.output import print_json, say, show

if TYPE_CHECKING:
    from tellapart.llm.budget import Limits
    from tellapart.llm.costs import Estimate
    from tellapart.report.tables import Cell, Table


def print_estimates(estimates: Mapping[str, Estimate], limits: Limits, *, as_json: bool) -> None:
    """Print what asking each model would take, and on stderr how far that is to be trusted."""
    expected, at_most = (_total(estimates, which) for which in ("expected", "at_most"))
    if as_json:
        models = {name: asdict(estimate) for name, estimate in estimates.items()}
        cost = {"expected": expected, "at_most": at_most}
        print_json({"models": models, "cost": cost, "max_cost": limits.max_cost})
    else:
        from tellapart.report.terminal import fitted_table

        show(fitted_table(_table(estimates, _dollars(expected, at_most))))
        for sentence in (*_calibration(estimates), *_limit(limits.max_cost, expected, at_most)):
            say(sentence)
    say("dry run: nothing was sent, and nothing was written")


def _total(estimates: Mapping[str, Estimate], which: str) -> float | None:
    """US dollars of all models; None where the price of one that would be asked is not known."""
    costs = [getattr(estimate, which).cost for estimate in estimates.values()]
    return None if None in costs else sum(costs, 0.0)


def _table(estimates: Mapping[str, Estimate], cost: Cell | str) -> Table:
    from tellapart.report.tables import table

    headings = ["Model", "Questions", "Answered", "Calls", "Tokens in", "Tokens out", "US dollars"]
    rows = [[name, *_cells(estimate)] for name, estimate in estimates.items()]
    if len(rows) > 1:
        rows.append(["together", "", "", "", "", "", cost])
    return table("dry-run", "What is left to ask", headings, rows)


def _cells(estimate: Estimate) -> Iterator[Cell | str]:
    from tellapart.report.tables import Cell

    yield f"{estimate.questions:,}"
    yield f"{estimate.answered:,}"
    for part in ("calls", "input_tokens", "output_tokens"):
        expected, at_most = getattr(estimate.expected, part), getattr(estimate.at_most, part)
        yield Cell(f"{expected:,}", f"at most {at_most:,}") if at_most else "0"
    yield _dollars(estimate.expected.cost, estimate.at_most.cost)


def _dollars(expected: float | None, at_most: float | None) -> Cell | str:
    from tellapart.report.tables import Cell, undefined

    if expected is None or at_most is None:
        return undefined("no price is known; give --price IN,OUT")
    return Cell(_cents(expected), f"at most {_cents(at_most)}") if at_most else "0"


def _cents(dollars: float) -> str:
    return f"{dollars:,.2f}" if dollars >= 0.01 else "under 0.01"


def _calibration(estimates: Mapping[str, Estimate]) -> Iterator[str]:
    """What token counts rest on: calls of the model so far, or a rule of thumb."""
    from tellapart.llm.costs import CHARACTERS_A_TOKEN

    to_ask = {name: estimate.calibrated_on for name, estimate in estimates.items() if estimate.expected.calls}
    guessed = [name for name, calls in to_ask.items() if not calls]
    if guessed:
        yield (
            f"token counts for {'; '.join(guessed)} are a guess ({CHARACTERS_A_TOKEN:g} characters per "
            "token, no reasoning); after a few answers the dry run uses those"
        )
    for name, calls in to_ask.items():
        if calls:
            yield f"token counts for {name} come from its {calls:,} calls so far"


def _limit(max_cost: float | None, expected: float | None, at_most: float | None) -> Iterator[str]:
    if max_cost is None or expected is None or at_most is None:
        return
    if expected > max_cost:
        yield f"--max-cost {max_cost:g} is less than the estimate; the run would stop early"
    elif at_most > max_cost:
        yield f"--max-cost {max_cost:g} is above the estimate but below the maximum"
