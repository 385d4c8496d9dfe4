import numpy as np
import pytest
from scipy.special import bdtr

from reference import pairs as reference
from tellapart.core.stats.power import mcnemar_items_needed, power_of_mcnemar

CASES = [(0.05, 0.02), (0.1, 0.06), (0.3, 0.25)]


def needed(only_a, only_b, **options):
    return mcnemar_items_needed([only_a], [only_b], **options)[0]


def p_values(only_a, only_b):
    return np.minimum(1, 2 * bdtr(np.minimum(only_a, only_b).astype(float), only_a + only_b, 0.5))


def simulated(n, only_a, only_b, alpha=0.05, draws=40_000):
    """Share of simulated evaluations of n items in which the exact test finds a difference."""
    rng = np.random.default_rng(round(1e6 * only_a) + n)
    a, b, _ = rng.multinomial(n, [only_a, only_b, 1 - only_a - only_b], size=draws).T
    return np.mean(p_values(a, b) <= alpha)


def test_power_by_hand():
    # A alone is right on every item: six of six give 2 / 64 <= .05, five of five 2 / 32 do not.
    assert power_of_mcnemar(6, 1.0, 0.0) == 1.0
    assert power_of_mcnemar(5, 1.0, 0.0) == 0.0
    # On half of them: six or more of 7, and six of six: (7 + 1) / 128.
    assert power_of_mcnemar(7, 0.5, 0.0) == pytest.approx(8 / 128, rel=1e-12)
    # Equal models: all six go one way or the other.
    assert power_of_mcnemar(6, 0.5, 0.5) == pytest.approx(2 / 64, rel=1e-12)
    assert power_of_mcnemar(0, 0.5, 0.2) == power_of_mcnemar(9, 0.0, 0.0) == 0.0


@pytest.mark.parametrize(
    ("n", "only_a", "only_b", "alpha"),
    [
        (30, 0.3, 0.1, 0.05),
        (25, 0.05, 0.9, 0.2),
        (40, 0.6, 0.4, 0.01),
        (33, 0.0, 0.4, 0.001),
        (20, 1, 0, 0.01),
    ],
)
def test_power_is_the_sum_over_all_outcomes(n, only_a, only_b, alpha):
    expected = reference.mcnemar_power(n, only_a, only_b, alpha)
    assert power_of_mcnemar(n, only_a, only_b, alpha=alpha) == pytest.approx(expected, rel=1e-9)
    assert power_of_mcnemar(n, only_b, only_a, alpha=alpha) == pytest.approx(expected, rel=1e-9)


def test_items_needed_by_hand():
    # All differ, all one way: six. At .03, 2 / 64 is too much, and seven do.
    assert needed(1.0, 0.0) == 6
    assert needed(1.0, 0.0, alpha=0.03) == 7
    assert needed(0.2, 0.2) is None
    assert needed(0.0, 0.0) is None
    assert needed(1e-16, 0.0) is None
    assert mcnemar_items_needed([], []) == []


@pytest.mark.parametrize(
    ("only_a", "only_b", "power", "alpha", "most"),
    [
        (0.4, 0.1, 0.8, 0.05, 60),
        (0.8, 0.2, 0.8, 0.05, 45),
        (0.05, 0.65, 0.95, 0.01, 60),
        (0.9, 0.1, 0.9, 0.002, 45),
    ],
)
def test_the_power_stays_from_the_number_on(only_a, only_b, power, alpha, most):
    # The saw-tooth falls below again after the first n that has the power: the last fall counts.
    expected = reference.mcnemar_items_needed(only_a, only_b, power, alpha, most)
    assert expected < most - 8
    assert needed(only_a, only_b, power=power, alpha=alpha) == expected
    assert needed(only_b, only_a, power=power, alpha=alpha) == expected


@pytest.mark.parametrize(("only_a", "only_b"), [*CASES, (0.4, 0.0), (0.5, 0.2), (0.07, 0.0)])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 45])
def test_the_number_reaches_the_power_when_simulated(only_a, only_b, alpha):
    # From 20 to 4,000 items; three Monte-Carlo errors of sqrt(.8 .2 / 40,000) = .002. With 13 % fewer items,
    # that is less than 15 % more than the truth, the power is missed.
    n = needed(only_a, only_b, alpha=alpha)
    assert simulated(n, only_a, only_b, alpha) > 0.8 - 0.006
    assert simulated(int(0.87 * n), only_a, only_b, alpha) < 0.8 - 0.006


@pytest.mark.parametrize(("only_a", "only_b"), [(0.3, 0.285), (0.51, 0.49), (0.0525, 0.0475)])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 4950])
def test_the_approximation_for_many_discordant_items_is_close(only_a, only_b, alpha, monkeypatch):
    approximate = needed(only_a, only_b, alpha=alpha)
    monkeypatch.setattr("tellapart.core.stats.power._EXACT_DISCORDANT", 1e9)
    exact = needed(only_a, only_b, alpha=alpha)
    assert exact * (only_a + only_b) > 2000
    assert approximate != exact
    assert approximate == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: needed(0.6, 0.5), "add up to at most 1"),
        (lambda: needed(-0.1, 0.5), "expected to be >= 0"),
        (lambda: needed(0.1, 0.5, power=1.0), "power 1.0"),
        (lambda: needed(0.1, 0.5, alpha=0.0), "alpha is 0.0"),
        (lambda: needed(0.1, 0.5, alpha=0.3, power=0.2), "power 0.2"),
        (lambda: power_of_mcnemar(-1, 0.1, 0.5), "n is -1"),
        (lambda: mcnemar_items_needed([0.1], [0.1, 0.2]), "1 and 2 entries"),
    ],
)
def test_what_is_out_of_range_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
