import pytest

from tellapart.bundles.exposure import ACTIONS, exposures, legacy_curriculum, read_curriculum
from tellapart.errors import InputError


def legacy_pool(*plan):
    (pool,) = exposures(legacy_curriculum(*plan)).pools
    return pool


def test_the_documented_example():
    found = legacy_pool(10_000, 32, 0.10, 0.75, 454)
    # 24,000 draws over 454 items.
    assert found.exposure == pytest.approx(24_000 / 454, abs=1e-12)
    assert f"{found.exposure:.1f}" == "52.9"
    assert (found.status, found.action) == ("healthy", "No action needed")
    # 50 × 454 = 22,700 draws are enough: of 32,000 in tier 3 that is .709375; 2.4 a step, so 9,458.3 steps.
    restoring = found.to_restore.model_dump(exclude={"draws_factor"})
    assert restoring == {"ratio": 0.709375, "steps": 9459, "pool_size": 480}
    assert found.why_not == {}


@pytest.mark.parametrize(
    ("pool", "status"),
    [
        (100, "healthy"),  # exactly 50
        (166, "warning"),
        (167, "critical"),  # 29.94
        (500, "critical"),  # exactly 10
        (501, "severe"),
    ],
)
def test_a_threshold_belongs_to_the_better_status(pool, status):
    # 5,000 draws; all draws of tier 3 would be 10,000, enough for 200 items.
    found = legacy_pool(1_000, 50, 0.2, 0.5, pool)
    assert found.status == status
    assert found.action == (
        "No ratio is enough: it takes 5,000 steps or a pool of at most 100"
        if pool == 500
        else ACTIONS[status]
    )


YAML = """
pools:
  legacy: 454
  organic: {size: 3000, tier: tier3}
  routine: {size: 20000, tier: tier1_easy}
  unused: 10
phases:
  - name: warm-up
    steps: 3000
    batch_size: 32
    tier_probabilities: {tier1: 0.7, tier3: 0.05}
    pool_ratios: {legacy: 0.75, routine: 1}
  - steps: 7000
    batch_size: 16
    tier_probabilities: {tier1: 0.6, tier3_adversarial: 0.1}
    pool_ratios: {legacy: 0.6, organic: 0.25}
"""


@pytest.fixture
def write(tmp_path):
    def put(text, name="curriculum.yaml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return put


def test_phases_sum_up(write):
    found = {pool.pool: pool for pool in exposures(read_curriculum(write(YAML))).pools}
    # 3,000 × 32 × .05 × .75 = 3,600 and 7,000 × 16 × .1 × .6 = 6,720.
    assert found["legacy"].draws == 10_320
    assert found["legacy"].by_phase == pytest.approx((3600 / 454, 6720 / 454))
    assert found["legacy"].exposure == pytest.approx(10_320 / 454, abs=1e-11)
    # 7,000 × 16 × .1 × .25 = 2,800 over 3,000 items.
    assert found["organic"].by_phase == pytest.approx((0, 2800 / 3000), abs=1e-11)
    assert found["routine"].draws == 3000 * 32 * 0.7
    assert [pool.status for pool in found.values()] == ["critical", "severe", "severe", "severe"]
    # 50 × 454 = 22,700 draws are 2.2 times as many, in 10,000 steps 21,997; and 10,320 / 50 = 206.4 items.
    to = found["legacy"].to_restore
    assert to.draws_factor == pytest.approx(22_700 / 10_320, abs=1e-11)
    assert (to.steps, to.pool_size) == (21_997, 206)
    # .75 × 2.1996 is above 1.
    assert (to.ratio, found["legacy"].why_not) == (None, {"ratio": "it would have to be 1.65, above 1"})
    # 2,800 draws would need 150,000: the ratio .25 becomes 13.4.
    assert found["organic"].why_not == {"ratio": "it would have to be 13.39, above 1"}
    assert found["unused"].exposure == 0
    assert set(found["unused"].why_not.values()) == {"no phase draws from this pool"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("legacy: 0.6,", "legcay: 0.6,"),
            "phase 2: 'pool_ratios' names the pool 'legcay'.*Did you mean 'legacy'",
        ),
        (("legacy: 0.6,", "legacy: 0.8,"), "phase 2: 'pool_ratios' of tier3_adversarial sum up to 1.05"),
        (("tier1: 0.7,", "tier1: 0.97,"), "phase 'warm-up': 'tier_probabilities' sum up to 1.02"),
        (("{tier1: 0.7, tier3: 0.05}", "{tier1: 0.7}"), "lacks that tier"),
        (("{tier1: 0.7, tier3: 0.05}", "{tier3: 0.1, tier3_adversarial: 0.05}"), "names a tier twice"),
        (("batch_size: 16", "batchsize: 16"), "'phases.1..batch_size' is missing|batch_size"),
        (("legacy: 454", "legacy: 0"), "expected a number of 1 or more"),
    ],
)
def test_a_curriculum_that_cannot_be_names_its_place(write, change, message):
    assert change[0] in YAML
    with pytest.raises(InputError, match=message):
        read_curriculum(write(YAML.replace(*change)))
