from collections import Counter

import numpy as np

from contrastive.fakes import ScriptedSelector, make_unit
from tellapart.contrastive.selection.candidates import Candidates
from tellapart.contrastive.selection.original import BASELINE, PHASE1, choose_by_original_method


def around(*, same_file=0, similar=0, banded=()):
    """A target of two parameters, then units of its file, of its parameters, and of given cosines.

    Those without its parameters have none, so that the count and the names agree in nothing.
    """
    units = [make_unit("target", parameters=("x", "y"))]
    units += [make_unit(f"near{i}", 11 + 10 * i) for i in range(same_file)]
    units += [make_unit(f"alike{i}", 1 + 10 * i, path="b.py", parameters=("x", "y")) for i in range(similar)]
    units += [make_unit(f"far{i}", 1 + 10 * i, path="c.py") for i in range(len(banded))]
    cosines = np.array([1.0, *[0.0] * (same_file + similar), *banded])
    vectors = np.column_stack([cosines, np.sqrt(1 - cosines**2)])
    return Candidates(units, {0: "s"}, ScriptedSelector(vectors))


def one(pool, method, seed=1):
    (chosen,) = choose_by_original_method(pool, [0], method, seed=seed)
    return chosen


def test_at_most_three_of_the_same_file_and_then_a_similar_signature():
    pool = around(same_file=5, similar=5, banded=[0.9])
    drawn = [one(pool, BASELINE, seed) for seed in range(30)]
    assert {item.strategies for item in drawn} == {("same_file",) * 3 + ("signature",)}
    # Tiers draw at random from all of theirs: units 1 to 5 are of the file, 6 to 10 have its parameters.
    assert {at for item in drawn for at in item.distractors[:3]} == {1, 2, 3, 4, 5}
    assert {item.distractors[3] for item in drawn} == {6, 7, 8, 9, 10}
    assert drawn[0].level == "baseline"


def test_the_baselines_band_excludes_both_ends_and_takes_the_nearest():
    pool = around(same_file=1, similar=1, banded=[0.5, 0.6, 0.95, 0.94, 0.93, 0.96])
    item = one(pool, BASELINE)
    assert item.strategies == ("same_file", "signature", "semantic", "semantic")
    assert item.similarities == (0.0, 0.0, 0.94, 0.93)
    assert "semantic" not in one(around(banded=[0.5, 0.4, 0.3, 0.2]), BASELINE).strategies


def test_the_first_repairs_band_is_higher_and_includes_its_lower_end():
    banded = [0.75, 0.7499, 0.979, 0.98, 0.9, 0.2, 0.3]
    item = one(around(same_file=3, similar=3, banded=banded), PHASE1)
    assert Counter(item.strategies) == {"same_file": 3, "signature": 3, "semantic": 3}
    assert item.similarities[6:] == (0.979, 0.9, 0.75)
    assert item.level == "phase1"
