"""Causes come from whole phrases, as providers and harnesses write them."""

import pytest

from tellapart.core.failure_words import cause_of, is_too_long, refused_call

TOO_LONG = [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "Error code: 400 - {'code': 'context_length_exceeded'}",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "the request exceeds the available context size, try increasing it",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens",
    "Input validation error: `inputs` must have less than 4095 tokens. Given: 5000",
    "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000",
    "Please reduce the length of the messages or completion.",
    "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    "Input is too long for requested model.",
]
CAUSES = {
    "provider": [
        "Connection refused",
        "[Errno 111] Connection refused",
        "ConnectionRefusedError: [Errno 111]",
        "Error code: 429 - Rate limit reached: 30000 tokens per minute, too many tokens",
        "429 Too Many Requests",
        "RateLimitError: max_tokens of 4096 counts towards tokens per minute",
        "Quota exceeded for quota metric 'requests' and limit 'requests per minute'",
        "Overloaded",
        "500 Internal Server Error",
        "getaddrinfo failed",
        "something nobody has seen",
        "max_tokens: 4096 > 2048, which is the maximum allowed number of output tokens",
    ],
    "timeout": ["Request timed out.", "Connection timed out", "Error code: 504", "exceeded time limit (6 s)"],
    "budget": [
        "Error code: 429 - insufficient_quota: You exceeded your current quota, check your plan and billing",
        "Your credit balance is too low",
        "Error code: 402 - Payment Required",
        "token limit exceeded",
    ],
    "refusal": [
        "The response was filtered due to the prompt triggering Azure's content management policy",
        "blocked by safety filters",
        "finish reason: content_filter",
        "the model refused to answer",
    ],
    "parse": ["JSONDecodeError: Expecting value", "Failed to parse the reply", "invalid JSON"],
    "judge": ["grader timed out", "the judge model returned an error", "Error in scorer: KeyError"],
    "truncated": ["finish_reason: length", "sample was interrupted"],
}


@pytest.mark.parametrize(("cause", "message"), [(c, text) for c, texts in CAUSES.items() for text in texts])
def test_a_message_counts_by_what_it_says(cause, message):
    assert cause_of(message) == cause


@pytest.mark.parametrize("message", TOO_LONG)
def test_prompts_that_are_too_long_are_known_in_all_providers_words(message):
    assert (is_too_long(message), cause_of(message)) == (True, "truncated")


def test_words_alone_are_no_phrase():
    assert not is_too_long("max_tokens is too large: 9000")
    assert not is_too_long("rate limit: too many tokens per minute")


@pytest.mark.parametrize(
    ("status", "detail", "why"),
    [
        (401, "", "does not accept the key"),
        (402, "", "has no credit left"),
        (429, "insufficient_quota", "has no credit left"),
        (400, "Your credit balance is too low", "has no credit left"),
        (403, "", "does not allow this"),
        (404, "", "does not know this model"),
        (429, "slow down", None),
        (500, "insufficient_quota", None),
    ],
)
def test_what_no_other_question_would_change_is_known_by_its_status(status, detail, why):
    found = refused_call(status, detail, "OPENAI_API_KEY")
    assert (found and found[0]) == why
