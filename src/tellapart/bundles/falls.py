"""Falls below a baseline during training: noticed, tested on the same bundles, and told once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.bundles.compare import Scored, load_scored
from tellapart.bundles.comparison import compare_scores
from tellapart.bundles.rounding import rounded
from tellapart.bundles.scoreboard import Scoreboard
from tellapart.errors import Refused, UsageError

_ALPHA = 0.05

_SMALLEST_STEP = 0.01
"""Between two warnings about one figure, even where the limit is 0."""


@dataclass(frozen=True)
class Baseline:
    """What later evaluations are held against.

    Attributes:
        name: Its path, or its model.
        board: Its figures.
        scores: Its scores of each bundle; None where only the figures are at hand.
    """

    name: str
    board: Scoreboard
    scores: pl.DataFrame | None


def load_baseline(source: str | Path | Scored | Scoreboard, fingerprint: str) -> Baseline:
    """Take a baseline of the eval with ``fingerprint``.

    Args:
        source: The path of a scoreboard with its scores beside it, or either that was read from one.
        fingerprint: Of the eval that is going to be scored.

    Raises:
        InputError: The scoreboard or its scores cannot be read.
        Refused: It is of another eval.
    """
    if isinstance(source, str | Path):
        source = load_scored(Path(source))
    if isinstance(source, Scored):
        baseline = Baseline(str(source.path), source.board, source.scores)
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


class FallWatch:
    """Compares evaluations with a baseline.

    A fall is told when a figure is first below the baseline by more than its limit, and again only when it
    has fallen by as much once more: a long training cannot flood its log.
    """

    def __init__(self, baseline: Baseline, scope: str, limits: dict[str, float | None]) -> None:
        """Watch figures of one tier.

        Args:
            baseline: What to hold against.
            scope: A tier, or ``overall``.
            limits: By figure of ``TierStats``, how far it may fall; None to leave it alone.

        Raises:
            UsageError: A limit is negative or not finite.
        """
        for figure, limit in limits.items():
            if limit is not None and not 0 <= limit < math.inf:
                raise UsageError(
                    f"the limit for the drop of {figure} is {limit!r}, expected a number, 0 or more"
                )
        self._baseline = baseline
        self._scope = scope
        self._told = {figure: limit for figure, limit in limits.items() if limit is not None}
        self._steps = {figure: max(limit, _SMALLEST_STEP) for figure, limit in self._told.items()}

    def falls(self, board: Scoreboard, scores: pl.DataFrame) -> list[str]:
        """Say what has fallen and was not told before.

        Args:
            board: Of this evaluation.
            scores: Of each bundle; rows of ``SCORE_SCHEMA``.

        Returns:
            A sentence each.
        """
        fallen = []
        for figure, told in self._told.items():
            drop = self._drop(board, figure)
            if drop is not None and drop > told:
                self._told[figure] = rounded(drop + self._steps[figure])
                fallen.append(figure)
        if not fallen:
            return []
        tests = self._tests(scores)
        return [self._sentence(board, figure, tests) for figure in fallen]

    def _drop(self, board: Scoreboard, figure: str) -> float | None:
        before, now = (getattr(one.tiers[self._scope], figure) for one in (self._baseline.board, board))
        return None if before is None or now is None else rounded(before - now)

    def _tests(self, scores: pl.DataFrame) -> dict[str, Any] | None:
        # The bootstrap behind it is too dear for every evaluation, so only a fall is tested.
        if self._baseline.scores is None:
            return None
        fingerprint = self._baseline.board.eval_header.fingerprint
        compared = compare_scores(self._baseline.scores, scores, names=(fingerprint,))
        found: dict[str, Any] = compared["tiers"][self._scope]
        return found

    def _sentence(self, board: Scoreboard, figure: str, tests: dict[str, Any] | None) -> str:
        before, now = (getattr(one.tiers[self._scope], figure) for one in (self._baseline.board, board))
        return (
            f"{self._scope} {figure} is {now:.4g}, {before - now:.4g} below the baseline's {before:.4g} "
            f"({self._baseline.name}): {_noise(tests and tests[figure])}"
        )


def _noise(test: dict[str, Any] | None) -> str:
    if test is None:
        return "whether that is more than noise is unknown without the baseline's scores of each bundle"
    if test["p"] is None or test["ci"] is None:
        return f"whether that is more than noise is unknown ({test['reason']})"
    low, high = test["ci"]
    # By the test that is named: for a few discordant bundles the interval beside it is too narrow.
    verdict = "more than noise" if test["p"] < _ALPHA else "within noise"
    return (
        f"{verdict} on the same bundles (95 % {low:+.4f} to {high:+.4f}, p = {test['p']:.2g}, {test['test']})"
    )
