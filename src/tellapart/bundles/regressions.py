"""Regressions below a baseline during training: judged by a gate on the same bundles, reported once."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from pathlib import Path

import polars as pl

from tellapart.bundles.figures import MARGINS
from tellapart.bundles.gates import DropLimits, FigureGate, margin_spread, run_board_gates
from tellapart.bundles.results import Scoreboard
from tellapart.bundles.rounding import rounded
from tellapart.bundles.scoreboards import Boards, Scored, load_scored
from tellapart.bundles.tier_stats import RESCORE
from tellapart.core.comparison import GateOutcome, check_limit, fewest_losses
from tellapart.core.figure_units import VECTOR_SIMILARITIES
from tellapart.core.score_grid import score_grid
from tellapart.core.score_notes import ScoreNotes
from tellapart.errors import Refused

COARSE = 0.1
"""A tier is too small for a gate where a drop must be larger by this than the limit to be beyond noise."""

_SMALLEST_STEP = 0.01
"""Between two reports about one figure, even where the limit is 0."""

_NAME = "the baseline"


@dataclass(frozen=True)
class Baseline:
    """What later evaluations are held against.

    Attributes:
        name: Its path, or its model.
        board: Its figures.
        scored: The same with its scores of each bundle; None where only the figures are at hand.
    """

    name: str
    board: Scoreboard
    scored: Scored | None


def load_baseline(source: str | Path | Scored | Scoreboard, fingerprint: str) -> Baseline:
    """Take a baseline of the eval with ``fingerprint``."""
    if isinstance(source, str | Path):
        source = load_scored(Path(source))
    if isinstance(source, Scored):
        baseline = Baseline(str(source.path), source.board, source)
    else:
        baseline = Baseline(f"of model {source.model!r}", source, None)
    header = baseline.board.eval_header
    if header.fingerprint != fingerprint:
        raise Refused(
            f"the baseline {baseline.name} is of another eval"
            f"\n  baseline  EVAL_FINGERPRINT: {header.fingerprint}  {header.eval_path}"
            f"\n  this eval EVAL_FINGERPRINT: {fingerprint}",
            next_step="Score the baseline's model on this eval with 'tellapart bundles score'",
        )
    return baseline


class RegressionWatch:
    """Compares evaluations with a baseline.

    A regression is reported when a figure is first below the baseline by more than its limit, and again only
    if it deepens by the same amount: a long training cannot flood its log.
    """

    def __init__(
        self,
        baseline: Baseline,
        scope: str,
        *,
        max_drop: float | None,
        max_q10_drop: float | None,
        similarity: str | None = None,
    ) -> None:
        """Watch figures of one tier."""
        if max_drop is not None:
            check_limit(max_drop, "max_drop")
        if max_q10_drop is not None:
            check_limit(max_q10_drop, "max_q10_drop", inf)
        self._baseline = baseline
        self._scope = scope
        limits = {"pass_rate": max_drop, "q10_margin": max_q10_drop}
        unit = baseline.board.units.get(MARGINS[0])
        known = None if unit is None else unit.unit
        # Until a model is there, any similarity between vectors may be its own.
        mismatch = known != similarity if similarity else known not in VECTOR_SIMILARITIES
        self._units = None
        if max_q10_drop is not None and mismatch:
            self._units, limits["q10_margin"] = self._other_units(similarity), None
        self._limits = {figure: limit for figure, limit in limits.items() if limit is not None}
        self._reported = dict(self._limits)
        self._steps = {figure: max(limit, _SMALLEST_STEP) for figure, limit in self._limits.items()}

    def cautions(self, n: int) -> list[str]:
        """Say what the watch cannot do."""
        cautions = [self._units] if self._units else []
        if "pass_rate" in self._limits:
            limit = self._limits["pass_rate"]
            least = fewest_losses(n, limit)
            if least is None:
                cautions.append(f"{self._scope} has n = {n}: too few bundles for any drop to be beyond noise")
            elif least / n - limit > COARSE:
                cautions.append(
                    f"{self._scope} has n = {n}: a drop of more than {limit:g} is beyond noise only from "
                    f"{least} lost bundles on ({100 * least / n:.1f} points), so smaller ones will be unclear"
                )
        return cautions

    def regressions(self, board: Scoreboard, scores: pl.DataFrame) -> list[str]:
        """Report what is below the baseline by more than its limit and was not reported before."""
        unit = board.units.get(MARGINS[0])
        other = []
        if "q10_margin" in self._limits and unit != self._baseline.board.units.get(MARGINS[0]):
            other = [self._other_units(unit.unit if unit else None)]
            self._limits.pop("q10_margin")
            self._reported.pop("q10_margin")
        fallen = []
        for figure, reported in self._reported.items():
            drop = self._drop(board, figure)
            if drop is not None and drop > reported:
                self._reported[figure] = rounded(drop + self._steps[figure])
                fallen.append(figure)
        sentences = [self._sentence(board, figure, self._gate(board, scores, figure)) for figure in fallen]
        return other + sentences

    def _other_units(self, similarity: str | None) -> str:
        """Say why margins are not watched."""
        unit = self._baseline.board.units.get(MARGINS[0])
        these = f"in units of {similarity}" if similarity else "similarities of vectors"
        which = "of unknown unit" if unit is None else f"in units of {unit.unit}"
        return (
            f"q10_margin is not watched: the baseline's margins are {which}, and these are {these}. "
            f"{RESCORE}, or give max_q10_drop=None"
        )

    def _drop(self, board: Scoreboard, figure: str) -> float | None:
        before, now = (getattr(one.tiers[self._scope], figure) for one in (self._baseline.board, board))
        return None if before is None or now is None else rounded(before - now)

    def _gate(self, board: Scoreboard, scores: pl.DataFrame, figure: str) -> FigureGate | None:
        # Intervals are too dear for every evaluation, so only what is below the limit is judged.
        if self._baseline.scored is None:
            return None
        now = Scored(Path(), board, scores, ScoreNotes())
        boards = Boards((self._baseline.scored, now), (_NAME, board.model))
        limit = self._limits[figure]
        limits = (
            DropLimits(max_drop=limit, tier=self._scope)
            if figure == "pass_rate"
            else DropLimits(max_q10_drop=limit, tier=self._scope)
        )
        (gate,) = run_board_gates(boards, score_grid(boards.table), limits)
        return gate

    def _sentence(self, board: Scoreboard, figure: str, gate: FigureGate | None) -> str:
        before, now = (one.tiers[self._scope] for one in (self._baseline.board, board))
        old, new = getattr(before, figure), getattr(now, figure)
        spread = margin_spread(before, now) if figure == "q10_margin" else ""
        beside = f"; {spread}" if spread else ""
        return (
            f"{self._scope} {figure} is {new:.4g}, {old - new:.4g} below the baseline's {old:.4g} "
            f"({self._baseline.name}), n = {now.n}: {self._noise(gate, self._limits[figure])}{beside}"
        )

    def _noise(self, judged: FigureGate | None, limit: float) -> str:
        if judged is None:
            return "whether that is more than noise is unknown without the baseline's scores of each bundle"
        gate = judged.gate
        span = "" if gate.interval is None else f" ({gate.interval.low:+.4f} to {gate.interval.high:+.4f})"
        if gate.outcome is GateOutcome.FAILED:
            return f"more than {limit:g} below it beyond noise{span}"
        settle = (
            f"; with a change as observed, {gate.items_to_settle:,} bundles would settle it"
            if gate.items_to_settle
            else ""
        )
        return f"unclear{span}: {gate.reason}{settle}"
