import pytest

from tellapart.codesearch.case import Failed
from tellapart.codesearch.evaluation import NOT_JUDGED
from tellapart.codesearch.reading.evaluations import judge_failed, recorded_failure


@pytest.mark.parametrize(
    "reasoning",
    [
        NOT_JUDGED,
        NOT_JUDGED.upper() + ".",
        "judge failed: timeout after 120s",
        "The judge model failed to respond",
        "Judgment failed",
        "Judgement error: 429",
        "[Evaluation failed]",
        "Evaluation error",
        "Judge call timed out",
        "Judge returned no verdict for this file",
        "Failed to evaluate",
        "Failed to evaluate aero/app/x.rb",
        "Unable to judge: no answer",
        "could not be evaluated",
        "Failed to parse judge response",
        "Failed to parse JSON",
        "No judgment returned",
        "No response",
        "no verdict from the judge",
        "Not judged",
        "Error: Rate limit exceeded",
        "RuntimeError('Claude CLI exited with 1')",
        "json.decoder.JSONDecodeError: Expecting value",
        "API error 529",
        "API error",
        "Connection error: reset by peer",
        "Claude CLI failed (exit code 1)",
        "Traceback (most recent call last):",
        "Timed out after 60 s",
        "Timeout",
        "Rate limited",
        "overloaded",
        "JSON parse error: line 1",
    ],
)
def test_words_of_a_failed_judge(reasoning):
    assert judge_failed(reasoning)


@pytest.mark.parametrize(
    "reasoning",
    [
        "",
        "Error handling for the scheduler, not related to images",
        "Errors of the AI content generation, unrelated",
        "Timeout configuration of the queue, unrelated",
        "Rate limiting middleware, not about posting limits",
        "API error handler for Pinterest responses, could be relevant but is not",
        "Failed publish status component, not about scheduling",
        "Failed to find any connection with the issue",
        "Evaluation form of the onboarding, unrelated",
        "Judge portal for contests, unrelated",
        "No relation to the issue",
        "No response handling in here, only types",
        "No evaluation of limits in this file",
        "Not related",
        "Not relevant to judging failures",
        "Exception creator for the Graph API, not specifically about limits",
        "Connection pool settings",
        "Model of a blog post",
        "The file handles a failed evaluation of the plan, unrelated",
        "Cannot cause the reported behaviour",
    ],
)
def test_words_about_a_file(reasoning):
    assert not judge_failed(reasoning)


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("Timeout after 300s", "timeout"),
        ("the CLI timed out", "timeout"),
        ("time-out", "timeout"),
        ("Deadline exceeded", "timeout"),
        ("exit code 1: credit balance is too low", "provider"),
        ("Failed at runtime output", "provider"),
        ("daytime outage", "provider"),
    ],
)
def test_a_recorded_error_is_a_time_out_where_it_says_so(message, cause):
    assert recorded_failure(message) == Failed(cause, "recorded", message)
