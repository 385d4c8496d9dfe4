import numpy as np
import pytest

from contrastive.fakes import ScriptedSelector, make_unit, make_units
from tellapart.contrastive.selection.candidates import Candidates


def of(units, summaries=None, vectors=None, **options):
    vectors = np.eye(len(units)) if vectors is None else vectors
    return Candidates(units, summaries or {}, ScriptedSelector(vectors), **options)


def free(candidates, target):
    everyone = np.arange(len(candidates.units))
    return candidates.free(target, everyone)[0].tolist()


def test_a_unit_is_no_distractor_of_itself_nor_is_what_it_overlaps():
    outer = make_unit("Outer", 1, kind="class")  # lines 1 to 9
    inner = make_unit("inner", 9)
    below = make_unit("below", 10)
    elsewhere = make_unit("other", 1, path="b.py")
    candidates = of([outer, inner, below, elsewhere])
    assert [free(candidates, target) for target in range(4)] == [[2, 3], [3], [0, 3], [0, 1, 2]]


def test_a_unit_with_the_same_summary_is_no_distractor():
    candidates = of(make_units("a", "b", "c", "d"), {0: "one", 1: "two", 2: "one"})
    assert [free(candidates, target) for target in range(4)] == [[1, 3], [0, 2, 3], [1, 3], [0, 1, 2]]


def test_pools_by_language_and_type():
    units = [
        make_unit("f", 1),
        make_unit("m", 11, kind="method"),
        make_unit("g", 1, path="b.go", language="go"),
        make_unit("h", 21),
        make_unit("i", 11, path="b.go", language="go"),
    ]
    apart, together = of(units), of(units, cross_language=True)
    by_type = [apart.pool(target, same_type=True).tolist() for target in range(5)]
    assert by_type == [[0, 3], [1], [2, 4], [0, 3], [2, 4]]
    assert apart.pool(0, same_type=False).tolist() == [0, 1, 3]
    assert together.pool(0, same_type=True).tolist() == [0, 2, 3, 4]
    assert together.pool(2, same_type=False).tolist() == [0, 1, 2, 3, 4]


def test_percentiles_are_shares_of_random_pairs_of_one_language():
    # Of two halves, alike within and at right angles between; 20 units of another language are not compared.
    halves = [[1.0, 0.0]] * 30 + [[0.0, 1.0]] * 30 + [[-1.0, 0.0]] * 20
    units = [
        *make_units(*(f"f{i}" for i in range(60))),
        *make_units(*(f"g{i}" for i in range(20)), path="a.go", language="go"),
    ]
    found = of(units, vectors=halves).percentiles([-0.5, 0.0, 0.5, 1.0, 1.1])
    # 60 of 80 units have halves, of which 30 of 59 others are at right angles.
    between = 0.75 * 30 / 59
    assert found.tolist() == pytest.approx([0, 0, between, between, 1], abs=0.02)
    assert of(units, vectors=halves).percentiles([0.5]) == found[2]


def test_partial_matches_are_about_as_long_as_the_target():
    # Each of the others has one of the two words of the summary; they differ in length alone.
    lengths = {"shorter": 66, "least": 67, "most": 150, "longer": 151}
    contents = ["parse invoice".ljust(100), *("parse".ljust(length) for length in lengths.values())]
    units = [make_unit(f"u{i}", 1 + 10 * i, content=content) for i, content in enumerate(contents)]
    extra = [make_unit(f"v{i}", 101 + 10 * i, content="invoice".ljust(500)) for i in range(4)]
    candidates = of([*units, *extra], {0: "parse the invoice"})
    (ranked,) = candidates.ranked(np.array([0]), np.arange(len(units)), {"partial"}, seed=1).values()
    assert sorted(ranked.partial.tolist()) == [2, 3]
