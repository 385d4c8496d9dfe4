"""Effective context length and curves as tables."""

import pytest

from contrastive.page.shown import texts
from longcontext.page.graded_record import (
    remembered,
    view_of,
    whole,
)
from tellapart.longcontext.page.lengths import curve, lengths


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
