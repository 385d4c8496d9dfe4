import logging

import numpy as np
import pytest

from bundles.word_models import bundle, needs_library, word_model
from reference.pairs import items_needed
from tellapart import bundles
from tellapart.bundles import read_scoreboard
from tellapart.errors import Refused, UsageError

pytestmark = needs_library

TIER3 = 50


def spread(lost):
    """A model that loses the first ``lost`` bundles by .2 and wins the others by .2."""
    vectors = {}
    for i in range(TIER3 + 10):
        positive, negative = (0.6, 0.8) if i < lost else (0.8, 0.6)
        # Each bundle has its own anchor, so that bundles are independent, and all have the same margins.
        vectors |= {f"a{i}": (1, 0), f"p{i}": (positive, negative), f"n{i}": (negative, positive)}
    return word_model(vectors)


def eval_rows(tier3=TIER3):
    tiers = ["tier3"] * tier3 + ["tier1"] * 10
    return [bundle(i, f"a{i}", f"p{i}", f"n{i}", tier=tier) for i, tier in enumerate(tiers)]


@pytest.fixture(scope="module")
def baseline(tmp_path_factory):
    directory = tmp_path_factory.mktemp("baseline")
    bundles.BundleEvaluator(eval_rows())(spread(2), str(directory))
    return directory / "bundles.json"


@pytest.fixture
def said(caplog):
    caplog.set_level(logging.WARNING, logger="tellapart")
    return lambda: [record.getMessage() for record in caplog.records]


def test_a_regression_is_reported_with_its_figures_and_beyond_noise(baseline, said):
    # 2 lost of 50 before and 12 now: ten bundles turned, none the other way; exact McNemar 2 / 2^10.
    bundles.BundleEvaluator(eval_rows(), name="dev", baseline=baseline)(spread(12), steps=7)
    (rate,) = said()
    assert rate.startswith(
        "BundleEvaluator 'dev' at step 7: tier3_adversarial pass_rate is 0.76, 0.2 below the baseline's 0.96 "
        f"({baseline}), n = 50: more than 0.02 below it beyond noise (-0.3"
    )


def test_a_regression_within_noise_is_unclear(baseline, said):
    # Four bundles turned: exact McNemar 2 / 2^4.
    bundles.BundleEvaluator(eval_rows(), baseline=baseline)(spread(6))
    (told,) = said()
    assert "is 0.88, 0.08 below" in told
    assert "n = 50: unclear (-0." in told
    assert "within noise" in told
    needed = items_needed(0.02, np.std([1.0] * 4 + [0.0] * 46, ddof=1), 50, exact=True, alpha=0.1)
    assert told.endswith(f"; {needed:,} bundles would find a drop of 0.02")


def test_a_lasting_regression_is_reported_again_only_if_it_deepens(baseline, said):
    evaluator = bundles.BundleEvaluator(eval_rows(), baseline=baseline, max_drop=0.1)
    # 3 lost is a drop of less than the limit.
    for lost in [3, 12, 12, 2, 12, 16, 17, 18, 18, 45]:
        evaluator(spread(lost))
    # Told at .2; next beyond .2 + .1 which is 17 lost = .3, no more than that, so at 18 lost; then at 45.
    assert [told.partition(" is ")[2].partition(",")[0] for told in said()] == ["0.76", "0.64", "0.1"]


def test_a_baseline_of_another_eval_is_refused_at_once(baseline):
    theirs = read_scoreboard(baseline).eval_header.fingerprint
    with pytest.raises(Refused) as refusal:
        bundles.BundleEvaluator(eval_rows(TIER3 + 1), baseline=baseline)
    ours = bundles.BundleEvaluator(eval_rows(TIER3 + 1)).fingerprint
    assert ours != theirs
    assert f"EVAL_FINGERPRINT: {theirs}" in str(refusal.value)
    assert f"EVAL_FINGERPRINT: {ours}" in str(refusal.value)


def test_what_is_watched_must_be_there_and_each_is_judged(baseline, said):
    evaluator = bundles.BundleEvaluator(eval_rows(), baseline=baseline, watch=("overall", "tier3"))
    evaluator(spread(30))
    scopes = [text.split()[1] for text in said() if "below the baseline's" in text]
    assert scopes == ["overall", "tier3_adversarial"]
    with pytest.raises(UsageError, match="there is no baseline to hold it against"):
        bundles.BundleEvaluator(eval_rows(), watch=["tier3"])
    with pytest.raises(UsageError, match="tier2_robust.*, but no bundle of .* is in it"):
        bundles.BundleEvaluator(eval_rows(), watch="tier2")
