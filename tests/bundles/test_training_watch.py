"""What a training is held to: the cliff, step by step, from scores that are written down."""

from types import SimpleNamespace

import pytest

from bundles.made_scores import scores
from bundles.word_models import needs_library
from tellapart.bundles.tier_stats import tier_stats

pytestmark = needs_library

N = 60


def evaluation(passed, steps, n=N):
    """An evaluation that passes the first ``passed`` of ``n`` bundles."""
    from tellapart.bundles.training_eval import StepEvaluation

    frame = scores([0.1] * passed + [-0.1] * (n - passed))
    return StepEvaluation(None, frame, {"pass_rate": tier_stats(frame).pass_rate}, steps)


@pytest.fixture
def watched():
    """A watch, and how to give it the passes of both evals at a step."""
    from tellapart.bundles.training_watch import CliffWatch

    evals = {name: SimpleNamespace(latest=None) for name in ("frozen", "organic")}
    watch = CliffWatch(evals, rising="frozen", metric="pass_rate", falling="organic")

    def at(steps, frozen, organic, n=N):
        evals["frozen"].latest = evaluation(frozen, steps)
        evals["organic"].latest = evaluation(organic, steps, n)
        return watch.look()

    return watch, at


def test_a_cliff_is_given_once_at_its_first_step(watched):
    watch, at = watched
    assert at(10, 30, 50) is None
    assert at(20, 40, 49) is None  # One bundle lost is noise.
    found = at(30, 50, 30)
    # 20 gained and 20 lost by exact McNemar, 2 / 2^20 each, times 3 pairs of steps.
    assert (found.step, found.against, found.p) == (30, 10, pytest.approx(2 / 2**20))
    assert found.p_adjusted == pytest.approx(6 / 2**20)
    assert (found.rising, found.falling) == ("frozen pass_rate", "organic pass_rate")
    assert at(40, 55, 20) is None
    assert watch.cliff is found


def test_both_must_move_in_their_direction(watched):
    watch, at = watched
    assert [at(10, 30, 50), at(20, 50, 58), at(30, 30, 30), at(40, 31, 20)] == [None] * 4
    assert watch.cliff is None


def test_a_step_counts_once_and_a_training_that_begins_anew_is_another(watched):
    watch, at = watched
    assert at(-1, 30, 60) is None  # Outside of a training.
    assert at(30, 30, 50) is None
    assert at(30, 55, 20) is None  # Of the best checkpoint, loaded at the end.
    assert at(10, 55, 20) is None  # A new training: nothing is before it.
    assert at(20, 55, 20) is None
    assert at(30, 30, 50) is None
    assert at(40, 55, 20).step == 40
    assert at(5, 30, 50) is None
    assert watch.cliff is None


def test_steps_of_other_bundles_have_no_cliff(watched):
    _, at = watched
    assert at(10, 30, 50) is None
    assert at(20, 55, 20, n=N - 1) is None
