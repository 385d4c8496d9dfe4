"""Gates in a terminal, as Markdown and as tests of a CI system: one on two evals, and a floor of canaries."""

from __future__ import annotations

from dataclasses import replace

from rich.console import RenderableType
from rich.text import Text

from tellapart.bundles.canary import CanaryRecord
from tellapart.bundles.page.comparison import FEW_FLIPS, flipped, gate_cases, gate_lines, notes, pass_rates
from tellapart.bundles.page.verdict import STAMP
from tellapart.bundles.tier_names import OVERALL
from tellapart.bundles.two_evals import TwoEvals
from tellapart.core.comparison import GateOutcome
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.comparison import sentence, words
from tellapart.report.gates import ENDED, MOST_FLIPS, GateCase
from tellapart.report.markdown import escape, markdown_table
from tellapart.report.tables import Cell, Table, table
from tellapart.report.terminal import fitted_table, rich_list


def terminal_of_two(shown: TwoEvals, command: str = "") -> list[RenderableType]:
    """Show the verdict on both, then each gate, what it is worth, and for each eval rates and flips."""
    return [
        Text(headline_of_two(shown), style="bold"),
        rich_list(_lines(shown)),
        *map(fitted_table, _tables(shown, FEW_FLIPS, command)),
    ]


def markdown_of_two(shown: TwoEvals, command: str = "") -> str:
    """Give the same as Markdown, for a comment on a pull request."""
    parts = [
        f"**{escape(headline_of_two(shown))}**",
        "\n".join(f"- {escape(line)}" for line in _lines(shown)),
        *map(markdown_table, _tables(shown, MOST_FLIPS, command)),
    ]
    return "\n\n".join(parts) + "\n"


def headline_of_two(shown: TwoEvals) -> str:
    """Give the first line: how both gates end together, and each of them."""
    record, parts = shown.record, []
    for name, comparison in shown.evals.items():
        (judged,) = comparison.gates
        on = name if judged.tier == OVERALL else f"{name} {block.words(judged.tier)}"
        drop = judged.gate.drop
        gap = "" if drop is None else f" ({show.points(0.0 - drop)} points)"
        parts.append(f"{on} {judged.gate.outcome}{gap}")
    limit = block.Scale().size(record.max_drop)
    stamp = STAMP if record.exploratory else ""
    return (
        f"{stamp}{ENDED[shown.outcome]}. {record.candidate} against {record.baseline}: "
        f"{' and '.join(parts)}. Neither may fall by more than {limit}."
    )


def _lines(shown: TwoEvals) -> list[str]:
    """Say how each gate ended and on what grounds, and what to beware of."""
    sentences = [
        f"{_named(name)}. {line}"
        for name, comparison in shown.evals.items()
        for line in gate_lines(comparison)
    ]
    for name, compared in shown.evals.items():
        about = [f"{block.sentence(caution)}." for caution in compared.comparison.cautions]
        sentences += [f"{_named(name)}. {show.capital(line)}" for line in [*about, *notes(compared.record)]]
    return sentences


def _tables(shown: TwoEvals, flips: int, command: str) -> list[Table]:
    """For each eval the bundles that flipped, and the pass rates by tier."""
    every = [
        (name, one_table)
        for name, comparison in shown.evals.items()
        for one_table in (flipped(comparison, flips, command), pass_rates(comparison))
        if one_table is not None
    ]
    return [
        replace(shown_table, name=f"{name}-{shown_table.name}", title=f"{_named(name)}: {shown_table.title}")
        for name, shown_table in every
    ]


def cases(shown: TwoEvals, command: str = "") -> list[GateCase]:
    """Give both gates as tests; ``command`` prints all that flipped."""
    return [
        replace(case, name=f"{name}: {case.name}", line=f"{_named(name)}. {case.line}")
        for name, comparison in shown.evals.items()
        for case in gate_cases(comparison, command)
    ]


def _named(name: str) -> str:
    return show.capital(name)


MOST_FAILED = 20
"""So many canaries that fail are listed; JSON has all."""


def headline(record: CanaryRecord) -> str:
    """Say how the gate ended, and on what grounds."""
    lead = f"{ENDED[record.outcome]}."
    if record.value is None:
        return f"{lead} There are no canaries in {words(record.tier)}."
    on = "" if record.tier == OVERALL else f" of {words(record.tier)}"
    span = f" (95 % interval {show.rate_range(record.ci)})" if record.ci else " (no interval)"
    rate = (
        f"{record.model} passes {show.percent(record.value)} of {show.plural(record.n, 'bundle')}{on}{span}"
    )
    where = {
        GateOutcome.PASSED: "above the floor of",
        GateOutcome.FAILED: "below the floor of",
        GateOutcome.UNCLEAR: "and the floor is",
    }[record.outcome]
    line = f"{lead} {rate}, {where} {show.percent(record.floor)}."
    if record.outcome is GateOutcome.UNCLEAR and not record.can_pass and record.reason:
        line += f" {show.capital(sentence(record.reason))}."
    return line


def terminal(record: CanaryRecord, command: str = "") -> list[RenderableType]:
    """Show the gate, what to beware of, and the canaries that fail."""
    remarks = _remarks(record)
    return [
        Text(headline(record), style="bold"),
        *([rich_list(remarks)] if remarks else []),
        *([fitted_table(failed_table(record, command))] if record.failed else []),
    ]


def markdown(record: CanaryRecord, command: str = "") -> str:
    """Give the same as Markdown, for a comment on a pull request."""
    parts = [
        f"**{escape(headline(record))}**",
        "\n".join(f"- {escape(line)}" for line in _remarks(record)),
        markdown_table(failed_table(record, command)) if record.failed else "",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def gate_case(record: CanaryRecord) -> GateCase:
    """Give the gate as a test."""
    return GateCase(f"--floor {record.floor:g} on {words(record.tier)}", record.outcome, headline(record))


def failed_table(record: CanaryRecord, command: str = "") -> Table:
    """The canaries that fail, the most clearly failed first."""
    rows: list[list[Cell | str]] = [
        [Cell(failed.item, failed.anchor or ""), failed.tier or show.DASH, _margin(failed.margin)]
        for failed in record.failed[:MOST_FAILED]
    ]
    hidden = len(record.failed) - MOST_FAILED
    note = f"{show.count(hidden)} more{f'; to list all: {command}' if command else ''}" if hidden > 0 else ""
    title = f"Canaries that {record.model} fails: {show.count(len(record.failed))}"
    return table("failed", title, ["Bundle", "Tier", "Margin"], rows, words=2, note=note)


def _margin(margin: float) -> str:
    return show.any_size(margin) if margin else "0 (tie)"


def _remarks(record: CanaryRecord) -> list[str]:
    return [f"{show.capital(sentence(caution))}." for caution in record.cautions]
