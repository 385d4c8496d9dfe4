"""The figures of an audit for experiment trackers."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.audit.results import Findings
from tellapart.report.tracked import Figure, Tracked, pair_figures, tracked, with_ends


def tracked_audit(findings: Findings) -> Tracked:
    """Give the figures of an audit: of the whole, each model, and each pair."""
    return tracked("audit", _figures(findings))


def _figures(findings: Findings) -> Iterator[Figure]:
    yield ("models",), len(findings.models)
    yield ("items",), findings.items
    yield ("missing",), findings.missing_rows
    yield ("pairs",), len(findings.pairs)
    yield ("pairs_separated",), len(findings.separated)
    yield ("separated_paired",), findings.separated_paired
    yield ("signal_to_noise",), findings.signal_to_noise
    yield ("reliability",), findings.reliability.value
    for ranked in findings.ranking:
        yield from with_ends((ranked.model, "mean"), ranked.mean, ranked.ci)
        yield (ranked.model, "rank"), ranked.rank
        yield (ranked.model, "n"), ranked.n
        yield (ranked.model, "missing"), sum(findings.missing.get(ranked.model, {}).values())
    yield from pair_figures(findings.pairs)
