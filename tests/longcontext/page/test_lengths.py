"""Effective context length and curves as tables."""

import pytest

from contrastive.page.shown import texts
from longcontext.page.graded_record import (
    remembered,
    three,
    view_of,
    whole,
)
from tellapart.longcontext.page.lengths import curve, has_curves, lengths, models_of


def changed(**changes):
    """The stored lengths with other words about alpha's absolute length."""
    told = remembered()
    told["models"][0]["absolute"] |= changes
    return view_of(whole() | {"effective_length": told})


def test_each_model_has_both_definitions():
    assert texts(lengths(view_of(whole()))) == [
        ["alpha", "absolute (RULER)", "16,000", "1,000 to 16,000", "85.6 %"],
        ["alpha", "relative (NoLiMa)", "16,000", "16,000", "85.0 % [base 100.0 % at 1,000]"],
        ["beta", "absolute (RULER)", "16,000", "1,000 to 16,000", "85.6 %"],
        ["beta", "relative (NoLiMa)", "16,000", "4,000 to 64,000", "82.2 % [base 96.7 % at 1,000]"],
    ]


@pytest.mark.parametrize(
    ("status", "tokens", "shown"),
    [
        ("at_least", 128_000, "128,000 or more"),
        ("below", None, "below the shortest"),
        ("withheld", None, "withheld [too open]"),
        ("not_determined", None, "not determined [too open]"),
    ],
)
def test_what_is_not_a_length_is_said_in_words(status, tokens, shown):
    reason = "too open" if status in ("withheld", "not_determined") else None
    assert texts(lengths(changed(status=status, tokens=tokens, reason=reason)))[0][2] == shown


@pytest.mark.parametrize(
    ("interval", "shown"),
    [
        ({"low_tokens": None, "high_tokens": 4000, "open_above": False, "level": 0.95},
         "below the shortest to 4,000"),
        ({"low_tokens": 4000, "high_tokens": 8000, "open_above": True, "level": 0.95},
         "4,000 to 8,000 or more"),
        (None, "–¹"),
    ],
)  # fmt: skip
def test_intervals_are_pairs_of_tested_lengths(interval, shown):
    view = changed(interval=interval, interval_reason="too few")
    assert texts(lengths(view))[0][3] == shown


def test_a_reason_is_not_said_twice():
    view = changed(
        status="not_determined", tokens=None, reason="too few", interval=None, interval_reason="too few"
    )
    assert texts(lengths(view))[0][2:4] == ["not determined", "–¹"]
    assert lengths(view).notes()[-1] == "–¹ too few"


def test_a_curve_has_a_row_a_length_with_what_is_missing():
    rows = texts(curve(view_of(whole()), "by_length"))
    assert [row[:2] for row in rows[:5]] == [
        ["alpha", "1,000"], ["alpha", "4,000"], ["alpha", "16,000"], ["alpha", "64,000"],
        ["alpha", "128,000"],
    ]  # fmt: skip
    # 29 of the 30 items at 128K have a score, and one call was lost to the provider.
    assert rows[4][5:7] == ["29", "1 [provider 1]"]
    assert rows[0][2:4] == ["as requested", "970"]
    assert texts(curve(view_of(whole()), "by_distance"))[0][2] == "0–1,000"


def test_without_evidence_there_are_no_curves():
    assert not has_curves(view_of(three()))
    assert has_curves(view_of(whole()))


def test_controls_have_no_curves():
    told = remembered()
    told["models"].append(told["models"][0] | {"model": "alpha (closed-book)"})
    view = view_of(whole() | {"effective_length": told})
    assert [one.model for one in models_of(view)] == ["alpha", "beta"]
