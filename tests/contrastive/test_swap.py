import numpy as np
import pytest

from contrastive.fakes import make_benchmark, make_unit, make_units
from tellapart.contrastive.controls import OPPOSITES, Swap, swap_term, swaps_of

UNIT = make_unit("parse", parameters=("max_size", "data", "rawText", "N"))
SIBLINGS = [
    make_unit("render", 11, parameters=("min_width", "data")),
    make_unit("close", 21, parameters=("rawText",)),
    make_unit("parse", 31),
]


def twins(summary, unit=UNIT, siblings=SIBLINGS):
    """All false twins that a summary can get, by kind."""
    found = [swap_term(summary, unit, siblings, np.random.default_rng(seed)) for seed in range(60)]
    assert all((swap.unit, swap.true) == (unit.id, summary) for swap in found if swap)
    return {(swap.kind, swap.false) for swap in found if swap}


@pytest.mark.parametrize(
    ("summary", "twin"),
    [
        ("Encode the text.", "Decode the text."),
        ("the last line", "the first line"),
        ("Removes it", "Adds it"),
        ("the minimum of both", "the maximum of both"),
        ("MIN of both", "Max of both"),
        ("returns false.", "returns true."),
        ("children and parents", "children and childs"),
    ],
)
def test_opposites_keep_their_capital_and_their_plural(summary, twin):
    assert twins(summary) == {("opposite", twin)}


def test_a_term_with_two_opposites_gets_either():
    assert twins("delete it") == {("opposite", "create it"), ("opposite", "insert it")}


def test_pairs_are_pairs_and_work_both_ways():
    for pair in OPPOSITES.split(", "):
        left, right = pair.split()
        assert left != right
        assert ("opposite", f"{right} x") in twins(f"{left} x")
        assert ("opposite", f"{left} x") in twins(f"{right} x")


@pytest.mark.parametrize(("summary", "twin"), [("4 digits", "5 digits"), ("the 99.", "the 100."), ("0", "1")])
def test_numbers_grow_by_one(summary, twin):
    assert twins(summary) == {("number", twin)}


def test_digits_inside_words_are_no_numbers():
    assert twins("utf8 text in x2") == set()


def test_the_units_own_name_becomes_a_siblings():
    assert twins("parse it") == {("identifier", "render it"), ("identifier", "close it")}


@pytest.mark.parametrize("name", ["max_size", "N"])
def test_a_parameters_name_becomes_a_siblings_parameter(name):
    # Not ``data`` or ``rawText``, which are the unit's own too.
    assert twins(f"no more than {name} bytes") == {("identifier", "no more than min_width bytes")}


@pytest.mark.parametrize("summary", ["the data", "rendering", "a max_sizes", "Parse it", "min_width", ""])
def test_nothing_to_swap(summary):
    # An ordinary word, a word that is not a whole name, another case, a sibling's name, no word.
    assert swap_term(summary, UNIT, SIBLINGS, np.random.default_rng(1)) is None


def test_a_name_without_siblings_stays():
    assert twins("parse max_size", siblings=[]) == set()
    assert twins("parse max_size", siblings=SIBLINGS[2:]) == set()


def test_one_term_of_several_is_exchanged():
    assert twins("parse the first 3") == {
        ("identifier", "render the first 3"),
        ("identifier", "close the first 3"),
        ("opposite", "parse the last 3"),
        ("number", "parse the first 4"),
    }


def hand_made():
    units = [*make_units("a", "b", "c"), make_unit("d", path="b.py")]
    texts = [
        ("a", "gpt", "prints the first line"),
        ("a", "llama", "prints 3 lines"),
        ("b", "gpt", "nothing to exchange"),
        ("c", "gpt", "uses a or b or c"),
        ("d", "gpt", "calls d by a pen"),
    ]
    sets = [("easy", name, ["b"]) for name in "dca"] + [("hard", "a", ["b"])]
    return make_benchmark(units, texts, sets)


def test_one_swap_a_target_from_its_own_file_and_source():
    benchmark = hand_made()
    by_name = {unit.name: unit.id for unit in benchmark.units}
    first, second = swaps_of(benchmark, "gpt")
    assert first == Swap(by_name["a"], "opposite", "prints the first line", "prints the last line")
    # b is no target, and d has no sibling: "a" is of another file.
    assert (second.unit, second.kind) == (by_name["c"], "identifier")
    assert second.false in {"uses a or b or a", "uses a or b or b"}
    assert swaps_of(benchmark, "llama") == [Swap(by_name["a"], "number", "prints 3 lines", "prints 4 lines")]


def test_each_unit_draws_for_itself():
    names = [f"f{i}" for i in range(30)]
    texts = [(name, "gpt", "open the first 3") for name in names]
    benchmark = make_benchmark(make_units(*names), texts, [("easy", name, ["f0"]) for name in names[1:]])
    assert {swap.false for swap in swaps_of(benchmark, "gpt")} == {
        "close the first 3",
        "open the last 3",
        "open the first 4",
    }


def test_swaps_are_drawn_by_seed_and_unit(draft):
    found = swaps_of(draft, "docstring")
    assert found == swaps_of(draft, "docstring")
    assert [swap.unit for swap in found] == sorted({swap.unit for swap in found})
    one = draft.sets.filter(draft.sets["target"] == found[7].unit)
    assert swaps_of(type(draft)(draft.header, draft.units, draft.summaries, one), "docstring") == [found[7]]
