"""The offline judge, which compares facts."""

import pytest

from longcontext.grading.judged_lines import probe
from tellapart.llm.questions import Failure
from tellapart.longcontext.case import Expected
from tellapart.longcontext.judge import JudgeQuestions, read_three_lines
from tellapart.offline.longcontext import compares

KEY = Expected("V2-2", "18.7% (n=79) dropped out; the threshold is 4.2%.")
RECENCY = Expected("V2-5", early="response rate 67.8%, NNT=2.6", late="pooled SMD=0.45, NNT=3.9")


def evaluated(response, expected=KEY, **step):
    (question,) = JudgeQuestions([probe(response, expected=expected, id=expected.id, **step)])
    return read_three_lines(compares(question.prompt), "")


@pytest.mark.parametrize(
    ("response", "score", "detail"),
    [
        ("18.7% (n=79) left, and 4.2% passed the threshold.", "CORRECT", "18.7%, 79, 4.2%"),
        ("18.7% left.", "PARTIAL", "18.7%"),
        ("22.1% left.", "HALLUCINATED", "none"),
        ("I do not recall that.", "REFUSED", "none"),
        ("I can't find this in the studies.", "REFUSED", "none"),
        # 218.7% is no 18.7%.
        ("218.7% left.", "HALLUCINATED", "none"),
    ],
)
def test_it_counts_the_facts_that_are_stated(response, score, detail):
    found = evaluated(response)
    assert found.score == score
    assert found.key_detail.replace("n=", "") == detail


@pytest.mark.parametrize(
    ("response", "score"),
    [
        ("The response rate was 67.8%.", "NO_BIAS"),
        ("The pooled effect was 0.45 and the NNT 3.9.", "RECENCY_BIAS_DETECTED"),
        ("67.8% at first, later 0.45.", "NO_BIAS"),
        ("It works.", "NO_BIAS"),
    ],
)
def test_of_recency_it_counts_on_both_sides(response, score):
    assert evaluated(response, RECENCY, mode="Recency Bias").score == score


def test_a_prompt_without_a_response_has_no_answer_that_could_be_read():
    assert isinstance(read_three_lines(compares("Reply again."), ""), Failure)
