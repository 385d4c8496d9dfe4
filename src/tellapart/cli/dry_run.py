"""What a dry run says: for every model the calls, tokens and dollars, as they are expected and at most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from tellapart.cli.output import print_json, say, show

if TYPE_CHECKING:
    from tellapart.llm.budget import Limits
    from tellapart.llm.costs import Estimate


def print_estimates(estimates: Mapping[str, Estimate], limits: Limits, *, as_json: bool) -> None:
    """Print what asking each model would take, and on stderr how far that is to be trusted."""
    expected = _total([estimate.expected.cost for estimate in estimates.values()])
    at_most = _total([estimate.at_most.cost for estimate in estimates.values()])
    if as_json:
        models = {name: asdict(estimate) for name, estimate in estimates.items()}
        cost = {"expected": expected, "at_most": at_most}
        print_json({"models": models, "cost": cost, "max_cost": limits.max_cost})
    else:
        _show(estimates, expected, at_most)
        if limits.max_cost is not None and expected is not None and expected > limits.max_cost:
            say(f"--max-cost {limits.max_cost:g} is less than the estimate; the run would stop early")
    say("dry run: nothing was sent, and nothing was written")


def _total(costs: list[float | None]) -> float | None:
    """US dollars of all models; None where the price of one that would be asked is not known."""
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _show(estimates: Mapping[str, Estimate], expected: float | None, at_most: float | None) -> None:
    from tellapart.llm.costs import CHARACTERS_A_TOKEN
    from tellapart.report.tables import Cell, table, undefined
    from tellapart.report.terminal import fitted_table

    def dollars(usual: float | None, most: float | None) -> Cell | str:
        if usual is None or most is None:
            return undefined("no price is known; give --price IN,OUT")
        return Cell(_cents(usual), f"at most {_cents(most)}") if most else "0"

    def count(usual: int, most: int) -> Cell | str:
        return Cell(f"{usual:,}", f"at most {most:,}") if most else "0"

    rows: list[list[Cell | str]] = []
    for name, estimate in estimates.items():
        usual, most = estimate.expected, estimate.at_most
        rows.append(
            [
                name,
                f"{estimate.questions:,}",
                f"{estimate.answered:,}",
                count(usual.calls, most.calls),
                count(usual.input_tokens, most.input_tokens),
                count(usual.output_tokens, most.output_tokens),
                dollars(usual.cost, most.cost),
            ]
        )
    if len(rows) > 1:
        rows.append(["together", "", "", "", "", "", dollars(expected, at_most)])
    headings = ["Model", "Questions", "Answered", "Calls", "Tokens in", "Tokens out", "US dollars"]
    show(fitted_table(table("dry-run", "What is left to ask", headings, rows)))
    say(f"token counts are a guess: {CHARACTERS_A_TOKEN:g} characters per token, and no reasoning")


def _cents(dollars: float) -> str:
    return f"{dollars:,.2f}" if dollars >= 0.01 else "under 0.01"
