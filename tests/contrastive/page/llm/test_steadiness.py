"""How much changes when the same is asked again."""

import pytest

from contrastive.page.shown import texts
from contrastive.page.stored_llms import run_record
from tellapart.contrastive.page.llm_tables import flip_lines, flips


def view_asked(llm_view_of, plan, **figures):
    record = run_record()
    return llm_view_of(record=record | {"config": record["config"] | {"plan": plan}}, **figures)


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


@pytest.mark.parametrize(
    ("repeats", "said"),
    [(2, "asked twice"), (3, "asked three times"), (12, "asked 12 times")],
)
def test_how_often_is_said_in_words(llm_view_of, repeats, said):
    one = {"acme/large": {"items": 100, "flip_rate": 0.03, "ci": [0.01, 0.085]}}
    view = view_asked(llm_view_of, {"orders": 1, "repeats": repeats}, repeats=one, orders={})
    assert flip_lines(view)[0] == (
        f"acme/large: {said} in the same order, 3 of 100 items changed (1.0–8.5 %)."
    )


def test_asked_once_nothing_is_claimed(llm_view_of):
    view = view_asked(llm_view_of, {"orders": 1, "repeats": 1}, repeats={}, orders={})
    assert flips(view) is None
    assert flip_lines(view) == [
        "Whether acme/large and acme/small give the same answer to the same question was not measured; "
        "--repeats 2 measures it."
    ]
