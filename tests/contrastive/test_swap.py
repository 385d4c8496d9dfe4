from collections import Counter

import pytest

from contrastive.fakes import make_benchmark, make_unit, make_units
from tellapart.contrastive.swaps import Swap, exchanges, swaps_of

UNIT = make_unit("parse", parameters=("max_size", "data", "rawText", "N"))
SIBLINGS = [
    make_unit("render", 11, parameters=("min_width", "data")),
    make_unit("close", 21, parameters=("rawText",)),
    make_unit("parse", 31),
]


def twins(summary, unit=UNIT, siblings=SIBLINGS):
    """All false twins that a summary can get, by kind."""
    return {(way.kind, way.false) for way in exchanges(0, summary, unit, siblings)}


@pytest.mark.parametrize(
    ("summary", "twin"),
    [
        ("Encode the text.", ("action", "Decode the text.")),
        ("Removes it", ("action", "Adds it")),
        ("was encoded", ("action", "was decoded")),
        ("closing it", ("action", "opening it")),
        ("the last line", ("order", "the first line")),
        ("children and parents", ("role", "children and childs")),
        ("left of it", ("direction", "right of it")),
        ("the minimum of both", ("quantifier", "the maximum of both")),
        ("MIN of both", ("quantifier", "Max of both")),
        ("returns false.", ("polarity", "returns true.")),
        ("4 digits", ("number", "5 digits")),
        ("the 99.", ("number", "the 100.")),
        ("no more than max_size bits", ("identifier", "no more than min_width bits")),
        # Not ``data`` or ``rawText``, which are the unit's own too.
        ("no more than N bits", ("identifier", "no more than min_width bits")),
    ],
)
def test_terms_keep_their_capital_and_their_form(summary, twin):
    assert twin in twins(summary)


def test_the_units_own_name_becomes_a_siblings_of_its_type():
    assert twins("parse it") == {("identifier", "render it"), ("identifier", "close it")}
    siblings = [*SIBLINGS[1:], make_unit("Renderer", 41, kind="class")]
    assert twins("parse it", siblings=siblings) == {("identifier", "close it")}
    assert twins("parse it", siblings=siblings[1:]) == {("identifier", "Renderer it")}


@pytest.mark.parametrize(
    "summary",
    [
        # An ordinary word, a word that is not a whole name, another case, a sibling's name, no word.
        *("the data", "rendering", "a max_sizes", "Parse it", "min_width", ""),
        # Digits inside words, and numbers that name something.
        *("utf8 text in x2", "as in RFC 2822", "see section 3", "issue #12", "version 3.11"),
        # A part of a compound, and what would need the other article.
        *("the end-of-file mark", "a sorted list", "An 8-bit field"),
        # What only one of the two verbs takes, a noun, what is new, and both terms together.
        *("add it to a list", "a set of it", "connect it to that", "Create a new list", "start or stop it"),
    ],
)
def test_nothing_to_swap(summary):
    assert twins(summary) == set()


def hand_made():
    units = [*make_units("a", "b", "c"), make_unit("d", path="b.py")]
    texts = [
        ("a", "gpt", "prints the first line"),
        ("a", "llama", "prints 3 texts"),
        ("b", "gpt", "nothing to exchange"),
        ("c", "gpt", "uses a or b or c"),
        ("d", "gpt", "calls d by a pen"),
    ]
    sets = [("easy", name, ["b"]) for name in "dca"] + [("hard", "a", ["b"])]
    return make_benchmark(units, texts, sets)


def test_one_swap_a_target_from_its_own_file_and_source():
    benchmark = hand_made()
    by_name = {unit.name: row for row, unit in enumerate(benchmark.units)}
    first, second = swaps_of(benchmark, "gpt")
    assert first == Swap(by_name["a"], "order", "first last", "prints the first line", "prints the last line")
    # b is no target, and d has no sibling: "a" is of another file.
    assert (second.target, second.kind) == (by_name["c"], "identifier")
    assert second.false in {"uses a or b or a", "uses a or b or b"}
    assert swaps_of(benchmark, "llama") == [
        Swap(by_name["a"], "number", "3", "prints 3 texts", "prints 4 texts")
    ]


def drawn(*texts):
    """Swaps of one unit for each text, every one a target, as kind and words that changed."""
    names = [f"f{i}" for i in range(len(texts))]
    asked = [("easy", name, ["f0"]) for name in names]
    benchmark = make_benchmark(
        make_units(*names), list(zip(names, ["gpt"] * len(texts), texts, strict=True)), asked
    )
    return swaps_of(benchmark, "gpt")


def test_no_kind_and_no_pair_of_words_dominates():
    # 240 targets: at most 240 / 8 = 30 of a kind, and 240 / 60 = 4 of a pair.
    texts = ["gets it", "sets it"] * 60 + ["opens it", "reads it", "adds it", "loads it"] * 20
    texts += [f"the {i} of it" for i in range(40)]
    swaps = drawn(*texts)
    assert Counter(swap.kind for swap in swaps) == {"action": 5 * 4, "number": 30}
    assert (
        Counter(swap.true.split()[0][:2] for swap in swaps if swap.kind == "action").most_common(1)[0][1] <= 4
    )
