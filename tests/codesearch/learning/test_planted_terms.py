"""A noisy term in a system that really searches: named first, with the effect that a real iteration has."""

import pytest

from codesearch.as_json import as_json
from codesearch.learning.planted_search import World
from tellapart.codesearch.learning.learn import learnings

learnings = as_json(learnings)


def effect_is_real(proposal, record):
    """Whether the effect that was counted is what the next iteration measures, to the last bit."""
    for name, change in proposal["effect"].items():
        assert change["after"] == record["metrics"]["measures"][name]["macro"]


def test_a_noisy_term_is_named_first_with_its_counts_and_the_effect_of_a_real_iteration(tmp_path):
    world = World(tmp_path)
    evaluation, _ = world.iterate(1)
    found = learnings(evaluation)
    # Each of 6 searches gives two good files and three notes; todo is in all notes, draft in one of them too.
    assert {case.ground_truth for case in evaluation.cases} == {
        frozenset({f"shop/{case.conversation.id[:-2]}_{part}.py" for part in ("model", "view")})
        for case in evaluation.cases
    }
    assert (found["basis"], found["traced_by"]) == ("judged", "system")
    todo, draft, *good = found["terms"]
    counts = ("term", "noise", "relevant", "open", "noise_alone", "relevant_alone", "files")
    assert [todo[name] for name in counts] == ["todo", 18, 0, 0, 12, 0, 30]
    assert [draft[name] for name in counts] == ["draft", 6, 0, 0, 0, 0, 30]
    assert [[one[name] for name in counts[1:]] for one in good] == [[0, 2, 0, 0, 2, 5]] * 6
    assert [one["id"] for one in found["candidates"]] == ["drop_term:todo", "rank_term_lower:draft"]
    drop = found["candidates"][0]
    assert len(drop["conversations"]) == 6 and drop["could_hurt"] == {} and drop["emptied"] == []
    precision, recall = drop["effect"]["precision"], drop["effect"]["recall"]
    assert (precision["before"], precision["after"]) == (pytest.approx(2 / 5), pytest.approx(2 / 3))
    assert (recall["before"], recall["after"], recall["difference"], recall["p"]) == (1, 1, 0, 1)
    # All of six conversations rise: 2 of 2^6 ways to flip signs; todo alone is used by three or more.
    assert (drop["p"], drop["p_holm"], drop["beyond_chance"]) == (2 / 64, 2 / 64, True)
    assert drop["withheld"] is None and drop["weight"] == 12
    assert drop["evidence"]["files"] == ["shop/note_1.py", "shop/note_2.py"]
    effect_is_real(drop, world.iterate(2, without=["todo"])[1])


def test_a_term_that_an_area_needs_is_named_with_that_area(tmp_path):
    world = World(tmp_path, billing=True)
    evaluation, before = world.iterate(1)
    found = learnings(evaluation)
    drop = found["candidates"][0]
    assert drop["id"] == "drop_term:todo"
    # In catalog: two notes and three views of billing. In billing: two notes, the views of the two others
    # and, as the only way to it, the issue's own view.
    assert drop["evidence"]["noise_alone"] == 6 * 5 + 3 * 4
    assert drop["evidence"]["relevant_alone"] == 3
    assert drop["could_hurt"] == {"billing": {"recall": -0.5, "relevant_lost": 3}}
    precision, recall = drop["effect"]["precision"], drop["effect"]["recall"]
    # Catalog has 2 of 8 files, then 2 of 3; billing 2 of 7, then 1 of 2.
    assert precision["before"] == pytest.approx((6 * 2 / 8 + 3 * 2 / 7) / 9)
    assert precision["after"] == pytest.approx((6 * 2 / 3 + 3 * 1 / 2) / 9)
    assert (recall["before"], recall["after"]) == (1, pytest.approx(7.5 / 9))
    assert (recall["p"], drop["p"]) == (2 / 8, 2 / 512)
    after = world.iterate(2, without=["todo"])[1]
    effect_is_real(drop, after)
    assert after["metrics"]["by_product_area"]["billing"]["recall"] == 0.5
    assert before["metrics"]["by_product_area"]["billing"]["recall"] == 1
