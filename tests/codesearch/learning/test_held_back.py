from pathlib import Path

import pytest

from codesearch.learning.learnt_cases import evaluation
from codesearch.learning.test_learnings import world
from tellapart.codesearch.learning.held_back import divide, held_back_words
from tellapart.codesearch.learning.labels import label_cases
from tellapart.codesearch.learning.learn import learnings, summary
from tellapart.core.comparison import Contrast, paired_effects

BENCHMARKS = str(Path(__file__).parents[3] / "benchmarks")


def test_halves_follow_from_the_ids_alone():
    cases = label_cases(world(11), "judged")
    suggesting, held = divide(cases)
    assert (len(suggesting), len(held)) == (6, 5)
    assert divide(tuple(reversed(cases))) == (suggesting, held)
    assert sorted(case.id for case in (*suggesting, *held)) == sorted(case.id for case in cases)
    # SHA-256 of c0 to c10, sorted: whoever has every second place is held back.
    assert [case.id for case in held] == ["c0", "c1", "c2", "c6", "c8"]


def test_what_holds_in_conversations_that_did_not_suggest_it_is_proposed_with_the_effect_there():
    learnt = learnings(evaluation(*world(24)))
    drop, search = learnt.proposals
    assert (drop.id, search.id) == ("drop_term:bad", "search_directory:r/lib/views")
    # The counts are of all conversations, the test is of the half that is held back.
    assert drop.weight == 72 and len(drop.conversations) == 24
    tested = drop.held_back
    # c0 lacks a verdict. In the others 3 of 6 files are noise, and then none: 2 of 2^11 flips are extreme,
    # and the search's 2 of 2^12 are less, so that Holm multiplies these by 1.
    assert tested is not None and tested.conversations == 11 and tested.confirmed
    assert (tested.difference, tested.p_adjusted) == (pytest.approx(0.5), pytest.approx(2 / 2**11))
    (alone,) = paired_effects([Contrast("", [1.0] * 11, [0.5] * 11)])
    assert (tested.p, tested.reason) == (alone.p, alone.reason or None)
    assert summary(learnt)[2] == f"  {held_back_words(drop)}"
    assert held_back_words(drop).startswith("precision with the change, beyond without: +0.50 (")


def test_what_only_some_conversations_suggest_is_a_candidate_with_the_number_that_would_settle_it():
    cases = world(24)
    held = {case.id for case in divide(label_cases(cases, "judged"))[1]}
    half = [case for case in cases if case.conversation.id not in held]
    learnt = learnings(evaluation(*half[:11]))
    assert learnt.proposals == () and {one.id for one in learnt.candidates} == {
        "drop_term:bad",
        "search_directory:r/lib/views",
    }
    words = held_back_words(learnt.candidates[0])
    assert "conversations in all would settle it" in words


def test_proposals_on_noise_are_rare(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    from learning_null import null_learnings

    drawn = [null_learnings(20, draw) for draw in range(12)]
    assert all(learnt.candidates for learnt in drawn)
    # At 5 % more than two of twelve have a chance of 2 %.
    assert sum(bool(learnt.proposals) for learnt in drawn) <= 2
