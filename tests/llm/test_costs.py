import pytest

from tellapart.llm.costs import Estimate, OpenQuestion, Rates, Tokens, estimate, observed_rates

TWO = [OpenQuestion(prompt_characters=500, reply_characters=90), OpenQuestion(1000, 120)]


def test_a_rule_of_thumb_without_calls():
    # In: 1,500 / 3. Out: (90 + 120) / 3. At most, in: both prompts twice and 600 characters of repair each
    # at two characters a token, (3,000 + 1,200) / 2, and both first replies once more, 2 x 500.
    assert estimate(TWO, answered=3, max_tokens=500, price=(3.0, 15.0)) == Estimate(
        questions=5,
        answered=3,
        expected=Tokens(2, 500, 70, pytest.approx((500 * 3 + 70 * 15) / 1e6)),
        at_most=Tokens(4, 3100, 2000, pytest.approx((3100 * 3 + 2000 * 15) / 1e6)),
        calibrated_on=0,
    )


def test_calls_that_were_made_set_the_rates():
    # In: 1,500 / 2.5 = 600. Out: 2 x 30. At most, in: (3,000 + 1,200) / 2.5 = 1,680, and 2 x 100.
    found = estimate(TWO, answered=0, max_tokens=100, price=None, rates=Rates(2.5, 30.0, 7))
    assert found == Estimate(2, 0, Tokens(2, 600, 60, None), Tokens(4, 1880, 400, None), 7)


def test_no_reply_is_expected_to_be_longer_than_allowed():
    assert estimate(TWO, answered=0, max_tokens=35, price=None).expected.output_tokens == 30 + 35
    thinking = Rates(4.0, 900.0, 1)
    assert (
        estimate(TWO, answered=0, max_tokens=500, price=None, rates=thinking).expected.output_tokens == 1000
    )


def test_parts_of_tokens_are_rounded_up_once():
    three = [OpenQuestion(1, 1)] * 3
    assert estimate(three, answered=0, max_tokens=9, price=None).expected == Tokens(3, 1, 1, None)


@pytest.mark.parametrize("price", [(3, 15), None])
def test_nothing_left_to_ask_costs_nothing_with_or_without_a_price(price):
    nothing = Tokens(0, 0, 0, 0.0)
    assert estimate([], answered=4, max_tokens=500, price=price) == Estimate(4, 4, nothing, nothing, 0)


def test_a_price_of_zero_is_a_price():
    assert estimate(TWO, answered=0, max_tokens=500, price=(0, 0)).at_most.cost == 0.0


def test_rates_are_of_all_characters_and_all_tokens():
    # (300 + 900) / (100 + 200), and not the mean of 3 and 4.5.
    assert observed_rates([(300, 100, 10), (900, 200, 40)]) == Rates(4.0, 25.0, 2)


def test_a_call_whose_provider_counted_nothing_says_nothing():
    assert observed_rates([(300, 0, 0), (900, 300, 40)]) == Rates(3.0, 40.0, 1)
    assert observed_rates([(300, 0, 0)]) is None
    assert observed_rates([]) is None
