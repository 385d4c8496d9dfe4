import pytest
from scipy import stats

from tellapart.codesearch.learning.comparison import (
    NOT_COMPARED,
    against,
    corrected,
    is_clear,
)
from tellapart.codesearch.metrics.conversation import Share


def compared(*rows):
    return against([(Share(*row[:2]), Share(*row[2:])) for row in rows], 0)


def of_p(conversations, p):
    return NOT_COMPARED.model_copy(update={"conversations": conversations, "p": p})


def test_shares_differences_and_files_in_excess_by_hand():
    # Here 3/4, 1/2 and 1; elsewhere 1/4, 1/2 and 0; the last conversation has nothing elsewhere.
    found = compared((3, 4, 1, 4), (1, 2, 3, 6), (5, 5, 0, 3), (1, 1, 0, 0))
    assert found.conversations == 3
    assert (found.here, found.elsewhere, found.difference) == (0.75, 0.25, 0.5)
    # 3 - 4/4, 1 - 2 * 3/6 and 5 - 0.
    assert found.excess == 2 + 0 + 5
    # Differences .5, 0, 1: of the four ways to flip two signs, two have a sum as far from 0 as 1.5.
    assert found.p == 0.5
    # Signs of three can be flipped in 8 ways, so that no test at 5 % rejects anything.
    assert found.interval is None
    low, high = compared(*[(3, 4, 1, 4), (4, 4, 1, 4)] * 4).interval
    assert 0 < low < 0.5 + 0.25 / 2 < high


def test_without_a_conversation_to_compare_nothing_is_said():
    assert compared() == compared((1, 1, 0, 0), (0, 0, 1, 2)) == NOT_COMPARED
    assert not is_clear(NOT_COMPARED, 1) and not is_clear(NOT_COMPARED, -1)


def test_three_conversations_are_clear_where_all_agree_and_two_never_are():
    all_of_it, most = (4, 4, 0, 4), (3, 4, 0, 4)
    assert is_clear(compared(all_of_it, most, all_of_it), 1)
    assert not is_clear(compared(all_of_it, most, all_of_it), -1)
    assert is_clear(compared((0, 4, 4, 4), (0, 4, 3, 4), (0, 4, 4, 4)), -1)
    assert not is_clear(compared(all_of_it, all_of_it), 1)
    # A conversation without a difference does not agree, nor does one with the opposite.
    assert not is_clear(compared(all_of_it, all_of_it, (2, 4, 2, 4)), 1)
    assert not is_clear(compared(all_of_it, all_of_it, (1, 4, 2, 4)), 1)


def test_with_many_conversations_a_few_may_disagree():
    agree, disagree = (4, 4, 0, 4), (0, 4, 1, 4)
    # 8 agree by 1, one disagrees by .25: as far as 7.75 are its two signs, for all flipped too: 4 of 512.
    found = compared(*[agree] * 8, disagree)
    assert found.p == 4 / 512 and is_clear(found, 1)
    # 4 against 1 by as much as they: as far as 3 are 2 + 2 * 5 of 32 ways.
    split = compared(*[agree] * 4, (0, 4, 4, 4))
    assert split.p == 12 / 32 and not is_clear(split, 1)


def test_a_difference_is_far_from_fifteen_hundredths_on_and_from_three_files_on():
    # .5 - .35, where floating point is a bit below .15; 60 - 120 * .35 = 18 files.
    assert is_clear(compared(*[(60, 120, 35, 100)] * 3), 1)
    assert not is_clear(compared(*[(60, 120, 36, 100)] * 3), 1)
    # One file each, and none elsewhere: three in excess; with one of two, and one of four, .5 each.
    assert is_clear(compared(*[(1, 1, 0, 9)] * 3), 1)
    assert not is_clear(compared(*[(1, 2, 1, 4)] * 3), 1)


def test_correction_is_over_all_that_three_conversations_show():
    found = corrected([of_p(6, 0.02), of_p(2, 0.5), of_p(6, 0.03), NOT_COMPARED])
    assert [one.p_holm for one in found] == [0.04, None, 0.04, None]
    assert [one.beyond_chance for one in found] == [True, None, True, None]
    (alone,) = corrected([of_p(3, 0.25)])
    assert alone.beyond_chance is False


def test_from_two_hundred_conversations_on_it_is_students_t():
    one, other = (1, 1, 0, 1), (1, 2, 1, 1)
    # Differences 1 and -.5: mean .25, variance (.75^2) n / (n - 1), t = .25 / .75 sqrt(n - 1).
    few, many = compared(*[one, other] * 99), compared(*[one, other] * 100)
    assert many.p == pytest.approx(2 * stats.t.sf(199**0.5 / 3, 199), rel=1e-9)
    assert few.p != pytest.approx(2 * stats.t.sf(197**0.5 / 3, 197), rel=1e-3)
    assert compared(*[one] * 200).p == 2.0**-199 and compared(*[(1, 1, 1, 1)] * 200).p == 1
