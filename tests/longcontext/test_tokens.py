import pytest

from longcontext.counted import conversation, prompts
from tellapart.longcontext.tokens import characters, tokens_a_character


def test_the_rate_is_that_of_most_of_the_text():
    # 60 + 240 tokens are 1,200 letters, 60 + 10 are 280: 0.25 of both, and 0.125 where half of them is gone
    turns = [("message", "M1", 40, 60, 4), ("message", "M2", 240, 60, 4), ("message", "M3", 10, 5, 4)]
    case = conversation(turns)
    assert tokens_a_character([case]) == 0.25
    doubtful = prompts(case, lambda place, tokens: tokens - 35 if place == 2 else tokens)
    assert tokens_a_character([doubtful]) == 0.25


@pytest.mark.parametrize(("text", "count"), [("", 0), ("abcd", 4), ("épée", 4), ("日本", 8), ("a日", 5)])
def test_ideographs_count_as_four_letters(text, count):
    assert characters(text) == count
