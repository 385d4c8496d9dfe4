"""Comparing two scoreboards: from their files to a verdict, gates, changes and flips, or a refusal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.bundles.eval_texts import anchor_texts
from tellapart.bundles.figures import MARGINS, TierStats
from tellapart.bundles.gates import DropLimits, TierGate, TierGateRecord, run_board_gates
from tellapart.bundles.rounding import rounded
from tellapart.bundles.scoreboards import Boards, Scored, load_boards
from tellapart.bundles.slice_fields import TIER
from tellapart.bundles.slices import Slices, SlicesRecord, slices_of
from tellapart.bundles.tier_names import OVERALL
from tellapart.bundles.tier_stats import stats_by_tier, why_margins_differ
from tellapart.core.comparison import (
    Comparison,
    ComparisonSettings,
    GateOutcome,
    PairComparison,
    flips,
    worst_outcome,
)
from tellapart.core.comparison import compare as compare_models
from tellapart.core.record import Record
from tellapart.core.score_grid import ScoreGrid, score_grid


class BoardSide(Record):
    """One of two scoreboards that are compared; tables call it by its label."""

    label: str
    scoreboard: str
    model: str
    checkpoint_path: str
    margin_unit: str | None
    eval_path: str
    fingerprint: str
    version: str | None


class BundleCounts(Record):
    """Bundles of A and B: ``moved`` to another tier in B, ``reshaped`` to another number of negatives."""

    a: int
    b: int
    shared: int
    moved: int
    reshaped: int


class FigureChange(Record):
    """A figure of two scoreboards; ``delta`` is B minus A, ``reason`` says why something is missing."""

    a: int | float | None
    b: int | float | None
    delta: int | float | None
    reason: str | None


class PassRateChange(FigureChange):
    """A pass rate of two scoreboards, with the test over the bundles that both have.

    Attributes:
        delta_shared: B minus A over those bundles.
        p_holm: Adjusted for all pairs and tiers that are compared.
    """

    delta_shared: float | None = None
    ci: tuple[float, float] | None = None
    p: float | None = None
    p_holm: float | None = None
    test: str | None = None


class BundleFlipRecord(Record):
    """A bundle that one of two models passes and the other fails.

    Attributes:
        anchor: The beginning of its anchor's text; None where the eval is not at hand.
        baseline: The score of the baseline, 1 for a pass.
        margin_a: The baseline's margin, in its model's unit.
        margin_b: The candidate's, in its own.
    """

    item: str
    anchor: str | None
    tier: str | None
    baseline: float
    candidate: float
    margin_a: float
    margin_b: float


class BoardComparisonRecord(Record):
    """What ``bundles compare --json`` prints of a baseline A and a candidate B.

    Attributes:
        fingerprints_match: Whether both are of one eval.
        exploratory: Whether they are of different evals, or of different bundles of one.
        items: Bundles of both.
        comparison: Of the pass rates.
        gates: Those that were requested.
        outcome: Of all gates together; None without a gate.
        tiers: By tier, after ``overall``, and figure of `TierStats` the change.
        flips: The bundles that flipped, the most decisive first.
        slices: What ``--by`` requested; None without it.
    """

    fingerprints_match: bool
    exploratory: bool
    a: BoardSide
    b: BoardSide
    items: BundleCounts
    comparison: Comparison
    gates: tuple[TierGateRecord, ...]
    outcome: GateOutcome | None
    tiers: dict[str, dict[str, PassRateChange | FigureChange]]
    flips: tuple[BundleFlipRecord, ...]
    slices: SlicesRecord | None = None


@dataclass(frozen=True)
class BoardComparison:
    """A candidate B held against a baseline A.

    Attributes:
        gates: Those that were requested.
        record: Everything as ``tellapart bundles compare --json`` prints it.
        slices: What the detail of the comparison is by; the tiers where None.
    """

    boards: Boards
    gates: tuple[TierGate, ...]
    record: BoardComparisonRecord
    slices: Slices | None = None

    @property
    def comparison(self) -> Comparison:
        """Of the pass rates: overall, and in every tier or slice as detail."""
        return self.record.comparison

    @property
    def outcome(self) -> GateOutcome | None:
        """Of all gates together; None without a gate."""
        return self.record.outcome

    def to_json(self) -> dict[str, Any]:
        """Give the record as JSON."""
        return self.record.model_dump(mode="json")


def compare(
    a: Path,
    b: Path,
    *,
    limits: DropLimits | None = None,
    allow_fingerprint_mismatch: bool = False,
    by: str | None = None,
) -> BoardComparison:
    """Compare the scoreboard of a candidate B with that of a baseline A."""
    boards = load_boards([a, b], allow_fingerprint_mismatch=allow_fingerprint_mismatch)
    slices = None if by is None else slices_of(boards, by)
    grid = score_grid(boards.table)
    comparison = compare_boards(boards, grid, baseline=boards.labels[0], slices=slices)
    gates = run_board_gates(boards, grid, limits or DropLimits())
    outcome = worst_outcome(judged.gate.outcome or GateOutcome.UNCLEAR for judged in gates)
    first, second = boards.boards
    record = BoardComparisonRecord(
        fingerprints_match=first.fingerprint == second.fingerprint,
        exploratory=boards.is_exploratory,
        a=_side(first, boards.labels[0]),
        b=_side(second, boards.labels[1]),
        items=_counts(boards),
        comparison=comparison,
        gates=tuple(gate.record() for gate in gates),
        outcome=outcome,
        tiers=figure_changes(boards, comparison),
        flips=bundle_flips(boards, grid),
        slices=None if slices is None else slices.record,
    )
    return BoardComparison(boards, gates, record, slices)


def compare_boards(
    boards: Boards,
    grid: ScoreGrid | None = None,
    *,
    baseline: str | None = None,
    slices: Slices | None = None,
) -> Comparison:
    """Compare the pass rates of models."""
    grid = score_grid(boards.table) if grid is None else grid
    if slices is None:
        return compare_models(grid, ComparisonSettings(baseline=baseline))
    settings = ComparisonSettings(baseline=baseline, by=slices.by)
    return compare_models(grid, settings, detail=slices.table(boards))


def _side(scored: Scored, label: str) -> BoardSide:
    board, header = scored.board, scored.board.eval_header
    return BoardSide(
        label=label,
        scoreboard=str(scored.path),
        model=board.model,
        checkpoint_path=board.checkpoint_path,
        margin_unit=board.margin_unit,
        eval_path=header.eval_path,
        fingerprint=header.fingerprint,
        version=header.version,
    )


def _counts(boards: Boards) -> BundleCounts:
    a, b = (scored.scores.select("item", "tier", "negatives") for scored in boards.boards)
    shared = a.join(b, on="item", suffix="_b")
    return BundleCounts(
        a=a.height,
        b=b.height,
        shared=shared.height,
        moved=boards.moved,
        reshaped=int((shared["negatives"] != shared["negatives_b"]).sum()),
    )


def figure_changes(
    boards: Boards, comparison: Comparison
) -> dict[str, dict[str, PassRateChange | FigureChange]]:
    """Give every figure of a baseline A and a candidate B, and B minus A."""
    a, b = boards.boards
    before, after = a.board.tiers, b.board.tiers
    if boards.moved:
        after = stats_by_tier(_in_tiers_of(a.scores, b.scores))
    units = why_margins_differ(a.board, b.board)
    names = [name for name in TierStats.model_fields if name != "ci95"]
    return {
        scope: {
            name: _pass_rate_change(boards, comparison, scope, change) if name == "pass_rate" else change
            for name in names
            for change in [_change(stats, after[scope], name, units)]
        }
        for scope, stats in before.items()
    }


def _in_tiers_of(a: pl.DataFrame, b: pl.DataFrame) -> pl.DataFrame:
    tiers_of_a = a.select("item", pl.col("tier").alias("tier_of_a"), pl.lit(True).alias("in_a"))
    tier = pl.when(pl.col("in_a").is_null()).then("tier").otherwise("tier_of_a").alias("tier")
    return b.join(tiers_of_a, on="item", how="left").with_columns(tier).drop("tier_of_a", "in_a")


def _change(before: TierStats, after: TierStats, name: str, units: str | None) -> FigureChange:
    a, b = getattr(before, name), getattr(after, name)
    empty = [side for side, stats in (("A", before), ("B", after)) if not stats.n]
    absent = [side for side, value in (("A", a), ("B", b)) if value is None]
    apart = units if name in MARGINS else None
    if empty:
        reason: str | None = f"no bundles in {' and '.join(empty)}"
    else:
        reason = f"not recorded in {' and '.join(absent)}" if absent else apart
    return FigureChange(a=a, b=b, delta=None if apart else _difference(a, b), reason=reason)


def _difference(a: float | None, b: float | None) -> float | None:
    """Give b - a; of counts a whole number."""
    if a is None or b is None:
        return None
    return b - a if isinstance(a, int) and isinstance(b, int) else rounded(b - a)


def _pass_rate_change(
    boards: Boards, comparison: Comparison, scope: str, plain: FigureChange
) -> PassRateChange:
    """Add the test of a scope, as B minus A."""
    pair = _pair(comparison, scope)
    if pair is None:
        return PassRateChange(**dict(plain))
    change, interval = pair.of(boards.labels[1])
    return PassRateChange(
        **dict(plain) | {"reason": pair.reason or plain.reason},
        delta_shared=change,
        ci=None if interval is None else (interval.low, interval.high),
        p=pair.p,
        p_holm=pair.p_adjusted,
        test=pair.test,
    )


def _pair(comparison: Comparison, scope: str) -> PairComparison | None:
    if scope == OVERALL:
        return comparison.primary.pairs[0]
    detail = comparison.secondary
    pairs = detail.pairs if detail is not None and detail.by == TIER else ()
    return next((pair for pair in pairs if pair.stratum == scope), None)


def bundle_flips(boards: Boards, grid: ScoreGrid) -> tuple[BundleFlipRecord, ...]:
    """List the bundles that flipped between a baseline A and a candidate B."""
    a, b = (
        scored.scores.select("item", "tier", "margin", size=pl.col("margin").abs().rank("average") / pl.len())
        for scored in boards.boards
    )
    both = a.join(b.drop("tier"), on="item", how="inner", suffix="_b")
    row_of = {item: row for row, item in enumerate(both["item"].to_list())}
    sizes = (both["size"] + both["size_b"]).to_list()
    weights = [sizes[row_of[item]] if item in row_of else 0.0 for item in grid.items.tolist()]
    flipped = flips(grid, boards.labels[1], boards.labels[0], weights)
    anchors = anchor_texts(boards.boards[0], [flip.item for flip in flipped])
    rows = [both.row(row_of[flip.item], named=True) for flip in flipped]
    return tuple(
        BundleFlipRecord(
            item=flip.item,
            anchor=anchors.get(flip.item),
            tier=row["tier"],
            baseline=flip.baseline,
            candidate=flip.candidate,
            margin_a=row["margin"],
            margin_b=row["margin_b"],
        )
        for flip, row in zip(flipped, rows, strict=True)
    )
