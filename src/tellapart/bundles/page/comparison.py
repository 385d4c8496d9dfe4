"""Two scoreboards compared, in a terminal and as Markdown: gates, the verdict, what flipped, the figures."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import RenderableType
from rich.text import Text

from tellapart.bundles.compare import BoardComparison, BoardComparisonRecord, FigureChange
from tellapart.bundles.figures import SHOWN, Figure, Summary
from tellapart.bundles.gates import OPTION, TierGate
from tellapart.bundles.page.slices import LISTED, slice_tables
from tellapart.bundles.page.verdict import STAMP
from tellapart.bundles.tier_names import OVERALL
from tellapart.core.comparison import Flip, GateOutcome
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.gates import MOST_FLIPS, GateCase, flip_table, gate_headline
from tellapart.report.markdown import escape, markdown_table
from tellapart.report.tables import Cell, Table, figure, table, undefined
from tellapart.report.terminal import fitted_table, rich_list

FEW_FLIPS = 5
"""So many flipped bundles of each direction are listed in a terminal; Markdown lists more, JSON all."""


def terminal(shown: BoardComparison, command: str = "") -> list[RenderableType]:
    """Show the gates first, then the verdict with its pairs and tiers, what flipped, and the figures."""
    gates, _, remarks = _parts(shown)
    # The block begins with the verdict; here the gates come before it, and a stamp where the evals differ.
    _, *pairs = block.terminal(shown.comparison, order=_strata(shown))
    first, *others = lines(shown)
    return [
        Text(first, style="bold"),
        *([rich_list(gates[1:])] if gates[1:] else []),
        *(Text(line, style="bold") for line in others),
        *pairs,
        *([rich_list(remarks)] if remarks else []),
        *map(fitted_table, _tables(shown, FEW_FLIPS, command)),
    ]


def markdown(shown: BoardComparison, command: str = "") -> str:
    """Give the same as Markdown, for a comment on a pull request."""
    gates, cautions, remarks = _parts(shown)
    strata = block.strata_table(shown.comparison, order=_strata(shown))
    first, *others = lines(shown)
    parts = [
        f"**{escape(first)}**",
        "\n".join(f"- {escape(line)}" for line in gates[1:]),
        *(f"**{escape(line)}**" for line in others),
        "\n".join(f"- {escape(line)}" for line in (*cautions, *remarks)),
        markdown_table(block.pair_table(shown.comparison)),
        *([markdown_table(strata)] if strata else []),
        *map(markdown_table, _tables(shown, MOST_FLIPS, command)),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def lines(shown: BoardComparison) -> list[str]:
    """Give the first line of the output, the gate's where there is one, and the verdict."""
    stamp = STAMP if shown.record.exploratory else ""
    first, *others = [*gate_lines(shown)[:1], f"{block.headline(shown.comparison)}."]
    return [stamp + first, *others]


def _parts(shown: BoardComparison) -> tuple[list[str], list[str], list[str]]:
    """Lines about the gates, cautions beyond that of the headline, and remarks on the figures."""
    cautions = [f"{block.sentence(caution)}." for caution in shown.comparison.cautions[1:]]
    return gate_lines(shown), cautions, notes(shown.record)


def _tables(shown: BoardComparison, flips: int, command: str) -> list[Table]:
    return [
        *filter(None, [flipped(shown, flips, command)]),
        *slice_tables(shown.slices, LISTED),
        pass_rates(shown),
        other_figures(shown),
    ]


def gate_lines(shown: BoardComparison) -> list[str]:
    """Say how the gate ended, and what follows."""
    lines = [gate_headline(judged.gate) for judged in shown.gates]
    lines += [f"The gate is on all bundles, for {judged.why}." for judged in shown.gates if judged.why]
    return [*lines, *(grain for judged in shown.gates if (grain := _grain(judged)))]


def gate_cases(shown: BoardComparison, command: str = "") -> list[GateCase]:
    """Give the gates as tests; ``command`` prints all that flipped."""
    flips = flipped(shown, MOST_FLIPS, command)
    return [
        GateCase(
            f"{OPTION} {judged.gate.limit:g} on {block.words(judged.tier)}",
            judged.gate.outcome or GateOutcome.UNCLEAR,
            gate_headline(judged.gate),
            flips,
        )
        for judged in shown.gates
    ]


