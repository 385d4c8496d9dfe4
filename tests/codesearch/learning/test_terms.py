from codesearch.learning.learnt_cases import made
from tellapart.codesearch.learning.labels import label_cases
from tellapart.codesearch.learning.terms import term_facts

LED = {"a": ["x"], "b": ["x", "y"], "n": ["x"], "o": ["y"], "f": ["x"]}


def facts(*cases):
    return {fact.term: fact for fact in term_facts(label_cases(cases, "judged"))}


def test_counts_by_hand():
    found = facts(
        made("1", found="ab", noise="no", failed="f", led=LED),
        made("2", noise="n", terms=["X"], led={"n": "X"}),
    )
    x, y = found["x"], found["y"]
    assert (x.conversations, x.files, x.relevant, x.noise, x.open) == (("1", "2"), 6, 2, 2, 1)
    assert (x.relevant_alone, x.noise_alone, x.open_alone) == (1, 2, 1)
    assert (x.noise_rate, x.share) == (0.5, 5 / 6)
    assert (y.conversations, y.files, y.relevant, y.noise, y.noise_alone) == (("1",), 5, 1, 1, 1)
    # x led alone to one file of noise more than to relevant ones, y to as many.
    assert list(found) == ["x", "y"]


def test_a_term_that_led_nowhere_and_one_without_files_have_no_rates():
    found = facts(made("1", found="a", terms=["x", "z"], led={"a": ["x"]}), made("2", terms=["w"]))
    assert (found["z"].noise_rate, found["z"].share) == (None, 0.0)
    assert (found["w"].noise_rate, found["w"].share, found["w"].files) == (None, None, 0)
