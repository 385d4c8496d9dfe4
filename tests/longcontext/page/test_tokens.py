"""What counts of tokens say, and do not say."""

import pytest

from longcontext.page.graded_record import (
    playing,
    record,
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
