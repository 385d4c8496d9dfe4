"""System, explorers and judge against gold: by hand, and as ir_measures has them."""

from dataclasses import replace

import pytest

from codesearch.explored_cases import case, files
from tellapart.codesearch.metrics.gold import MEASURES, against_gold, score
from tellapart.codesearch.model import Gold


def golden(number, ours, gold, a="ab", b="bc", *, absent="", judged=None, **fields):
    made = case(number, a, b, ours, judged=judged)
    return replace(made, gold=Gold(files(gold), absent=files(absent)), **fields)


def values(one):
    return {name: score(one, measure).value for name, measure in MEASURES.items()}


def test_by_hand():
    # Gold b and d, at places 2 and 6 of x b y z w d.
    found = values(golden(1, "xbyzwd", "bd"))
    assert found["gold_recall_at_5"] == 0.5 and found["gold_recall_at_10"] == 1
    assert (found["gold_acc_at_1"], found["gold_acc_at_5"], found["gold_acc_at_10"]) == (0, 0, 1)
    assert found["gold_mrr"] == 0.5
    # (1 / log2 3 + 1 / log2 7) / (1 + 1 / log2 3)
    assert found["gold_ndcg_at_10"] == pytest.approx(0.605260, abs=1e-6)
    assert values(golden(1, "b", "b"))["gold_acc_at_1"] == 1
    assert set(values(golden(1, "", "b")).values()) == {0}


def test_what_is_missing_is_counted_by_cause():
    cases = [
        golden(1, "ab", "a"),
        golden(2, "xy", "", absent="z"),
        replace(golden(3, "a", "a"), gold=None),
        replace(golden(4, "a", ""), gold=Gold((), left_out={"test": 2})),
        golden(5, "c", "c", absent="z"),
    ]
    found = against_gold(cases, form="it", failed=2)
    assert found.missing == {"left_out": 1, "no_gold": 1, "not_in_tree": 1, "search": 2}
    assert (found.conversations, found.files, found.absent, found.left_out) == (2, 2, 2, {"test": 2})
    # Two are right, one of them but for a file that is not there.
    assert found.acc_at["1"].value == 1 and found.acc_at["1"].n == 2
    assert against_gold([case(1, "a", "b")], form="it") is None


def test_lines_are_held_against_the_hunks_of_the_fix_in_the_tree_that_they_are_of():
    hunks = {"repo/b": ((3, 5), (9, 10)), "repo/d": ((1, 1),)}
    named = {"repo/b": (2, 3, 10), "repo/x": (1,)}
    one = golden(1, "xb", "bd", lines=named)
    one = replace(one, gold=replace(one.gold, lines=hunks))
    # Lines 3 and 10 of b are in a hunk; line 2 of it, and what is not gold, are not.
    found = against_gold([one, golden(2, "b", "b")], form="it", at_base=True)
    assert (found.lines.value, found.lines.n) == (0.5, 1)
    assert against_gold([one], form="it").lines is None


def test_explorers_and_judge_beside_it():
    # Gold a, b, d. Run A finds a, b; run B b, c; both together a, b, c; only we find d, and e.
    one = golden(1, "ade", "abd", judged="d")
    failed = replace(golden(2, "a", "a", a=None), verdicts={})
    found = against_gold([one, failed], form="it")
    first, second = (getattr(found.explorers_against_gold, role) for role in ("run_a", "run_b"))
    assert (first.recall.value, first.precision.value, first.recall.n) == (2 / 3, 1, 1)
    assert (second.recall.value, second.recall.n) == ((1 / 3 + 0) / 2, 2)
    union = found.explorers_against_gold.union
    assert (union.recall.value, union.precision.value) == ((2 / 3 + 0) / 2, (2 / 3 + 0) / 2)
    assert found.system_against_gold.recall.value == pytest.approx((2 / 3 + 1) / 2)
