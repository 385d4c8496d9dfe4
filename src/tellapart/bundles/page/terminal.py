"""A scoreboard, the tiers of an eval and its version in a terminal."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from tellapart.bundles.figures import SHOWN, Figure, TierStats
from tellapart.bundles.page.tables import form_of, heading
from tellapart.bundles.parts.plan import Plan
from tellapart.bundles.results import Scoreboard
from tellapart.bundles.tiers import TierCuts
from tellapart.bundles.versions import VersionRecord
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table, undefined
from tellapart.report.terminal import fitted_table

EMPTY = "no bundles"


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
            rows.append([heading(figure), *(_figure(stats, name, figure) for stats in scopes.values())])
    rows.append(["ties", *(show.count(stats.ties) for stats in scopes.values())])
    rows.append(["queries", *(show.count(stats.queries) for stats in scopes.values())])
    rows += [
        [heading(figure), *(_figure(stats, name, figure) for stats in scopes.values())]
        for name, figure in SHOWN.items()
        if figure.of_queries
    ]
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


def plan(planned: Plan) -> list[RenderableType]:
    """Show how an eval would be scored part by part, and how long that may take."""
    workers = "as the cluster has" if planned.workers is None else show.count(planned.workers)
    rate = (
        "" if planned.texts_per_s is None else f", {planned.texts_per_s:,.0f} texts a second on each worker"
    )
    rows: list[list[Cell | str]] = [
        ["files", f"{planned.files:,}, {planned.input_bytes / 1e6:,.1f} MB"],
        ["bundles", f"{planned.bundles:,}, about {planned.distinct_texts:,} distinct texts{rate}"],
        ["workers", f"{workers}, {planned.memory_per_worker_bytes / 1e9:.1f} GB each"],
    ]
    rows += [[name.replace("_", " "), f"{count:,} parts"] for name, count in planned.parts.to_json().items()]
    rows.append(["estimated", f"{planned.estimated_s:,.0f} s"])
    return [fitted_table(table("plan", f"Scoring by --engine {planned.engine}", ["", "planned"], rows))]


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


def _figure(stats: TierStats, name: str, figure: Figure) -> Cell:
    value, form = getattr(stats, name), form_of(figure)
    if value is None:
        return undefined(EMPTY)
    ends = stats.ci95.get(name)
    return Cell(form(value), f"{form(ends[0])} to {form(ends[1])}" if ends else "no interval")
