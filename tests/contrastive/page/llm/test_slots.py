"""Where the target stands: fifths of lists of any length, and what to conclude."""

import polars as pl
import pytest

from contrastive.page.shown import words
from contrastive.page.stored_llms import items, slot_test
from tellapart.contrastive.page.charts import slots_chart
from tellapart.contrastive.page.slots import (
    by_fifth,
    by_fifths,
    claims_by_model,
    slot_lines,
    slot_preferences,
)
from tellapart.report.charts import NARROW, WIDE


def lists(answers):
    """Items for acme/large: one a (options, target's slot, picked slot), right where both are the same."""
    one = items().filter(pl.col("model") == "acme/large", pl.col("missing").is_null()).head(1)
    frames = [
        one.with_columns(
            item=pl.lit(f"easy/{i}"),
            path=pl.lit(f"{i}.py"),
            options=pl.lit(options),
            slot=pl.lit(slot),
            picked_slot=pl.lit(picked),
            correct=pl.lit(float(slot == picked)),
        )
        for i, (options, slot, picked) in enumerate(answers)
    ]
    rest = items().filter(pl.col("model") != "acme/large")
    return pl.concat([*frames, rest], how="vertical_relaxed")


def test_slots_of_lists_of_any_length_are_pooled_by_fifths(llm_view_of):
    # First fifth: slot 1 of 5, 1-2 of 10, 1-4 of 20; last: 5 of 5, 9-10 of 10, 17-20 of 20.
    frame = lists([(5, 1, 1), (10, 2, 2), (20, 4, 5), (20, 5, 5), (10, 9, 1), (20, 17, 17), (5, 5, 5)])
    found = by_fifths(llm_view_of(frame=frame), "acme/large")
    assert [part.right.n for part in found] == [3, 1, 0, 0, 3]
    assert [part.right.value for part in found] == [
        pytest.approx(2 / 3),
        1.0,
        None,
        None,
        pytest.approx(2 / 3),
    ]
    # Of seven choices three lie in the first fifth, two in the second and two in the last.
    assert [part.first.value for part in found] == [pytest.approx(n / 7) for n in (3, 2, 0, 0, 2)]
    assert [part.even for part in found] == [pytest.approx(0.2)] * 5


def test_a_list_that_has_no_fifths_is_even_by_its_slots(llm_view_of):
    # Of seven slots the fifths hold 1-2, 3, 4-5, 6 and 7.
    found = by_fifths(llm_view_of(frame=lists([(7, slot, slot) for slot in range(1, 8)])), "acme/large")
    assert [part.right.n for part in found] == [2, 1, 2, 1, 1]
    assert [part.even for part in found] == [pytest.approx(n / 7) for n in (2, 1, 2, 1, 1)]


def test_intervals_are_clustered_on_the_file(llm_view):
    # Three answers in two files stand for less than three.
    first = by_fifths(llm_view, "acme/large")[0]
    assert (first.right.value, first.right.n) == (1.0, 3)
    # Clusters of two and one count as 9 / 5 answers; all are right, and Wilson's end is n / (n + 1.96^2).
    assert first.right.low == pytest.approx(1.8 / (1.8 + 1.96**2), abs=1e-4)


@pytest.mark.parametrize(
    ("z", "said"),
    [
        ({"trend": -3.0, "first": 2.0}, "early: 67 % in the first fifth of the list, 33 % in the last"),
        ({"trend": 3.0}, "late: 33 % in the last fifth of the list, 67 % in the first"),
        ({"first": 3.0}, "in the first slot: 100 % there, 40 % in any other"),
        ({"first": -3.0}, "in any other: 40 % there, 100 % in the first slot"),
        ({"last": 3.0}, "in the last slot: 50 % there, 60 % in any other"),
        ({"ends": 3.0}, "near an end of the list: 50 % there, 100 % in its middle"),
        ({"ends": -3.0}, "in its middle: 100 % there, 50 % near an end of the list"),
    ],
)
def test_the_strongest_contrast_says_where(llm_view_of, z, said):
    # First fifth: 2 of 3 right, slot 1 always; middle: 1 of 1; last fifth: 1 of 3, the last slot 1 of 2.
    frame = lists([(10, 1, 1), (10, 2, 1), (5, 1, 1), (10, 5, 5), (10, 9, 1), (10, 10, 10), (5, 5, 1)])
    slots = {"acme/large": {"by_slot": {}, "test": slot_test(0.0004, **z)}}
    view = llm_view_of(frame=frame, slots=slots)
    sentence = f"acme/large is right more often when the target stands {said}, p < 0.001"
    assert slot_preferences(view) == {"acme/large": sentence}
    assert slot_lines(view) == [f"{sentence}."]


def test_a_contrast_without_a_z_is_not_the_strongest(llm_view_of):
    # As where no target stands in the last slot.
    slots = {"acme/large": {"by_slot": {}, "test": slot_test(0.0004, last=None, trend=-3.0)}}
    (line,) = slot_lines(llm_view_of(slots=slots))
    assert line.startswith("acme/large is right more often when the target stands early")


def test_without_a_sign_nothing_is_claimed(llm_view_of):
    slots = {"acme/large": {"by_slot": {}, "test": slot_test(0.42, first=1.0)}}
    view = llm_view_of(slots=slots)
    assert slots_chart(view).title == "No sign that acme/large prefers a slot (p = 0.420)"
    assert slot_lines(view) == []


def test_several_tests_are_corrected_by_holm(llm_view_of):
    tests = {"acme/large": slot_test(0.03), "acme/small": slot_test(0.04)}
    view = llm_view_of(slots={model: {"by_slot": {}, "test": test} for model, test in tests.items()})
    claims = claims_by_model(view)
    assert {model: claim.p_adjusted for model, claim in claims.items()} == {
        "acme/large": 0.06,
        "acme/small": 0.06,
    }
    assert slot_lines(view) == []
    assert by_fifth(view).note.endswith("corrected for the number of models.")


def test_an_untested_model_says_why(llm_view):
    assert slot_preferences(llm_view)["acme/small"] == (
        "Cannot tell whether acme/small prefers a slot: all answers score the same"
    )
    assert by_fifth(llm_view).notes()[-1] == "–¹ all answers score the same"


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_each_language_model_has_two_panels(llm_view, width):
    chart = slots_chart(llm_view)
    shown = words(chart, width)
    assert (shown.count("acme/large"), shown.count("acme/small")) == (2, 2)
    assert {"Items answered right, by target", "Put first", "Answers, %"} <= set(shown)
    assert {"Fifths of the list", "first", "last"} <= set(shown)


def test_the_chart_draws_accuracy_and_choices(llm_view):
    right, first, *_ = (panel.layer[0].data for panel in slots_chart(llm_view).draw(WIDE).concat)
    model, even = pl.col("line") == "acme/large", pl.col("line") == "even"
    # acme/large is right in the first two slots; of 28 answers 26 put a slot of the first fifth first.
    assert right["y"].to_list() == [100.0, 100.0, 0.0, 0.0, 0.0]
    assert first.filter(model)["y"].to_list() == [pytest.approx(100 * n / 28) for n in (26, 2, 0, 0, 0)]
    assert set(first.filter(even)["y"]) == {20.0}
