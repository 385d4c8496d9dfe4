import pytest

from codesearch.judging.judged import judgement, make_case
from tellapart.codesearch.judging.prompts import Batch, Judgements
from tellapart.codesearch.judging.run import (
    attempt_verdicts,
    is_asked_singly,
    majority,
    repeat_figures,
)
from tellapart.codesearch.model import Failed, JudgeVerdict
from tellapart.core.stats import clustered_rate
from tellapart.llm.questions import Answer, Failure

BATCH = Batch(1, make_case(["r/a", "r/b"]), ("r/a", "r/b"), 1, 0)
YES, NO = JudgeVerdict(True, "yes", "y"), JudgeVerdict(False, "no", "n")
LOST = JudgeVerdict(None, failure=Failed("timeout", "timeout", "t"))


def answered(*judgements):
    return Answer("", Judgements.model_validate({"judgements": list(judgements)}), None)


def failed(cause, kind):
    return Answer("", None, Failure(cause, kind, "why"))


def test_a_judgement_goes_to_the_file_of_its_label_whatever_their_order():
    found = attempt_verdicts(
        BATCH, answered(judgement("2-ab", True, "maybe", "So\n it\u202e is."), judgement("1-ab", False))
    )
    assert found["r/b"] == JudgeVerdict(True, "maybe", "So it<U+202E> is.")
    assert found["r/a"].relevant is False


@pytest.mark.parametrize(
    ("cause", "kind", "singly"),
    [
        ("parse", "schema", True),
        ("parse", "out_of_range", True),
        ("refusal", "refusal", True),
        ("truncated", "max_tokens", True),
        ("truncated", "context_length", True),
        ("provider", "bad_request", True),
        ("provider", "rate_limit", False),
        ("provider", "not_recorded", False),
        ("timeout", "timeout", False),
        ("budget", "max_cost", False),
    ],
)
def test_which_batches_are_asked_file_by_file(cause, kind, singly):
    assert is_asked_singly(BATCH, failed(cause, kind)) is singly
    one = Batch(1, BATCH.case, ("r/a",), 1, 0)
    assert not is_asked_singly(one, failed(cause, kind))


def test_the_majority_of_those_that_said_something():
    assert majority([YES]) == YES
    assert majority([NO, YES, YES]) == YES
    assert majority([YES, NO, NO]) == NO
    assert majority([LOST, YES, LOST]) == YES
    # A tie is not relevant.
    assert majority([YES, NO]) == majority([NO, LOST, YES]) == NO
    other = JudgeVerdict(None, failure=Failed("parse", "schema", "s"))
    assert majority([LOST, other]) == LOST


def test_how_often_the_judge_changed_its_mind():
    askings = {
        ("c", "a"): [YES, YES, YES],
        ("c", "b"): [NO, NO, LOST],
        # Two of three pairs differ, and all of one pair.
        ("d", "c"): [YES, NO, YES],
        ("d", "d"): [YES, LOST, NO],
        ("e", "e"): [LOST, LOST, YES],
        ("e", "f"): [LOST, LOST, LOST],
    }
    found = repeat_figures(askings)
    rate = clustered_rate([0, 0, 1, 1], ["c", "c", "d", "d"])
    assert found == {
        "askings": 18,
        "askings_failed": 7,
        "ties": 1,
        "files_repeated": 4,
        "flip_rate": 0.5,
        "flip_ci": [rate.interval.low, rate.interval.high],
        "disagreement": pytest.approx((0 + 0 + 2 / 3 + 1) / 4),
    }
    assert repeat_figures(dict(reversed(askings.items()))) == found
