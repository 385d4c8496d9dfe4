"""``gold`` of an evaluation: system, explorers and judge, each held against the gold files."""

from __future__ import annotations

from tellapart.codesearch.results.types import Bounds, Counts
from tellapart.core.estimate import Estimate
from tellapart.core.record import StoredRecord


class GoldRecord(StoredRecord):
    """The gold files of one conversation; see `case.Gold`."""

    files: tuple[str, ...]
    absent: tuple[str, ...] = ()
    left_out: Counts = {}


class RankedAgainstGold(StoredRecord):
    """The order of what a system returned, held against gold.

    Attributes:
        recall_at: By k, the share of gold among the first k.
        acc_at: By k, how often all gold is among the first k.
        mrr: One over the place of the first that is gold, 0 without one.
        ndcg: nDCG of the first ten.
        bounds: Of each, by the name of its score table, over what is missing.
    """

    recall_at: dict[str, Estimate]
    acc_at: dict[str, Estimate]
    mrr: Estimate
    ndcg: Estimate
    bounds: dict[str, Bounds]


class SetAgainstGold(StoredRecord):
    """All files that somebody found, held against gold: means over conversations."""

    recall: Estimate
    precision: Estimate
    f1: Estimate


class ExplorersAgainstGold(StoredRecord):
    """How far the blind explorations agree with gold: each run, and the union that is the ground truth."""

    run_a: SetAgainstGold
    run_b: SetAgainstGold
    union: SetAgainstGold


class JudgeAgainstGold(StoredRecord):
    """The verdicts on files that only the system found, held against gold: shares of files.

    Attributes:
        recall: Of the gold files among them, those that the judge calls relevant.
        precision: Of those that it calls relevant, those that are gold.
        agreement: Of all, those of which judge and gold say the same.
    """

    recall: Estimate
    precision: Estimate
    agreement: Estimate


class GoldSummary(RankedAgainstGold):
    """Gold figures of a whole evaluation.

    Attributes:
        conversations: That have a gold file in the tree.
        absent: Gold files that the searched tree does not hold.
        left_out: Gold files that a rule leaves out, by rule.
        missing: Conversations without a score, by cause: ``search``, ``no_gold``, ``not_in_tree``,
            ``left_out``.
        system_against_gold: All files that the system returned, whatever their order.
        explorers_against_gold: What the method rests on.
        judge_against_gold: None without a verdict.
    """

    form: str
    conversations: int
    files: int
    absent: int
    left_out: Counts
    missing: Counts
    system_against_gold: SetAgainstGold
    explorers_against_gold: ExplorersAgainstGold
    judge_against_gold: JudgeAgainstGold | None = None
