"""Points of several evals and seeds: what is joined, what is left out, and what the intervals cover."""

import json

import numpy as np
import pytest
from scipy.stats import ttest_rel

from bundles.stored import TIERS, write_board
from tellapart.bundles.commands.results import eval_files
from tellapart.bundles.pareto import frontier, metrics_named
from tellapart.bundles.points import read_points
from tellapart.bundles.result_files import read_runs
from tellapart.bundles.seeds import compare_seeds
from tellapart.errors import InputError, Refused

TWO = ("frozen:tier3.pass_rate", "organic:pass_rate")
PRINTS = {"frozen": "f" * 16, "organic": "0" * 16}


def draw(directory, eval_name, name, ability, *, model=None, checkpoint="", seed=0, source_hash=None):
    """A scoreboard of 300 bundles, those of the frozen eval in two tiers with the harder ones in the last."""
    rng = np.random.default_rng([seed, sum(name.encode())])
    difficulty = np.random.default_rng(len(eval_name)).normal(0, 1, 300)
    tiers = None
    if eval_name == "frozen":
        difficulty = np.sort(difficulty) + np.random.default_rng(1).normal(0, 0.2, 300)
        tiers = [TIERS[0]] * 150 + [TIERS[2]] * 150
    margins = ability - difficulty + rng.normal(0, 0.4, 300)
    return write_board(
        directory,
        f"{eval_name}-{name}",
        margins.tolist(),
        tiers or [TIERS[1]] * 300,
        model=model or name,
        eval_path=f"evals/{eval_name}.jsonl",
        source_hash=source_hash or PRINTS[eval_name],
        checkpoint=checkpoint,
    )


def record_of(paths, metrics=TWO, **options):
    files = eval_files([str(path) for path in paths])
    points = read_points(files, metrics_named(metrics), **options)
    return frontier(points)


@pytest.fixture
def seeded(tmp_path):
    """Two conditions of three seeds on both evals, ``high`` better by one; one on the frozen eval only."""
    rng = np.random.default_rng(7)
    paths = [draw(tmp_path, "frozen", "alone", 0.5)]
    for condition, frozen in (("low", 0.3), ("high", 1.2)):
        for seed in range(3):
            for eval_name, base in (("frozen", frozen), ("organic", 0.5)):
                of = {"model": condition, "checkpoint": f"seed-{seed}", "seed": seed}
                ability = base + rng.normal(0, 0.02)
                paths.append(draw(tmp_path, eval_name, f"{condition}{seed}", ability, **of))
    return paths


def test_conditions_are_one_point_each_as_seeds_has_them(seeded):
    record = record_of(seeded)
    assert set(record.points) == {"low", "high"} and record.left_out == {"alone": "not on organic"}
    assert record.evals == {name: (f"{PRINTS[name]}|42|300",) for name in ("frozen", "organic")}
    assert record.exploratory is False
    for eval_name, metric, name in (
        ("frozen", "tier3_adversarial_pass_rate", TWO[0]),
        ("organic", "pass_rate", TWO[1]),
    ):
        paths = [path for path in seeded if path.stem.startswith(eval_name) and "alone" not in path.stem]
        expected = compare_seeds(read_runs(paths), [metric]).conditions
        for condition in ("low", "high"):
            figure, seeds = record.points[condition][name], expected[condition][metric]
            assert (figure.value, figure.n_seeds, figure.covers) == (seeds.mean, 3, "seeds and bundles")
            assert figure.interval == pytest.approx(seeds.ci95_items)
    assert "the noise of seeds and bundles" in record.cautions[0]


def test_dominance_has_the_p_of_the_test_over_seeds(tmp_path):
    rates = {"a": ([0.50, 0.52, 0.49], [0.70, 0.71, 0.70]), "b": ([0.60, 0.61, 0.61], [0.72, 0.74, 0.73])}
    rows = [
        {"condition": name, "seed": seed, "frozen_tier3": x, "organic_holdout": y}
        for name, of in rates.items()
        for seed, (x, y) in enumerate(zip(*of, strict=True))
    ]
    path = tmp_path / "seeds.json"
    path.write_text(json.dumps(rows))
    record = record_of([path], ())
    p = min(ttest_rel(rates["a"][i], rates["b"][i]).pvalue for i in (0, 1))
    assert record.dominated == {"a": "b"} and record.evals == {}
    assert record.dominance["a"].p == pytest.approx(p)
    # Two conditions by two metrics are two differences to look at.
    assert record.dominance["a"].p_adjusted == pytest.approx(2 * p)
    assert record.points["a"]["frozen_tier3"].covers == "seeds"


def test_steps_of_a_training_are_points_and_its_cliff_is_named(tmp_path):
    paths = []
    for step, frozen, organic in ((40, 0.0, 0.3), (80, 0.5, 0.4), (120, 1.0, -0.5), (160, 1.5, -0.7)):
        for eval_name, ability in (("frozen", frozen), ("organic", organic)):
            model, checkpoint = f"run step {step}", f"out/checkpoint-{step}"
            paths.append(
                draw(tmp_path, eval_name, model, ability, model=model, checkpoint=checkpoint, seed=step)
            )
    record = record_of(paths)
    assert set(record.points) == {f"run step {step}" for step in (40, 80, 120, 160)}
    (cliff,) = record.cliffs
    assert (cliff.training, cliff.verdict, cliff.step, cliff.holds_at) == ("run", "cliff", 120, (120, 160))
    assert cliff.rising == "frozen tier3_adversarial_pass_rate"


def test_two_fingerprints_of_one_eval_are_refused_and_no_common_model_is_said(tmp_path):
    a, b = draw(tmp_path, "frozen", "a", 0.5), draw(tmp_path, "frozen", "b", 0.5, source_hash="1" * 16)
    c = draw(tmp_path, "organic", "c", 0.5)
    with pytest.raises(Refused, match="the eval 'frozen': these scoreboards are of different evals"):
        record_of([a, b, c])
    with pytest.raises(InputError, match=r"no model has .* \(a: not on organic; c: not on frozen\)"):
        record_of([a, c])
