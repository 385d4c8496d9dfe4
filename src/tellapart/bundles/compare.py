"""Comparing two scoreboards: from their files to a verdict and gates, or a refusal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tellapart.bundles.boards import Boards, Scored, load_boards
from tellapart.bundles.differences import Figures, figure_differences
from tellapart.bundles.flips import BundleFlip, bundle_flips
from tellapart.bundles.gates import FigureGate, Limits, check_units, run_board_gates, worst_outcome
from tellapart.core.comparison import Comparison, ComparisonSettings, GateOutcome, to_json
from tellapart.core.comparison import compare as compare_models
from tellapart.core.score_grid import ScoreGrid, score_grid


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
