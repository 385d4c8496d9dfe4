import numpy as np
import pytest

from contrastive.fakes import ScriptedMatcher, make_benchmark, make_unit, make_units
from reference import ranking as slow
from tellapart.contrastive.controls import queries
from tellapart.contrastive.matching import match, match_swaps
from tellapart.contrastive.swaps import Swap


def by_hand(scores, name="scripted"):
    """A matcher that scores a document by the name of its function."""
    return ScriptedMatcher(lambda query, document: scores[query][document[4]], name)


def test_figures_by_hand():
    units = [*make_units("a", "b", "c"), make_unit("d", path="b.go", language="go", kind="method")]
    benchmark = make_benchmark(units, [], [("easy", "a", ["b", "c"]), ("hard", "d", ["b"])])
    # a: .5 against .8 and .5, so second or third. d: .9 against .3.
    matcher = by_hand({"about a": {"a": 0.5, "b": 0.8, "c": 0.5}, "about d": {"d": 0.9, "b": 0.3}})
    rows = match(benchmark, matcher, {"summary": ["about a", "about d"]}, model="m", source="gpt").to_dicts()
    shared = {"model": "m", "condition": "summary", "method": "embedding", "matcher": "scripted"}
    shared |= {"source": "gpt", "difficulty_score": 30.0, "difficulty": "easy", "missing": None}
    shared |= {"best_distractor": units[1].id, "replicate": 0}
    # Of language models only.
    shared |= dict.fromkeys(("order", "slot", "picked_slot", "confidence", "failure", "repaired"))
    first = {"item": f"easy/{units[0].id}", "level": "easy", "target": units[0].id, "path": "a.py"}
    first |= {"language": "python", "unit_type": "function", "options": 3}
    first |= {"correct": 0.0, "top3": 1.0, "top5": 1.0, "rank": 2, "ties": 1, "expected_rank": 2.5}
    first |= {"reciprocal_rank": (1 / 2 + 1 / 3) / 2, "confidence_gap": 0.8 - 0.5, "margin": 0.5 - 0.8}
    second = {"item": f"hard/{units[3].id}", "level": "hard", "target": units[3].id, "path": "b.go"}
    second |= {"language": "go", "unit_type": "method", "options": 2}
    second |= {"correct": 1.0, "top3": 1.0, "top5": 1.0, "rank": 1, "ties": 0, "expected_rank": 1.0}
    second |= {"reciprocal_rank": 1.0, "confidence_gap": 0.9 - 0.3, "margin": 0.9 - 0.3}
    for found, expected in zip(rows, (first, second), strict=True):
        assert found == {name: pytest.approx(value) if isinstance(value, float) else value
                         for name, value in (shared | expected).items()}  # fmt: skip


def conditions(benchmark):
    return {name: queries(benchmark, name, "docstring") for name in ("summary", "identifier", "shuffled")}


def test_a_constant_matcher_scores_chance_at_every_level(draft):
    matcher = ScriptedMatcher(lambda query, document: 0.25)
    rows = match(draft, matcher, conditions(draft), model="m", source="docstring")
    chance = {"trivial": 1 / 5, "easy": 1 / 5, "medium": 1 / 10, "hard": 1 / 10}
    chance |= {"very_hard": 1 / 20, "adversarial": 1 / 20}
    for (condition, level), group in rows.group_by("condition", "level"):
        assert group["correct"].unique().to_list() == [pytest.approx(chance[level])], condition
        assert group["top3"].unique().to_list() == [pytest.approx(3 * chance[level])]
        assert group["expected_rank"].unique().to_list() == [(1 / chance[level] + 1) / 2]
        assert set(group["margin"]) == set(group["confidence_gap"]) == {0.0}


def test_ranks_agree_with_every_order_listed(draft):
    def score(query, document):
        return len(query + document) % 3  # Few values, many ties.

    some = draft.sets.filter(draft.sets["level"] == "trivial")
    benchmark = type(draft)(draft.header, draft.units, draft.summaries, some)
    asked = queries(benchmark, "summary", "docstring")
    rows = match(benchmark, ScriptedMatcher(score), {"summary": asked}, model="m", source="docstring")
    assert rows["ties"].sum() > 50
    for row, query, others in zip(rows.to_dicts(), asked, some["distractors"], strict=True):
        options = [row["target"], *others]
        scores = [score(query, draft.units[draft.position[unit]].content) for unit in options]
        for name, figure in {
            "correct": lambda rank: int(rank == 1),
            "top3": lambda rank: int(rank <= 3),
            "expected_rank": lambda rank: rank,
            "reciprocal_rank": lambda rank: slow.Fraction(1, rank),
        }.items():
            assert row[name] == pytest.approx(slow.expectation(scores, 0, figure))
        assert row["best_distractor"] == others[int(np.argmax(scores[1:]))]


def test_swaps_by_hand():
    units = [make_unit("a"), make_unit("b", path="b.py")]
    benchmark = make_benchmark(units, [], [("easy", "a", ["b"])])
    swaps = [
        Swap(units[0].id, "order", "first", "last"),
        Swap(units[1].id, "number", "1", "2"),
        Swap(units[0].id, "identifier", "x", "y"),
    ]
    scores = {"first": {"a": 0.9}, "last": {"a": 0.2}, "1": {"b": 0.3}, "2": {"b": 0.4}}
    scores |= {"x": {"a": 0.5}, "y": {"a": 0.5}}
    found = match_swaps(benchmark, by_hand(scores), swaps, model="m")
    assert found.rows() == [
        ("m", units[0].id, "a.py", "order", "first", "last", 1.0, None),
        ("m", units[1].id, "b.py", "number", "1", "2", 0.0, None),
        ("m", units[0].id, "a.py", "identifier", "x", "y", 0.5, None),
    ]
