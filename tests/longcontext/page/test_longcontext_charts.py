"""What the charts conclude, and what they draw."""

import pytest

from contrastive.page.shown import words
from longcontext.page.graded_record import (
    record,
    remembered,
    three,
    two_models,
    view_of,
    whole,
)
from tellapart.longcontext.page.charts import (
    curves_chart,
    depths_chart,
    lengths_chart,
    steps_chart,
)

CELL = {
    "tokens": 500, "low_tokens": 400, "high_tokens": 600, "measured_tokens": None, "value": 0.9,
    "interval": {"low": 0.8, "high": 0.95, "level": 0.95}, "n": 6, "n_missing": 0,
    "missing": {}, "clusters": 3, "lowest": 0.9, "highest": 0.9, "reason": None,
}  # fmt: skip


def told(*models):
    return view_of(
        record(two_models()["cases"], [], effective_length=remembered() | {"models": list(models)})
    )


def model(name="alpha", by_distance=(), by_length=(), heatmap=(), **changes):
    one = remembered()["models"][0]
    return one | {
        "model": name, "by_distance": list(by_distance), "by_length": list(by_length),
        "heatmap": list(heatmap),
    } | changes  # fmt: skip


def heat(depth, value, n=6, tokens=4000):
    low = depth / 5
    return {"tokens": tokens, "low_depth": low, "high_depth": (depth + 1) / 5, "value": value, "n": n,
            "n_missing": 0, "lowest": value, "highest": value}  # fmt: skip


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.2, "alpha scores 90 % with evidence 500 tokens away, 20 % at 64K"),
        (0.99, "alpha scores 90 % with evidence 500 tokens away, 99 % at 64K"),
        (0.9, "alpha scores 90 % with evidence 500 tokens away, 90 % at 64K"),
    ],
)
def test_the_title_gives_the_scores_at_both_ends_and_claims_no_difference(value, said):
    cell = CELL | {"tokens": 64_000, "value": value}
    assert curves_chart(told(model(by_distance=[CELL, cell]))).title == said


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1, 1, 0.2, 1, 1], "20 % on evidence at 40–60 % of the conversation, 100 % elsewhere"),
        ([0.5, 1, 1, 1, 1], "50 % on evidence in the first 20 % of the conversation, 100 % elsewhere"),
        ([1, 1, 1, 1, 0], "0 % on evidence in the last 20 % of the conversation, 100 % elsewhere"),
        ([1, 0.5, 0.5, 0.5, 1], "50 % on evidence at 20–80 % of the conversation, 100 % elsewhere"),
        ([0.5, 0.5, 1, 1, 1], "50 % on evidence in the first 40 % of the conversation, 100 % elsewhere"),
        (
            [1, 0.5, 1, 0.5, 0.54],
            "51 % on evidence at 20–40 % and 60–100 % of the conversation, 100 % elsewhere",
        ),
        (
            [1, 0.5, None, 0.5, 1],
            "50 % on evidence at 20–40 % and 60–80 % of the conversation, 100 % elsewhere",
        ),
        ([0.5, 0.5, 0.5, 0.5, 0.5], "50 % on every part of the conversation"),
        ([1, 1, 0.95, 1, 1], "95–100 % on every part of the conversation"),
    ],
)
def test_the_title_names_the_parts_that_score_lowest_and_claims_no_difference(values, said):
    cells = [heat(depth, value) for depth, value in enumerate(values)]
    assert depths_chart(told(model(heatmap=cells))).title == f"alpha scores {said}"


def test_the_first_cut_is_in_the_title_and_named_in_the_picture():
    chart = steps_chart(view_of(three()))
    assert chart.title == "case_3_overflow lost context at step C3-5: 20,100 prompt tokens after 21,900"
    drawn = words(chart)
    assert drawn.count("C3-5") == 2
    assert drawn.index("case_3_overflow") < drawn.index("case_1_short")


def test_lengths_are_in_the_title_or_why_there_are_none():
    assert lengths_chart(view_of(whole())).title == (
        "Effective context length (absolute) of alpha: 16,000 tokens; beta: 16,000 tokens"
    )
    one = model(by_length=[CELL])
    one["absolute"] |= {"status": "not_determined", "tokens": None, "reason": "too few", "interval": None}
    one["relative"] |= one["absolute"]
    chart = lengths_chart(told(one))
    assert chart.title == "The effective context length is not determined: too few"
    assert words(chart).count("not determined") == 2
    assert lengths_chart(view_of(three())) is None
