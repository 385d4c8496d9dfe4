"""What counts of tokens say, and do not say."""

import pytest

from contrastive.page.shown import texts
from longcontext.page.graded_record import (
    playing,
    record,
    refused,
    truncation,
    two_models,
    view_of,
)
from tellapart.longcontext.page.tokens import observations, sizes, sizes_together

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


def test_where_nobody_says_what_was_intended_nothing_is_compared():
    (one,) = observed(conversation(300, None))
    assert one.text.startswith("long: the context peaked at 300 tokens; no sign of truncation")


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


def test_without_statuses_nobody_says_that_all_were_200():
    one = conversation(20_000, None, truncations=[truncation("V9", 1, 2, 3)], statuses={"none": 2})
    assert observed(one)[0].points[0] == "The model kept responding as if everything was fine"


def test_without_usage_it_is_unknown():
    assert [one.text for one in observations(view_of(refused()))] == [
        "case_1_short and case_2_long: 1 of 1 step failed (HTTP 402: 1), and no usage was recorded, so it is "
        "unknown whether context was dropped.",
        "case_3_overflow_fixed: 2 of 2 steps failed (HTTP 402: 2), and no usage was recorded, so it is "
        "unknown whether context was dropped.",
    ]


def test_steps_without_usage_are_unknown_not_clean():
    one = playing("long", {"M1": 100, "M2": None, "M3": None, "M4": 400}, unknown=["M1", "M2", "M3"])
    assert "nothing is known of 2 steps, because no usage was recorded" in observed(one)[0].text


def test_failures_beside_counts_are_said():
    one = conversation(9000, None, failed_steps=1, statuses={"200": 1, "none": 1})
    assert observed(one)[0].text.endswith("; 1 of 2 steps failed (no status: 1).")


def test_many_conversations_alike_are_told_once():
    (one,) = observed(*(conversation(9000, None) | {"name": f"c{i}"} for i in range(9)))
    assert one.text.startswith("c0, c1, c2, c3, c4, c5 and 3 more: no sign of truncation")


def test_a_recorded_peak_of_nothing_is_no_measurement():
    assert texts(sizes(view_of(refused())))[0] == ["case_1_short", "1", "1", "–¹", "~2K"]


def test_models_and_epochs_have_columns_at_the_end():
    shown = sizes(view_of(two_models()))
    assert [column.title for column in shown.columns][5:] == ["Model", "Epoch"]
    assert texts(shown)[3] == ["recall", "2", "4", "2,050", "~2K", "beta", "1"]


def test_many_conversations_share_a_row_by_what_was_expected_shortest_first():
    cases = [
        playing("a", {"M1": 5, "V1": 8000}, expected_tokens=8000),
        playing("b", {"M1": 5, "V1": 2000}, expected_tokens=2000),
        playing("c", {"M1": 5, "M2": 6, "V1": 2100}, expected_tokens=2000),
        playing("d", {"M1": None}, expected_tokens=2000),
        playing("e", {"M1": None}),
    ]
    # A peak is 50 above the last prompt; 2 messages a step.
    assert texts(sizes_together(view_of(record(cases, [])))) == [
        ["3 conversations", "1–3", "2–6", "2,050–2,150 [1 not recorded]", "~2K"],
        ["1 conversation", "2", "4", "8,050", "~8K"],
        ["1 conversation", "1", "2", "–¹", "–"],
    ]


def test_models_have_rows_of_their_own():
    shown = sizes_together(view_of(two_models()))
    assert texts(shown) == [
        ["2 conversations", "2", "4", "2,050", "~2K", "alpha"],
        ["2 conversations", "2", "4", "2,050", "~2K", "beta"],
    ]
    assert [column.title for column in shown.columns][-2:] == ["Expected", "Model"]
