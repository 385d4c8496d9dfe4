"""Where the target stands: fifths of lists of any length, and what to conclude."""

import polars as pl
import pytest

from contrastive.page.stored_llms import items, slot_test
from tellapart.contrastive.page.slots import (
    by_fifth,
    by_fifths,
    claims_by_model,
    slot_lines,
    slot_preferences,
)


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
