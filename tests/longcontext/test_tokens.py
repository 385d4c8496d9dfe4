import pytest

from longcontext.counted import conversation, prompts
from tellapart.longcontext.tokens import characters, estimated, tokens_a_character, weighted_median
from tellapart.longcontext.transcript import PlayedCase, PlayedStep, Usage


def test_the_rate_is_that_of_most_of_the_text():
    # 60 + 240 tokens are 1,200 letters, 60 + 10 are 280: 0.25 of both, and 0.125 where half of them is gone
    turns = [("message", "M1", 40, 60, 4), ("message", "M2", 240, 60, 4), ("message", "M3", 10, 5, 4)]
    case = conversation(turns)
    assert tokens_a_character([case]) == 0.25
    doubtful = prompts(case, lambda place, tokens: tokens - 35 if place == 2 else tokens)
    assert tokens_a_character([doubtful]) == 0.25


def test_what_follows_a_prompt_that_did_not_grow_is_left_out():
    case = conversation([("message", f"M{n}", 100, 20, 2) for n in range(20)])
    assert tokens_a_character([case]) == 0.5
    assert (
        tokens_a_character([prompts(case, lambda place, tokens: min(tokens, 700) - 5 * (place > 6))]) == 0.5
    )


@pytest.mark.parametrize("cases", [[], [PlayedCase("none", ())]])
def test_where_nobody_counted_it_is_a_guess(cases):
    assert tokens_a_character(cases) == 0.25


def test_one_count_serves_where_the_system_prompt_is_known():
    step = PlayedStep("M1", "message", None, "x" * 60, "y", Usage(20))
    assert tokens_a_character([PlayedCase("c", (step,), system="s" * 40)]) == 0.2
    assert tokens_a_character([PlayedCase("c", (step,))]) == 0.25


def test_forks_and_failures_are_not_in_what_grew():
    turns = [
        ("message", "M1", 100, 20, 5),
        ("fork", "C1-1", 500, 500, 5),
        ("failed", "M2", 300, 0, 5),
        ("message", "M3", 100, 20, 5),
    ]
    assert tokens_a_character([conversation(turns)]) == 0.2


@pytest.mark.parametrize(("text", "count"), [("", 0), ("abcd", 4), ("épée", 4), ("日本", 8), ("a日", 5)])
def test_ideographs_count_as_four_letters(text, count):
    assert characters(text) == count


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2)])
def test_an_estimate_is_rounded_up(text, tokens):
    assert estimated(text) == tokens


def test_the_lower_of_two_middle_rates_counts():
    assert weighted_median([(0.3, 5), (0.1, 5)]) == 0.1
    assert weighted_median([(0.3, 6), (0.1, 5)]) == 0.3
