import numpy as np
import pytest
from scipy.stats import binomtest

from tellapart.bundles.cliff import EvalSteps, Training, find_cliffs, sentence

STEPS = (40, 80, 120, 160, 200, 240)


def eval_steps(metric, margins, clusters):
    items = {step: (of > 0).astype(float) for step, of in margins.items()}
    return EvalSteps(metric, items, clusters)


def drawn(rng, frozen, organic, *, model="m", shared=1):
    """A training whose ability on each eval moves by step; ``shared`` bundles have one anchor."""
    evals = []
    for ability, n, metric in ((frozen, 300, "tier3_adversarial_pass_rate"), (organic, 400, "pass_rate")):
        difficulty = rng.normal(0, 1, n)
        clusters = [f"anchor {i // shared}" for i in range(n)]
        margins = {
            step: level - difficulty + rng.normal(0, 0.6, n)
            for step, level in zip(STEPS, ability, strict=True)
        }
        evals.append(eval_steps(metric, margins, clusters))
    return Training(model, *evals)


RISING, FLAT = np.linspace(0, 1.5, 6), np.zeros(6)


def test_a_planted_cliff_is_named_at_its_step():
    training = drawn(np.random.default_rng(1), RISING, [0, 0.1, 0.1, -0.4, -0.5, -0.6])
    (cliff,) = find_cliffs([training])
    assert (cliff.verdict, cliff.step, cliff.holds_at) == ("cliff", 160, (160, 200, 240))
    assert cliff.against in (80, 120) and cliff.looks == 15
    assert cliff.p_adjusted <= 0.05 and cliff.rise_interval[0] > 0 and cliff.fall_interval[0] > 0
    assert sentence(cliff).startswith("Cliff in m from step 160 on: tier3 adversarial pass rate is up by ")


def test_a_cliff_that_the_training_climbs_again_is_no_lasting_one():
    (cliff,) = find_cliffs([drawn(np.random.default_rng(2), RISING, [0, 0, -0.8, -0.8, 0.3, 0.3])])
    assert "at steps 120 and 160, but not at each later step" in sentence(cliff)


@pytest.mark.slow
@pytest.mark.parametrize("shared", [1, 2])
@pytest.mark.parametrize(
    ("frozen", "organic"), [(FLAT, FLAT), (RISING, FLAT), (FLAT, -RISING)], ids=["both", "organic", "frozen"]
)
def test_without_a_cliff_one_is_named_in_at_most_5_percent(frozen, organic, shared):
    rng = np.random.default_rng(3)
    trainings = [drawn(rng, frozen, organic, shared=shared) for _ in range(200)]
    named = [find_cliffs([training])[0].verdict == "cliff" for training in trainings]
    assert np.mean(named) <= 0.05 + 2 * (0.05 * 0.95 / 200) ** 0.5


def passing(name, n, *stages):
    """The steps of an eval of n bundles; each names those that are passed."""
    items = {}
    for step, passed in zip(STEPS, stages, strict=False):
        items[step] = np.zeros(n)
        items[step][list(passed)] = 1
    return EvalSteps(name, items)


def test_a_claim_has_the_larger_p_of_its_two_exact_tests():
    # Up: 30 gained and 2 lost of 100. Down: 5 gained and 20 lost.
    up = passing("up", 100, range(20), [*range(2, 20), *range(50, 80)])
    down = passing("down", 100, range(40), [*range(20, 40), *range(60, 65)])
    (cliff,) = find_cliffs([Training("m", up, down)])
    p = [binomtest(k, n).pvalue for k, n in ((2, 32), (5, 25))]
    assert cliff.p == pytest.approx(max(p), rel=1e-12) and cliff.p_adjusted == cliff.p
    assert (cliff.rise, cliff.fall) == pytest.approx((0.28, 0.15))
    # The same pair beside a training without a cliff is one of two.
    both = find_cliffs([Training("m", up, down), Training("n", down, up)])
    assert [found.verdict for found in both] == ["cliff", "none_shown"]
    assert both[0].p_adjusted == pytest.approx(2 * both[0].p)
