"""What counts of tokens say, and do not say."""

import pytest

from longcontext.page.graded_record import (
    playing,
    record,
    refused,
    truncation,
    view_of,
)
from tellapart.longcontext.page.tokens import observations

BLOCK = """⚠️ SILENT TRUNCATION DETECTED at step V9
Previous step prompt_tokens: 21900
This step prompt_tokens: 20100
Conversation history size: 12 messages
The model silently dropped context without returning an error."""


def observed(*cases):
    return observations(view_of(record(list(cases), [])))


def conversation(last, intended, steps=("M1", "V9"), **changes):
    counts = dict.fromkeys(steps, 1000) | {steps[-1]: last}
    return playing("long", counts, expected_tokens=intended, peak_tokens=last, **changes)


def test_a_conversation_that_reached_what_was_intended():
    (one,) = observed(conversation(9000, 10_000))
    assert one.text == (
        "long: the context peaked at 9,000 tokens, with ~10K intended; no sign of truncation in the steps "
        "with known usage."
    )
    assert (one.points, one.warnings) == ((), ())


@pytest.mark.parametrize(("peak", "far"), [(7500, False), (7499, True)])
def test_a_peak_below_three_quarters_is_far_below(peak, far):
    (one,) = observed(conversation(peak, 10_000))
    assert ("far below the ~10K intended" in one.text) is far
    assert ("The messages were simply too few" in one.text) is far
    assert "truncation in the steps" in one.text


def test_a_truncation_far_below_what_was_intended_is_the_documents_observation():
    (one,) = observed(conversation(20_100, 128_000, truncations=[truncation("V9", 21_900, 20_100, 12)]))
    assert one.text.startswith("long: the context peaked at 20,100 tokens, far below the ~128K intended. ")
    assert "silent truncation from step V9 on: deepseek-chat did not return HTTP 400 or any error" in one.text
    assert one.points == (
        "No API error was raised (all httpStatus = 200)",
        "The model kept responding as if everything was fine",
        "But prompt_tokens stopped growing or even decreased, proving context was silently discarded",
        "This means the model's answers to verification questions are based on INCOMPLETE context, without "
        "any indication to the caller",
    )
    assert one.warnings == (BLOCK,)


def test_each_point_is_said_only_where_it_is_true():
    found = [truncation("M2", 900, 1000, 12, rule="shortfall", expected=1500)]
    one = conversation(
        1000, None, ("V1", "M2"), truncations=found, failed_steps=1, statuses={"200": 1, "500": 1}
    )
    (seen,) = observed(one)
    assert seen.points == (
        "Besides, 1 of 2 steps failed (HTTP 500: 1)",
        "But prompt_tokens grew by less than what was added, so context was silently discarded",
    )
    assert "did not return HTTP 400" not in seen.text
    assert seen.warnings[0].endswith("returning an error.\nExpected prompt_tokens: about 1500")


def test_without_usage_it_is_unknown():
    assert [one.text for one in observations(view_of(refused()))] == [
        "case_1_short and case_2_long: 1 of 1 step failed (HTTP 402: 1), and no usage was recorded, so it is "
        "unknown whether context was dropped.",
        "case_3_overflow_fixed: 2 of 2 steps failed (HTTP 402: 2), and no usage was recorded, so it is "
        "unknown whether context was dropped.",
    ]
