"""What the browser of conversations is given."""

import pytest

from tellapart.codesearch.page.browser import BOTH, RUN_A, browser_data


@pytest.fixture
def data(view):
    return browser_data(view)


def one(data, name):
    return next(found for found in data["conversations"] if found["id"] == name)


def ours(data, name):
    return [[data["files"][file[0]].split("/")[1], *file[1:]] for file in one(data, name)["ours"]]


def test_what_we_missed_begins_with_what_both_runs_found(stored, viewed):
    stored["conversations"][0]["run_a"]["files_found"] += ["shop/b.py", "shop/zebra.py"]
    stored["conversations"][0]["run_b"]["files_found"] += ["shop/zebra.py"]
    data = browser_data(viewed(stored))
    missed = [(data["files"][file], found) for file, found in one(data, "feed")["missed"]]
    assert missed == [("shop/zebra.py", BOTH), ("shop/b.py", RUN_A), ("shop/cache.py", RUN_A)]


def test_terms_are_traced_by_contents_where_the_search_is_silent(stored, viewed):
    stored["conversations"][0] |= {"terms_by_file": {}, "terms_in_files": {"shop/style.py": ["feed"]}}
    found = one(browser_data(viewed(stored)), "feed")
    assert (found["led"], found["traced"]) == ([[], [3]], "by the words in the files")
