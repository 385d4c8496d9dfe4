"""Language models beside embedding models: agreement, combined ranks, confidence."""

from report.contrastive.shown import texts
from tellapart.report.contrastive.llm.agreement import agreement, combined
from tellapart.report.contrastive.llm.confidence import stated


def test_agreement_gives_shares_of_the_items_that_both_answered(llm_view):
    # Of 8 items: 4 with the same choice, 2 both right, 1 and 2 only one, 3 both wrong.
    assert texts(agreement(llm_view)) == [
        ["acme/large", "bm25", "50.0", "0.25", "25.0", "12.5", "25.0", "37.5", "8"],
        ["acme/small", "bm25", "50.0", "–¹", "25.0", "12.5", "25.0", "37.5", "8"],
    ]


def test_models_without_a_common_item_have_no_shares(llm_view_of):
    none = dict.fromkeys(("n", "same_pick", "both_right", "only_llm", "only_embedding", "both_wrong"), 0)
    pair = {"llm": "acme/large", "embedding": "bm25", "kappa": None, **none}
    found = agreement(llm_view_of(agreement=[pair]))
    assert texts(found) == [["acme/large", "bm25", "–¹", "–²", "–¹", "–¹", "–¹", "–¹", "0"]]
    assert found.notes()[1] == "–¹ no item that both answered"


def test_combined_is_the_mean_of_both_kinds(llm_view):
    assert texts(combined(llm_view)) == [["docstring", "0.700", "0.800", "0.750", "8", "0"]]


def test_stated_confidence(llm_view):
    found = stated(llm_view)
    assert texts(found) == [
        ["acme/large", "0.80", "0.70", "0.625", "0.375", "28"],
        ["acme/small", "0.80", "–¹", "–²", "0.375", "28"],
    ]
    assert found.notes()[1:] == ["–¹ no answer was wrong", "–² answers are all right or all wrong"]


def test_runs_without_language_models_have_none_of_this(view):
    assert (agreement(view), combined(view), stated(view)) == (None, None, None)
