import polars as pl
import pytest

from contrastive.fakes import as_json, ends, item_rows, make_benchmark, make_units
from tellapart.contrastive.answers import SWAP_SCHEMA
from tellapart.contrastive.figures import cautions, model_result, report_results
from tellapart.core.stats import clustered_rate


def test_figures_of_a_model_by_hand():
    rows = item_rows(
        {"rank": 1, "path": "a.py", "confidence_gap": 0.3},
        {"rank": 4, "path": "a.py", "confidence_gap": 0.1},
        {"rank": 1, "ties": 1, "path": "b.py", "confidence_gap": 0.0},
        {"missing": "infeasible", "path": "b.py"},
    )
    figures = as_json(model_result(rows))
    assert (figures["n"], figures["missing"], figures["missing_by_cause"]) == (3, 1, {"infeasible": 1})
    assert figures["accuracy"] == (1 + 0 + 0.5) / 3
    assert figures["accuracy_ci"] == ends(clustered_rate([1, 0, 0.5], ["a", "a", "b"]).interval)
    assert figures["accuracy_bounds"] == [1.5 / 4, 2.5 / 4]
    assert figures["top3"] == pytest.approx(2 / 3)
    assert figures["top5"] == 1.0
    assert figures["mrr"] == pytest.approx((1 + 1 / 4 + (1 + 1 / 2) / 2) / 3)
    assert figures["mean_rank"] == pytest.approx((1 + 4 + 1.5) / 3)
    assert figures["confidence_gap"] == pytest.approx(0.4 / 3)
    assert figures["ties"] == 1


def test_what_is_undefined_is_none():
    figures = as_json(model_result(item_rows({"missing": "infeasible"}, {"missing": "provider"})))
    assert (figures["n"], figures["missing"]) == (0, 2)
    assert figures["missing_by_cause"] == {"infeasible": 1, "provider": 1}
    assert figures["accuracy_bounds"] == [0.0, 1.0]
    undefined = ("accuracy", "accuracy_ci", "top3", "top5", "mrr", "mean_rank", "confidence_gap")
    assert [figures[name] for name in undefined] == [None] * 7
    assert as_json(model_result(item_rows()))["accuracy_bounds"] is None
    # One file is no basis for an interval.
    assert as_json(model_result(item_rows({"path": "a"}, {"path": "a"})))["accuracy_ci"] is None


def report(items, swaps=None, sets=()):
    none = SWAP_SCHEMA.to_frame()
    benchmark = make_benchmark(make_units("a", "b"), [], sets or [("easy", "a", ["b"])])
    return as_json(report_results(benchmark, items, none if swaps is None else swaps))


def test_real_questions_and_controls_are_kept_apart():
    rows = item_rows(
        {"rank": 1},
        {"rank": 2, "condition": "identifier", "path": "a", "item": "easy/0"},
        {"rank": 1, "condition": "identifier", "path": "b", "item": "easy/1", "options": 10},
        {"condition": "identifier", "missing": "infeasible", "item": "easy/2"},
    )
    figures = report(rows)
    assert figures["overall"]["m"]["n"] == 1
    assert figures["overall"]["m"]["accuracy"] == 1.0
    control = figures["controls"]["identifier"]["m"]
    assert (control["n"], control["value"], control["chance"]) == (2, 0.5, pytest.approx(0.15))
    assert control["ratio"] == pytest.approx(0.5 / 0.15)
    assert control["interval"] == ends(clustered_rate([0, 1], ["a", "b"]).interval)
    assert control["interval_90"] == ends(clustered_rate([0, 1], ["a", "b"], level=0.9).interval)
    assert control["outcome"] == "cannot tell"


def test_swaps_by_hand():
    swaps = pl.DataFrame(
        {
            "model": ["m"] * 5,
            "target": list(range(5)),
            "path": ["x", "x", "y", "y", "y"],
            "kind": ["number", "order", "order", "number", "unit"],
            "true": ["t"] * 5,
            "false": ["f"] * 5,
            "preferred": [1.0, 1.0, 0.5, 0.0, None],
            "missing": [None, None, None, None, "parse"],
        }
    )
    figures = report(item_rows({}), swaps)["swap_accuracy"]["m"]
    assert (figures["n"], figures["accuracy"]) == (4, 0.625)
    assert figures["ci"] == ends(clustered_rate([1, 1, 0.5, 0], list("xxyy")).interval)
    assert figures["by_kind"] == {
        "number": {"n": 2, "accuracy": 0.5, "ci": ends(clustered_rate([1, 0], list("xy")).interval)},
        "order": {"n": 2, "accuracy": 0.75, "ci": ends(clustered_rate([1, 0.5], list("xy")).interval)},
    }
    assert figures["missing"] == {"parse": 1}


def test_only_a_control_beyond_the_margin_is_a_caution():
    # Chance is one in ten; 12 of 100 are too few to tell.
    right = {"above": (80, 400), "at": (40, 400), "below": (16, 400), "unclear": (12, 100)}
    about = {"condition": "shuffled", "options": 10}
    rows = item_rows(
        *(
            {"model": model, "rank": 1 if i < hits else 2, "path": f"{i}", **about}
            for model, (hits, items) in right.items()
            for i in range(items)
        )
    )
    assert cautions(rows) == (
        "Given another unit's summary, a model must score within 20 % of chance. These do not: "
        "above 100 % above chance, below 60 % below chance.",
    )
    assert cautions(item_rows({"rank": 1})) == ()
