import pytest

from audit.page.stored_figures import figures, flagged, load, two_models, why
from tellapart.audit.page import sentences
from tellapart.audit.page.sentences import (
    ACTIONS,
    CAUSES,
    FLAGS,
    PARTS,
    headline,
    missing,
    to_know_first,
)
from tellapart.audit.results import Action, Cause, Flag
from tellapart.core.stats.paired_parts import VarianceComponents


def test_the_headline_says_who_is_better_and_why_not_the_others():
    assert headline(load(figures())) == (
        "Use alpha: it beats all 3 others. This evaluation separates 3 of 6 pairs. gamma "
        "and delta cannot be told apart "
        "yet: too few items and items rank the models backwards. beta and gamma are "
        "equivalent within 2 points. "
        "No verdict for beta and delta: missing scores could undo it"
    )


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (
            two_models(why=[why("ceiling", "")]),
            "a and b cannot be told apart yet: the items are too easy",
        ),
        (two_models("a>b"), "Use a: it beats b by 10 points (95 % interval −10.0 to 30.0)"),
        (two_models("equivalent"), "a and b are equivalent within 2 points"),
        (
            two_models("withheld"),
            "No verdict for a and b: missing scores could undo it",
        ),
        (two_models(reason="no item that both have a score on."), None),
        ({**two_models(), "pairs": []}, "There are no two models to compare"),
    ],
)
def test_two_models_have_a_headline_each_way(found, expected):
    assert headline(load(found)) == (
        expected or "a and b cannot be told apart yet: no item that both have a score on"
    )


def test_missing_scores_are_told_by_cause_unless_a_caution_does():
    view = load(figures())
    assert missing(view.missing) == ["Scores missing: 10 timeout and 2 parse, of delta."]
    assert to_know_first(view) == ["delta was not asked 3 of the items.", *missing(view.missing)]
    told = load({**figures(), "cautions": [{"kind": "missing", "text": "12 are missing."}]})
    assert to_know_first(told) == ["12 are missing."]
    assert missing(load(two_models()).missing) == []


def test_items_that_look_broken_are_told_from_those_that_separate_nothing():
    audit = figures()
    assert sentences.items(load(audit)) == (
        "1 of 100 items looks broken (rank the models backwards 1); "
        "3 others separate no models (passed by every model 2, failed by every model 1)"
    )
    graded = load({**audit, "limits": [1.0, 5.0]})
    assert sentences.items(graded).endswith("(best score from every model 2, worst score from every model 1)")
    audit["items_flagged"] = [flagged("x", "all_fail")]
    assert sentences.items(load(audit)) == "1 of 100 items separates no models (failed by every model 1)"
    assert sentences.items(load(two_models())) == "none of 10 items is flagged"


def test_shares_of_the_variance_sum_to_one_and_negative_estimates_count_as_none():
    found = figures()
    found["variance"] |= {"model": -0.01, "item": 0.15, "model_item": 0.05}
    shares = sentences.variance_shares(load(found))
    assert shares == pytest.approx({"model": 0.0, "item": 0.75, "model_item": 0.25})


@pytest.mark.parametrize(
    ("words", "known"),
    [(CAUSES, Cause), (ACTIONS, Action), (FLAGS, Flag)],
)
def test_whatever_an_audit_can_say_has_words(words, known):
    assert set(words) == {one.value for one in known}


def test_every_part_of_the_variance_has_words():
    assert list(PARTS) == [name for name in VarianceComponents.__dataclass_fields__ if name != "reason"]
