"""What another program recorded: a sweep of capsules and a scoreboard, read to the last figure."""

import json
import math
from statistics import NormalDist, mean, stdev

import pytest

from tellapart.bundles.result_files import read_results, read_runs
from tellapart.bundles.runs import Figure
from tellapart.bundles.seeds import compare_seeds
from tellapart.errors import InputError, Refused

SIZES = {"tier2_robust": 800, "tier3_adversarial": 400, "tier1_easy": 800}
# Passes by condition and seed, in the order of SIZES: the hardest tier is the one that is passed most.
PASSES = {
    "vet15": {42: (216, 159, 220), 123: (218, 160, 221), 456: (217, 161, 215)},
    "vet60": {42: (240, 172, 236), 123: (236, 169, 240), 456: (238, 174, 239)},
}
T_AT_2 = 4.302652729749464


def stats(n, correct):
    rate = correct / n
    margins = {f"{name}_margin": value for name, value in (("mean", -0.1), ("median", -0.05), ("q10", -0.3))}
    return {"n": n, "correct": correct, "accuracy": rate, "mean_rank": 2.5, "pass_rate": rate, **margins}


def sweep():
    """What the evaluator of capsules writes; ``eval_path`` stands beside the header."""
    capsules = [
        {
            "condition": condition,
            "seed": seed,
            "capsule_dir": f"results/{condition}/seed_{seed}",
            "overall": stats(sum(SIZES.values()), sum(passes)),
            "by_tier": {tier: stats(SIZES[tier], one) for tier, one in zip(SIZES, passes, strict=True)},
        }
        for condition, of in PASSES.items()
        for seed, passes in of.items()
    ]
    header = {"_header": True, "source_sha256": "ab" * 32, "eval_seed": 42, "eval_count": 2000}
    fixed = {"eval_path": "e.jsonl", "device": "cuda", "summary": {}}
    return {**fixed, "eval_header": header, "capsules": capsules}


@pytest.fixture
def write(tmp_path):
    def put(value, name="sweep.json"):
        path = tmp_path / name
        path.write_text(json.dumps(value))
        return path

    return put


def test_a_sweep_by_hand(write):
    result = compare_seeds(read_runs([write(sweep())])).model_dump(mode="json")
    rates = [sum(passes) / 2000 for passes in PASSES["vet15"].values()]
    one = result["conditions"]["vet15"]["pass_rate"]
    half = T_AT_2 * stdev(rates) / math.sqrt(3)
    assert (one["mean"], one["std"]) == pytest.approx((mean(rates), stdev(rates)), rel=1e-11)
    assert one["ci95_t"] == pytest.approx((mean(rates) - half, mean(rates) + half), rel=1e-9)
    assert (one["n_seeds"], one["n_items"], one["ci95_items"]) == (3, 2000, None)
    # Wilson's interval of the items alone, by its formula.
    z = NormalDist().inv_cdf(0.975)
    wilson = mean(
        z / (1 + z * z / 2000) * math.sqrt(rate * (1 - rate) / 2000 + z * z / 4 / 2000**2) for rate in rates
    )
    assert one["items_alone"] == pytest.approx(wilson, rel=1e-9)
    assert result["fingerprints"] == ["abababababababab|42|2000"]


def test_a_scoreboard_of_the_published_schema_is_a_run_called_as_its_file(write):
    header = {"eval_path": "e.jsonl", "fingerprint": "a1b2|42|3786", "source_hash": "a1b2", "seed": 42}
    overall = {"n": 3786, "correct": 2739, "accuracy": 0.7234, "pass_rate": 0.7234, "mean_rank": 1.34}
    board = {"eval_header": {**header, "item_count": 3786}, "checkpoint_path": "results/final.pt"}
    path = write({**board, "overall": overall, "by_tier": {"tier1_easy": {"pass_rate": 0.8524}}}, "base.json")
    recorded = read_results(path)
    (run,) = recorded.runs
    assert (run.training, run.seed, recorded.fingerprint) == ("base", "results/final.pt", "a1b2|42|3786")
    rates = {name: Figure(overall[name], n=3786) for name in ("accuracy", "pass_rate", "mean_rank")}
    assert run.figures == {**rates, "tier1_easy_pass_rate": Figure(0.8524)}
    assert recorded.lacks.endswith("units of margins or name of the model")
    with pytest.raises(Refused, match="different evals"):
        read_runs([path, write(sweep())])


def failed(value):
    value["capsules"][0] = {"condition": "vet15", "seed": 42, "error": "no model.pt"}
    return value


def test_a_run_that_failed_is_left_out_and_told(write):
    runs = read_runs([write(failed(sweep()))])
    assert runs.figures("pass_rate")["vet15"].keys() == {"123", "456"}
    assert "1 of its runs ended in an error" in runs.no_scores


BROKEN = [
    ("condition", None, "entry 1 of 'capsules': 'condition' is missing, expected a name"),
    ("overall.pass_rate", 0.5, "expected rates of 0.2975: 595 correct of 2000"),
    ("overall.accuracy", 28, "'overall.accuracy' is 28, expected a number of 1 or less"),
    (
        "by_tier.tier3_adversarial",
        {},
        "'by_tier.tier3_adversarial' is {}, expected figures with a 'pass_rate'",
    ),
    ("by_tier.tier4", stats(1, 1), "unknown tier 'tier4'"),
    ("by_tier.tier3_adversarial", stats(4000, 100), "the tiers have 5,600 bundles, expected 2,000"),
]


def test_a_broken_run_names_itself_its_field_and_what_was_expected(write):
    for place, value, message in BROKEN:
        broken = sweep()
        *path, last = place.split(".")
        at = broken["capsules"][0]
        for name in path:
            at = at[name]
        at[last] = value
        with pytest.raises(InputError, match=message):
            read_results(write(broken))
