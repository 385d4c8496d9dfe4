"""The health of a bank, and versions on one scale, on planted models whose truth is known."""

import numpy as np
import polars as pl
import pytest
from scipy.special import ndtr
from tests.bundles.made_scores import scores

from tellapart.bundles.bank import bank, health, link
from tellapart.bundles.page.bank import headline
from tellapart.bundles.results import board_of, eval_header, write_scored
from tellapart.bundles.tier_stats import stats_by_tier
from tellapart.errors import UsageError


def frame(items, margins, hardest=None):
    """Rows of bundles and models, from margins of shape (bundles, models)."""
    n, m = margins.shape
    hardest = np.zeros((n, m), dtype=int) if hardest is None else hardest
    return pl.DataFrame(
        {
            "item": np.repeat(items, m),
            "cluster": np.repeat(items, m),
            "tier": ["tier3_adversarial"] * (n * m),
            "model": [f"m{j:02}" for j in range(m)] * n,
            "score": (margins > 0).ravel().astype(float),
            "margin": margins.ravel(),
            "hardest_negative": hardest.ravel(),
        }
    )


def names(prefix, n):
    return [f"{prefix}{i:04}" for i in range(n)]


@pytest.mark.parametrize("models", [12, 20])
def test_retires_planted_dead_bundles_and_hardly_a_live_one(models):
    found, lost = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        difficulty = rng.uniform(-1.2, 1.2, 800)
        live = rng.normal(0.5, 0.5, models) - difficulty[:, None] + rng.normal(0, 1, (800, models))
        easy = 3.5 + rng.normal(0, 0.6, (100, models))
        wrong = -2.5 + rng.normal(0, 0.8, (100, models))
        retire = (
            health(frame(names("b", 1000), np.concatenate([live, easy, wrong]))).frame["retire"].to_numpy()
        )
        found.append(retire[800:].mean())
        lost.append(retire[:800].mean())
    assert np.mean(found) >= 0.9
    assert np.mean(lost) <= 0.02


def test_three_models_do_not_show_that_what_all_pass_is_dead():
    margins = np.random.default_rng(3).normal(0.3, 1, (400, 3))
    assert not health(frame(names("b", 400), margins)).frame["retire"].any()


def planted(seed, models, n, common):
    """Two versions, the later one harder; the models of the later, and their true rates on the first."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(0, 0.8, common)
    first, later = (np.concatenate([shared, rng.normal(mean, 0.8, n - common)]) for mean in (0.0, 0.4))
    old, new = rng.normal(0.5, 0.4, models), rng.normal(0.9, 0.4, models)
    frames = [
        frame(
            names("c", common) + names(own, n - common), ability - of[:, None] + rng.normal(0, 1, (n, models))
        )
        for own, ability, of in (("a", old, first), ("b", new, later))
    ]
    return *frames, ndtr(new - first[:, None]).mean(axis=0), ndtr(new - later[:, None]).mean(axis=0)


def test_links_versions_by_30_percent_of_common_bundles():
    errors, unlinked, covered = [], [], []
    for seed in range(6):
        first, later, truth, raw = planted(seed, 10, 3000, 900)
        models = link(first, later, "v1", "v3").models
        errors.append(np.mean([model.linked for model in models]) - truth.mean())
        unlinked.append(np.abs(raw - truth).mean())
        covered += [m.interval[0] <= t <= m.interval[1] for m, t in zip(models, truth, strict=True)]
    assert np.mean(np.abs(errors)) <= 0.01 < 0.05 < np.mean(unlinked)
    assert np.mean(covered) >= 0.9


def test_refuses_too_few_common_bundles_and_says_how_many_are_needed():
    few = link(*planted(1, 6, 400, 20)[:2], "v1", "v3")
    wide = link(*planted(1, 6, 400, 60)[:2], "v1", "v3")
    assert (few.models, few.needed) == ((), 30)
    assert wide.models == ()
    assert wide.needed > 60
    assert f"about {wide.needed:,} are needed" in wide.reason


def test_a_bank_of_files(tmp_path):
    rng = np.random.default_rng(5)
    paths = []
    for j in range(4):
        margins = [*rng.normal(0.3, 1, 60), *([5.0] * 10)]
        of_model = scores(margins, model=f"m{j}")
        header = eval_header("eval.jsonl", "0" * 16, of_model, 42, "v1")
        paths.append(tmp_path / f"m{j}.json")
        write_scored(
            paths[-1], board_of(stats_by_tier(of_model), header, model=f"m{j}", similarity="cosine"), of_model
        )
    judged = bank(paths)
    assert judged.versions == {"v1": 70}
    assert judged.tiers["tier3_adversarial"]["passed by all"] >= 10
    assert {f"b{i:03}" for i in range(60, 70)} <= {b.item for b in judged.retire}
    # Tiers in which none separates models add none.
    told = judged.model_copy(update={"tiers": {"tier1": {"passed by all": 3}, "tier2": {"separates": 2}}})
    assert headline(told) == f"2 of 5 bundles separate models; retire {len(judged.retire)}"
    with pytest.raises(UsageError, match="of 2 model"):
        bank(paths[:2])
