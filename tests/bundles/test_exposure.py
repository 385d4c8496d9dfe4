from dataclasses import asdict, replace
from math import exp, factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from tellapart.bundles.exposure import ACTIONS, exposure
from tellapart.bundles.exposure_plan import ExposurePlan
from tellapart.errors import UsageError

DOCUMENTED = ExposurePlan(10_000, 32, 0.10, 0.75, 454)


def documented_formula(steps, batch_size, tier3_probability, legacy_ratio, pool_size):
    return steps * batch_size * tier3_probability * legacy_ratio / pool_size


def test_the_documented_example():
    found = exposure(DOCUMENTED)
    # 24,000 draws over 454 items.
    assert found.exposure == pytest.approx(24_000 / 454, abs=1e-12)
    assert f"{found.exposure:.1f}" == "52.9"
    assert (found.status, found.action) == ("healthy", "No action needed")
    # 50 × 454 = 22,700 draws are enough: of 32,000 in tier 3 that is .709375; 2.4 a step, so 9,458.3 steps.
    assert found.to_restore.model_dump() == {"legacy_ratio": 0.709375, "steps": 9459, "pool_size": 480}
    assert found.why_not == {}


@pytest.mark.parametrize(
    ("pool", "status"),
    [
        (100, "healthy"),  # exactly 50
        (101, "warning"),
        (166, "warning"),
        (167, "critical"),  # 29.94
        (500, "critical"),  # exactly 10
        (501, "severe"),
    ],
)
def test_a_threshold_belongs_to_the_better_status(pool, status):
    # 5,000 draws.
    found = exposure(ExposurePlan(1_000, 50, 0.2, 0.5, pool))
    assert found.status == status
    assert found.action == ACTIONS[status]


shares = st.integers(0, 1000).map(lambda n: n / 1000)
plans = st.builds(
    ExposurePlan, st.integers(0, 10**6), st.integers(1, 4096), shares, shares, st.integers(1, 10**6)
)


@given(plans)
def test_it_is_the_documented_formula(plan):
    assert exposure(plan).exposure == pytest.approx(documented_formula(**asdict(plan)), rel=1e-9, abs=1e-11)


@given(plans)
def test_what_cannot_restore_is_null_with_a_reason(plan):
    found = exposure(plan)
    assert {name for name, value in found.to_restore.model_dump().items() if value is None} == set(
        found.why_not
    )
    if found.to_restore.legacy_ratio is None:
        assert exposure(replace(plan, legacy_ratio=1.0)).status != "healthy"
    if found.to_restore.steps is None:
        assert exposure(replace(plan, steps=10**12)).exposure == 0
    if found.to_restore.pool_size is None:
        assert exposure(replace(plan, pool_size=1)).status != "healthy"


def test_shares_seen_fewer_by_hand():
    # Each of 320,000 places goes to a given item with a chance of .075 / 454.
    found = exposure(DOCUMENTED)
    for k in (10, 30, 50):
        share = binom.cdf(k - 1, 320_000, 0.075 / 454)
        assert found.seen_fewer[str(k)] == pytest.approx(share, abs=1e-10)
    # So many places that it is Poisson: the first 50 terms at a mean of 52.863.
    mean = 24_000 / 454
    poisson = sum(mean**n * exp(-mean) / factorial(n) for n in range(50))
    assert found.seen_fewer["50"] == pytest.approx(poisson, abs=1e-4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pool_size": 0}, "pool_size is 0, expected 1 or more"),
        ({"steps": -1}, "steps is -1, expected 0 or more"),
        ({"batch_size": 0}, "batch_size is 0, expected 1 or more"),
        ({"tier3_probability": 10.0}, r"tier3_probability is 10.0, expected .* Write 10 % as 0.1"),
        ({"legacy_ratio": -0.1}, r"legacy_ratio is -0.1, expected a share in \[0, 1\]\.$"),
        ({"legacy_ratio": float("nan")}, r"legacy_ratio is nan, expected a share in \[0, 1\]\.$"),
    ],
)
def test_what_no_run_can_be_is_refused(change, message):
    with pytest.raises(UsageError, match=message):
        replace(DOCUMENTED, **change)
