from codesearch.judged_cases import judged
from reference.pairs import items_needed
from tellapart.codesearch.figures import Metrics
from tellapart.codesearch.metrics.aggregate import measures
from tellapart.codesearch.metrics.warnings import conversations_needed, too_few


def sentences(cases):
    return list(too_few(cases, Metrics.model_construct(measures=measures(cases))))


def half(n, right):
    """A conversation with this precision in tenths and a recall of 1."""
    letters = "abcdefghij"
    return judged(n, letters[:right], "", letters, no=letters[right:])


def test_conversations_needed_by_hand():
    # Standard deviation .2 of precision, known from three; two iterations differ by .2 x sqrt(2).
    cases = [half(1, 3), half(2, 5), half(3, 7)]
    needed = items_needed(0.1, 0.2 * 2**0.5, 3)
    assert conversations_needed(cases, "precision") == needed == 161
    assert conversations_needed(cases, "recall") is None
    assert conversations_needed(cases[:1], "precision") is None


def test_a_wide_interval_is_warned_of():
    cases = [half(n, right) for n, right in enumerate([3, 3, 4, 5, 5])]
    (found,) = sentences(cases)
    assert items_needed(0.1, 0.1 * 2**0.5, 5) == 27
    # Student's: .4 +- 2.776 x .1 / sqrt(5). Recall is 1 throughout, and has no interval.
    assert found == (
        "5 conversations are too few to tell a regression of 0.10 from chance: precision is within 0.28 to "
        "0.52 (95 %). About 27 would be needed."
    )
    assert sentences(cases[:1]) == [
        "1 conversation is too few to tell a regression of 0.10 from chance: precision has no interval, "
        "recall has no interval (95 %). The number needed cannot be estimated yet."
    ]
    assert sentences([half(n, 4) for n in range(5)]) == []
