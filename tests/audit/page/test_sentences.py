import pytest

from audit.page.stored_figures import figures, fix, flagged, load, many_models, pair, two_models, why
from tellapart.audit.page import sentences
from tellapart.audit.page.sentences import (
    ACTIONS,
    CAUSES,
    FLAGS,
    PARTS,
    SIGNS,
    bounds,
    briefly,
    headline,
    missing,
    phrase,
    scale,
    to_know_first,
    verdict,
)
from tellapart.audit.results import Action, Cause, Flag, Variance
from tellapart.core.comparison import Verdict
from tellapart.report.comparison import Scale


def with_pairs(*pairs, **others):
    return load({**figures(), "pairs": list(pairs), **others})


def test_the_headline_says_who_is_better_and_why_not_the_others():
    assert headline(load(figures())) == (
        "Separates 3 of 6 pairs: alpha beats beta, delta and gamma. Cannot separate gamma from delta: too "
        "few items and items rank the models backwards. beta and gamma are equivalent within 2 points. "
        "Withholds a verdict for beta and delta: missing scores could turn the order around"
    )


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (
            two_models(why=[why("ceiling", "")]),
            "Cannot separate a from b: the items are too easy",
        ),
        (two_models("a>b"), "Separates the two models: a beats b by 10 points (−10.0 to 30.0)"),
        (two_models("equivalent"), "a and b are equivalent within 2 points"),
        (
            two_models("withheld"),
            "Withholds a verdict for a and b: missing scores could turn the order around",
        ),
        (two_models(reason="no item that both have a score on."), None),
        ({**two_models(), "pairs": []}, "There are no two models to compare"),
    ],
)
def test_two_models_have_a_headline_each_way(found, expected):
    assert headline(load(found)) == (
        expected or "Cannot separate a from b: no item that both have a score on"
    )


def test_all_pairs_apart_need_no_but():
    pairs = [pair(*names, "a>b", 0.1) for names in (("alpha", "beta"), ("alpha", "gamma"), ("beta", "gamma"))]
    ranking = [one for one in figures()["ranking"] if one["model"] != "delta"]
    assert headline(with_pairs(*pairs, ranking=ranking)) == (
        "Separates all 3 pairs: alpha beats beta and gamma; beta beats gamma"
    )


def test_pairs_with_one_cause_share_it():
    causes = [why("floor", "")]
    pairs = [
        pair("alpha", "beta", "not_separated", 0.1, why=causes),
        pair("alpha", "gamma", "not_separated", 0.1, why=causes),
        pair("beta", "gamma", "not_separated", 0.1, why=[why("ceiling", "")]),
    ]
    assert headline(with_pairs(*pairs)) == (
        "Separates none of 3 pairs. Cannot separate alpha from beta or alpha from gamma: the items are too "
        "hard; nor beta from gamma: the items are too easy"
    )


def test_many_pairs_are_counted():
    assert headline(load(many_models(30))) == (
        "Separates 325 of 435 pairs: model-000 beats model-005 and 24 others; model-001 beats model-006 and "
        "23 others; model-002 beats model-007 and 22 others; and so on for 22 more models. Cannot separate "
        "the other 110: too few items"
    )


def test_long_names_are_cut_and_too_many_of_them_counted():
    long = f"start{'-' * 110}end"
    cut = f"start{'-' * 11}…{'-' * 12}end"
    assert len(cut) == 32
    causes = {"why": [why("floor", "")], "fix": [fix("add_items", "", 5)]}
    pairs = [pair(long, name, "not_separated", 0.1, **causes) for name in ("b", "c", "d", "e")]
    assert headline(with_pairs(*pairs[:2])) == (
        f"Separates none of 2 pairs. Cannot separate {cut} from b or {cut} from c: the items are too hard"
    )
    assert verdict(with_pairs(*pairs[:2]))[-2].startswith(f"Cheapest fix, for {cut} and b: ")
    assert headline(with_pairs(*pairs)) == (
        "Separates none of 4 pairs. Cannot separate any: the items are too hard"
    )
    assert headline(with_pairs(pairs[0])) == f"Cannot separate {cut} from b: the items are too hard"
    assert headline(with_pairs(pair(long, "b", "a>b", 0.1))) == (
        f"Separates the two models: {cut} beats b by 10 points"
    )


def test_missing_scores_are_told_by_cause_unless_a_caution_does():
    view = load(figures())
    assert missing(view.missing) == ["Scores missing: 10 timeout and 2 parse, of delta."]
    assert to_know_first(view) == ["delta was not asked 3 of the items.", *missing(view.missing)]
    told = load({**figures(), "cautions": [{"kind": "missing", "text": "12 are missing."}]})
    assert to_know_first(told) == ["12 are missing."]
    assert missing(load(two_models()).missing) == []


