"""Answers of matchers: figures by hand, ties, conditions, swaps, and several answers to one item."""

import polars as pl
import pytest

from contrastive.fakes import ScriptedMatcher, item_rows, make_benchmark, make_unit, make_units
from tellapart.contrastive.answers import (
    CONTROLS,
    MEANS,
    SHUFFLES,
    answer,
    match,
    match_swaps,
    once,
    queries,
    score_rows,
)
from tellapart.contrastive.swaps import Swap

CHANCE = {"trivial": 5, "easy": 5, "medium": 10, "hard": 10, "very_hard": 20, "adversarial": 20}


def by_hand(scores, name="scripted"):
    """A matcher that scores a document by the name of its function."""
    return ScriptedMatcher(lambda query, document: scores[query][document[4]], name)


def test_figures_by_hand():
    units = [*make_units("a", "b", "c"), make_unit("d", path="b.go", language="go", kind="method")]
    texts = [("a", "gpt", "about a"), ("d", "gpt", "about d")]
    benchmark = make_benchmark(
        units, texts, [("easy", "a", ["b", "c"]), ("hard", "d", ["b"]), ("hard", "b", ["a"])]
    )
    # a: .5 against .8 and .5, so second or third. d: .9 against .3. Nobody has said anything of b.
    matcher = by_hand({"about a": {"a": 0.5, "b": 0.8, "c": 0.5}, "about d": {"d": 0.9, "b": 0.3}})
    first, second, third = match(
        benchmark, matcher, queries(benchmark, "summary", "gpt"), model="m", source="gpt"
    ).to_dicts()
    shared = {"model": "m", "condition": "summary", "method": "embedding", "source": "gpt", "replicate": 0}
    assert shared.items() <= first.items()
    about_a = {"target": 0, "best_distractor": 1, "path": "a.py", "options": 3, "rank": 2, "ties": 1}
    assert about_a.items() <= first.items()
    figures = {"correct": 0, "top3": 1, "expected_rank": 2.5, "reciprocal_rank": (1 / 2 + 1 / 3) / 2}
    figures |= {"confidence_gap": 0.8 - 0.5, "margin": 0.5 - 0.8}
    assert {name: first[name] for name in figures} == pytest.approx(figures)
    about_d = {"target": 3, "best_distractor": 1, "rank": 1, "ties": 0}
    about_d |= {"language": "go", "unit_type": "method"}
    assert about_d.items() <= second.items()
    assert (third["rank"], third["missing"], third["correct"]) == (None, "infeasible", None)
    scores = score_rows(pl.DataFrame([first, third], schema_overrides={"missing": pl.String}))
    assert scores.select("score", "missing", "cluster", "difficulty").rows() == [
        (pytest.approx(5 / 12), None, "a.py", "easy"),
        (None, "infeasible", "a.py", "hard"),
    ]


def test_a_constant_matcher_scores_chance_under_every_condition(draft):
    items, swaps = answer(draft, ScriptedMatcher(lambda query, document: 0.25))
    assert set(items["condition"]) == {"summary", *CONTROLS}
    for (condition, level), group in items.group_by("condition", "level"):
        options = CHANCE[level]
        assert group["correct"].unique().to_list() == [pytest.approx(1 / options)], condition
        assert group["expected_rank"].unique().to_list() == [(options + 1) / 2]
        assert set(group["margin"]) == set(group["confidence_gap"]) == {0.0}
    assert set(swaps["preferred"]) == {0.5}


def test_a_shuffled_query_describes_none_of_the_options_and_a_pool_has_none(draft):
    texts = [draft.texts["docstring"].get(unit.id) for unit in draft.units]
    asked = queries(draft, "shuffled", "docstring")
    assert asked.height == SHUFFLES * draft.sets.height
    for number, query in asked.select("number", "query").iter_rows():
        row = draft.sets.row(number, named=True)
        assert query not in {texts[unit] for unit in (row["target"], *row["distractors"])}
    # 1,560 draws among 52 texts, 30 each on average: all of them come up, none dominates.
    counts = asked["query"].value_counts()
    assert counts.height == 52
    assert counts["count"].max() < 60
    pool = type(draft)(
        draft.header, draft.units, draft.summaries, draft.sets.with_columns(level=pl.lit("pool"))
    )
    assert queries(pool, "shuffled", "docstring").is_empty()


def test_swaps_by_hand():
    units = [make_unit("a"), make_unit("b", path="b.py")]
    benchmark = make_benchmark(units, [], [("easy", "a", ["b"])])
    swaps = [
        Swap(0, "order", "first last", "first", "last"),
        Swap(1, "number", "1", "1", "2"),
        Swap(0, "identifier", "x", "x", "y"),
    ]
    scores = {"first": {"a": 0.9}, "last": {"a": 0.2}, "1": {"b": 0.3}, "2": {"b": 0.4}}
    scores |= {"x": {"a": 0.5}, "y": {"a": 0.5}}
    assert match_swaps(benchmark, by_hand(scores), swaps, model="m").rows() == [
        ("m", 0, "a.py", "order", "first", "last", 1.0, None),
        ("m", 1, "b.py", "number", "1", "2", 0.0, None),
        ("m", 0, "a.py", "identifier", "x", "y", 0.5, None),
    ]


def test_several_answers_to_an_item_are_their_mean_over_those_with_a_score():
    item = {"item": "easy/x", "path": "x.py"}
    rows = item_rows(
        {**item, "rank": 1, "replicate": 0},
        {"rank": 4},
        {**item, "rank": 4, "replicate": 1},
        {**item, "missing": "refusal", "replicate": 2},
        {**item, "rank": 2, "ties": 1, "replicate": 3},
        {**item, "model": "n", "missing": "parse", "replicate": 0},
        {**item, "model": "n", "missing": "parse", "replicate": 1},
    )
    found = once(rows)
    assert found["correct"].to_list() == [pytest.approx(1 / 3), 0.0, None]
    assert found["expected_rank"].to_list() == [pytest.approx((1 + 4 + 2.5) / 3), 4.0, None]
    assert found["reciprocal_rank"].to_list() == [pytest.approx((1 + 1 / 4 + 5 / 12) / 3), 0.25, None]
    assert found["low"].to_list() == [1 / 4, 0.0, 0.0]
    assert found["high"].to_list() == [2 / 4, 0.0, 1.0]
    assert found["tied"].to_list() == [True, False, False]
    alone = item_rows({"rank": 1}, {"rank": 2, "ties": 2}, {"missing": "timeout"})
    assert once(alone).select(MEANS).equals(alone.select(MEANS))
