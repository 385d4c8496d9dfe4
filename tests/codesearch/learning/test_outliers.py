from codesearch.as_json import as_json
from codesearch.learning.learnt_cases import made, named
from tellapart.codesearch.learning.labels import label_cases
from tellapart.codesearch.learning.outliers import NOTHING_FOUND, anecdotes, outliers
from tellapart.codesearch.learning.places import place_facts
from tellapart.codesearch.learning.terms import term_facts

anecdotes, outliers = map(as_json, (anecdotes, outliers))


def told(*cases):
    return outliers(label_cases(cases, "judged"), "judged")


def test_an_area_in_which_nothing_is_found_three_times_is_a_pattern_and_twice_is_not():
    blind = [made(f"b{n}", missed="m", noise="n", area="blind") for n in range(3)]
    other = [made(f"o{n}", missed="m", noise="n", area="other") for n in range(2)]
    single, patterns = told(*blind, *other)
    assert patterns == [{"product_area": "blind", "what": NOTHING_FOUND, "conversations": ["b0", "b1", "b2"]}]
    assert single == [
        {"conversation_id": one, "product_area": "other", "what": NOTHING_FOUND} for one in ("o0", "o1")
    ]
    # Where nothing is known to be relevant, nothing could be found.
    assert told(made("1", noise="n"), made("2", noise="n"), made("3", noise="n")) == ([], [])


def searches(*found_and_noise):
    return [
        made(str(n), found=named("f", found), noise=named("n", noise))
        for n, (found, noise) in enumerate(found_and_noise)
    ]


def test_a_conversation_is_an_outlier_beyond_the_fences_of_the_others_and_far_from_their_median():
    # Precision .5, .6, .5, .6 and .1: quartiles of the first four .5 and .6, so that the fences are .35, .75.
    single, patterns = told(*searches((5, 5), (6, 4), (5, 5), (6, 4), (1, 9)))
    assert patterns == []
    (one,) = single
    assert (one["conversation_id"], one["what"]) == ("4", "precision is far below the others")
    assert (one["value"], one["median_of_others"]) == (0.1, 0.55)
    (above,) = told(*searches((5, 5), (6, 4), (5, 5), (6, 4), (10, 0)))[0]
    assert above["what"] == "precision is far above the others"
    # Within the fences; beyond them, but by .1 only; and among four, of whom three others cannot say.
    assert told(*searches((5, 5), (6, 4), (5, 5), (6, 4), (4, 6)))[0] == []
    assert told(*searches((5, 5), (5, 5), (5, 5), (5, 5), (4, 6)))[0] == []
    assert told(*searches((5, 5), (6, 4), (5, 5), (1, 9)))[0] == []


def test_three_that_are_far_below_in_one_area_are_a_pattern():
    single, patterns = told(*searches(*[(5, 5)] * 16, *[(1, 9)] * 3))
    assert single == []
    assert [(one["what"], one["conversations"]) for one in patterns] == [
        ("precision is far below the others", ["16", "17", "18"])
    ]


def test_facts_of_one_or_two_conversations_are_kept_apart():
    led = {"f": ["good"], "n": ["bad"], "o": ["bad"]}
    once = made("1", found="f", noise="no", led=led, missed=named("m", 3, "r/x/in"))
    known = label_cases([once, made("2", missed=["r/x/y.md"])], "judged")
    found = anecdotes(
        term_facts(known, 42), place_facts(known, "directory", 42), place_facts(known, "kind", 42)
    )
    assert [(one["what"], one["subject"], one["against"], one["for"]) for one in found] == [
        ("term", "bad", 2, 0),
        ("directory", "r/x", 4, 0),
        ("kind", ".py", 3, 0),
        ("kind", ".md", 1, 0),
    ]
    assert found[1]["conversations"] == ["1", "2"]
