"""A candidate held against a baseline on two evals at once: it passes only if it falls on neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tellapart.bundles.compare import BoardComparison, BoardComparisonRecord, compare
from tellapart.bundles.gates import DropLimits
from tellapart.bundles.scoreboards import Scored
from tellapart.bundles.tier_names import OVERALL
from tellapart.core.comparison import GateOutcome, worst_outcome
from tellapart.core.record import Record
from tellapart.errors import Refused, UsageError

FROZEN, ORGANIC = "frozen", "organic"

_ONE_MODEL = (
    "Score one model on both evals, each time with the same name: 'tellapart bundles score EVAL --model "
    "MODEL --name NAME --checkpoint CHECKPOINT --out FILE.json'"
)


class TwoEvalsRecord(Record):
    """What ``bundles gate --json`` prints.

    Attributes:
        outcome: Of both gates together.
        max_drop: How far either pass rate may fall.
        baseline: What the tables of the frozen eval call it.
        outcomes: How each gate ended, ``frozen`` and ``organic``.
        exploratory: Whether a pair is of different evals, or of different bundles of one.
        frozen: The comparison on the frozen eval, with its gate and the bundles that flipped.
    """

    outcome: GateOutcome
    max_drop: float
    baseline: str
    candidate: str
    outcomes: dict[str, GateOutcome]
    exploratory: bool
    frozen: BoardComparisonRecord
    organic: BoardComparisonRecord


@dataclass(frozen=True)
class TwoEvals:
    """A candidate and a baseline on two evals.

    Attributes:
        evals: By what each is called: on the frozen one with the gate on one of its tiers, on the organic one
            with the gate on all of its bundles.
        record: Everything as ``tellapart bundles gate --json`` prints it.
    """

    evals: dict[str, BoardComparison]
    record: TwoEvalsRecord

    @property
    def outcome(self) -> GateOutcome:
        """How both gates end together."""
        return self.record.outcome


def gate_two_evals(
    frozen: tuple[Path, Path],
    organic: tuple[Path, Path],
    *,
    max_drop: float,
    tier: str | None = None,
    allow_fingerprint_mismatch: bool = False,
) -> TwoEvals:
    """Hold a candidate against a baseline on two evals.

    Each gate is that of ``compare`` at its own level. To pass, both must. So the chance of passing a
    candidate that falls on one of them is no larger than that of its gate alone, and nothing is corrected.

    Source:
        Berger 1982, "Multiparameter hypothesis testing and acceptance sampling", for why both at their level.
    """
    limits = DropLimits(max_drop, tier=tier), DropLimits(max_drop, tier=OVERALL)
    first, second = (
        compare(*pair, limits=limit, allow_fingerprint_mismatch=allow_fingerprint_mismatch)
        for pair, limit in zip((frozen, organic), limits, strict=True)
    )
    _check_evals(first, second)
    for at, what in enumerate(("baselines", "candidates")):
        _check_one_model(what, [comparison.boards.boards[at] for comparison in (first, second)])
    outcomes = {
        name: comparison.outcome or GateOutcome.UNCLEAR
        for name, comparison in ((FROZEN, first), (ORGANIC, second))
    }
    record = TwoEvalsRecord(
        outcome=worst_outcome(outcomes.values()) or GateOutcome.UNCLEAR,
        max_drop=max_drop,
        baseline=first.record.a.label,
        candidate=first.record.b.label,
        outcomes=outcomes,
        exploratory=first.record.exploratory or second.record.exploratory,
        frozen=first.record,
        organic=second.record,
    )
    return TwoEvals({FROZEN: first, ORGANIC: second}, record)


def _check_evals(frozen: BoardComparison, organic: BoardComparison) -> None:
    prints = [{board.fingerprint for board in comparison.boards.boards} for comparison in (frozen, organic)]
    for shared in prints[0] & prints[1]:
        raise UsageError(
            f"--frozen and --organic are both of the eval with EVAL_FINGERPRINT: {shared}",
            next_step="Give one of them scoreboards of another eval. For one eval alone there is 'tellapart "
            "bundles compare A B --max-drop 0.02'",
        )


def _check_one_model(what: str, boards: Sequence[Scored]) -> None:
    models = [scored.board.model for scored in boards]
    checkpoints = [scored.board.checkpoint_path for scored in boards]
    if len(set(models)) == 1 and len(set(filter(None, checkpoints))) < 2:
        return
    names = [
        f"{model!r}{f' ({checkpoint})' if checkpoint else ''} in {scored.path}"
        for model, checkpoint, scored in zip(models, checkpoints, boards, strict=True)
    ]
    raise Refused(f"the {what} are not one model: {names[0]} and {names[1]}", next_step=_ONE_MODEL)
