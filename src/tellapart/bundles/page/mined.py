"""A mining run in a terminal."""

from __future__ import annotations

from tellapart.bundles.mining.run import MiningStats
from tellapart.report import numbers as show


def summary(stats: MiningStats) -> str:
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
