import pytest

from audit.page.stored_figures import figures, flagged, load, two_models
from tellapart.audit.page import sentences


def test_items_that_look_broken_are_told_from_those_that_separate_nothing():
    found = figures()
    found["items_flagged"].append(flagged("q00", "duplicate", None, "q01"))
    # q00 passes everywhere and is a duplicate, which is told of it.
    assert sentences.items(load(found)) == (
        "3 of 100 items look broken (rank the models backwards 1, behave as another does 2); nothing is "
        "wrong with 2 others, but they separate nothing (passed by every model 1, failed by every model 1)"
    )
    found["items_flagged"] = [flagged("x", "all_fail", None)]
    assert sentences.items(load(found)) == (
        "nothing is wrong with 1 of 100 items, but it separates nothing (failed by every model 1)"
    )
    found["items_flagged"] = [flagged("x", "duplicate", None, "y"), flagged("x", "negative_discrimination")]
    assert sentences.items(load(found)) == (
        "1 of 100 items looks broken (rank the models backwards 1, behave as another does 1)"
    )
    assert sentences.items(load(two_models())) == "none of 10 items is flagged"


def test_what_is_not_known_says_why():
    view = load(two_models())
    assert sentences.reliability(view) == "no Cronbach's α: two models are too few"
    assert sentences.variance(view) == "not known: nothing varies"
    assert sentences.order(view) == "not known: fewer than 3 models"
    assert sentences.smallest(view) == "none: it takes 9 models"


def test_shares_of_the_variance_sum_to_one_and_negative_estimates_count_as_none():
    found = figures()
    found["variance"] |= {"model": -0.01, "item": 0.15, "model_item": 0.05}
    shares = sentences.variance_shares(load(found))
    assert shares == pytest.approx({"model": 0.0, "item": 0.75, "model_item": 0.25})


def test_a_set_that_is_not_confirmed_says_so():
    found = figures()
    found["smallest_set"] |= {"tau_heldout": None, "reason": "no model was held out"}
    assert sentences.smallest(load(found)) == (
        "30 of 100 items keep the ranking: τ 1.00 on the 2 models they were chosen on, not confirmed: "
        "no model was held out"
    )
