import json

import polars as pl
import pytest

from contrastive.fakes import as_json, ends, item_rows, make_benchmark, make_units
from tellapart.contrastive.answers import SWAP_SCHEMA
from tellapart.contrastive.figures import (
    cautions,
    model_result,
    report_results,
)
from tellapart.core.stats import clustered_rate

LEVELS = ["trivial", "easy", "medium", "hard", "very_hard", "adversarial"]


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


def several():
    """A language model asked three times about three items, and an embedder asked once."""
    ranks = {"a": [1, 2, 1], "b": [3, None, None], "c": [None, None, None]}
    llm = {"model": "llm", "method": "llm", "source": "s", "target": 0, "best_distractor": 1}
    rows = [
        {**llm, "item": f"easy/{item}", "path": f"{item}.py", "replicate": i, "order": i, "slot": i + 1}
        | {"confidence_gap": None, "picked_slot": rank}
        | ({"missing": "timeout" if i < 2 else "parse"} if rank is None else {"rank": rank})
        for item, of_item in ranks.items()
        for i, rank in enumerate(of_item)
    ]
    bm25 = {"model": "bm25", "method": "embedding", "source": "s", "target": 0, "best_distractor": 1}
    return item_rows(
        *rows,
        *(
            {**bm25, "item": f"easy/{i}", "path": f"{i}.py", "rank": r}
            for i, r in zip("abc", (1, 1, 2), strict=True)
        ),
    )


def test_an_item_that_is_asked_several_times_counts_once():
    figures = as_json(model_result(several().filter(model="llm")))
    assert (figures["n"], figures["missing"]) == (2, 1)
    assert (figures["askings"], figures["askings_missing"]) == (9, 5)
    assert figures["missing_by_cause"] == {"parse": 2, "timeout": 3}
    assert figures["accuracy"] == pytest.approx((2 / 3 + 0) / 2)
    assert figures["accuracy_ci"] == pytest.approx(ends(clustered_rate([2 / 3, 0], ["a", "b"]).interval))
    # Two of three, none of three and none of three; then the missing two and three are right.
    assert figures["accuracy_bounds"] == pytest.approx([2 / 9, (2 / 3 + 2 / 3 + 1) / 3])
    assert figures["mrr"] == pytest.approx(((1 + 1 / 2 + 1) / 3 + 1 / 3) / 2)
    assert figures["mean_rank"] == pytest.approx((4 / 3 + 3) / 2)
    assert figures["confidence_gap"] is None


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


@pytest.fixture(scope="module")
def figures(draft, answers):
    return as_json(report_results(draft, *answers))


MODELS = ["bm25", "lsa", "tfidf"]


def test_the_contract_for_scripts(draft, answers, figures):
    """``contrastive report RUN --json``, as it is promised."""
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures
    assert figures["fingerprint"] == draft.header.fingerprint
    groups = {**figures["by_difficulty"], "overall": figures["overall"], **figures["by_language"]}
    assert set(groups) == {*LEVELS, "overall", "python"}
    for group in groups.values():
        assert list(group) == MODELS
        for row in group.values():
            assert {"n", "missing", "accuracy", "accuracy_ci", "top3", "top5", "mrr"} <= set(row)
            low, high = row["accuracy_ci"]
            assert low <= row["accuracy"] <= high
            assert row["accuracy"] <= row["top3"] <= row["top5"] <= 1
    assert list(figures["controls"]) == ["identifier", "shuffled"]
    for control in figures["controls"].values():
        assert list(control) == MODELS
        assert all({"value", "chance", "ratio", "interval"} <= set(row) for row in control.values())
    assert list(figures["swap_accuracy"]) == list(figures["confidence_gap"]) == MODELS
    assert list(figures["mean_distractor_similarity"]) == LEVELS
    assert figures["combined"] is None
    names = ("slots", "repeats", "orders", "summaries")
    assert [figures[name] for name in names] == [{}] * len(names)
    for row in figures["overall"].values():
        assert (row["askings"], row["askings_missing"]) == (row["n"], 0)


def test_the_shuffled_control_is_held_against_guessing(figures):
    # A sixth of the items at each level: (2/5 + 2/10 + 2/20) / 6.
    for control in figures["controls"]["shuffled"].values():
        assert control["chance"] == pytest.approx(0.7 / 6)
        assert control["n"] == 312


def test_only_a_control_beyond_the_margin_is_a_caution():
    # Chance is one in ten; 12 of 100 are too few to tell.
    right = {"above": (80, 400), "at": (40, 400), "below": (16, 400), "unclear": (12, 100)}
    rows = item_rows(
        *(
            {
                "model": model,
                "condition": "shuffled",
                "options": 10,
                "rank": 1 if i < hits else 2,
                "path": f"{i}",
            }
            for model, (hits, items) in right.items()
            for i in range(items)
        )
    )
    assert cautions(rows) == (
        "Given another unit's summary, a model must score within 20 % of chance. These do not: "
        "above 100 % above chance, below 60 % below chance.",
    )
    assert cautions(item_rows({"rank": 1})) == ()
