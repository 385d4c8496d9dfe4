"""What commands print that have no page: a scoreboard, tiers, a version, a mining run, a split pool."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from tellapart.bundles.figures import SHOWN, Figure
from tellapart.bundles.mining.run import MiningStats
from tellapart.bundles.page.tables import figure_cell, form_of, heading
from tellapart.bundles.pool import PoolSplit
from tellapart.bundles.results import Scoreboard
from tellapart.bundles.tiers import TierCuts
from tellapart.bundles.versions import VersionRecord
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table
from tellapart.report.terminal import fitted_table


def terminal(board: Scoreboard) -> list[RenderableType]:
    """Show the figures of a scoreboard by tier, and on which eval they are."""
    return [
        fitted_table(figures_by_tier(board)),
        Text(f"\n{fingerprint_line(board.eval_header.fingerprint)}"),
    ]


def fingerprint_line(fingerprint: str) -> str:
    """Give the line that names the eval of a scoreboard or of a version record."""
    return f"EVAL_FINGERPRINT: {fingerprint}"


def figures_by_tier(board: Scoreboard) -> Table:
    """Every figure of a scoreboard, overall and by tier, with its interval."""
    scopes = board.tiers
    rows: list[list[Cell | str]] = [["bundles", *(show.count(stats.n) for stats in scopes.values())]]
    for name, figure in SHOWN.items():
        if not figure.of_queries:
            rows.append(_row(board, name, figure))
    rows.append(["ties", *(show.count(stats.ties) for stats in scopes.values())])
    rows.append(["queries", *(show.count(stats.queries) for stats in scopes.values())])
    rows += [_row(board, name, figure) for name, figure in SHOWN.items() if figure.of_queries]
    header = board.eval_header
    version = f", version {header.version}" if header.version else ""
    return table(
        "scoreboard",
        f"{board.model} on {header.eval_path}{version} (95 % interval)",
        ["", *scopes],
        rows,
        note="Intervals are clustered on the anchor. A tie fails but ranks 1; figures from expected rank on "
        "average over ties. A query is an anchor with all its positives.",
    )


def _row(board: Scoreboard, name: str, figure: Figure) -> list[Cell | str]:
    form = form_of(figure)
    return [heading(figure), *(figure_cell(stats, name, form, " to ") for stats in board.tiers.values())]


def tiers(cut: TierCuts) -> list[RenderableType]:
    """Show how many bundles fell into each tier, and up to which danger."""
    counts = cut.tier_distribution
    total = sum(counts.values())
    cuts = [*map(show.decimal, cut.cutoffs or ()), "–"]
    rows: list[list[Cell | str]] = [
        [tier, show.count(count), show.rate(count / total) if total else show.DASH, cut]
        for (tier, count), cut in zip(counts.items(), cuts, strict=False)
    ]
    headings = ["Tier", "Bundles", "Share, %", "Highest danger"]
    return [fitted_table(table("tiers", "Tiers by danger", headings, rows))]


def version(record: VersionRecord) -> list[RenderableType]:
    """Show a version record."""
    counts = ", ".join(f"{show.count(n)} {tier}" for tier, n in record.tier_distribution.items())
    lines = [f"version {record.version}: {show.plural(record.item_count, 'bundle')} ({counts})"]
    if record.parent:
        added = show.plural(record.item_count - record.parent.item_count, "bundle")
        lines.append(f"adds {added} to version {record.parent.version}, {record.parent.fingerprint}")
    return [Text("\n".join([*lines, fingerprint_line(record.fingerprint)]))]


def mined(stats: MiningStats) -> str:
    """Give a run in a few lines, for the terminal of the command that mines."""
    single = stats.single_lineup
    spread = ", ".join(f"{passes}: {count:,}" for passes, count in stats.pass_distribution.items())
    danger = ", ".join(
        f"{name} {'-' if value is None else f'{value:.3f}'}" for name, value in stats.danger.items()
    )
    return "\n".join(
        [
            f"accepted {stats.accepted:,} of {stats.candidates_tested:,} candidates"
            f" ({_share_of(stats.mining_pass_rate)}) at danger >= {stats.threshold or 0.0:.3f}:"
            f" {_counts(stats.strengths)}",
            f"candidates by passes: {spread}",
            f"a single lineup would pass {single.passed:,} ({_share_of(single.pass_rate)}, expected "
            f"{_share_of(single.expected_pass_rate)}); {single.pseudo_killers:,} of them pseudo-killers",
            f"rejected: {_counts(stats.rejected)}; not tested: {_counts(stats.not_tested)}",
            f"danger of a lineup: {danger}",
        ]
    )


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "none"


def _share_of(share: float | None) -> str:
    return "-" if share is None else show.percent(share)


def split(result: PoolSplit) -> list[RenderableType]:
    """Show the parts, and the largest group, which decides how near a split comes to its share."""
    parts = (result.train, result.holdout)
    total = sum(part.bundles for part in parts)
    tiers = [tier for tier in result.train.tier_distribution if any(p.tier_distribution[tier] for p in parts)]
    rows = [
        [
            part.path,
            show.count(part.bundles),
            show.rate(part.bundles / total),
            show.count(part.anchors),
            show.count(part.groups),
            *(show.count(part.tier_distribution[tier]) for tier in tiers),
        ]
        for part in parts
    ]
    headings = ["Part", "Bundles", "Share, %", "Anchors", "Groups", *tiers]
    note = (
        "No anchor is in both parts, or nearly the same. The largest group has "
        f"{show.plural(result.largest_group, 'bundle')}."
    )
    return [fitted_table(table("split", "Split", headings, rows, note=note)), *_dropped(result.dropped)]


def _dropped(dropped: dict[str, int]) -> list[RenderableType]:
    return [Text(f"left out: {show.count(n)} {cause}") for cause, n in dropped.items()]
