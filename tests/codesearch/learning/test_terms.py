from codesearch.learning.learnt_cases import made
from tellapart.codesearch.learning.labels import label_cases
from tellapart.codesearch.learning.terms import term_facts


def facts(*cases):
    return {fact.term: fact for fact in term_facts(label_cases(cases, "judged"), 42)}


LED = {"a": ["x"], "b": ["x", "y"], "n": ["x"], "o": ["y"], "f": ["x"]}


def test_counts_by_hand():
    found = facts(
        made("1", found="ab", noise="no", failed="f", led=LED),
        made("2", noise="n", terms=["X"], led={"n": "X"}),
    )
    x, y = found["x"], found["y"]
    assert (x.conversations, x.files, x.relevant, x.noise, x.open) == (("1", "2"), 6, 2, 2, 1)
    assert (x.relevant_alone, x.noise_alone, x.open_alone, x.noise_alone_in) == (1, 2, 1, ("1", "2"))
    assert (x.noise_rate, x.share) == (0.5, 5 / 6)
    assert (y.conversations, y.files, y.relevant, y.noise, y.noise_alone) == (("1",), 5, 1, 1, 1)
    # In the first, 1 of 3 with x is noise and 1 of 1 without; in the second there is none without.
    other = x.noise_against_others
    assert (other.conversations, other.here, other.elsewhere) == (1, 1 / 3, 1.0)


def test_a_term_that_led_nowhere_and_one_without_files_have_no_rates():
    found = facts(made("1", found="a", terms=["x", "z"], led={"a": ["x"]}), made("2", terms=["w"]))
    assert (found["z"].noise_rate, found["z"].share) == (None, 0.0)
    assert (found["w"].noise_rate, found["w"].share, found["w"].files) == (None, None, 0)


def test_shares_leave_out_conversations_in_which_no_noise_could_be_seen():
    unseen = made("1", found="ab", failed="f", led={"a": ["x"], "b": ["y"], "f": ["x"]})
    seen = made("2", found="ab", noise="n", led={"a": ["y"], "b": ["y"], "n": ["x"]})
    other = facts(unseen, seen)["x"].noise_against_others
    assert (other.conversations, other.here, other.elsewhere) == (1, 1.0, 0.0)


def test_own_noise_goes_first_then_what_a_pattern_shows_then_excess_then_noise_then_the_name():
    pattern = [made(str(n), found="ab", noise="n", led={"a": "pz", "b": "qz", "n": "pqz"}) for n in range(3)]
    single = made(
        "9", found="ab", noise="mnop", led={"a": "uv", "b": "v", "m": "uv", "n": "uv", "o": "w", "p": "stuv"}
    )
    order = [fact.term for fact in term_facts(label_cases([*pattern, single], "judged"), 42)]
    # w led alone to one file of noise, v alone to a relevant one, the others to nothing alone. Of these p, q
    # and z are of three conversations: 1 of 2 files with p or q is noise and none without; all have z. Of one
    # conversation u has 3 - 4 * 1/2 = 1 beyond the rest, s and t each 1 - 3/5.
    assert order == ["w", "p", "q", "z", "u", "s", "t", "v"]
