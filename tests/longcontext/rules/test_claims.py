import time

import pytest

from tellapart.longcontext.rules.claims import assertive


def said(response):
    return " ".join(assertive(response).split())


@pytest.mark.parametrize(
    ("response", "left"),
    [
        ("It had 324 participants... sorry, let me correct that: 342.", "It had 342."),
        ("It was 342, no wait, 372.", "It was 372."),
        ("I recall 342; actually, it was 312", "I recall 312"),
        # Nothing is taken back: a new sentence, a denial of the other number, a name.
        (
            "The total was 342. Actually 12 centres took part.",
            "The total was 342. Actually 12 centres took part.",
        ),
        ("It was 342, not 372.", "It was 342,"),
        ("Study 3, sorry, Study 6: 27.5", "Study 3, sorry, Study 6: 27.5"),
    ],
)
def test_a_number_that_is_taken_back_is_not_claimed(response, left):
    assert said(response) == left


@pytest.mark.parametrize("piece", ["1, no, ", "no ", "9", ".", " ", "1 a b, ", "sorry, 1"])
def test_long_responses_take_no_time(piece):
    begun = time.process_time()
    assertive(piece * (20_000 // len(piece)))
    assert time.process_time() - begun < 2
