"""One evaluator on two evals: its names, files, baselines and what it says of each."""

import csv
import logging

import pytest

from bundles.word_models import bundle, needs_library, word_model
from tellapart import bundles
from tellapart.bundles import read_scoreboard
from tellapart.bundles.eval_source import canonical_lines
from tellapart.bundles.figures import LOGGED
from tellapart.errors import Refused, UsageError

pytestmark = needs_library

FROZEN, ORGANIC = 50, 40


def frozen_rows():
    tiers = ["tier3"] * 30 + ["tier1"] * 20
    return [bundle(i, f"f{i}", f"pf{i}", f"nf{i}", tier=tier) for i, tier in enumerate(tiers)]


def organic_rows():
    return [bundle(i, f"o{i}", f"po{i}", f"no{i}") for i in range(ORGANIC)]


def passing(frozen, organic):
    """A model that passes the bundles whose numbers are in ``frozen`` and ``organic``, by margins of .2."""
    vectors = {}
    for kind, n, right in (("f", FROZEN, frozen), ("o", ORGANIC, organic)):
        for i in range(n):
            near, far = ((4, 3), (3, 4)) if i in right else ((3, 4), (4, 3))
            vectors |= {f"{kind}{i}": (1, 0), f"p{kind}{i}": near, f"n{kind}{i}": far}
    return word_model(vectors)


BOTH = {"frozen": frozen_rows(), "organic": organic_rows()}


@pytest.fixture(scope="module")
def good():
    return passing(range(FROZEN), range(ORGANIC))


@pytest.fixture
def baselines(good, tmp_path):
    bundles.BundleEvaluator(BOTH)(good, str(tmp_path / "before"))
    return {name: tmp_path / "before" / f"bundles_{name}.json" for name in BOTH}


@pytest.fixture
def said(caplog):
    caplog.set_level(logging.WARNING, logger="tellapart")
    return lambda: [record.getMessage() for record in caplog.records]


def test_each_eval_has_metrics_files_and_a_fingerprint_of_its_own(tmp_path):
    model = passing(range(45), range(30))
    evaluator = bundles.BundleEvaluator(BOTH, name="dev")
    assert evaluator.primary_metric == "dev_frozen_tier3_adversarial_pass_rate"
    assert evaluator.greater_is_better
    found = evaluator(model, str(tmp_path), 0.5, 10)
    alone = {name: bundles.BundleEvaluator(rows) for name, rows in BOTH.items()}
    expected = {
        f"dev_{name}_{metric}": value for name, one in alone.items() for metric, value in one(model).items()
    }
    assert found == expected
    assert found["dev_frozen_pass_rate"] == 0.9 and found["dev_organic_pass_rate"] == 0.75
    assert evaluator.fingerprints == {name: one.fingerprint for name, one in alone.items()}
    assert evaluator.fingerprint == alone["frozen"].fingerprint
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "bundles_dev_frozen_epoch0.5_step10.json",
        "bundles_dev_frozen_epoch0.5_step10.scores.parquet",
        "bundles_dev_organic_epoch0.5_step10.json",
        "bundles_dev_organic_epoch0.5_step10.scores.parquet",
        "bundles_evaluation_dev_frozen_results.csv",
        "bundles_evaluation_dev_organic_results.csv",
    ]
    board = read_scoreboard(tmp_path / "bundles_dev_organic_epoch0.5_step10.json")
    assert board == evaluator.last_scoreboards["organic"]
    assert board.overall.pass_rate == 0.75
    with (tmp_path / "bundles_evaluation_dev_organic_results.csv").open(newline="") as file:
        (line,) = csv.DictReader(file)
    assert list(line) == ["epoch", "steps", *LOGGED]
    assert float(line["pass_rate"]) == 0.75


def test_the_primary_metric_may_be_of_any_eval(good):
    evaluator = bundles.BundleEvaluator(BOTH, primary_metric="organic_mean_rank")
    assert (evaluator.primary_metric, evaluator.greater_is_better) == ("organic_mean_rank", False)
    assert evaluator.fingerprint == evaluator.fingerprints["organic"]
    assert evaluator(good)["organic_mean_rank"] == 1
    assert evaluator.last_scoreboard.overall.n == ORGANIC
    with pytest.raises(UsageError, match="'pass_rate' is not a metric of these evals"):
        bundles.BundleEvaluator(BOTH, primary_metric="pass_rate")


def test_a_list_of_paths_is_called_by_its_files(good, tmp_path):
    paths = []
    for name, rows in BOTH.items():
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_bytes(canonical_lines(rows))
    evaluator = bundles.BundleEvaluator(paths)
    assert evaluator.primary_metric == "frozen_tier3_adversarial_pass_rate"
    assert evaluator(good) == bundles.BundleEvaluator(BOTH)(good)
    (tmp_path / "other").mkdir()
    with pytest.raises(UsageError, match="two evals are called 'frozen', by their files"):
        bundles.BundleEvaluator([paths[0], tmp_path / "other" / "frozen.jsonl"])
    with pytest.raises(UsageError, match=r"the names of the evals are \[\], expected texts"):
        bundles.BundleEvaluator({})


def test_a_text_of_two_evals_is_embedded_once(monkeypatch):
    model = word_model({"a": (1, 0), "p": (4, 3), "n": (3, 4), "m": (0, 1)})
    embedded, encode = [], model.encode
    monkeypatch.setattr(
        model, "encode", lambda inputs, **more: embedded.extend(inputs) or encode(inputs, **more)
    )
    bundles.BundleEvaluator({"x": [bundle(1, "a", "p", "n")], "y": [bundle(1, "a", "p", "m")]})(model)
    assert sorted(embedded) == ["a", "m", "n", "p"]


