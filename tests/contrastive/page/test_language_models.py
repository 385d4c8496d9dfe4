"""What the report says of language models: places, changes, what is missing, and who wrote."""

import polars as pl
import pytest

from tellapart.contrastive.page.browser import items_data

OVERLAP, HASTY = "offline/overlap", "offline/hasty"


def test_the_browser_has_every_asking_and_one_answer_an_item(llm_view):
    data = items_data(llm_view)
    assert data["askings"][0] is None
    first = data["items"][0][0]
    rows = llm_view.items.filter(pl.col("model") == OVERLAP, pl.col("item") == first).sort("replicate")
    assert [asking[:3] for asking in data["askings"][1][0]] == [
        [i // 2, i % 2, slot] for i, slot in enumerate(rows["slot"])
    ]
    correct, rank, *_, best = data["answers"][1][0]
    assert (correct, rank) == (rows["correct"].mean(), pytest.approx(rows["rank"].mean(), abs=0.01))
    assert best in rows["best_distractor"].to_list()
    assert set(map(len, (data["items"], *data["answers"], *data["askings"][1:]))) == {36}
