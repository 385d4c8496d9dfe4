"""What commands show that read or write an eval: findings, tiers, versions, split pools, mined bundles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from tellapart import __version__
from tellapart.bundles.lint import BundleFinding, Linted
from tellapart.bundles.mining.run import MiningStats
from tellapart.bundles.page.boards import fingerprint_line
from tellapart.bundles.pool import PoolSplit
from tellapart.bundles.tiers import TierCuts
from tellapart.bundles.versions import VersionRecord
from tellapart.core.severity import SEVERITIES
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section
from tellapart.report.figures import FIGURES
from tellapart.report.tables import Cell, table

_LISTED = 20
"""Findings of a check that are shown; all are in the JSON."""

_IDS = 3


def tiers(cut: TierCuts) -> Document:
    """How many bundles fell into each tier, and up to which danger."""
    counts = cut.tier_distribution
    total = sum(counts.values())
    cuts = [*map(show.decimal, cut.cutoffs or ()), "–"]
    rows: list[list[Cell | str]] = [
        [tier, show.count(count), show.rate(count / total) if total else show.DASH, cut]
        for (tier, count), cut in zip(counts.items(), cuts, strict=False)
    ]
    heads = ["Tier", FIGURES["bundles"].label, "Share, %", "Highest danger"]
    section = Section(
        "tiers", "Tiers", tables=(table("tiers", "Tiers by danger", heads, rows),), in_terminal=True
    )
    return Document("bundles tier", f"{show.plural(total, 'bundle')} cut into tiers", (), {}, (section,))


def version(record: VersionRecord) -> Document:
    """A version record in two or three lines."""
    counts = ", ".join(f"{show.count(n)} {tier}" for tier, n in record.tier_distribution.items())
    title = f"version {record.version}: {show.plural(record.item_count, 'bundle')} ({counts})"
    lines = [fingerprint_line(record.fingerprint)]
    if record.parent:
        added = show.plural(record.item_count - record.parent.item_count, "bundle")
        lines.insert(0, f"Adds {added} to version {record.parent.version}, {record.parent.fingerprint}.")
    return Document("bundles versions", title, tuple(lines), {}, ())


def mined(stats: MiningStats) -> Document:
    """A mining run in a few lines."""
    single = stats.single_lineup
    spread = ", ".join(f"{passes}: {count:,}" for passes, count in stats.pass_distribution.items())
    return Document(
        "bundles mine",
        f"Accepted {stats.accepted:,} of {stats.candidates_tested:,} candidates "
        f"({_share(stats.mining_pass_rate)}) at a danger of {stats.threshold or 0.0:.3f} or more: "
        f"{_counts(stats.strengths)}",
        (
            f"Candidates by passes: {spread}.",
            f"A single lineup would pass {single.passed:,} ({_share(single.pass_rate)}, expected "
            f"{_share(single.expected_pass_rate)}); {single.pseudo_killers:,} of them pseudo-killers.",
            f"Rejected: {_counts(stats.rejected)}; not tested: {_counts(stats.not_tested)}.",
        ),
        {},
        (),
    )


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "none"


def _share(share: float | None) -> str:
    return show.DASH if share is None else show.percent(share)


def split(result: PoolSplit) -> Document:
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
    heads = ["Part", FIGURES["bundles"].label, "Share, %", "Anchors", *tiers]
    section = Section(
        "split", "Split", tables=(table("split", "Split", heads, rows, note=note),), in_terminal=True
    )
    return Document("bundles pool split", f"{show.plural(total, 'bundle')} split in two", (), {}, (section,))


def findings(linted: Linted, command: str) -> Document:
    """Show how many findings there are, then the first ones of each check."""
    by_check: dict[tuple[str, str], list[BundleFinding]] = {}
    for finding in linted.findings:
        by_check.setdefault((finding.severity, finding.check), []).append(finding)
    rows: list[list[Cell | str]] = []
    for (severity, check), group in by_check.items():
        for finding in group[:_LISTED]:
            where = show.listed(finding.bundles or finding.places, most=_IDS)
            rows.append([Cell(severity, strong=severity == "error"), check, where, finding.detail])
        if len(group) > _LISTED:
            rows.append([severity, check, "", f"and {show.count(len(group) - _LISTED)} more: add --json"])
    counts = Counter(finding.severity for finding in linted.findings)
    found = ", ".join(show.plural(counts[severity], severity) for severity in SEVERITIES)
    listed = table("findings", "Findings", ["Severity", "Check", "Bundles", "What"], rows, words=4)
    return Document(
        kind="bundles lint",
        title=f"{found} in {show.plural(linted.inputs.n_rows, 'bundle')}",
        verdict=(),
        facts={"files": ", ".join(map(str, linted.inputs.files))},
        sections=(Section("findings", "Findings", tables=(listed,), in_terminal=True),),
        origin={"made by": f"tellapart {__version__}"},
        commands=(command,),
    )
