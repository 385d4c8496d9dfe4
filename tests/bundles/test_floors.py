import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from tellapart.bundles.floors import floor_gate
from tellapart.core.comparison import GateOutcome


def passes(n, correct):
    return np.arange(n) < correct


@pytest.mark.parametrize(
    ("n", "correct", "outcome"),
    [
        (200, 194, GateOutcome.PASSED),
        (200, 160, GateOutcome.FAILED),
        (200, 184, GateOutcome.UNCLEAR),
        (20, 20, GateOutcome.UNCLEAR),
        # With all passed Wilson's lower end is n / (n + 1.96²): 34 / 37.84 = .8985, 35 / 38.84 = .9011.
        (34, 34, GateOutcome.UNCLEAR),
        (35, 35, GateOutcome.PASSED),
    ],
)
def test_three_ends(n, correct, outcome):
    gate = floor_gate(passes(n, correct), 0.9, model="m")
    assert gate.outcome is outcome
    assert [*gate.interval] == pytest.approx(proportion_confint(correct, n, method="wilson"), abs=1e-12)
    assert (gate.can_pass, gate.n) == (n >= 35, n)
    assert (gate.items_to_settle is None) == (outcome is not GateOutcome.UNCLEAR)


def test_the_items_that_would_settle_it_settle_it_four_times_in_five():
    rng = np.random.default_rng(5)
    for rate in (0.96, 0.84):
        n = floor_gate(passes(50, round(50 * rate)), 0.9, model="m").items_to_settle
        wanted = GateOutcome.PASSED if rate > 0.9 else GateOutcome.FAILED
        drawn = rng.binomial(n, rate, size=2000)
        ended = {k: floor_gate(passes(n, k), 0.9, model="m").outcome for k in set(drawn.tolist())}
        share = np.mean([ended[k] is wanted for k in drawn.tolist()])
        assert share == pytest.approx(0.8, abs=0.05), rate


def test_items_of_one_source_are_not_independent():
    # Ten items of each of 20 sources pass or fail together: 20 independent items, not 200.
    clusters = [i // 10 for i in range(200)]
    gate = floor_gate(passes(200, 190), 0.9, model="m", clusters=clusters)
    alone = floor_gate(passes(20, 19), 0.9, model="m")
    assert gate.interval.low < 0.8
    assert [*gate.interval] == pytest.approx([*alone.interval], abs=0.03)
    # The same shares, each alone, are clear.
    assert floor_gate(passes(200, 190), 0.9, model="m").outcome is GateOutcome.PASSED
    assert gate.items_to_settle > 200
