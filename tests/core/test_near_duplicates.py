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


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Is it so?", "Is it so"),
        ("x² + 1", "x2 + 1"),
        ("H₂", "H2"),
        ("1½", "11⁄2"),
        ("a ≠ b", "a = b"),
        ("𝐱", "x"),
        ("№ 5", "No 5"),
    ],
)
def test_equal_form_keeps_punctuation_and_what_unicode_makes_mean_something_else(text, other):
    assert equal_form(text) != equal_form(other)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("It is, so they say, a “good” day - isn’t it?", 'it is so they say a "good" day – isn\'t it'),
        ("def f(x):\n    return x  # as it came", "def f( x ):\n    # nothing happens\n    return x"),
        ('def f(x):\n    """Give it back."""\n    return x', "def f(x):\n    return x"),
        ("int f() { /* one */ return 1; }", "int f() { return 1; } // two\n"),
        ("select 1\n-- the first\nfrom t", "SELECT 1\nFROM t"),
        ("def é(x='é'): 'Give é.'\n# é", "def é(x='é'): 'Or so.'\n# è"),
        ("a single-threaded program", "A single threaded program!"),
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
        ("def f(x):\n    y = x // 10\n    return y", "def f(x):\n    y = x // 100\n    return y"),
        ("# On Linux\nInstall it first.", "# On Windows\nInstall it first."),
        ("# On Linux\nInstall", "# On Windows\nInstall"),
        ("#!/bin/sh\n# rm -r x\nls", "#!/bin/sh\nls"),
        ("s = 'a\n # 5 items'\nt", "s = 'a\n # 7 items'\nt"),
        ('s = """\n# 5 items\n"""', 's = """\n# 7 items\n"""'),
        ('f("a // b");\n', 'f("a // c");\n'),
        ("my $x = $y\n // 10;", "my $x = $y\n // 12;"),
        ("copy src/*.py and lib/*/x", "copy src/ x"),
        ("Yours truly\n-- Ann", "Yours truly\n-- Bob"),
        ("5!", "5"),
        ("n!", "n"),
        ("x - y = 2", "x y = 2"),
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
        ("copy all the lines of the input file from position 3 up to position 5 into the output",
         "copy all the lines of the input file from position 5 up to position 3 into the output"),
        ("select every record whose start a < b and whose end c > d from the table of the intervals",
         "select every record whose start a > b and whose end c < d from the table of the intervals"),
        ("if (!ready) { wait_for_the_signal_of_the_other_thread(timeout); go_on_with_the_next_item(); }",
         "if (ready) { wait_for_the_signal_of_the_other_thread(timeout); go_on_with_the_next_item(); }"),
        ("total = sum(order.price for order in orders) and the rest of it; return total - count",
         "total = sum(order.price for order in orders) and the rest of it; return total / count"),
        ("total = sum(order.price for order in orders) and the rest of it; return total @ count",
         "total = sum(order.price for order in orders) and the rest of it; return total / count"),
        ("we ask all of the visitors of the museum to touch the pictures on the walls, please do",
         "we ask all of the visitors of the museum to touch the pictures on the walls, please don't"),
        ("both of the two committees of the house agreed to the proposal of the president on Monday",
         "neither of the two committees of the house agreed to the proposal of the president on Monday"),
        ("boats that are longer than twenty meters moor at the northern quay of the old harbour at night",
         "boats that are shorter than twenty meters moor at the northern quay of the old harbour at night"),
        ("it is possible to restore the deleted files of the user from the backup of the last night",
         "it is impossible to restore the deleted files of the user from the backup of the last night"),
        ("die Dateien der Benutzer werden in der Nacht auf dem Server gelöscht und gesichert",
         "die Dateien der Benutzer werden in der Nacht auf dem Server nicht gelöscht und gesichert"),
        ("请在每天早上八点之前把报告发送给经理并且抄送给所有的同事和客户",
         "请不要在每天早上八点之前把报告发送给经理并且抄送给所有的同事和客户"),
        ("the thermometer on the northern wall of the old lighthouse shows 5 degrees in the morning",
         "the thermometer on the northern wall of the old lighthouse shows -5 degrees in the morning"),
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
