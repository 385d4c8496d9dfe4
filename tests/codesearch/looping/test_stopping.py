from dataclasses import replace

from codesearch.explored_cases import FAILED, case
from codesearch.looping.made_iterations import iteration
from tellapart.codesearch.config import Convergence, LoopConfig
from tellapart.codesearch.looping.trend import History, failed_gates, stop_after, trend
from tellapart.codesearch.model import JudgeVerdict

TRUTH = "abcdefghij"


def found(number, hits, noise=""):
    return iteration(number, case(1, TRUTH, TRUTH, TRUTH[:hits] + noise, judged=""))


def stop(*hits, gates=(), **limits):
    settings = {"min_iterations": 1, "precision_threshold": 1.0, "recall_threshold": 1.0} | limits
    iterations = trend([found(i, n) for i, n in enumerate(hits, start=1)])
    return stop_after(iterations, gates, LoopConfig(**settings))


def reason(*hits, **limits):
    decided = stop(*hits, **limits)
    return decided and (decided.reason, decided.iteration)


def test_thresholds_from_the_first_allowed_iteration_on():
    limits = {"precision_threshold": 0.8, "recall_threshold": 0.7}
    assert reason(7, **limits) == ("thresholds", 1)
    assert reason(6, **limits) is None
    assert reason(7, **limits, min_iterations=2) is None
    assert reason(7, 7, **limits, min_iterations=2) == ("thresholds", 2)
    assert stop(7, **limits).text == (
        "The thresholds are reached: precision 1.000 (threshold 0.8) and recall 0.700 (threshold 0.7)."
    )


def test_a_system_that_nobody_changes():
    assert reason(5, 5) == ("unchanged", 2)
    assert stop(5, 5).text.startswith(
        "Nothing changed, converged: the system returned just the files of iteration 1."
    )
    assert reason(5, 5, improve="tune") is None
    assert reason(5, 5, min_iterations=3) is None


def test_convergence_takes_all_of_the_last_steps():
    limits = {"improve": "tune", "convergence": Convergence(change=0.1, iterations=2)}
    assert reason(4, 5, **limits) is None
    assert reason(4, 5, 6, **limits) == ("converged", 3)
    assert reason(3, 5, 6, **limits) is None
    assert reason(3, 5, 6, 6, **limits) == ("converged", 4)
    assert reason(6, 5, 4, **limits) == ("converged", 3)
    assert reason(4, 5, 6, **limits, min_iterations=4) is None


def test_a_fall_that_noise_could_explain_stops_too_and_orders_no_rollback():
    decided = stop(9, 5, gates=failed_gates([found(1, 9)], found(2, 5), 0.1), min_iterations=5)
    assert (decided.reason, History(iterations=(), stopped=decided).outcome.exit_code()) == ("unclear", 4)
    assert decided.text.startswith(
        "Unclear: iteration 2 may be worse than an earlier one by more than 0.1: in 'uncertain' "
        "recall against iteration 1: -0.400 (1 conversation); this gate cannot fail: "
    )


def gone(one, letters):
    return replace(one, verdicts={f"repo/{f}": JudgeVerdict(None, failure=FAILED) for f in letters})


def test_a_judge_that_fails_stops_it_as_unreliable_and_orders_no_rollback():
    before = iteration(1, *(case(i, TRUTH, TRUTH, TRUTH + "x", judged="") for i in range(8)))
    now = iteration(2, *(gone(case(i, TRUTH, TRUTH, TRUTH + "xyz"), "xyz") for i in range(8)))
    limits = LoopConfig(min_iterations=1, precision_threshold=0.9, recall_threshold=0.9)
    decided = stop_after(trend([before, now]), failed_gates([before], now, 0.1), limits)
    assert (decided.reason, History(iterations=(), stopped=decided).outcome.exit_code()) == ("unreliable", 4)
    assert decided.text.startswith(
        "Unreliable: the judge gave no verdict on many files of iteration 2, so the change cannot be "
        "judged: precision is 0.769 to 1.000. The system is not to blame: do not roll back."
    )
    assert "worse" not in decided.text
    # In the first iteration as well: there is nothing to go on from.
    assert stop_after(trend([replace(now, iteration=1)]), [], limits).reason == "unreliable"
