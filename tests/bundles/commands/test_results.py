import json

import pytest

from bundles.stored import HASH, write_board

PLAN = {
    "steps": 10_000,
    "batch-size": 32,
    "tier3-probability": "0.10",
    "legacy-ratio": 0.75,
    "pool-size": 454,
}


def options(**changes):
    plan = PLAN | {name.replace("_", "-"): value for name, value in changes.items()}
    return [word for name, value in plan.items() for word in (f"--{name}", value)]


def test_exposure_prints_the_contract(tellapart):
    found = tellapart("bundles", "exposure", *options(), "--json")
    figures = json.loads(found.out)
    assert found.code == 0
    assert f"{figures['exposure']:.1f}" == "52.9"
    assert figures["status"] == "healthy"
    assert figures["to_restore"]["ratio"] == 0.709375
    assert (figures["to_restore"]["steps"], figures["to_restore"]["pool_size"]) == (9459, 480)


ENTRIES = [
    {"name": "a", "frozen_tier3": 0.9, "organic_holdout": 0.5, "cost": 3},
    {"name": "b", "frozen_tier3": 0.7, "organic_holdout": 0.8, "cost": 1},
    {"name": "c", "frozen_tier3": 0.6, "organic_holdout": 0.7, "cost": 2},
]


@pytest.fixture
def entries(tmp_path):
    path = tmp_path / "entries.json"
    path.write_text(json.dumps(ENTRIES), encoding="utf-8")
    return path


def test_pareto_prints_the_contract(tellapart, entries):
    figures = json.loads(tellapart("bundles", "pareto", entries, "--json").out)
    assert figures["frontier"] == ["a", "b"]
    assert figures["dominated"] == {"c": "b"}
    assert (figures["within_noise"], figures["exploratory"]) == (None, False)


def test_pareto_of_different_evals_is_refused_with_one(tellapart, tmp_path):
    paths = [write_board(tmp_path, name, [0.1, -0.1], seed=seed) for name, seed in (("a", 1), ("b", 2))]
    asked = ["bundles", "pareto", *paths, "--metric", "pass_rate", "--metric", "mrr", "--json"]
    refused = tellapart(*asked)
    assert (refused.code, refused.out) == (1, "")
    assert f"{HASH}|1|2" in refused.err
    assert f"{HASH}|2|2" in refused.err
    allowed = json.loads(tellapart(*asked, "--allow-fingerprint-mismatch").out)
    assert allowed["exploratory"] is True
    assert allowed["frontier"] == ["a", "b"]


RUNS = [
    {"condition": condition, "seed": seed, "pass_rate": rate}
    for condition, rates in {"base": (0.71, 0.74, 0.68), "mixed": (0.75, 0.72, 0.76)}.items()
    for seed, rate in enumerate(rates)
]


@pytest.fixture
def runs(tmp_path):
    path = tmp_path / "runs.json"
    path.write_text(json.dumps(RUNS), encoding="utf-8")
    return path


def test_seeds_print_the_contract(tellapart, runs):
    figures = json.loads(tellapart("bundles", "seeds", runs, "--json").out)
    base = figures["conditions"]["base"]["pass_rate"]
    assert (base["mean"], base["min"], base["max"], base["n_seeds"]) == (0.71, 0.68, 0.74, 3)
    assert base["ci95_normal"] == pytest.approx([0.6760518, 0.7439482], abs=1e-7)
    assert base["ci95_t"] == pytest.approx([0.6354759, 0.7845241], abs=1e-7)
    comparison = figures["comparison"]
    (found,) = comparison["primary"]["pairs"]
    assert (found["metric"], found["a"], found["b"]) == ("pass_rate", "base", "mixed")
    assert found["difference"] == pytest.approx(0.71 - 2.23 / 3, abs=1e-12)
    assert found["rule"]["is_apart"] is True
    assert found["p"] > 0.05
    assert found["rule"]["disagreement"].startswith("the 2 % rule calls this difference significant")
    assert (found["verdict"], found["covers"], found["test"]) == ("not_separated", "seeds", "t")
    assert (comparison["primary"]["scope"], comparison["secondary"]) == ("pass_rate", None)
