from tellapart.codesearch.learning.proposals import MOST_PROPOSALS, Proposal, chance_words, first_ones
from tellapart.core.comparison import Claim


def proposal(subject, weight, beyond):
    return Proposal("drop_term", subject, "", (), {}, None, None, beyond, weight, "", None, {})


def test_beyond_chance_goes_before_weight_and_weight_before_the_name():
    given = [
        proposal("b", 5, False),
        proposal("a", 5, None),
        proposal("c", 9, False),
        proposal("d", 0.1 + 0.2, True),
        proposal("e", 0.3, True),
    ]
    assert [one.subject for one in first_ones(given)] == ["d", "e", "c", "a", "b"]
    assert len(first_ones([proposal(str(n), n, True) for n in range(99)])) == MOST_PROPOSALS


def test_words_of_chance_say_both_p():
    more, less = Claim(0.01, 0.05, True), Claim(0.01, 0.06, False)
    assert chance_words(more) == "more than chance does (p 0.01, 0.05 with all that was compared)"
    assert chance_words(less) == "chance can do as much (p 0.01, 0.06 with all that was compared)"
    assert {chance_words(Claim(p, None, None)) for p in (None, 0.5)} == {"nothing can be said of chance"}
