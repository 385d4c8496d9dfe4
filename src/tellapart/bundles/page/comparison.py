"""Two scoreboards compared, in a terminal and as Markdown: gates, the verdict, what flipped, the figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tellapart.bundles.page.verdict import STAMP
from tellapart.core.comparison import Comparison, Flip, Gate, GateOutcome
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.comparison import Scale
from tellapart.report.markdown import escape, markdown_table
from tellapart.report.tables import Cell, Table, table, undefined
from tellapart.report.terminal import fitted_table, rich_list

Figures = dict[str, Any]

FEW_FLIPS = 5
"""So many flipped bundles of each direction are listed in a terminal; Markdown lists more, JSON all."""

RATES = {"top3": "top 3, points", "top5": "top 5, points"}
OTHERS = {
    "mean_margin": "mean margin",
    "median_margin": "median margin",
    "q10_margin": "margin, 10th percentile",
    "q90_margin": "margin, 90th percentile",
    "mean_rank": "mean rank",
    "expected_rank": "expected rank",
    "mrr": "MRR",
    **RATES,
    "ties": "ties",
}


@dataclass(frozen=True)
class ShownGate:
    """A gate and what it is about.

    Attributes:
        gate: How it ended.
        figure: ``pass_rate`` or ``q10_margin``.
        unit: Of the figure; None for a rate, and where it is not recorded.
        fewest_losses: Bundles that must be lost, and none gained, for the gate to fail; None if no number
            would do.
    """

    gate: Gate
    figure: str
    unit: str | None
    fewest_losses: int | None

    def headline(self) -> str:
        """Say how the gate ended, and on what grounds."""
        if self.figure == "pass_rate":
            return block.gate_headline(self.gate)
        units = f"units of {self.unit}" if self.unit else "the unit of the margins"
        return block.gate_headline(self.gate, Scale(rates=False, units=units), "10th percentile of margins")

    def grain(self) -> str | None:
        """Say how fine an unclear gate is; None for the others."""
        n, losses = self.gate.n, self.fewest_losses
        if self.gate.outcome is not GateOutcome.UNCLEAR or not self.gate.can_fire or not losses:
            return None
        return (
            f"With {show.plural(n, 'bundle')} this gate fails from {show.plural(losses, 'lost bundle')} on "
            f"({show.rate(losses / n)} points) if none is gained."
        )


@dataclass(frozen=True)
class Shown:
    """What a comparison of a candidate B with a baseline A shows.

    Attributes:
        record: As ``tellapart bundles compare --json`` prints it.
        comparison: Of the pass rates.
        gates: Those that were asked for.
    """

    record: Figures
    comparison: Comparison
    gates: tuple[ShownGate, ...] = ()

    @property
    def baseline(self) -> str:
        """A."""
        return str(self.record["a"]["label"])

    @property
    def candidate(self) -> str:
        """B."""
        return str(self.record["b"]["label"])

    @property
    def tier(self) -> str | None:
        """The tier that the gates are about; None for all bundles."""
        value = self.gates[0].gate.scope.partition("=")[2] if self.gates else ""
        return value or None

    @property
    def flips(self) -> tuple[Flip, ...]:
        """The bundles that flipped, of the gates' tier."""
        return tuple(
            Flip(one["item"], one["baseline"], one["candidate"])
            for one in self.record["flips"]
            if self.tier in (None, one["tier"])
        )


def terminal(shown: Shown) -> list[RenderableType]:
    """Show the gates first, then the verdict with its pairs and tiers, what flipped, and the figures."""
    gates, _, remarks = _parts(shown)
    # The block begins with the verdict, which is said here, stamped where it must be.
    _, *pairs = block.terminal(shown.comparison, order=_tiers(shown.record))
    first, *others = lines(shown)
    return [
        Text(first, style="bold"),
        *([rich_list(gates[1:])] if gates[1:] else []),
        *(Text(line, style="bold") for line in others),
        *pairs,
        *([rich_list(remarks)] if remarks else []),
        *map(fitted_table, _tables(shown, FEW_FLIPS)),
    ]


