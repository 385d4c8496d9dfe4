"""Scoreboards in a terminal and as JSON."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from tellapart.bundles.figures import TierStats
from tellapart.bundles.page.slices import LISTED, slice_tables
from tellapart.bundles.page.tables import hardest, hardest_table, pass_rates, ranks
from tellapart.bundles.page.verdict import headline, verdict
from tellapart.bundles.page.view import View
from tellapart.bundles.slices import SlicesRecord
from tellapart.core.comparison import Comparison
from tellapart.core.figure_units import FigureUnit
from tellapart.core.record import Record
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.terminal import fitted_table, rich_list


class HardestBundle(Record):
    """One of the bundles that lie lowest in the models' margins.

    Attributes:
        tier: Its tier on the first scoreboard.
    """

    item: str
    tier: str | None
    margins: dict[str, float]


class ReportedModel(Record):
    """A scoreboard in a report.

    Attributes:
        tiers: Its figures by tier, after ``overall``.
        tiers_by_own_margins: Whether the tiers were cut by the model's own margins.
    """

    scoreboard: str
    fingerprint: str
    tiers: dict[str, TierStats]
    tiers_by_own_margins: bool
    units: dict[str, FigureUnit]


class ReportRecord(Record):
    """What ``bundles report --json`` prints.

    Attributes:
        exploratory: Whether the scoreboards are of different evals, or of different bundles of one.
        scope: What the charts conclude on: a tier, or ``overall``.
        comparison: Of the pass rates; None for one scoreboard.
        cautions: What decides how much the verdict is worth.
        bundles_in_different_tiers: Bundles that two scoreboards put in different tiers.
        slices: What ``--by`` requested; None without it.
    """

    verdict: str
    exploratory: bool
    scope: str
    comparison: Comparison | None
    cautions: tuple[str, ...]
    models: dict[str, ReportedModel]
    bundles_in_different_tiers: int
    hardest: tuple[HardestBundle, ...]
    slices: SlicesRecord | None = None


def terminal(view: View) -> list[RenderableType]:
    """Show the verdict first, then pairs, pass rates, ranks and the hardest bundles."""
    sentences = verdict(view)
    tables = [*slice_tables(view.slices, LISTED), pass_rates(view), ranks(view), hardest_table(view)]
    if view.comparison is not None:
        many = len(view.strata) > LISTED
        strata = block.strata_table(view.comparison, order=view.strata, testable=many)
        if many and strata is None and view.comparison.secondary:
            sentences.append(show.capital(block.too_small(view.comparison.secondary)))
        tables = [block.pair_table(view.comparison), *([strata] if strata else []), *tables]
    return [Text(f"{headline(view)}.", style="bold"), rich_list(sentences), *map(fitted_table, tables)]


def record(view: View) -> ReportRecord:
    """Give what the report shows as it stands in its JSON."""
    return ReportRecord(
        verdict=headline(view),
        exploratory=view.exploratory,
        scope=view.scope,
        comparison=None if view.comparison is None else view.comparison,
        cautions=view.comparison.cautions if view.comparison else view.cautions,
        models={
            board.label: ReportedModel(
                scoreboard=str(board.path),
                fingerprint=board.scored.fingerprint,
                tiers=dict(board.tiers),
                tiers_by_own_margins=board.own_cut,
                units=board.scoreboard.units,
            )
            for board in view.boards
        },
        bundles_in_different_tiers=view.moved,
        hardest=tuple(
            HardestBundle(
                item=row["item"],
                tier=row["tier_0"],
                margins={label: row[f"margin_{i}"] for i, label in enumerate(view.models)},
            )
            for row in hardest(view).iter_rows(named=True)
        ),
        slices=view.slices.record if view.slices else None,
    )