def _grain(judged: TierGate) -> str | None:
    """Say how fine an unclear gate is; None for the others."""
    gate, losses = judged.gate, judged.fewest_losses
    if gate.outcome is not GateOutcome.UNCLEAR or not gate.can_fire or not losses:
        return None
    return (
        f"With {show.plural(gate.n, 'bundle')}, this gate fails only from "
        f"{show.plural(losses, 'lost bundle')} on ({show.rate(losses / gate.n)} points), if none is gained."
    )


def notes(record: BoardComparisonRecord) -> list[str]:
    """Say what to know about the figures; what decides on the verdict stands with it."""
    sentences = []
    if record.items.moved:
        sentences.append("Figures by tier use A's tiers for both models.")
    if record.items.reshaped:
        sentences.append(
            f"{show.count(record.items.reshaped)} shared bundles have a different number of negatives in B."
        )
    return sentences


@dataclass(frozen=True)
class _Flipped:
    """What the table of flips takes: two models and the bundles that one of them passes."""

    baseline: str
    candidate: str
    flips: tuple[Flip, ...]


def flipped(shown: BoardComparison, most: int, command: str = "") -> Table | None:
    """List the bundles of the gates' tier that flipped, with their anchors where the eval is at hand."""
    tier = shown.gates[0].gate.scope.partition("=")[2] if shown.gates else ""
    records = [flip for flip in shown.record.flips if tier in ("", flip.tier)]
    if not records:
        return None
    flips = tuple(Flip(flip.item, flip.baseline, flip.candidate) for flip in records)
    anchors = {flip.item: flip.anchor for flip in records if flip.anchor}
    models = _Flipped(shown.record.a.label, shown.record.b.label, flips)
    return flip_table(models, anchors, most, command=command)


def pass_rates(shown: BoardComparison) -> Table:
    """Pass rates of both and their difference, tier by tier."""
    rows: list[list[Cell | str]] = []
    for scope, changes in shown.record.tiers.items():
        rate, n = changes["pass_rate"], changes["n"]
        size = show.count(int(n.a or 0))
        if n.a != n.b:
            size += f" / {show.count(int(n.b or 0))}"
        shares = [figure(share, show.rate, rate.reason or "") for share in (rate.a, rate.b)]
        rows.append([block.words(scope), size, *shares, _delta("pass_rate", rate)])
    return table(
        "pass_rate",
        f"Pass rate, %: {shown.record.a.label} (A) and {shown.record.b.label} (B)",
        ["Tier", "n", "A", "B", "B − A"],
        rows,
        note="The bundles of each, in percentage points. The verdict above says what is beyond noise.",
    )


def other_figures(shown: BoardComparison) -> Table:
    """Differences of all other figures, tier by tier."""
    tiers = shown.record.tiers
    titles = {name: _title(figure) for name, figure in SHOWN.items() if name != "pass_rate"}
    rows: list[list[Cell | str]] = [
        [title, *(_delta(name, changes[name]) for changes in tiers.values())]
        for name, title in [*titles.items(), ("ties", "ties")]
    ]
    return table(
        "differences",
        "Other figures, B − A",
        ["Figure", *map(block.words, tiers)],
        rows,
        note=f"Plain differences, without a test.{_margin_unit(shown.record)}",
    )


def _margin_unit(record: BoardComparisonRecord) -> str:
    unit = record.a.margin_unit
    return f" Margins are in units of {unit}." if unit and unit == record.b.margin_unit else ""


def _strata(shown: BoardComparison) -> list[str]:
    if shown.slices:
        return list(shown.slices.values)
    return [scope for scope in shown.record.tiers if scope != OVERALL]


def _delta(name: str, change: FigureChange) -> Cell:
    delta = change.delta
    if delta is None:
        return undefined(change.reason or "")
    if name == "ties":
        return Cell(f"{delta:+,}".replace("-", show.MINUS) if delta else "0")
    return Cell(show.points(delta) if _is_share(SHOWN[name]) else _signed(delta))


def _title(figure: Figure) -> str:
    return f"{figure.title}, points" if _is_share(figure) else figure.title


def _is_share(figure: Figure) -> bool:
    return figure.summary is Summary.SHARE


def _signed(difference: float) -> str:
    rounded = f"{difference:+.3f}"
    return "0.000" if float(rounded) == 0 else rounded.replace("-", show.MINUS)
