"""Every asking of an item, for the browser of items."""

from contrastive.page.stored_llms import DECLINED
from tellapart.contrastive.page.browser import askings, items_data


def test_each_item_has_its_askings_in_order(llm_view):
    found = askings(llm_view, "acme/large")
    # The first item's target stands in slot 1 of 5, then in slot 3; its second and fourth call failed.
    assert found[0] == [
        [0, 0, 1, 1, 1, 0.75, None],
        [0, 1, 1, None, None, None, "provider (rate limit, 429)"],
        [1, 0, 3, 1, 3, 0.75, None],
        [1, 1, 3, None, None, None, "provider (rate limit, 429)"],
    ]
    assert [len(asked) for asked in found] == [4] * 8


def test_the_answer_of_an_item_is_that_of_most_askings(llm_view):
    data = items_data(llm_view)
    bm25, _, large, small = data["answers"]
    first = llm_view.sets["distractors"][0]
    # Right once and third once: half is not most.
    assert large[0] == [0.5, 2.0, 0, None, None, data["units"].index(first[1])]
    assert small[0] == [1.0, 1.0, 0, None, None, data["units"].index(first[1])]
    assert small[DECLINED] == "refusal (declined to answer)"
    assert bm25[0] == [1.0, 1, 0, 0.5, 0.5, data["units"].index(first[0])]
