import pytest

from codesearch.judged_cases import judged
from reference.pairs import items_needed
from tellapart.codesearch.figures import Metrics
from tellapart.codesearch.metrics.aggregate import measures
from tellapart.codesearch.metrics.warnings import conversations_needed, interval_of, too_few


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
    figures = measures(cases)["precision"]
    # Student's: .4 +- 2.776 x .1 / sqrt(5).
    assert interval_of(figures) == pytest.approx([0.2758, 0.5242], abs=1e-4)
    (found,) = sentences(cases)
    assert items_needed(0.1, 0.1 * 2**0.5, 5) == 27
    # Recall is 1 throughout: by Wilson, of 5 others 57 % may be like it.
    assert found == (
        "5 conversations are too few to tell a regression of 0.10 from chance: precision is within 0.28 to "
        "0.52, recall is within 0.57 to 1.00 (95 %). About 27 would be needed."
    )


def test_where_all_are_alike_others_may_not_be():
    # Wilson's interval of 15 of 15 begins at 1 / (1 + 3.8415 / 15) = .796, of 16 of 16 at .806.
    fifteen, sixteen = ([half(n, 4) for n in range(count)] for count in (15, 16))
    assert interval_of(measures(fifteen)["precision"]) == pytest.approx(
        [0.4 * 0.796, 0.4 * 0.796 + 0.204], abs=1e-3
    )
    (found,) = sentences(fifteen)
    assert "precision is within 0.32 to 0.52, recall is within 0.80 to 1.00" in found
    assert found.endswith("The number needed cannot be estimated yet.")
    assert sentences(sixteen) == []
