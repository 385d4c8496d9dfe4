"""The block that says whether models differ, from comparisons of real tables."""

import numpy as np
import polars as pl
import pytest

from reference.pairs import items_needed
from tellapart.core.comparison import (
    ComparisonSettings,
    compare,
    from_json,
    to_json,
)
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.report.comparison import (
    Scale,
    about,
    headline,
    headline_sentences,
    pair_table,
    section,
)


def table(scores, notes=None, **strata):
    """Scores by model; None is missing."""
    rows = [
        {
            "model": model,
            "item": f"q{i:03d}",
            "score": score,
            "missing": None if score is not None else "timeout",
        }
        | {name: values[i] for name, values in strata.items()}
        for model, of_model in scores.items()
        for i, score in enumerate(of_model)
    ]
    schema = {"score": pl.Float64, "missing": pl.String}
    return ScoreTable.from_frame(pl.DataFrame(rows, schema_overrides=schema), notes=notes)


def right(n, of=100, start=0):
    return [1.0 if start <= i < start + n else 0.0 for i in range(of)]


THREE = {"lsa": right(40), "bm25": right(70), "tfidf": right(72)}
LEVELS = ["easy", "hard"] * 50


def test_the_verdict_names_who_beats_whom_and_what_the_others_would_take():
    found = compare(table(THREE))
    pair = next(pair for pair in found.primary.pairs if (pair.a, pair.b) == ("bm25", "tfidf"))
    assert headline(found) == (
        "Use bm25 or tfidf: both beat lsa. This evaluation separates 2 "
        "of 3 pairs. tfidf and "
        f"bm25 cannot be told apart yet: it would take about {about(pair.settle_items)} items to "
        "settle it, and there are 100"
    )


@pytest.mark.parametrize(
    ("scores", "baseline", "said"),
    [
        (
            {"a": 90, "b": 60, "c": 30},
            None,
            "Use a: it beats both others. This evaluation separates all 3 pairs",
        ),
        ({"a": 90, "b": 60, "c": 60, "d": 30}, None, "Use a: it beats all 3 others. "),
        ({"a": 62, "b": 61, "c": 60}, None, "None is clearly better than another. "),
        (
            {"a": 62, "b": 62, "c": 61, "d": 60, "e": 30},
            None,
            "There is no single best: 4 of 5 are beaten by none. ",
        ),
        ({"a": 90, "b": 60, "c": 30}, "b", "a is better than b; c is worse than b. "),
        ({"a": 90, "b": 85, "c": 30}, "c", "a and b are better than c. "),
        ({"a": 62, "b": 61, "c": 60}, "c", "None is shown to be better or worse than c. "),
        ({"a": 90, "b": 60}, None, "Use a: it beats b by 30 points (95 % interval "),
        ({"a": 90, "b": 60}, "a", "b is worse than a by 30 points (95 % interval "),
        ({"a": 90, "b": 60}, "b", "a is better than b by 30 points (95 % interval "),
        ({"a": 62, "b": 60}, None, "a and b cannot be told apart yet: it would take "),
    ],
)
def test_the_first_sentence_names_the_model_to_use_or_compares_with_the_baseline(scores, baseline, said):
    settings = ComparisonSettings(baseline=baseline)
    shown = headline(compare(table({name: right(n) for name, n in scores.items()}), settings))
    assert f"{shown}. ".startswith(said)


def test_sentences_of_the_headline_are_told_apart_where_names_hold_a_full_stop():
    first, second, third = headline_sentences(
        compare(table({f"v1. {name}": of for name, of in THREE.items()}))
    )
    assert first == "Use v1. bm25 or v1. tfidf: both beat v1. lsa"
    assert second == "This evaluation separates 2 of 3 pairs"
    assert third.startswith("v1. tfidf and v1. bm25 cannot be told apart yet: it would take")


def test_a_caution_stands_in_the_sentence_of_the_verdict():
    notes = ScoreNotes(cautions=("The judge failed on half of the verdicts.", "Tiers are out of order."))
    found = compare(table(THREE, notes))
    assert headline(found).endswith(". Beware: The judge failed on half of the verdicts")
    assert "Tiers are out of order." in section(found).text


def test_a_part_that_was_chosen_late_makes_no_headline():
    settings = ComparisonSettings(primary=("level", "hard"))
    late = compare(table(THREE, level=LEVELS), settings)
    assert headline(late) == (
        "No verdict: hard items were chosen after the scores were known, so their pairs are detail"
    )
    notes = ScoreNotes(primary=("level", "hard"))
    declared = compare(table(THREE, notes, level=LEVELS), settings)
    assert headline(declared).startswith(
        "On hard items, use bm25 or tfidf: both beat lsa. This evaluation separates 2 of 3 pairs."
    )
    assert compare(table(THREE, notes, level=LEVELS)) == declared


def test_what_was_left_out_is_a_number_that_is_stored_and_read_again():
    late = compare(table(THREE, ScoreNotes(excluded=22)))
    assert from_json(to_json(late)) == late
    assert (late.primary.scope, late.primary.left_out) == ("all items", 22)
    assert pair_table(late).title.startswith("Pairs of models on all items but 22 ")
    assert to_json(compare(table(THREE)))["primary"]["left_out"] == 0


def test_pairs_are_listed_from_the_best_model_down_with_both_p():
    found = compare(table(THREE))
    shown = pair_table(found)
    assert [column.title for column in shown.columns] == [
        "Ahead", "Behind", "Verdict", "Difference", "p", "Adjusted p", "Items needed", "n",
    ]  # fmt: skip
    assert [(row[0].text, row[1].text, row[2].text) for row in shown.rows] == [
        ("tfidf", "bm25", "cannot tell"),
        ("tfidf", "lsa", "better"),
        ("bm25", "lsa", "better"),
    ]
    # 2 of 100 are won and none lost.
    needed = str(items_needed(0.02, np.std([1.0] * 2 + [0.0] * 98, ddof=1), 100, exact=True))
    assert [cell.text for cell in shown.rows[0][3:]] == ["+2.0", "0.500", "0.500", needed, "100"]
    systems = pair_table(found, what="systems")
    assert systems.title == "Pairs of systems (differences in percentage points)"
    assert systems.note.startswith("The system with the higher mean comes first.")
    assert "the systems are separated" in systems.note
    assert pair_table(compare(table(THREE), ComparisonSettings(baseline="lsa"))).title == (
        "Pairs of models against lsa (differences in percentage points)"
    )


def test_the_block_of_a_stored_comparison_is_that_of_the_comparison():
    found = compare(table({**THREE, "zero": [None, *right(39)[1:]]}, level=LEVELS))
    assert section(from_json(to_json(found))) == section(found)


def test_rates_are_percent_and_points():
    form = Scale(rates=True)
    assert (form.mean(0.835), form.gap(-0.004), form.size(0.02), form.size(0.01)) == (
        "83.5",
        "−0.4",
        "2 points",
        "1 point",
    )
    assert (form.span([0.1, 0.2]), form.gap_span([-0.1, 0.2])) == ("10.0–20.0", "−10.0 to +20.0")
