"""What the browser of conversations is given."""

import pytest

from tellapart.codesearch.page.browser import BOTH, NEITHER, NOISE, RELEVANT, RUN_A, browser_data


@pytest.fixture
def data(view):
    return browser_data(view)


def one(data, name):
    return next(found for found in data["conversations"] if found["id"] == name)


def ours(data, name):
    return [[data["files"][file[0]].split("/")[1], *file[1:]] for file in one(data, name)["ours"]]


def test_our_files_in_our_order_with_who_stands_behind_each(data):
    found = ours(data, "feed")
    assert [file[:3] for file in found] == [
        ["pins.py", BOTH],
        ["feed.py", BOTH],
        ["pin_model.py", NEITHER, RELEVANT],
        ["style.py", NEITHER, NOISE],
    ]
    assert data["actions"][found[2][3]] == "yes"
    assert data["texts"][found[2][4]] == "It reads pins."


def test_what_we_missed_begins_with_what_both_runs_found(stored, viewed):
    stored["conversations"][0]["run_a"]["files_found"] += ["shop/b.py", "shop/zebra.py"]
    stored["conversations"][0]["run_b"]["files_found"] += ["shop/zebra.py"]
    data = browser_data(viewed(stored))
    missed = [(data["files"][file], found) for file, found in one(data, "feed")["missed"]]
    assert missed == [("shop/zebra.py", BOTH), ("shop/b.py", RUN_A), ("shop/cache.py", RUN_A)]


def test_terms_lead_to_files_as_the_search_says(data):
    found = one(data, "feed")
    assert [data["terms"][term] for term in found["terms"]] == ["pins", "feed"]
    assert found["led"] == [[0, 2], [1, 3]]
    assert found["traced"] == "as the search says"
    assert one(data, "late")["led"] is None


def test_terms_are_traced_by_contents_where_the_search_is_silent(stored, viewed):
    stored["conversations"][0] |= {"terms_by_file": {}, "terms_in_files": {"shop/style.py": ["feed"]}}
    found = one(browser_data(viewed(stored)), "feed")
    assert (found["led"], found["traced"]) == ([[], [3]], "by the words in the files")
