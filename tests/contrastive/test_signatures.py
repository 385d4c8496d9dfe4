from dataclasses import replace

import pytest

from contrastive.fakes import make_unit
from tellapart.contrastive.selection.signatures import ParameterNames, signature_similarities
from tellapart.extraction.unit import Parameter


def unit(name, *parameters, returns=None):
    """Make a unit; a parameter is ``name`` or ``name: type``."""
    parts = [parameter.partition(": ") for parameter in parameters]
    made = make_unit(name, path="a.ts", language="typescript", return_type=returns)
    return replace(made, parameters=tuple(Parameter(name, type_ or None) for name, _, type_ in parts))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        # .25 · 1 (no parameters both) + .35 · .5 + .20 · .5 + .20 · 1
        (unit("run"), unit("run"), 0.725),
        # the same action, even when equal: .25 + .175 + .10 + .20 · .7
        (unit("getUser"), unit("getUser"), 0.665),
        (unit("getUser"), unit("GETPost"), 0.665),
        # counts 1 and 2: .25 · ½; types unknown; names 1 − 3/4 (only the u of "jump" is in "run")
        (unit("run", "a"), unit("jump", "a", "b"), 0.125 + 0.175 + 0.1 + 0.2 * 0.25),
        # (int, int) and (int): one of two in common
        (unit("f", "a: int", "b: int"), unit("f", "x: int"), 0.125 + 0.175 + 0.1 + 0.2),
        # (int, str) and (str, int): all in common, in any order
        (unit("f", "a: int", "b: str"), unit("f", "x: str", "y: int"), 0.25 + 0.35 + 0.1 + 0.2),
        # types on one side only: none in common
        (unit("f", "a: int"), unit("f", "x"), 0.25 + 0 + 0.1 + 0.2),
        # return types equal, different, one missing
        (unit("f", returns="int"), unit("f", returns="int"), 0.25 + 0.175 + 0.2 + 0.2),
        (unit("f", returns="int"), unit("f", returns="str"), 0.25 + 0.175 + 0 + 0.2),
        (unit("f", returns="int"), unit("f"), 0.25 + 0.175 + 0.1 + 0.2),
        # nothing in common at all: counts 0 and 1, types against none, other returns, other names
        (unit("f", "a: int", returns="int"), unit("g", returns="str"), 0.0),
        # different actions: getA, setA differ in one of four letters
        (unit("getA"), unit("setA"), 0.25 + 0.175 + 0.1 + 0.2 * 0.75),
    ],
)
def test_similarity_by_hand(a, b, expected):
    assert signature_similarities([a], [b])[0, 0] == pytest.approx(expected, abs=1e-6)
    assert signature_similarities([b], [a])[0, 0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (unit("f"), unit("g"), 0.5),
        (unit("f", "a", "b"), unit("g", "a", "b"), 1.0),
        (unit("f", "a", "b"), unit("g", "x", "y"), 0.5),
        # counts 1 and 2: ½; one common name of two: ½
        (unit("f", "a"), unit("g", "a: int", "b"), 0.5),
        (unit("f", "a", "b", "c"), unit("g"), 0.0),
    ],
)
def test_the_documents_original_counts_and_compares_names(a, b, expected):
    names = ParameterNames([a, b])
    assert names.similarities(0)[1] == expected
    assert names.similarities(1)[0] == expected
