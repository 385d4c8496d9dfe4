from codesearch.judging.judged import judgement, make_case
from tellapart.codesearch.judging.relevance import Batch, Judgements, verdicts_of
from tellapart.codesearch.model import JudgeVerdict
from tellapart.llm.questions import Answer

BATCH = Batch(1, make_case(["r/a", "r/b"]), ("r/a", "r/b"), 1)


def answered(*judgements):
    return Answer("", Judgements.model_validate({"judgements": list(judgements)}), None)


def test_a_judgement_goes_to_the_file_of_its_label_whatever_their_order():
    found = verdicts_of(
        BATCH, answered(judgement("2-ab", True, "maybe", "So\n it\u202e is."), judgement("1-ab", False))
    )
    assert found["r/b"] == JudgeVerdict(True, "maybe", "So it<U+202E> is.")
    assert found["r/a"].relevant is False
