import json

import numpy as np
import polars as pl
import pytest

from tellapart.audit.analysis import analyse
from tellapart.audit.options import AuditOptions
from tellapart.compare.run import GateOptions, compare_scores
from tellapart.core.comparison import compare
from tellapart.core.comparison_settings import ComparisonSettings
from tellapart.core.scores import ScoreTable
from tellapart.core.stats.power import detectable_difference, items_needed
from tellapart.core.stats.sign_flip import exact_p
from tellapart.errors import InputError

ITEMS = 40


def table(exponent, models=3, low=-2.0, high=2.0):
    """Scores of up to 1, each a multiple of 1/64, times a power of two; a model misses an answer."""
    rng = np.random.default_rng(3)
    base = np.round((rng.random((models, ITEMS)) / 2 + np.linspace(0, 0.4, models)[:, None]) * 64) / 64
    scores = pl.Series("score", np.ldexp(base.ravel(), exponent)).scatter(5, None)
    frame = pl.DataFrame(
        {
            "model": np.repeat([f"m{i}" for i in range(models)], ITEMS),
            "item": [f"i{j:02}" for j in range(ITEMS)] * models,
            "score": scores,
            "missing": [None] * 5 + ["timeout"] + [None] * (models * ITEMS - 6),
            "topic": ["ab"[j % 2] for j in range(ITEMS)] * models,
        }
    )
    return ScoreTable.from_frame(frame, limits=(np.ldexp(low, exponent), np.ldexp(high, exponent)))


def differences(one, other, place=""):
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() | other.keys():
            yield from differences(one.get(key, "-"), other.get(key, "-"), f"{place}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for left, right in zip(one, other, strict=True):
            yield from differences(left, right, place)
    elif one != other:
        yield place.removeprefix("."), one, other


IN_UNITS = ("bounds", "ci", "ci_bootstrap", "detectable", "diff", "difference", "drop", "interval")
IN_UNITS += ("a", "b", "interval_95", "limit", "limits", "sd", "sesoi", "mean")


def other_than_scaled(ordinary, scaled, exponent):
    """Places where two records differ by more than the unit of their scores."""
    return {
        place
        for place, one, other in differences(ordinary, json.loads(json.dumps(scaled, allow_nan=False)))
        if not (
            (place.split(".")[-1] in IN_UNITS or f".{place}".split(".")[-2] == "means")
            and isinstance(one, float)
            and np.ldexp(one, exponent) == other
        )
    }


@pytest.mark.parametrize("exponent", [-900, -300, 300, 900])
def test_an_audit_is_the_same_in_any_unit(exponent):
    unit = 2.0**exponent
    ordinary = analyse(table(0)).to_json()
    found = analyse(table(exponent), AuditOptions(sesoi=0.02 * unit))
    others = other_than_scaled(ordinary, found.to_json(), exponent)
    variance = {f"variance.{name}" for name in ("model", "item", "model_item", "reason")}
    assert others - variance == {"notes"}
    parts = {name: ordinary["variance"][name] for name in ("model", "item", "model_item")}
    expected = dict.fromkeys(parts) if abs(exponent) > 500 else {k: v * unit**2 for k, v in parts.items()}
    assert {name: getattr(found.variance, name) for name in parts} == expected
    assert found.item_table["difficulty"].max() > unit / 2
    assert f"in a unit of 2^{exponent - 1}" in found.notes[0]


@pytest.mark.parametrize("exponent", [-900, 900])
def test_a_gate_is_the_same_in_any_unit(exponent):
    unit = 2.0**exponent
    sources = {"main": ["m2"], "candidate": ["m0", "m1"]}
    ordinary, found = (
        compare_scores(
            table(k),
            sources,
            ComparisonSettings(baseline="m2", sesoi=0.02 * of),
            GateOptions(max_drop=0.05 * of),
        )
        for k, of in ((0, 1.0), (exponent, unit))
    )
    others = other_than_scaled(ordinary.record.to_json(), found.record.to_json(), exponent)
    assert others == {"notes"}
    assert [gate.max_drop for gate in found.gates] == [0.05 * unit] * 2
    assert found.outcome is ordinary.outcome


@pytest.mark.parametrize("exponent", [-30, 30])
def test_exact_tests_find_the_common_unit_of_scores_of_any_size(exponent):
    terms = np.array([3.0, -1.0, 2.0] * 7)
    assert exact_p(np.ldexp(terms, exponent)) == exact_p(terms) is not None


@pytest.mark.parametrize(("score", "step"), [(5e-324, "Multiply all"), (1e308, "Divide all")])
def test_scores_whose_differences_cannot_be_held_are_refused(score, step):
    frame = pl.DataFrame(
        {"model": ["a", "a", "b", "b"], "item": ["1", "2"] * 2, "score": [0.0, score, score, 0.0]}
    )
    scores = ScoreTable.from_frame(frame, limits=(-np.inf, np.inf))
    with pytest.raises(InputError, match=f"the greatest score, without its sign, is .* {step}"):
        compare(scores)


@pytest.mark.parametrize("exponent", [-900, 900])
def test_plans_of_items_are_the_same_in_any_unit(exponent):
    assert items_needed(np.ldexp(0.3, exponent), np.ldexp(1.1, exponent)) == items_needed(0.3, 1.1)
    ordinary = detectable_difference(50, 1.1)
    assert detectable_difference(50, np.ldexp(1.1, exponent)) == np.ldexp(ordinary, exponent)
