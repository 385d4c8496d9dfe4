import itertools
import random

import numpy as np
import pytest

from tellapart.core.near_duplicates import NEAR, NearTexts, equal_form, groups, near_form, words_form

WORDS = (
    *("harbour", "ferry", "lantern", "cobble", "market", "herring", "rope", "anchor"),
    *("tide", "gull", "pier", "sailor", "chapel", "bell", "winter", "fog"),
)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Straße", "STRASSE"),
        ("a\u00a0b\n  c", "A b\tc "),
        ("zero\u200bwidth \ufeff", "zerowidth"),
        ("ｆｕｌｌ", "full"),
        ("e\u0301", "é"),
        ("ﬁne", "fine"),
    ],
)
def test_equal_form(text, same):
    assert equal_form(text) == equal_form(same)


def test_equal_form_keeps_punctuation():
    assert equal_form("Is it so?") != equal_form("Is it so")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("It is, so they say, a “good” day - isn’t it?", 'it is so they say a "good" day – isn\'t it'),
        ("def f(x):\n    return x  # as it came", "def f( x ):\n    # nothing happens\n    return x"),
        ('def f(x):\n    """Give it back."""\n    return x', "def f(x):\n    return x"),
        ("int f() { /* one */ return 1; }", "int f() { return 1; } // two\n"),
        ("select 1\n-- the first\nfrom t", "SELECT 1\nFROM t"),
    ],
)
def test_near_form(text, same):
    assert near_form(text) == near_form(same)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("f(a, b)", "f(b, a)"),
        ("see https://a.b/c\nnow", "see https://\nnow"),
        ("#include <a>\nint x", "#include <b>\nint x"),
        ("# only a heading", "# another heading"),
        ("return a + b", "return a - b"),
    ],
)
def test_near_form_keeps_what_matters(text, other):
    assert near_form(text) != near_form(other)


def test_words_form_keeps_comments_and_a_text_of_signs_alone():
    assert words_form("x = 1  # why\n") == "x = 1 # why"
    assert words_form(" ?! ") == "?!"
    assert near_form("") == ""


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


def test_pairs_and_similarity_are_those_of_sets_of_five_signs():
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


def test_a_text_is_itself_and_different_texts_have_no_pair():
    near = NearTexts(["one two three", "", "x"])
    assert near.similarity(np.arange(3), np.arange(3)).tolist() == [1, 1, 1]
    assert near.pairs.shape == (0, 2)
    assert NearTexts([]).pairs.shape == (0, 2)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("the boat leaves at nine from the old pier on the west side, gate 4",
         "the boat leaves at nine from the old pier on the west side, gate 5"),
        ("passengers do n't pay for bicycles on the small ferry in winter",
         "passengers do pay for bicycles on the small ferry in winter time"),
        ("while low < high and not found in the table of known values",
         "while low > high and not found in the table of known values"),
    ],
)  # fmt: skip
def test_a_number_a_negation_or_an_operator_makes_texts_different(text, other):
    near = NearTexts([near_form(text), near_form(other)])
    assert near.similarity(np.array([0]), np.array([1])).tolist() == [0]


@pytest.mark.parametrize(
    ("text", "other", "same"),
    [
        ("how do i reset my password", "how do i reset my pasword", True),
        ("how do i reset my password", "how do i reset my passwrod", True),
        ("how do i reset my password", "how do i reset my passsword", True),
        ("how do i reset my password", "how do i reset my passcode", False),
        ("they close it now", "they chose it now", False),
        ("self . get_name ( )", "self . set_name ( )", False),
        ("take the left turn at the fork", "take the best turn at the fork", False),
        ("the first word of it", "the fixst ward of it", False),
    ],
)
def test_a_slip_of_the_pen_makes_short_texts_near(text, other, same):
    near = NearTexts([*sorted([text, other]), "something else"])
    assert near.pairs.tolist() == ([[0, 1]] if same else [])
    assert (near.similarity(np.array([0]), np.array([1]))[0] >= NEAR) == same


def test_a_thousand_texts_that_are_all_alike_are_one_group():
    start = "the lighthouse keeper writes down every ship that passes the rocks before the sun is up "
    texts = [f"{start}{a} {b}" for a, b in itertools.product(WORDS, WORDS)]
    assert set(groups(len(texts), NearTexts(texts).pairs).tolist()) == {0}


def test_groups_by_hand():
    assert groups(6, np.array([[4, 5], [1, 4], [2, 3]])).tolist() == [0, 1, 2, 2, 1, 1]
    assert groups(2, np.empty((0, 2), dtype=np.int64)).tolist() == [0, 1]
