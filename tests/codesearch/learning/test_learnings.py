from dataclasses import replace

import pytest

from codesearch.as_json import as_json
from codesearch.learning.learnt_cases import evaluation, made, named
from tellapart.codesearch.learning.learn import learnings, summary
from tellapart.codesearch.learning.learnings import Learnings

learnings = as_json(learnings)

KEYS = {
    "iteration_number",
    "timestamp",
    "conversations",
    "basis",
    "traced_by",
    "terms",
    "directories",
    "kinds",
    "areas",
    "notes",
}


def led_by(**files):
    return {file: names.split("_") for names, own in files.items() for file in own}


def world(size=10):
    """Conversations in three areas, with a noisy term, a missed directory and a failed verdict."""
    cases = []
    for n in range(size):
        found, noise = named(f"f{n}_", 3), [f"r/src/n{n}{x}.py" for x in "abc"]
        cases.append(
            made(
                f"c{n}",
                found=found,
                noise=noise,
                missed=named(f"m{n}_", 2, "r/lib/views"),
                failed=["r/src/open.py"] if n == 0 else [],
                area=["x", "y", "z"][n % 3],
                led=led_by(good=found, good_other=found[:1], bad=noise),
            )
        )
    return cases


def test_a_planted_term_and_a_planted_directory_come_first():
    found = learnings(evaluation(*world()))
    assert found.keys() == KEYS and found["basis"] == "judged" and found["traced_by"] == "system"
    assert {fact["term"]: (fact["noise"], fact["relevant"]) for fact in found["terms"]} == {
        "bad": (30, 0),
        "other": (0, 10),
        "good": (0, 30),
    }
    assert [(fact["place"], fact["missed"], fact["found"]) for fact in found["directories"]] == [
        ("r", 20, 30),
        ("r/lib/views", 20, 0),
        ("r/src", 0, 30),
    ]
    assert found["notes"] == [
        "1 of 31 files that only the system found have no verdict, and count neither as noise nor as "
        "relevant",
        "10 of 61 files are traced to two terms or more, so that none of these would go with one term alone",
    ]
    assert summary(Learnings.model_validate(found)) == [
        "search terms that led to most noise (files): 'bad' 30 of 30",
        "directories with most missed files: r/ 20 of 50, r/lib/views/ 20 of 20",
    ]


def test_where_nothing_was_judged_noise_is_what_no_exploration_found():
    cases = [replace(case, verdicts={}) for case in world()]
    found = learnings(evaluation(*cases))
    assert found["basis"] == "union"
    assert found["notes"][0] == "nothing was judged: noise is every file that no exploration found"
    assert (found["terms"][0]["term"], found["terms"][0]["noise"]) == ("bad", 30)


def test_failed_verdicts_are_no_noise_and_many_of_them_are_reported():
    cases = [
        made(f"c{n}", found=named("f", 2), failed=["r/o.py"], led={"r/o.py": ["bad"]}, terms=["bad", "good"])
        for n in range(4)
    ]
    seen = made("d", found=named("f", 2), noise=["r/n.py"], led={"r/n.py": ["bad"]})
    found = learnings(evaluation(*cases, seen))
    bad = found["terms"][0]
    assert (bad["term"], bad["noise"], bad["open"], bad["noise_rate"]) == ("bad", 1, 4, 1.0)
    assert found["notes"] == [
        "4 of 5 files that only the system found have no verdict, and count neither as noise nor as "
        "relevant; what is noise cannot be relied on",
        "no file was judged in c0, c1, c2 and 1 more: shares of noise leave them out",
    ]


def test_areas_far_below_the_whole():
    good = [made(f"g{n}", found="ab", area="good") for n in range(6)]
    low = [made(f"l{n}", found="a", missed="bcd", area="low") for n in range(3)]
    found = learnings(evaluation(*good, *low))
    assert list(found["areas"]) == ["low"] and found["areas"]["low"]["count"] == 3
    assert found["areas"]["low"]["below"]["recall"]["gap"] == pytest.approx((6 + 3 / 4) / 9 - 1 / 4)
    assert "precision_union" not in found["areas"]["low"]["below"]
    assert learnings(evaluation())["terms"] == []
