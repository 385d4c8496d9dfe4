"""What commands print: reports as a line, sentences and tables; scoreboards, tiers, versions, split pools."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rich.console import RenderableType
from rich.text import Text

from tellapart.bundles.mining.run import MiningStats
from tellapart.bundles.pool import PoolSplit
from tellapart.bundles.tiers import TierCuts
from tellapart.bundles.versions import VersionRecord
from tellapart.report import numbers as show
from tellapart.report.document import Document
from tellapart.report.markdown import escape, markdown_table
from tellapart.report.tables import Cell, Table, table
from tellapart.report.terminal import fitted_table, rich_list

MOST_ROWS = 25
"""Rows of a table in a terminal; pages and JSON have all."""


@dataclass(frozen=True)
class Brief:
    """The line that matters most, sentences about it, and tables."""

    title: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()

    def terminal(self) -> list[RenderableType]:
        """For a terminal, long tables cut."""
        sentences = [rich_list(self.sentences)] if self.sentences else []
        return [Text(self.title, style="bold"), *sentences, *(fitted_table(_cut(t)) for t in self.tables)]

    def comment(self) -> str:
        """As Markdown, for a comment on a pull request."""
        parts = [
            f"**{escape(self.title)}**",
            "\n".join(f"- {escape(sentence)}" for sentence in self.sentences),
            *map(markdown_table, self.tables),
        ]
        return "\n\n".join(filter(None, parts)) + "\n"


def in_terminal(document: Document) -> list[RenderableType]:
    """Show a report in a terminal: its verdict and its tables."""
    tables = [table for section in document.sections for table in (*section.tables, *section.folded)]
    places = [document.ranking.table()] if document.ranking else []
    return Brief(f"{document.title.removesuffix('.')}.", document.verdict, (*places, *tables)).terminal()


def _cut(table: Table) -> Table:
    more = len(table.rows) - MOST_ROWS
    if more <= 0:
        return table
    note = f"{table.note} {show.plural(more, 'more row')}: add --json.".strip()
    return replace(table, rows=table.rows[:MOST_ROWS], note=note)


def fingerprint_line(fingerprint: str) -> str:
    """Give the line that names the eval of a scoreboard or of a version record."""
    return f"EVAL_FINGERPRINT: {fingerprint}"


def tiers(cut: TierCuts) -> Table:
    """How many bundles fell into each tier, and up to which danger."""
    counts = cut.tier_distribution
    total = sum(counts.values())
    cuts = [*map(show.decimal, cut.cutoffs or ()), "–"]
    rows: list[list[Cell | str]] = [
        [tier, show.count(count), show.rate(count / total) if total else show.DASH, cut]
        for (tier, count), cut in zip(counts.items(), cuts, strict=False)
    ]
    return table("tiers", "Tiers by danger", ["Tier", "Bundles", "Share, %", "Highest danger"], rows)


def version(record: VersionRecord) -> str:
    """A version record in two or three lines."""
    counts = ", ".join(f"{show.count(n)} {tier}" for tier, n in record.tier_distribution.items())
    lines = [f"version {record.version}: {show.plural(record.item_count, 'bundle')} ({counts})"]
    if record.parent:
        added = show.plural(record.item_count - record.parent.item_count, "bundle")
        lines.append(f"adds {added} to version {record.parent.version}, {record.parent.fingerprint}")
    return "\n".join([*lines, fingerprint_line(record.fingerprint)])


def mined(stats: MiningStats) -> str:
    """A mining run in a few lines."""
    single = stats.single_lineup
    spread = ", ".join(f"{passes}: {count:,}" for passes, count in stats.pass_distribution.items())
    return "\n".join(
        [
            f"accepted {stats.accepted:,} of {stats.candidates_tested:,} candidates"
            f" ({_share(stats.mining_pass_rate)}) at danger >= {stats.threshold or 0.0:.3f}:"
            f" {_counts(stats.strengths)}",
            f"candidates by passes: {spread}",
            f"a single lineup would pass {single.passed:,} ({_share(single.pass_rate)}, expected "
            f"{_share(single.expected_pass_rate)}); {single.pseudo_killers:,} of them pseudo-killers",
            f"rejected: {_counts(stats.rejected)}; not tested: {_counts(stats.not_tested)}",
        ]
    )


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "none"


def _share(share: float | None) -> str:
    return "-" if share is None else show.percent(share)


def split(result: PoolSplit) -> Table:
    """The parts, and the largest group, which decides how near a split comes to its share."""
    parts = (result.train, result.holdout)
    total = sum(part.bundles for part in parts)
    tiers = [tier for tier in result.train.tier_distribution if any(p.tier_distribution[tier] for p in parts)]
    rows = [
        [
            part.path,
            show.count(part.bundles),
            show.rate(part.bundles / total),
            show.count(part.anchors),
            *(show.count(part.tier_distribution[tier]) for tier in tiers),
        ]
        for part in parts
    ]
    note = (
        "No anchor is in both parts, or nearly the same. The largest group has "
        f"{show.plural(result.largest_group, 'bundle')}."
    )
    note += "".join(f" Left out: {show.count(n)} {cause}." for cause, n in result.dropped.items())
    return table("split", "Split", ["Part", "Bundles", "Share, %", "Anchors", *tiers], rows, note=note)
