from tellapart.codesearch.learning.proposals import MOST_PROPOSALS, first_ones, proposal
from tellapart.core.comparison import Claim


def one(subject, weight, beyond):
    said = {"statement": "", "conversations": (), "evidence": {}, "assumes": "", "could_hurt": {}}
    return proposal("drop_term", subject, Claim(None, None, beyond), weight=weight, **said)


def test_beyond_chance_goes_before_weight_and_weight_before_the_name():
    given = [
        one("b", 5, False),
        one("a", 5, None),
        one("c", 9, False),
        one("d", 0.1 + 0.2, True),
        one("e", 0.3, True),
    ]
    assert [first.subject for first in first_ones(given)] == ["d", "e", "c", "a", "b"]
    assert len(first_ones([one(str(n), n, True) for n in range(99)])) == MOST_PROPOSALS
