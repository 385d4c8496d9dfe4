from codesearch.learning.learnt_cases import made
from tellapart.codesearch.learning.labels import label_cases
from tellapart.codesearch.learning.places import kind_of, place_facts


def facts(what, *cases):
    return {fact.place: fact for fact in place_facts(label_cases(cases, "judged"), what)}


def test_counts_by_hand_with_all_that_is_below():
    found = facts(
        "directory",
        made("2", found=["r/a/x.py"], missed=["r/a/in/y.py", "r/b/z.py"], noise=["r/a/n.py"]),
        made("1", missed=["r/a/in/y.py"], noise=["r/b/o.md"], judged=["r/b/p.md"], failed=["r/b/q.md"]),
    )
    a = found["r/a"]
    assert (a.missed, a.found, a.noise, a.missed_in, a.noise_in) == (2, 1, 1, ("1", "2"), ("2",))
    assert (a.recall, a.noise_rate) == (1 / 3, 1 / 2)
    assert found["r/b"].found == 1 and found["r/b"].noise == 1
    # Most missed first, then most noise, then by name.
    assert list(found) == ["r", "r/a", "r/a/in", "r/b"]


def test_a_directory_that_holds_no_more_than_one_within_it_is_left_out():
    found = facts("directory", made("1", missed=["r/a/b/c/x.py", "r/a/b/c/y.py"], noise=["r/d/e.py"]))
    assert set(found) == {"r", "r/a/b/c", "r/d"}


def test_kinds_are_endings_in_lower_case():
    assert [kind_of(file) for file in ("r/A.PY", "r/Makefile", "r/.env", "r/a.tar.gz")] == [
        ".py",
        "(none)",
        "(none)",
        ".gz",
    ]
    found = facts("kind", made("1", found=["r/a.PY"], missed=["r/b.py", "r/Makefile"]))
    assert {place: (fact.missed, fact.found) for place, fact in found.items()} == {
        ".py": (1, 1),
        "(none)": (1, 0),
    }
