"""Canaries: bundles that every model must pass, held to a floor of their pass rate."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tellapart.bundles.cautions import is_own_cut
from tellapart.bundles.compare import anchor_texts
from tellapart.bundles.floors import FloorGate, check_floor, floor_gate
from tellapart.bundles.gates import scope_of
from tellapart.bundles.results import CanaryRecord, FailedCanary
from tellapart.bundles.scoreboards import load_scored
from tellapart.bundles.tier_names import OVERALL
from tellapart.bundles.tier_stats import cluster_numbers

FLOOR = 0.9
"""What canaries must pass, unless somebody says otherwise."""


def canary(path: Path, *, floor: float = FLOOR, tier: str = OVERALL) -> CanaryRecord:
    """Hold the pass rate of a model on canaries to a floor."""
    check_floor(floor, "--floor")
    scored = load_scored(path)
    header, model = scored.board.eval_header, scored.board.model
    scores = scored.scores if tier == OVERALL else scored.scores.filter(pl.col("tier") == tier)
    gate = floor_gate(
        scores["score"].to_numpy(), floor, model=model, scope=scope_of(tier), clusters=cluster_numbers(scores)
    )
    failed = scores.filter(pl.col("score") == 0).sort("margin", "item")
    anchors = anchor_texts(scored, failed["item"].to_list())
    listed = tuple(
        FailedCanary(item=item, anchor=anchors.get(item), tier=tier_of_item, margin=margin)
        for item, tier_of_item, margin in failed.select("item", "tier", "margin").iter_rows()
    )
    # A model that cut the tiers itself says nothing against its rate over all bundles together.
    concerned = tier != OVERALL or not is_own_cut(scored.scores)
    cautions = scored.notes.cautions if concerned else ()
    return _record(gate, path, tier, header.fingerprint, header.version, listed, cautions)


def _record(
    gate: FloorGate,
    path: Path,
    tier: str,
    fingerprint: str,
    version: str | None,
    failed: tuple[FailedCanary, ...],
    cautions: tuple[str, ...],
) -> CanaryRecord:
    return CanaryRecord(
        scoreboard=str(path),
        model=gate.model,
        fingerprint=fingerprint,
        version=version,
        tier=tier,
        floor=gate.floor,
        value=gate.rate,
        ci=None if gate.interval is None else (gate.interval.low, gate.interval.high),
        n=gate.n,
        outcome=gate.outcome,
        can_pass=gate.can_pass,
        reason=gate.reason or None,
        cautions=cautions,
        failed=failed,
    )
