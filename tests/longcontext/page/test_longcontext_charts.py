"""What the charts conclude, and what they draw."""

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


def test_curves_have_a_panel_for_each_thing_that_is_known():
    chart = curves_chart(told(model(by_distance=[CELL, CELL | {"tokens": 64_000, "value": 0.2}])))
    assert chart.title == "Score by distance of the nearest evidence"
    assert {"Distance of the nearest evidence", "64K"} <= {*words(chart)}
    both = curves_chart(told(model(by_distance=[CELL], by_length=[CELL])))
    assert both.title == "Score by distance of the nearest evidence and by length of the context"
    assert curves_chart(told(model())) is None


def test_the_map_has_a_row_for_each_part_of_the_conversation():
    cells = [
        {"tokens": 4000, "low_depth": depth / 5, "high_depth": (depth + 1) / 5, "value": value, "n": 6,
         "n_missing": 0, "lowest": value, "highest": value}
        for depth, value in enumerate([1, None, 0.2, 1, 1])
    ]  # fmt: skip
    drawn = words(depths_chart(told(model(heatmap=cells))))
    assert {"0–20 %", "80–100 %", "4K", "20", "100"} <= {*drawn}
    assert depths_chart(told(model())) is None


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
