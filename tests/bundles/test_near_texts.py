import itertools
import random

import numpy as np

from tellapart.bundles.near_texts import NEAR, NearTexts, equal_form, words_form

WORDS = (
    *("harbour", "ferry", "lantern", "cobble", "market", "herring", "rope", "anchor"),
    *("tide", "gull", "pier", "sailor", "chapel", "bell", "winter", "fog"),
)


def test_equal_form_keeps_punctuation_and_what_unicode_makes_mean_something_else():
    same = [("Straße", "STRASSE"), ("a\u00a0b\n  c", "A b\tc "), ("e\u0301", "é"), ("a\u200bb", "ab")]
    other = [("Is it so?", "Is it so"), ("x² + 1", "x2 + 1"), ("a ≠ b", "a = b")]
    assert all(equal_form(a) == equal_form(b) for a, b in same)
    assert all(equal_form(a) != equal_form(b) for a, b in other)
    assert words_form("It is, they say,  a good day!") == words_form("it is they say a good day")


def shingles(text):
    return {text[i : i + 5] for i in range(max(1, len(text) - 4))}


def some_texts():
    rng = random.Random(5)
    for _ in range(60):
        words = rng.choices(WORDS, k=rng.randrange(3, 40))
        yield " ".join(words)
        for _ in range(rng.randrange(4)):
            words = [*words]
            words[rng.randrange(len(words))] = rng.choice(WORDS)
            yield " ".join(words)


def test_pairs_and_similarity_are_those_of_sets_of_five_characters():
    texts = sorted(set(some_texts()))
    near = NearTexts(texts)
    expected = {}
    for i, j in itertools.combinations(range(len(texts)), 2):
        a, b = shingles(texts[i]), shingles(texts[j])
        expected[i, j] = len(a & b) / len(a | b)
    alike = {pair for pair, share in expected.items() if share >= NEAR}
    assert len(alike) > 20
    assert {tuple(pair) for pair in near.pairs.tolist()} == alike
    first, second = (np.array(side) for side in zip(*sorted(alike), strict=True))
    assert near.similarity(first, second).tolist() == [expected[pair] for pair in sorted(alike)]
