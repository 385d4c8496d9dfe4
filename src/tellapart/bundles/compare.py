"""Comparing two scoreboards: from their files to a verdict and gates, or a refusal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.bundles.boards import Boards, Scored, load_boards
from tellapart.bundles.gates import FigureGate, Limits, check_units, run_board_gates, worst_outcome
from tellapart.bundles.problems import Problems
from tellapart.bundles.reading import read_batches
from tellapart.bundles.results import EvalHeader, TierStats, rounded
from tellapart.bundles.tier_stats import MARGINS, stats_by_tier, why_margins_differ
from tellapart.bundles.tiers import TIERS
from tellapart.core.comparison import (
    Comparison,
    ComparisonSettings,
    Flip,
    GateOutcome,
    PairComparison,
    flips,
    to_json,
)
from tellapart.core.comparison import compare as compare_models
from tellapart.core.score_grid import ScoreGrid, score_grid
from tellapart.errors import TellapartError
from tellapart.store import sha256_of

Figures = dict[str, Any]

SCOPES = ("overall", *TIERS)
"""What has figures: all bundles, and each tier."""

PLAIN = "only pass rates are compared with a test; this is a plain difference"


def figure_differences(boards: Boards, comparison: Comparison) -> dict[str, Figures]:
    """Give every figure of a baseline A and a candidate B, and B minus A.

    Args:
        boards: Two; in a tier are the bundles that A has there, and of those that A lacks, the ones that B
            has there.
        comparison: Of these boards.

    Returns:
        By ``SCOPES`` and figure of ``TierStats`` an object of ``a``, ``b``, ``delta`` and ``reason``, which
        says what is missing. Pass rates have what the comparison says too: over the bundles that both have
        ``delta_shared`` (B minus A), its interval ``ci``, ``p`` and ``p_holm``.
    """
    a, b = boards.boards
    before, after = dict(a.board.tiers), dict(b.board.tiers)
    if boards.moved:
        after = stats_by_tier(_in_tiers_of(a.scores, b.scores))
    units = why_margins_differ(a.board, b.board)
    names = [name for name in TierStats.model_fields if name != "ci95"]
    figures = {
        scope: {name: _figure(before[scope], after[scope], name, units) for name in names} for scope in SCOPES
    }
    for scope in SCOPES:
        figures[scope]["pass_rate"] |= _tested(boards, comparison, scope)
    return figures


def _in_tiers_of(a: pl.DataFrame, b: pl.DataFrame) -> pl.DataFrame:
    tiers_of_a = a.select("item", pl.col("tier").alias("tier_of_a"), pl.lit(True).alias("in_a"))
    tier = pl.when(pl.col("in_a").is_null()).then("tier").otherwise("tier_of_a").alias("tier")
    return b.join(tiers_of_a, on="item", how="left").with_columns(tier).drop("tier_of_a", "in_a")


def _figure(before: TierStats, after: TierStats, name: str, units: str | None) -> Figures:
    a, b = getattr(before, name), getattr(after, name)
    empty = [side for side, stats in (("A", before), ("B", after)) if not stats.n]
    apart = units if name in MARGINS else None
    reason = f"no bundles in {' and '.join(empty)}" if empty else apart
    delta = None if apart else _difference(a, b)
    return {"a": a, "b": b, "delta": delta, "reason": reason}


def _difference(a: float | None, b: float | None) -> float | None:
    """Give b - a; of counts a whole number."""
    if a is None or b is None:
        return None
    return b - a if isinstance(a, int) and isinstance(b, int) else rounded(b - a)


def _tested(boards: Boards, comparison: Comparison, scope: str) -> Figures:
    """What the comparison says of the pass rates in a scope, as B minus A."""
    pair = _pair(comparison, scope)
    if pair is None:
        return {"delta_shared": None, "ci": None, "p": None, "p_holm": None, "test": None}
    change, interval = pair.of(boards.labels[1])
    return {
        "delta_shared": change,
        "ci": None if interval is None else [interval.low, interval.high],
        "p": pair.p,
        "p_holm": pair.p_adjusted,
        "test": pair.test,
        **({"reason": pair.reason} if pair.reason else {}),
    }


def _pair(comparison: Comparison, scope: str) -> PairComparison | None:
    if scope == "overall":
        return comparison.primary.pairs[0]
    pairs = comparison.secondary.pairs if comparison.secondary else ()
    return next((pair for pair in pairs if pair.stratum == scope), None)


_SHOWN = 200
"""Characters of an anchor that are kept."""


@dataclass(frozen=True)
class BundleFlip:
    """A bundle that flipped.

    Attributes:
        flip: The scores, 1 for a pass.
        tier: Its tier, or None.
        margins: Of the baseline and of the candidate, each in its model's unit.
        anchor: The beginning of its anchor's text, or None where the eval is not at hand.
    """

    flip: Flip
    tier: str | None
    margins: tuple[float, float]
    anchor: str | None

    def to_json(self) -> dict[str, Any]:
        """Give the flip as JSON can say it."""
        return {
            "item": self.flip.item,
            "anchor": self.anchor,
            "tier": self.tier,
            "baseline": self.flip.baseline,
            "candidate": self.flip.candidate,
            "margin_a": self.margins[0],
            "margin_b": self.margins[1],
        }


def bundle_flips(boards: Boards, grid: ScoreGrid) -> tuple[BundleFlip, ...]:
    """List the bundles that flipped between a baseline A and a candidate B.

    Args:
        boards: Two.
        grid: Their scores.

    Returns:
        The most decisive first: where one passed and the other failed by margins that are both large among
        the margins of their own model, whatever its unit. Losses come before gains of the same size.
    """
    a, b = (
        one.scores.select("item", "tier", "margin", size=pl.col("margin").abs().rank("average") / pl.len())
        for one in boards.boards
    )
    both = a.join(b.drop("tier"), on="item", how="inner", suffix="_b")
    row_of = {item: row for row, item in enumerate(both["item"].to_list())}
    sizes = (both["size"] + both["size_b"]).to_list()
    weights = [sizes[row_of[item]] if item in row_of else 0.0 for item in grid.items.tolist()]
    flipped = flips(grid, boards.labels[1], boards.labels[0], weights)
    anchors = anchor_texts(boards.boards[0].board.eval_header, [flip.item for flip in flipped])
    rows = [both.row(row_of[flip.item], named=True) for flip in flipped]
    return tuple(
        BundleFlip(flip, row["tier"], (row["margin"], row["margin_b"]), anchors.get(flip.item))
        for flip, row in zip(flipped, rows, strict=True)
    )


def anchor_texts(header: EvalHeader, items: Sequence[str]) -> dict[str, str]:
    """Look up anchors in the eval, by bundle, if its file is where it was and has not changed."""
    path = Path(header.eval_path)
    if not items or not path.is_file():
        return {}
    try:
        if sha256_of(path)[:16] != header.source_hash:
            return {}
        wanted = pl.Series(sorted(items), dtype=pl.String).implode()
        batches = [
            batch.filter(pl.col("bundle_id").is_in(wanted)).select("bundle_id", "anchor")
            for batch in read_batches(path, Problems(path))
        ]
    except TellapartError:
        # Texts are a convenience: an eval that cannot be read any more keeps no comparison from being made.
        return {}
    return {
        item: " ".join(anchor[:_SHOWN].split()) for frame in batches for item, anchor in frame.iter_rows()
    }


@dataclass(frozen=True)
class BoardComparison:
    """A candidate B held against a baseline A.

    Attributes:
        boards: Both.
        comparison: Of their pass rates: overall, and in every tier as detail.
        gates: Those that were asked for.
        outcome: Of all gates together, with ``on_unclear`` applied; None without a gate.
        flips: The bundles that flipped.
        figures: Everything as ``tellapart bundles compare --json`` prints it.
    """

    boards: Boards
    comparison: Comparison
    gates: tuple[FigureGate, ...]
    outcome: GateOutcome | None
    flips: tuple[BundleFlip, ...]
    figures: Figures


def compare_boards(
    boards: Boards, grid: ScoreGrid | None = None, *, baseline: str | None = None
) -> Comparison:
    """Say which models differ in their pass rates.

    Args:
        boards: Two or more.
        grid: Their scores as a grid, where they are at hand.
        baseline: The label of the one that the others are compared with; every pair where None.

    Raises:
        InputError: There are no scores.
    """
    grid = score_grid(boards.table) if grid is None else grid
    return compare_models(grid, ComparisonSettings(baseline=baseline))


def compare(
    a: Path,
    b: Path,
    *,
    limits: Limits | None = None,
    on_unclear: str = "unclear",
    allow_fingerprint_mismatch: bool = False,
) -> BoardComparison:
    """Compare the scoreboard of a candidate B with that of a baseline A.

    Args:
        a: The baseline's scoreboard.
        b: The candidate's.
        limits: The gates; none where None.
        on_unclear: What an unclear gate counts as: ``pass``, ``fail`` or ``unclear``.
        allow_fingerprint_mismatch: Go on where the evals differ, and mark the result exploratory.

    Raises:
        InputError: A scoreboard or its scores cannot be used.
        Refused: The evals differ.
        UsageError: There is a gate on margins of different units.
    """
    boards = load_boards([a, b], allow_fingerprint_mismatch=allow_fingerprint_mismatch)
    limits = limits or Limits()
    check_units(boards, limits)
    grid = score_grid(boards.table)
    comparison = compare_boards(boards, grid, baseline=boards.labels[0])
    gates = run_board_gates(boards, grid, limits)
    outcome = worst_outcome(gates, on_unclear)
    flips = bundle_flips(boards, grid)
    first, second = boards.boards
    figures = {
        "fingerprints_match": first.fingerprint == second.fingerprint,
        "exploratory": boards.is_exploratory,
        "a": _described(first, boards.labels[0]),
        "b": _described(second, boards.labels[1]),
        "items": _counts(boards),
        "comparison": to_json(comparison),
        "gates": [gate.to_json() for gate in gates],
        "on_unclear": on_unclear,
        "outcome": None if outcome is None else outcome.value,
        "tiers": figure_differences(boards, comparison),
        "flips": [flip.to_json() for flip in flips],
    }
    return BoardComparison(boards, comparison, gates, outcome, flips, figures)


def _described(scored: Scored, label: str) -> Figures:
    board = scored.board
    unit = board.units.get("mean_margin")
    return {
        "label": label,
        "scoreboard": str(scored.path),
        "model": board.model,
        "checkpoint_path": board.checkpoint_path,
        "margin_unit": None if unit is None else unit.unit,
        **{name: getattr(board.eval_header, name) for name in ("eval_path", "fingerprint", "version")},
    }


def _counts(boards: Boards) -> Figures:
    """Bundles in A, in B, shared, in another tier in B, and with another number of negatives in B."""
    a, b = (one.scores.select("item", "tier", "negatives") for one in boards.boards)
    shared = a.join(b, on="item", suffix="_b")
    return {
        "a": a.height,
        "b": b.height,
        "shared": shared.height,
        "moved": boards.moved,
        "reshaped": int((shared["negatives"] != shared["negatives_b"]).sum()),
    }
