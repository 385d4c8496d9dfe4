import pytest

from report.audit.stored_figures import figures, flagged, two_models
from tellapart.report.audit import summaries
from tellapart.report.audit.record import load


def test_items_are_counted_once_and_by_what_is_the_matter():
    found = figures()
    found["items_flagged"].append(flagged("q00", "duplicate", None, "q01"))
    assert summaries.items(load(found)) == (
        "5 of 100 flagged: passed by every model 2; failed by every model 1; rank the models backwards 1; "
        "behave as another does 2"
    )
    assert summaries.items(load(two_models())) == "none of 10 items is flagged"


def test_what_is_not_known_says_why():
    view = load(two_models())
    assert summaries.reliability(view) == "no Cronbach's α: two models are too few"
    assert summaries.variance(view) == "not known: nothing varies"
    assert summaries.order(view) == "not known: fewer than 3 models"
    assert summaries.smallest(view) == "none: it takes 9 models"


def test_shares_of_the_variance_sum_to_one_and_negative_estimates_count_as_none():
    found = figures()
    found["variance"] |= {"model": -0.01, "item": 0.15, "model_item": 0.05}
    shares = summaries.variance_shares(load(found))
    assert shares == pytest.approx({"model": 0.0, "item": 0.75, "model_item": 0.25})


def test_a_set_that_is_not_confirmed_says_so():
    found = figures()
    found["smallest_set"] |= {"tau_heldout": None, "reason": "no model was held out"}
    assert summaries.smallest(load(found)) == (
        "30 of 100 items keep the ranking: τ 1.00 on the 2 models they were chosen on, not confirmed: "
        "no model was held out"
    )
