"""What the charts conclude, and what they draw."""

import pytest

from contrastive.page.shown import words
from longcontext.page.graded_record import (
    playing,
    record,
    refused,
    remembered,
    three,
    truncation,
    two_models,
    view_of,
    whole,
)
from tellapart.longcontext.page.charts import (
    curves_chart,
    depths_chart,
    lengths_chart,
    steps_chart,
    token_axis,
)
from tellapart.report.charts import NARROW, WIDE

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
        ([1.0, 0.2, 0.5], "100 % with evidence 500 tokens away, 50 % at 64K (lowest: 20 % at 8K)"),
        ([0.5, 0.2, 1.0], "50 % with evidence 500 tokens away, 100 % at 64K (lowest: 20 % at 8K)"),
        ([1.0, 0.0, 1.0], "100 % with evidence 500 tokens away, 100 % at 64K (lowest: 0 % at 8K)"),
        ([1.0, 0.5, 0.5], "100 % with evidence 500 tokens away, 50 % at 64K"),
        ([1.0, 0.498, 0.5], "100 % with evidence 500 tokens away, 50 % at 64K"),
    ],
)
def test_a_lower_score_in_between_is_named(values, said):
    cells = [
        CELL | {"tokens": tokens, "value": value}
        for tokens, value in zip((500, 8000, 64_000), values, strict=True)
    ]
    assert curves_chart(told(model(by_distance=cells))).title.endswith(said)


def test_axes_are_called_what_they_are():
    both = curves_chart(told(model(by_distance=[CELL], by_length=[CELL])))
    assert both.description.endswith("Both axes are logarithmic.")
    assert curves_chart(told(model(by_distance=[CELL]))).description.endswith("The axis is logarithmic.")


def test_one_distance_shows_no_fall():
    assert curves_chart(told(model(by_distance=[CELL]))).title.startswith(
        "No model was asked at two distances"
    )


def test_models_without_a_score_are_not_drawn():
    unscored = model("beta", by_distance=[CELL | {"value": None, "interval": None}])
    assert curves_chart(told(unscored)) is None
    drawn = words(curves_chart(told(model(by_distance=[CELL]), unscored)))
    assert "beta" not in drawn


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_both_curves_name_their_models_once(width):
    drawn = words(curves_chart(view_of(whole())), width)
    assert {"Distance of the nearest evidence", "Length of the context"} <= {*drawn}
    assert drawn.count("alpha") == drawn.count("beta") == 1


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


def test_evidence_in_one_part_shows_no_other():
    title = depths_chart(told(model(heatmap=[heat(0, 1.0)]))).title
    assert title == "All evidence that alpha was asked for stands in one part of the conversation"


def test_few_questions_say_nothing_of_parts():
    cells = [heat(0, 1.0), heat(2, 0.0, n=4)]
    assert "Too few questions to compare" in depths_chart(told(model(heatmap=cells))).title


def test_parts_count_by_their_questions():
    cells = [heat(0, 1.0, n=9), heat(0, 0.0, n=1, tokens=8000), heat(4, 0.8, n=10)]
    assert depths_chart(told(model(heatmap=cells))).title == (
        "alpha scores 80–90 % on every part of the conversation"
    )


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_cells_show_score_and_number(width):
    cells = [heat(0, 1.0), heat(1, 0.25, n=7), heat(2, None, n=0)]
    drawn = words(depths_chart(told(model(heatmap=cells))), width)
    assert {"100", "n 6", "25", "n 7", "0–20 %", "4K"} <= {*drawn}
    assert depths_chart(view_of(three())) is None


def test_the_first_cut_is_in_the_title_and_named_in_the_picture():
    chart = steps_chart(view_of(three()))
    assert chart.title == "case_3_overflow lost context at step C3-5: 20,100 prompt tokens after 21,900"
    drawn = words(chart)
    assert drawn.count("C3-5") == 2
    assert drawn.index("case_3_overflow") < drawn.index("case_1_short")


def test_several_cuts_are_counted():
    cut = {"truncations": [truncation("V1", 900, 800, 4)]}
    cases = [playing(name, {"M1": 900, "V1": 800}, **cut) for name in ("a", "b", "c")]
    assert steps_chart(view_of(record(cases, []))).title.endswith("; so did 2 other conversations")


def test_no_cut_is_said_and_what_is_unknown_too():
    clean, silent = playing("a", {"M1": 5, "V1": 9}), playing("b", {"M1": None})
    title = steps_chart(view_of(record([clean, silent], []))).title
    assert title.startswith("Prompt tokens grow as conversations do")
    assert title.endswith("; of 1 conversation nothing is known")
    assert steps_chart(view_of(refused())) is None


def test_only_so_many_conversations_are_drawn():
    cases = [playing(f"c{i:02}", {"M1": 5, "M1-R1": 7, "V1": 9}) for i in range(11)]
    chart = steps_chart(view_of(record(cases, [])))
    assert chart.description.endswith("2 further conversations are not drawn; what is drawn is of all sizes.")


def drawn_of(cases):
    return [word for word in words(steps_chart(view_of(record(cases, [])))) if word.startswith("c")]


def test_what_is_drawn_of_many_is_spread_over_their_sizes():
    cases = [playing(f"c{i:02}", {"M1": 5, "V1": 9000 - 100 * i}) for i in range(17)]
    assert drawn_of(cases) == [f"c{i:02}" for i in range(0, 17, 2)]
    assert drawn_of(cases[:9]) == [f"c{i:02}" for i in range(9)]


def test_what_was_cut_is_drawn_before_others_and_spread_too():
    cut = {"truncations": [truncation("V1", 900, 800, 4)]}
    whole = [playing(f"c{i:02}", {"M1": 5, "V1": 100 + i}) for i in range(9)]
    short = [playing(f"cut{i:02}", {"M1": 5, "V1": 800 + i}, **cut) for i in range(17)]
    assert drawn_of([*whole, *short[:8]]) == [*(f"cut{i:02}" for i in range(8)), "c00"]
    assert drawn_of([*whole, *short]) == [f"cut{i:02}" for i in range(0, 17, 2)]


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


@pytest.mark.parametrize(
    ("values", "ticks"),
    [([1000, 8000], [1000, 2000, 4000, 8000]), ([900], [1000]), ([1], [1])],
)
def test_ticks_of_tokens_double(values, ticks):
    axis = token_axis("tokens", values)
    low, high = axis.domain
    assert axis.ticks == ticks
    assert low < min(values) <= max(values) < high
