from itertools import pairwise, product

from tellapart.core.comparison.pairs import pair_key


def test_ordinary_names_stand_as_they_are():
    assert pair_key("gpt-5", "claude 4") == "gpt-5|claude 4"


def test_no_two_pairs_share_a_key():
    assert pair_key("a|b", "c") == r"a\|b|c"
    assert pair_key("a\\", "b") == r"a\\|b"
    letters = ["".join(letters) for n in range(4) for letters in product("a|\\", repeat=n)]
    keys = sorted(pair_key(a, b) for a in letters for b in letters)
    assert all(one != other for one, other in pairwise(keys))