def markdown(shown: Shown) -> str:
    """Give the same as Markdown, for a comment on a pull request."""
    gates, cautions, remarks = _parts(shown)
    strata = block.strata_table(shown.comparison, order=_tiers(shown.record))
    first, *others = lines(shown)
    parts = [
        f"**{escape(first)}**",
        "\n".join(f"- {escape(line)}" for line in gates[1:]),
        *(f"**{escape(line)}**" for line in others),
        "\n".join(f"- {escape(line)}" for line in (*cautions, *remarks)),
        markdown_table(block.pair_table(shown.comparison)),
        *([markdown_table(strata)] if strata else []),
        *map(markdown_table, _tables(shown, block.MOST_FLIPS)),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def lines(shown: Shown) -> list[str]:
    """Give the first line of the output, the gate's where there is one, and the verdict."""
    stamp = STAMP if shown.record["exploratory"] else ""
    first, *others = [*gate_lines(shown)[:1], f"{block.headline(shown.comparison)}."]
    return [stamp + first, *others]


def _parts(shown: Shown) -> tuple[list[str], list[str], list[str]]:
    """Lines about the gates, cautions beyond that of the headline, and remarks on the figures."""
    cautions = [f"{block.sentence(one)}." for one in shown.comparison.cautions[1:]]
    return gate_lines(shown), cautions, notes(shown.record)


def _tables(shown: Shown, flips: int) -> list[Table]:
    return [*([flipped(shown, flips)] if shown.flips else []), pass_rates(shown), other_figures(shown)]


def gate_lines(shown: Shown) -> list[str]:
    """Say how the gates ended, the one that decides first, and what follows."""
    order = (GateOutcome.FAILED, GateOutcome.UNCLEAR, GateOutcome.PASSED)
    ranked = sorted(shown.gates, key=lambda one: order.index(one.gate.outcome))
    lines = [one.headline() for one in ranked]
    lines += [grain for one in ranked if (grain := one.grain())]
    counts_as = {"pass": "passed", "fail": "failed"}.get(shown.record["on_unclear"])
    if counts_as and any(one.gate.outcome is GateOutcome.UNCLEAR for one in ranked):
        lines.append(
            f"An unclear gate counts as {counts_as} here (--on-unclear {shown.record['on_unclear']})."
        )
    return lines


def notes(record: Figures) -> list[str]:
    """Say what to know about the figures; what decides on the verdict stands with it."""
    items = record["items"]
    sentences = []
    if items["moved"]:
        sentences.append("The figures by tier below are of A's tiers for both models.")
    if items["reshaped"]:
        sentences.append(
            f"{show.count(items['reshaped'])} shared bundles have another number of negatives in B."
        )
    return sentences


def flipped(shown: Shown, most: int) -> Table:
    """The bundles that one passes and the other fails, with their anchors where the eval is at hand."""
    texts = {one["item"]: one["anchor"] for one in shown.record["flips"] if one["anchor"]}
    return block.flip_table(shown, texts, most)


def pass_rates(shown: Shown) -> Table:
    """Pass rates of both and their difference, tier by tier."""
    rows: list[list[Cell | str]] = []
    for scope, figures in shown.record["tiers"].items():
        rates, n = figures["pass_rate"], figures["n"]
        size = show.count(n["a"]) if n["a"] == n["b"] else f"{show.count(n['a'])} / {show.count(n['b'])}"
        shares = [undefined(rates["reason"]) if rates[x] is None else show.rate(rates[x]) for x in "ab"]
        rows.append([block.words(scope), size, *shares, _delta("pass_rate", rates)])
    return table(
        "pass_rate",
        f"Pass rate, %: {shown.baseline} (A) and {shown.candidate} (B)",
        ["Tier", "n", "A", "B", "B − A"],
        rows,
        note="The bundles of each, in percentage points. What is beyond noise stands above.",
    )


def other_figures(shown: Shown) -> Table:
    """Differences of all other figures, tier by tier."""
    tiers = shown.record["tiers"]
    rows: list[list[Cell | str]] = [
        [title, *(_delta(name, figures[name]) for figures in tiers.values())]
        for name, title in OTHERS.items()
    ]
    return table(
        "differences",
        "Other figures, B − A",
        ["Figure", *map(block.words, tiers)],
        rows,
        note=f"Plain differences, without a test.{_margin_unit(shown.record)}",
    )


def _margin_unit(record: Figures) -> str:
    units = {record[side].get("margin_unit") for side in "ab"}
    unit = units.pop() if len(units) == 1 else None
    return f" Margins are in units of {unit}." if unit else ""


def _tiers(record: Figures) -> list[str]:
    return [scope for scope in record["tiers"] if scope != "overall"]


def _delta(name: str, figure: Figures) -> Cell:
    delta = figure["delta"]
    if delta is None:
        return undefined(figure["reason"])
    if name == "ties":
        return Cell(f"{delta:+,}".replace("-", show.MINUS) if delta else "0")
    return Cell(show.points(delta) if name in RATES or name == "pass_rate" else _signed(delta))


def _signed(difference: float) -> str:
    rounded = f"{difference:+.3f}"
    return "0.000" if float(rounded) == 0 else rounded.replace("-", show.MINUS)
