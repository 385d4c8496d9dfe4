"""The block that says whether models differ, from comparisons of real tables."""

import pytest

from support.score_tables import table_of
from tellapart.core.comparison import ComparisonSettings, compare, from_json, to_json
from tellapart.core.score_notes import ScoreNotes
from tellapart.report.comparison import headline, pair_table, section


def table(scores, notes=None, **strata):
    return table_of(scores, notes=notes, name="q{:03d}", **strata)


def right(n, of=100, start=0):
    return [1.0 if start <= i < start + n else 0.0 for i in range(of)]


THREE = {"lsa": right(40), "bm25": right(70), "tfidf": right(72)}
LEVELS = ["easy", "hard"] * 50


@pytest.mark.parametrize(
    ("scores", "baseline", "said"),
    [
        (
            {"a": 90, "b": 60, "c": 30},
            None,
            "Use a: it beats both others. This evaluation separates all 3 pairs",
        ),
        ({"a": 90, "b": 60, "c": 60, "d": 30}, None, "Use a: it beats all 3 others. "),
        ({"a": 62, "b": 61, "c": 60}, None, "No model is clearly better than another. "),
        (
            {"a": 62, "b": 62, "c": 61, "d": 60, "e": 30},
            None,
            "There is no single best: 4 of 5 are beaten by none. ",
        ),
        ({"a": 90, "b": 60, "c": 30}, "b", "a is better than b; c is worse than b. "),
        ({"a": 90, "b": 85, "c": 30}, "c", "a and b are better than c. "),
        ({"a": 62, "b": 61, "c": 60}, "c", "No model is shown to be better or worse than c. "),
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


def test_the_block_of_a_stored_comparison_is_that_of_the_comparison():
    found = compare(table({**THREE, "zero": [None, *right(39)[1:]]}, level=LEVELS))
    assert section(from_json(to_json(found))) == section(found)
