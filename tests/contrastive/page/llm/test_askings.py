"""Every asking of an item, for the browser of items."""

from contrastive.page.stored_llms import DECLINED
from tellapart.contrastive.page.browser import items_data


def test_the_answer_of_an_item_is_that_of_most_askings(llm_view):
    data = items_data(llm_view)
    bm25, _, large, small = data["answers"]
    first = llm_view.sets["distractors"][0]
    # Right once and third once: half is not most.
    assert large[0] == [0.5, 2.0, 0, None, None, data["units"].index(first[1])]
    assert small[0] == [1.0, 1.0, 0, None, None, data["units"].index(first[1])]
    assert small[DECLINED] == "refusal (declined to answer)"
    assert bm25[0] == [1.0, 1, 0, 0.5, 0.5, data["units"].index(first[0])]
