from codesearch.learning.learnt_cases import made
from tellapart.codesearch.learning.labels import label_cases
from tellapart.codesearch.learning.terms import ALONE, OCCURS, OPEN, drop_terms, rank_terms_lower, term_facts


def dropped(*cases, basis="judged"):
    known = label_cases(cases, basis)
    return drop_terms(known, term_facts(known, 42), basis, 42)


def lowered(*cases, without=()):
    known = label_cases(cases, "judged")
    return rank_terms_lower(known, term_facts(known, 42), without)


def noisy(id, **more):
    return made(id, found="a", noise="no", led={"a": ["good"], "n": ["bad"], "o": ["bad"]}, **more)


def test_three_conversations_make_a_pattern_and_two_do_not():
    (one,) = dropped(noisy("1"), noisy("2"), noisy("3"))
    assert (one.id, one.conversations, one.weight) == ("drop_term:bad", ("1", "2", "3"), 6)
    # Three of three rise, and chance does that in 2 of 8 ways.
    assert (one.p, one.beyond_chance, one.withheld) == (0.25, False, None)
    assert "precision 0.33 to 1.00, recall 1.00 to 1.00" in one.statement
    assert dropped(noisy("1"), noisy("2")) == []
    # A third conversation that used it without noise makes no pattern of noise.
    assert dropped(noisy("1"), noisy("2"), made("3", found="a", led={"a": ["bad", "good"]})) == []


def test_a_term_that_leads_to_as_much_that_is_relevant_is_not_dropped():
    led = {"a": ["bad"], "b": ["bad"], "n": ["bad"], "o": ["bad"], "c": ["good"]}
    even = [made(str(n), found="abc", noise="no", led=led) for n in range(3)]
    assert dropped(*even) == []
    worse = [made(str(n), found="ac", noise="no", led=led) for n in range(3)]
    (one,) = dropped(*worse)
    assert (one.evidence["noise_alone"], one.evidence["relevant_alone"], one.weight) == (6, 3, 3)
    assert one.could_hurt == {"uncertain": {"recall": -0.5, "relevant_lost": 3}}


def test_more_noise_than_relevant_files_is_not_enough_where_mean_precision_falls():
    # 11 files of noise go from a search of 41, which rises from 1/41 to 1/30; of two others one file of noise
    # and three relevant ones each, and they fall from 4/6 to 1/2. In all 13 of noise and 6 relevant.
    many = {f"n{n}": ["bad"] for n in range(11)} | {f"k{n}": ["good", "fine"] for n in range(29)}
    many["a"] = ["good"]
    large = made("1", found="a", noise=[name for name in many if name != "a"], led=many)
    led = {"a": ["bad"], "b": ["bad"], "c": ["bad"], "d": ["good"], "n": ["bad"], "k": ["good", "fine"]}
    small = [made(str(n), found="abcd", noise="nk", led=led) for n in (2, 3)]
    assert dropped(large, *small) == []


def test_files_without_a_verdict_can_withhold_it():
    led = {"a": ["good"], "n": ["bad"], "f": ["bad"]}
    (one,) = dropped(*[made(str(n), found="a", noise="n", failed="f", led=led) for n in range(3)])
    assert (one.withheld, one.evidence["open_alone"]) == (OPEN, 3)
    led["o"] = ["bad"]
    (sure,) = dropped(*[made(str(n), found="a", noise="no", failed="f", led=led) for n in range(3)])
    assert sure.withheld is None


def test_searches_that_would_be_left_without_files_are_told():
    only = [made(str(n), missed="m", noise="no", led={"n": ["bad"], "o": ["bad"]}) for n in range(3)]
    (one,) = dropped(*only)
    assert one.emptied == ("0", "1", "2") and one.p is None and one.beyond_chance is None
    assert "precision 0.00 to undefined" in one.statement


def test_what_it_assumes_depends_on_who_says_what_led_where():
    held = {"a": ["good"], "n": ["bad"], "o": ["bad"]}
    assert dropped(noisy("1"), noisy("2"), noisy("3"))[0].assumes == ALONE
    contents = [made(str(n), found="a", noise="no", held=held) for n in range(3)]
    assert dropped(*contents)[0].assumes == OCCURS
    assert dropped(noisy("7"), *contents)[0].assumes == OCCURS
    paths = [made(str(n), found=["r/good.py"], noise=["r/bad.py"], terms=["good", "bad"]) for n in range(3)]
    assert dropped(*paths) == []


def test_a_term_that_occurs_everywhere_tells_nothing_and_one_that_goes_with_noise_does():
    held = {file: ["common", *(["rare"] if file in "nop" else [])] for file in "abcnop"}
    cases = [
        made(str(n), found="abc", noise="nop", area=f"area {n}", terms=["common", "rare"], held=held)
        for n in range(6)
    ]
    assert dropped(*cases) == []
    (one,) = lowered(*cases)
    assert (one.id, one.effect, one.could_hurt) == ("rank_term_lower:rare", None, {})
    # All with it are noise and none without: 6 * 3 files more than at the rate of the others.
    assert (one.weight, one.p, one.evidence["share"]) == (18.0, 2 / 64, 0.5)
    assert one.conversations == tuple("012345")
    assert lowered(*cases, without={"rare"}) == []
    # Two terms were compared and one of them occurs in all files, so that there is nothing to correct for.
    assert (one.p_holm, one.beyond_chance) == (2 / 64, True)
    needs = made("9", found="xyz", terms=["rare"], held={"x": ["rare"], "y": ["rare"], "z": []}, area="needs")
    (other,) = lowered(*cases, needs)
    assert other.could_hurt == {"needs": {"relevant_there": 2}}
