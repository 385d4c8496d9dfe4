"""Regressions below a baseline during training: judged by a gate on the same bundles, reported once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tellapart.bundles.gates import DropLimits, run_board_gates
from tellapart.bundles.results import Scoreboard
from tellapart.bundles.rounding import rounded
from tellapart.bundles.scoreboards import Boards, Scored, load_scored
from tellapart.bundles.tier_names import ALIASES, OVERALL, TIERS
from tellapart.core.comparison import GateOutcome, fewest_losses
from tellapart.core.comparison.pairs import negated
from tellapart.core.score_grid import score_grid
from tellapart.core.score_notes import ScoreNotes
from tellapart.errors import Refused, UsageError, near_match

COARSE = 0.1
"""A tier is too small for a gate where a drop must be larger by this than the limit to be beyond noise."""

_SMALLEST_STEP = 0.01
"""Between two reports about one tier, even where the limit is 0."""

_NAME = "the baseline"


@dataclass(frozen=True)
class Baseline:
    """What later evaluations are held against.

    Attributes:
        name: Its path, or its model.
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
    """Compares the pass rate of a tier, or of all bundles, with a baseline.

    A regression is reported when the rate is first below the baseline by more than the limit, and again only
    if it deepens by the same amount: a long training cannot flood its log.
    """

    def __init__(self, baseline: Baseline, scope: str, max_drop: float) -> None:
        """Watch a tier, or ``overall``."""
        self._baseline, self._scope, self._max_drop = baseline, scope, max_drop
        self._reported = max_drop

    def caution(self, n: int) -> str:
        """Say what the watch cannot show on so many bundles; may be empty."""
        least = fewest_losses(n, self._max_drop)
        if least is None:
            return f"{self._scope} has n = {n}: too few bundles for any drop to be beyond noise"
        if least / n - self._max_drop > COARSE:
            return (
                f"{self._scope} has n = {n}: a drop of more than {self._max_drop:g} is beyond noise only "
                f"from {least} lost bundles on ({100 * least / n:.1f} points), so smaller ones will be "
                "unclear"
            )
        return ""

    def regression(self, board: Scoreboard, scores: pl.DataFrame) -> str:
        """Report a rate that is below the baseline by more than was reported before; may be empty."""
        before, now = (each.tiers[self._scope] for each in (self._baseline.board, board))
        if before.pass_rate is None or now.pass_rate is None:
            return ""
        drop = rounded(before.pass_rate - now.pass_rate)
        if drop <= self._reported:
            return ""
        self._reported = rounded(drop + max(self._max_drop, _SMALLEST_STEP))
        return (
            f"{self._scope} pass_rate is {now.pass_rate:.4g}, {drop:.4g} below the baseline's "
            f"{before.pass_rate:.4g} ({self._baseline.name}), n = {now.n}: {self._noise(board, scores)}"
        )

    def _noise(self, board: Scoreboard, scores: pl.DataFrame) -> str:
        # Intervals are too dear for every evaluation, so only what is below the limit is judged.
        if self._baseline.scored is None:
            return "whether that is more than noise is unknown without the baseline's scores of each bundle"
        boards = Boards(
            (self._baseline.scored, Scored(Path(), board, scores, ScoreNotes())), (_NAME, board.model)
        )
        limits = DropLimits(self._max_drop, self._scope)
        (judged,) = run_board_gates(boards, score_grid(boards.table), limits)
        gate = judged.gate
        change = gate.interval and negated(gate.interval)
        span = "" if change is None else f" ({change.low:+.4f} to {change.high:+.4f})"
        if gate.outcome is GateOutcome.FAILED:
            return f"more than {self._max_drop:g} below it beyond noise{span}"
        needed = gate.items_needed
        finds = f"; {needed:,} bundles would find a drop of {self._max_drop:g}" if needed else ""
        return f"unclear{span}: {gate.reason}{finds}"


def watched_scopes(watch: Sequence[str], sizes: Mapping[str, int], path: str) -> tuple[str, ...]:
    """Check what is watched, ``overall`` or tiers, against the tiers of an eval."""
    scopes = (OVERALL, *TIERS, *ALIASES)
    for scope in watch:
        if scope not in scopes:
            raise UsageError(
                f"watch names {scope!r}, expected a tier or 'overall'",
                next_step=near_match(str(scope), scopes),
            )
        if ALIASES.get(scope, scope) not in sizes:
            raise UsageError(
                f"watch names {scope!r}, but no bundle of {path} is in {ALIASES.get(scope, scope)}",
                next_step=f"Choose from {', '.join(sizes)}",
            )
    return tuple(dict.fromkeys(ALIASES.get(scope, scope) for scope in watch))