def test_each_eval_is_held_against_its_own_baseline(baselines, said):
    evaluator = bundles.BundleEvaluator(BOTH, baseline=baselines, max_q10_drop=None)
    evaluator(passing(range(FROZEN), range(20)), steps=5)
    (*_, last) = said()
    assert [text.split(": ")[0] for text in said()[:2]] == [
        "BundleEvaluator 'frozen'",
        "BundleEvaluator 'organic'",
    ]
    assert last.startswith(
        "BundleEvaluator 'organic' at step 5: overall pass_rate is 0.5, 0.5 below the baseline's 1"
    )
    assert "beyond noise" in last
    swapped = {"frozen": baselines["organic"], "organic": baselines["frozen"]}
    with pytest.raises(Refused, match="is of another eval"):
        bundles.BundleEvaluator(BOTH, baseline=swapped)


def test_watched_tiers_are_judged_apart_and_each_says_what_it_cannot_show(baselines, said):
    evaluator = bundles.BundleEvaluator(
        BOTH, baseline=baselines, watch=("tier3", "tier1_pass_rate", "overall"), max_q10_drop=None
    )
    small = [text.split(": a drop")[0] for text in said()]
    # The 50 bundles of the frozen eval are enough for the limit.
    assert small == [
        "BundleEvaluator 'frozen': tier3_adversarial has n = 30",
        "BundleEvaluator 'frozen': tier1_easy has n = 20",
        "BundleEvaluator 'organic': overall has n = 40",
    ]
    before = len(said())
    evaluator(passing(range(35), range(ORGANIC)), steps=3)  # All of tier 3, 5 of 20 in tier 1.
    lost = [text for text in said()[before:] if " below the baseline's " in text]
    assert [text.split(": ")[1].split(" is")[0] for text in lost] == [
        "tier1_easy pass_rate",
        "overall pass_rate",
    ]


def test_what_is_watched_may_differ_by_eval(baselines, said):
    evaluator = bundles.BundleEvaluator(
        BOTH,
        baseline=baselines,
        watch={"frozen": ["tier1_q10_margin"], "organic": ["pass_rate"]},
    )
    evaluator(passing(range(30), range(20)))
    lost = [text for text in said() if " below the baseline's " in text]
    assert [text.split(": ")[1].split(" is")[0] for text in lost] == [
        "tier1_easy q10_margin",
        "overall pass_rate",
    ]


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({"watch": ["tier3"]}, "watch names 'tier3', but there is no baseline to hold it against"),
        ({"watch": ["tier4"], "baseline": {}}, "watch names 'tier4', expected a tier"),
        ({"watch": ["tier3_mrr"], "baseline": {}}, "watch names 'tier3_mrr', expected a tier"),
        (
            {"baseline": "b.json"},
            r"there are 2 evals and one baseline.*baseline=\{'frozen': …, 'organic': …\}",
        ),
        ({"baseline": {"organics": "b.json"}}, "baseline names 'organics', which is no eval.*'organic'"),
        ({"watch": {"org": ["tier3"]}}, "watch names 'org', which is no eval"),
    ],
)
def test_what_cannot_be_watched_is_refused(more, complaint):
    with pytest.raises(UsageError, match=f"(?s){complaint}"):
        bundles.BundleEvaluator(BOTH, **more)


def test_a_tier_that_no_eval_has_is_refused(baselines):
    with pytest.raises(UsageError, match="no bundle of .* is in tier2_robust"):
        bundles.BundleEvaluator(BOTH, baseline=baselines, watch=["tier2"])
    with pytest.raises(UsageError, match="no bundle of .* is in tier3_adversarial"):
        bundles.BundleEvaluator(BOTH, baseline=baselines, watch={"organic": ["tier3"]})
    with pytest.raises(UsageError, match="watch names 'overall' of 'organic', but there is no baseline"):
        bundles.BundleEvaluator(
            BOTH, baseline={"frozen": baselines["frozen"]}, watch={"organic": ["overall"]}
        )


def test_an_eval_alone_may_watch_several_tiers(good, tmp_path, said):
    bundles.BundleEvaluator(frozen_rows())(good, str(tmp_path))
    evaluator = bundles.BundleEvaluator(
        frozen_rows(), baseline=tmp_path / "bundles.json", watch="tier1", max_q10_drop=None
    )
    evaluator(passing([*range(5), *range(30, 50)], []))
    assert not [text for text in said() if " below the baseline's " in text]
    evaluator(passing(range(30), []))
    assert "tier1_easy pass_rate is 0, 1 below the baseline's 1" in said()[-1]


def test_the_model_card_has_a_section_for_each_eval_with_the_bundles_in_each_tier(tmp_path):
    evaluator, model = bundles.BundleEvaluator(BOTH, name="dev"), passing(range(FROZEN), range(ORGANIC))
    for steps in (1, 2):
        evaluator(model, epoch=0, steps=steps)
    model.save_pretrained(str(tmp_path))
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert card.count("#### Bundle\n") == 2
    assert "* Dataset: `dev_frozen`" in card and "* Dataset: `dev_organic`" in card
    assert card.count("bundles.evaluator.BundleEvaluator</code> with these parameters") == 2
    assert '"tier3_adversarial": 30' in card and f'"overall": {ORGANIC}' in card
    assert card.count("| **tier3_adversarial_pass_rate**") == 1 and card.count("| **pass_rate**") == 1
    for fingerprint in evaluator.fingerprints.values():
        assert f'"fingerprint": "{fingerprint}"' in card
