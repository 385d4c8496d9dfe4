"""Scoreboards in a terminal and as JSON."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from tellapart.bundles.page.slices import LISTED, slice_tables
from tellapart.bundles.page.tables import hardest, hardest_table, pass_rates, ranks
from tellapart.bundles.page.verdict import headline, verdict
from tellapart.bundles.page.view import View
from tellapart.bundles.results import HardestBundle, ReportedModel, ReportRecord
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.terminal import fitted_table, rich_list


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