def test_the_verdict_ends_with_advice_and_how_much_is_separated():
    assert verdict(load(figures()))[2:] == [
        "Cheapest fix, for beta and delta: Rerun the 12 answers of delta that are missing.",
        "Separation: 50 % of pairs by the paired test; 50 % by Arena-Hard's definition (intervals of the "
        "means do not overlap); signal to noise 6.",
    ]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (fix("use_stratum", "", 40, stratum=["difficulty", "hard"]), "+40 items like `hard`"),
        (fix("add_items", "", 270856), "+270,856 items"),
        (fix("harder_items", "", 3767), "+3,767 harder items"),
        (fix("easier_items", "", 1), "+1 easier item"),
        (fix("add_replicates", "", 0, 3), "ask again, 3 times per item"),
        (fix("repeat_grading", "", 0, 1), "grade again, 1 time per item"),
        ({**fix("rerun_missing", "", 0, 1), "cost_answers": 1200}, "rerun what is missing, 1,200 in all"),
        ({**fix("drop_items", ""), "items": ["x", "y"]}, "drop 2 items"),
        (fix("choose_otherwise", ""), "choose by something else"),
    ],
)
def test_a_fix_in_a_few_words(found, expected):
    view = load(two_models(fix=[found]))
    assert briefly(view.pairs[0].fix[0]) == expected


def test_items_that_look_broken_are_told_from_those_that_separate_nothing():
    found = figures()
    found["items_flagged"].append(flagged("q00", "duplicate", None, "q01"))
    # q00 passes everywhere and is a duplicate, which is told of it.
    assert sentences.items(load(found)) == (
        "3 of 100 items look broken (rank the models backwards 1, behave as another does 2); "
        "2 others separate no models (passed by every model 1, failed by every model 1)"
    )
    graded = load({**found, "limits": [1.0, 5.0]})
    assert sentences.items(graded).endswith("(best score from every model 1, worst score from every model 1)")
    found["items_flagged"] = [flagged("x", "all_fail", None)]
    assert sentences.items(load(found)) == ("1 of 100 items separates no models (failed by every model 1)")
    found["items_flagged"] = [flagged("x", "duplicate", None, "y"), flagged("x", "negative_discrimination")]
    assert sentences.items(load(found)) == (
        "1 of 100 items looks broken (rank the models backwards 1, behave as another does 1)"
    )
    assert sentences.items(load(two_models())) == "none of 10 items is flagged"


def test_what_is_not_known_says_why():
    view = load(two_models())
    assert sentences.reliability(view) == "no Cronbach's α: two models are too few"
    assert sentences.variance(view) == "not known: nothing varies"
    assert sentences.order(view) == "not known: fewer than 3 models"
    assert sentences.smallest(view) == "none: it takes 9 models"


def test_shares_of_the_variance_sum_to_one_and_negative_estimates_count_as_none():
    found = figures()
    found["variance"] |= {"model": -0.01, "item": 0.15, "model_item": 0.05}
    shares = sentences.variance_shares(load(found))
    assert shares == pytest.approx({"model": 0.0, "item": 0.75, "model_item": 0.25})


def test_a_set_that_is_not_confirmed_says_so():
    found = figures()
    found["smallest_set"] |= {"tau_heldout": None, "reason": "no model was held out"}
    assert sentences.smallest(load(found)) == (
        "30 of 100 items keep the ranking: τ 1.00 on the 2 models they were chosen on, not confirmed: "
        "no model was held out"
    )


@pytest.mark.parametrize(
    ("words", "known"),
    [(CAUSES, Cause), (ACTIONS, Action), (FLAGS, Flag), (SIGNS, Verdict)],
)
def test_whatever_an_audit_can_say_has_words(words, known):
    assert set(words) == {one.value for one in known}


def test_every_part_of_the_variance_has_words():
    assert list(PARTS) == [name for name in Variance.model_fields if name != "reason"]


def test_what_has_no_words_is_words_itself():
    assert phrase(CAUSES, "wet_paper") == "wet paper"


@pytest.mark.parametrize(("limits", "rates"), [([0, 1], True), ([0, 100], False), ([None, None], False)])
def test_the_limits_say_which(limits, rates):
    assert scale(load({**figures(), "limits": limits})).rates is rates


def test_bounds_without_a_limit_are_told():
    assert bounds(Scale(rates=True), (None, 0.5)) == "no limit to 50.0"
    assert bounds(Scale(rates=True), (0.25, 0.25)) == "25.0"
    assert bounds(Scale(rates=True), (-0.1, 0.2), gap=True) == "−10.0 to +20.0"
