from dataclasses import replace

from codesearch.learning.learnt_cases import FAILED, made, named
from tellapart.codesearch.case import Explored
from tellapart.codesearch.learning.labels import label_cases
from tellapart.codesearch.learning.places import (
    kind_of,
    leave_out_places,
    matches,
    place_facts,
    search_places,
)


def facts(what, *cases):
    return {fact.place: fact for fact in place_facts(label_cases(cases, "judged"), what, 42)}


def searched(*cases, what="directory"):
    known = label_cases(cases, "judged")
    return search_places(known, place_facts(known, what, 42), what, 42)


def left_out(*cases, what="directory"):
    known = label_cases(cases, "judged")
    return leave_out_places(known, place_facts(known, what, 42), what, "judged", 42)


def test_counts_by_hand_with_all_that_is_below():
    found = facts(
        "directory",
        made("2", found=["r/a/x.py"], missed=["r/a/in/y.py", "r/b/z.py"], noise=["r/a/n.py"]),
        made("1", missed=["r/a/in/y.py"], noise=["r/b/o.md"], judged=["r/b/p.md"], failed=["r/b/q.md"]),
    )
    a = found["r/a"]
    assert (a.missed, a.found, a.noise, a.missed_in, a.noise_in) == (2, 1, 1, ("1", "2"), ("2",))
    assert (a.recall, a.noise_rate) == (1 / 3, 1 / 2)
    # In 2 one of two there and none of one elsewhere; in 1 none of one, and one of one elsewhere.
    recall = a.recall_against_others
    assert (recall.conversations, recall.here, recall.elsewhere) == (2, 0.25, 0.5)
    # Of noise only 1 has other files than those there, and 2 only those: nothing to compare.
    assert a.noise_against_others.conversations == 0
    assert found["r/b"].found == 1 and found["r/b"].noise == 1
    # Most missed first, then most noise, then by name.
    assert list(found) == ["r", "r/a", "r/a/in", "r/b"]


def test_where_both_explorations_failed_no_recall_is_compared():
    gone = Explored("a", (), FAILED)
    case = replace(made("1", judged=["r/a/x.py", "r/b/y.py"], noise=["r/b/z.py"]), run_a=gone, run_b=gone)
    found = facts("directory", case)["r/a"]
    assert (found.found, found.recall_against_others.conversations) == (1, 0)
    assert (found.noise_against_others.here, found.noise_against_others.elsewhere) == (0, 0.5)


def test_a_directory_that_holds_no_more_than_one_within_it_is_not_told_of_twice():
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
    assert {place: (one.missed, one.found) for place, one in found.items()} == {
        ".py": (1, 1),
        "(none)": (1, 0),
    }
    assert not matches("r/a", "directory")("r/ab/c.py")


def test_a_planted_directory_is_found_and_two_conversations_are_no_pattern():
    def case(id):
        return made(id, found=named("f", 4), missed=named("m", 2, "r/lib/views"), area=f"area {id}")

    (one,) = searched(case("1"), case("2"), case("3"))
    assert (one.id, one.conversations, one.effect) == ("search_directory:r/lib/views", ("1", "2", "3"), None)
    assert (one.evidence["missed"], one.evidence["found"], one.weight) == (6, 0, 6.0)
    assert one.evidence["files"] == ["r/lib/views/m0.py", "r/lib/views/m1.py"]
    assert (one.p, one.beyond_chance) == (0.25, False)
    assert searched(case("1"), case("2")) == []


def test_what_is_no_worse_than_the_rest_is_not_proposed_however_much_is_missed():
    cases = [
        made(
            str(n),
            found=[*named("f", 1), *named("g", 1, "r/lib")],
            missed=[*named("m", 5), *named("n", 5, "r/lib")],
        )
        for n in range(8)
    ]
    assert searched(*cases) == [] and searched(*cases, what="kind") == []


def test_an_outer_directory_stands_for_those_within_only_where_its_rest_is_missed_too():
    def cases(rest):
        return [
            made(
                str(n),
                found=[*named("f", 4), *(named("o", 2, "r/lib") if rest == "found" else ())],
                missed=[*named("m", 2, "r/lib/views"), *(named("o", 2, "r/lib") if rest == "missed" else ())],
            )
            for n in range(4)
        ]

    assert [one.subject for one in searched(*cases("found"))] == ["r/lib/views"]
    assert [one.subject for one in searched(*cases("missed"))] == ["r/lib"]


def test_a_missed_kind_names_areas_with_noise_of_it():
    cases = [
        made(str(n), found=named("f", 3), missed=[f"r/doc/{n}{x}.md" for x in "ab"], area="quiet")
        for n in range(3)
    ]
    noisy = made("9", found=named("f", 3), noise=["r/x.md", "r/y.md"], missed=["r/z.md"], area="loud")
    (one,) = searched(*cases, noisy, what="kind")
    assert one.id == "search_kind:.md" and one.could_hurt == {"loud": {"noise_there": 2, "relevant_there": 1}}


def test_a_directory_of_noise_is_left_out_with_the_effect_and_the_areas_that_need_it():
    noise = named("n", 4, "r/attic")
    cases = [made(str(n), found=named("f", 4), noise=noise, area="a") for n in range(6)]
    needs = made("9", found=[*named("f", 2), *noise[:1]], noise=noise[1:], missed=["r/m.py"], area="b")
    (one,) = left_out(*cases, needs)
    assert (one.id, len(one.conversations)) == ("leave_out_directory:r/attic", 7)
    assert (one.evidence["noise"], one.evidence["relevant"], one.weight) == (27, 1, 26.0)
    # 6 of 1/2 and 3/6, then all 1; recall of the last 3/4, then 2/4.
    assert (one.effect["precision"].before, one.effect["precision"].after) == (0.5, 1.0)
    assert one.could_hurt == {"b": {"recall": -0.25, "relevant_lost": 1}}
    # Seven of seven agree: 2 of 2^7.
    assert one.p == 2 / 128
    # As much that is missed there as noise: leaving it out is no answer.
    missed = [
        made(str(n), found=named("f", 4), noise=noise, missed=named("m", 4, "r/attic")) for n in range(6)
    ]
    assert left_out(*missed) == []


def test_a_kind_of_noise_is_left_out_too_but_not_the_kind_that_all_files_are_of():
    cases = [made(str(n), found=named("f", 2), noise=["r/a.lock", "r/b.lock"]) for n in range(3)]
    assert [one.id for one in left_out(*cases, what="kind")] == ["leave_out_kind:.lock"]
    all_of_it = [made(str(n), found=named("f", 1), noise=named("n", 5)) for n in range(8)]
    assert left_out(*all_of_it, what="kind") == [] and left_out(*all_of_it) == []
