import numpy as np
import pytest

from reference import contrastive as slow
from tellapart.contrastive.selection.partial import Concepts, words_of

CODES = ["parse(user, names)", "def parse_file", "open the userFile", "write files"]
# Of four codes two have parse and user, one has name and write, three have file: the weights are
# ln(5/3) = .5108, ln(5/2) = .9163 and ln(5/4) = .2231.


def found(summaries, codes, pool=None):
    pool = np.arange(len(codes)) if pool is None else np.array(pool)
    return [each.tolist() for each in Concepts(codes).partial_matches(summaries, pool)]


@pytest.mark.parametrize(
    ("summary", "shares"),
    [
        # .5108 + .9163 + .5108 = 1.9379, of which the second and the third have .5108.
        ("Parses the names of users", [1, 0.2636, 0.2636, 0]),
        # .5108 + .5108 + .2231 = 1.2447; a word that no code has does not count.
        ("parse a user file quickly", [0.8207, 0.5896, 0.5896, 0.1792]),
        # One concept has no part.
        ("write", [0, 0, 0, 0]),
        ("", [0, 0, 0, 0]),
    ],
)
def test_shares_by_hand(summary, shares):
    (row,) = Concepts(CODES).shares([summary], np.arange(4))
    assert row.tolist() == pytest.approx(shares, abs=1e-4)


def test_agrees_with_the_definition():
    rng = np.random.default_rng(5)
    words = [f"word{chr(97 + i)}" for i in range(14)] + ["of", "a"]
    texts = [" ".join(rng.choice(words, size=rng.integers(1, 9))) for _ in range(180)]
    summaries, codes = texts[:100], texts[100:]
    shares = [slow.concept_shares(summary, codes, words_of) for summary in summaries]
    assert Concepts(codes).shares(summaries, np.arange(80)) == pytest.approx(np.array(shares), abs=1e-8)
    expected = [[i for i, share in enumerate(row) if 0.3 < round(share, 9) < 0.8] for row in shares]
    assert found(summaries, codes) == expected
    assert sum(map(len, expected)) > 1000
    some = list(range(0, 80, 3))
    assert found(summaries, codes, some) == [[i for i in row if i in some] for row in expected]
