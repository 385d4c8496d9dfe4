import numpy as np
import pytest

from bundles.made_scores import scores
from tellapart.bundles.cliff import (
    EvalSteps,
    TrainedStep,
    Training,
    find_cliffs,
    scored_steps,
    sentence,
    trained_step,
)
from tellapart.errors import InputError

STEPS = (40, 80, 120, 160, 200, 240)


def in_frames(metric, margins, clusters):
    """Steps as they are read from scores."""
    return scored_steps(
        metric, metric, {step: scores(list(of), clusters=clusters) for step, of in margins.items()}
    )


def in_arrays(metric, margins, clusters):
    """The same, without frames, which take longer to make than to be searched for a cliff."""
    items = {step: (of > 0).astype(float) for step, of in margins.items()}
    return EvalSteps(metric, {step: {"": passed.mean()} for step, passed in items.items()}, items, clusters)


def drawn(rng, frozen, organic, *, model="m", shared=1, steps_of=in_frames):
    """A training whose ability on each eval moves by step; ``shared`` bundles have one anchor."""
    evals = []
    for ability, n, metric in ((frozen, 300, "tier3_adversarial_pass_rate"), (organic, 400, "pass_rate")):
        difficulty = rng.normal(0, 1, n)
        clusters = [f"anchor {i // shared}" for i in range(n)]
        margins = {
            step: level - difficulty + rng.normal(0, 0.6, n)
            for step, level in zip(STEPS, ability, strict=True)
        }
        evals.append(steps_of(metric, margins, clusters))
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
    training = drawn(np.random.default_rng(2), RISING, [0, 0, -0.8, -0.8, 0.3, 0.3])
    (cliff,) = find_cliffs([training])
    assert (cliff.step, cliff.holds_at) == (120, (120, 160))
    assert "at steps 120 and 160, but not at each later step" in sentence(cliff)


@pytest.mark.slow
@pytest.mark.parametrize("shared", [1, 2])
@pytest.mark.parametrize(
    ("frozen", "organic"), [(FLAT, FLAT), (RISING, FLAT), (FLAT, -RISING)], ids=["both", "organic", "frozen"]
)
def test_without_a_cliff_one_is_named_in_at_most_5_percent(frozen, organic, shared):
    rng = np.random.default_rng(3)
    trainings = [drawn(rng, frozen, organic, shared=shared, steps_of=in_arrays) for _ in range(200)]
    named = [find_cliffs([training])[0].verdict == "cliff" for training in trainings]
    assert np.mean(named) <= 0.05 + 2 * (0.05 * 0.95 / 200) ** 0.5


def recorded(*steps):
    return {step: {"1": value} for step, value in zip(STEPS, steps, strict=False)}


def test_rates_alone_show_the_pattern_but_not_whether_it_is_noise():
    training = Training(
        "m", EvalSteps("frozen", recorded(0.5, 0.52, 0.55)), EvalSteps("organic", recorded(0.8, 0.8, 0.7))
    )
    (cliff,) = find_cliffs([training])
    assert (cliff.verdict, cliff.step, cliff.against, cliff.p) == ("not_known", 120, 40, None)
    assert sentence(cliff) == (
        "Perhaps a cliff in m at step 120: frozen is up by 5 points on step 40, and organic is down by 10 "
        "points; the scores of bundles are not at hand, so whether that is more than noise is not known"
    )


def test_recorded_seeds_are_tested_by_their_noise():
    up = {s: {"1": 0.5 + i / 20, "2": 0.51 + i / 20, "3": 0.49 + i / 19} for i, s in enumerate(STEPS[:3])}
    down = {40: {"1": 0.80, "2": 0.79, "3": 0.82}, 80: {"1": 0.79, "2": 0.80, "3": 0.81}} | {
        120: {"1": 0.60, "2": 0.593, "3": 0.62}
    }
    (cliff,) = find_cliffs([Training("base", EvalSteps("frozen", up), EvalSteps("organic", down))])
    assert (cliff.verdict, cliff.step, cliff.covers) == ("cliff", 120, "seeds")


def test_steps_of_different_bundles_have_no_figure():
    frames = {40: scores([0.1, 0.2]), 80: scores([0.1, 0.2, 0.3])}
    assert scored_steps("a", "pass_rate", frames).values == {}
    assert scored_steps("a", "tier1_easy_pass_rate", {40: scores([0.1])}).values == {}


@pytest.mark.parametrize(
    ("model", "checkpoint", "expected"),
    [
        ("minilm step 120", "", TrainedStep("minilm", "", 120)),
        ("minilm step 120", "run-a/checkpoint-120", TrainedStep("minilm", "run-a", 120)),
        ("m", "out/epoch=1-step=40.ckpt", TrainedStep("m", "out", 40)),
        ("base", "checkpoint-40/", TrainedStep("base", "", 40)),
        ("m", "out/checkpoint-2024-11-24", TrainedStep("m", "out/checkpoint-2024-11-24")),
        ("m", "out/model-40k", TrainedStep("m", "out/model-40k")),
        ("base", "seed-1", TrainedStep("base", "seed-1", None)),
        ("next step", "", TrainedStep("next step", "", None)),
    ],
)
def test_the_step_is_read_from_the_checkpoint_or_the_name(model, checkpoint, expected):
    assert trained_step(model, checkpoint) == expected


def test_a_name_and_a_checkpoint_of_different_steps_are_refused():
    with pytest.raises(
        InputError, match="'m step 40' is of step 40, its checkpoint 'run/checkpoint-80' of step 80"
    ):
        trained_step("m step 40", "run/checkpoint-80")
