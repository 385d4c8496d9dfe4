"""How much of a name a summary has, and what that does to accuracy and to leads."""

import polars as pl
import pytest

from tellapart.contrastive.figures import ControlResult, ModelResult
from tellapart.contrastive.names import gain_of_name, name_overlap, name_overlaps, split_by_names
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable


@pytest.mark.parametrize(
    ("name", "summary", "expected"),
    [
        ("split_bill", "Split the bill among guests.", "all"),
        ("splitBill", "Splits bills among guests.", "all"),
        ("split_bill", "Divide the bill among guests.", "some"),
        ("split_bill", "Divide what is due among guests.", "none"),
        ("parse", "Parsing of a line.", "all"),
        ("HTTPServer", "Serve over http.", "some"),
        ("get_strings", "Getting one string.", "all"),
        ("copy_class", "Copies all classes.", "all"),
        ("keys", "The key of a lock.", "all"),
        # Word by word, not letters within words.
        ("bill", "A billing address.", "all"),
        ("at", "The attic.", "none"),
        ("_", "Translate a message.", "none"),
        ("__init__", "", "none"),
    ],
)
def test_words_of_the_name_in_any_form(name, summary, expected):
    assert name_overlap(name, summary) == expected


def split(sources=("docstring",), **choices):
    """Models ``a`` and ``b`` on 40 items in as many files; the first 20 say the name, the others do not.

    ``a`` answers all that say it and half of the others, ``b`` half of each.
    """
    right = {"a": lambda i: i < 20 or i % 2, "b": lambda i: i % 2}
    models = [
        (name if len(sources) == 1 else f"{source} | {name}", name, source)
        for source in sources
        for name in right
    ]
    rows = [
        {"model": model, "item": f"easy/{i}", "cluster": f"{i}.py", "source": source, "target": i}
        | {"score": float(right[name](i)), "options": 5}
        for model, name, source in models
        for i in range(40)
    ]
    frame = pl.DataFrame(rows)
    texts = pl.DataFrame(
        [
            {"target": i, "source": source, "text": "Sort it." if i < 20 else "Order it."}
            for source in sources
            for i in range(40)
        ]
    )
    scores = ScoreTable.from_frame(
        frame.drop("source", "target", "options"), notes=ScoreNotes(primary=("difficulty", "hard"))
    )
    overlaps = name_overlaps(["sort"] * 40, texts)
    return split_by_names(scores, frame.rename({"score": "correct"}), overlaps, **choices)


def test_accuracy_and_leads_are_split():
    names = split()
    shown = {
        (value, model): (result.n, result.accuracy)
        for value, by_model in names.accuracy.items()
        for model, result in by_model.items()
    }
    assert shown == {
        **{("none", model): (20, 0.5) for model in "ab"},
        **{("some", model): (0, None) for model in "ab"},
        ("all", "a"): (20, 1.0),
        ("all", "b"): (20, 0.5),
    }
    assert names.accuracy["all"]["b"].chance == pytest.approx(0.2)
    # Wilson's for 10 of 20: .5 +- z sqrt(.25 / 20 + z2 / 1600) / (1 + z2 / 20), z 1.96.
    assert names.accuracy["none"]["a"].ci == pytest.approx((0.2993, 0.7007), abs=1e-4)
    comparison = names.comparisons["docstring"]
    (lead,) = comparison.primary.pairs
    assert (comparison.primary.scope, lead.n, lead.difference) == ("all items", 40, 0.25)
    assert {pair.stratum: (pair.n, pair.difference) for pair in comparison.secondary.pairs} == {
        "none": (20, 0.0),
        "all": (20, 0.5),
    }


def test_models_are_compared_on_the_same_summaries_only():
    names = split(("x", "y"), baseline="x | b")
    compared = names.comparisons
    assert {source: [(pair.a, pair.b) for pair in c.primary.pairs] for source, c in compared.items()} == {
        "x": [("x | a", "x | b")],
        "y": [("y | a", "y | b")],
    }
    assert [compared[source].baseline for source in "xy"] == ["x | b", None]


@pytest.mark.parametrize(
    ("alone", "summary", "expected"),
    [(0.6, 0.6, 1.0), (0.35, 0.6, 0.5), (0.1, 0.6, 0.0), (0.6, 0.1, None)],
)
def test_the_gain_of_the_name_is_a_share_of_that_of_the_summary(alone, summary, expected):
    control = ControlResult.model_construct(value=alone, chance=0.1)
    summaries = ModelResult.model_construct(accuracy=summary)
    assert gain_of_name(control, summaries) == (expected if expected is None else pytest.approx(expected))
