"""How much changes when the same is asked again."""

from contrastive.page.shown import texts
from tellapart.contrastive.page.llm_tables import flip_lines, flips


def test_flips_have_a_row_a_way_of_asking(llm_view):
    assert texts(flips(llm_view)) == [
        ["acme/large", "twice in the same order", "8", "1", "12.5 [2.0–47.0]"],
        ["acme/large", "in 2 orders", "8", "6", "75.0 [40.0–93.0]"],
        ["acme/small", "in 2 orders", "7", "0", "0.0 [no interval]"],
    ]


def test_flips_in_words_and_what_was_not_measured(llm_view):
    assert flip_lines(llm_view) == [
        "acme/large: asked twice in the same order, 1 of 8 items changed (2.0–47.0 %); "
        "asked in 2 orders, 6 of 8 items changed (40.0–93.0 %).",
        "acme/small: asked in 2 orders, 0 of 7 items changed.",
        "Whether acme/small gives the same answer to the same question was not measured; "
        "--repeats 2 measures it.",
    ]
