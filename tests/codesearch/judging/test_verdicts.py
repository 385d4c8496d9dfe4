import pytest

from codesearch.judging.judged import judgement, make_case
from tellapart.codesearch.judging.relevance import Batch, Judgements, is_asked_singly, verdicts_of
from tellapart.codesearch.model import JudgeVerdict
from tellapart.llm.questions import Answer, Failure

BATCH = Batch(1, make_case(["r/a", "r/b"]), ("r/a", "r/b"), 1)


def answered(*judgements):
    return Answer("", Judgements.model_validate({"judgements": list(judgements)}), None)


def failed(cause, kind):
    return Answer("", None, Failure(cause, kind, "why"))


def test_a_judgement_goes_to_the_file_of_its_label_whatever_their_order():
    found = verdicts_of(
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
    one = Batch(1, BATCH.case, ("r/a",), 1)
    assert not is_asked_singly(one, failed(cause, kind))
