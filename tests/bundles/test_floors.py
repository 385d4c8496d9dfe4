import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from tellapart.bundles.gates import floor_gate
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
    gate = floor_gate(passes(n, correct), 0.9)
    assert gate.outcome is outcome
    assert [*gate.ci] == pytest.approx(proportion_confint(correct, n, method="wilson"), abs=1e-12)
    assert (gate.can_pass, gate.n) == (n >= 35, n)


def test_items_of_one_source_are_not_independent():
    # Ten items of each of 20 sources pass or fail together: 20 independent items, not 200.
    clusters = [i // 10 for i in range(200)]
    gate = floor_gate(passes(200, 190), 0.9, clusters=clusters)
    alone = floor_gate(passes(20, 19), 0.9)
    assert gate.ci[0] < 0.8
    assert [*gate.ci] == pytest.approx([*alone.ci], abs=0.03)
    # The same shares, each alone, are clear.
    assert floor_gate(passes(200, 190), 0.9).outcome is GateOutcome.PASSED
