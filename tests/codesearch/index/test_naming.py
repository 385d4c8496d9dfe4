"""How well an issue says the names of files, derived by hand."""

from math import log, sqrt

import pytest

from tellapart.codesearch.index.naming import Naming, name_arrays
from tellapart.extraction.references import references

PLAIN = {
    "r/a.py": "def render_feed(): 1\ndef feed(): 1",
    "r/b.py": "def render(): 1",
    "r/c.py": "class Pin: 1",
}


def scores(files, issue):
    paths = sorted(files)
    naming = Naming(paths, name_arrays(paths, [references(path, files[path].encode()) for path in paths]))
    return {paths[file]: score for file, score in naming.scores(issue).items()}


def test_a_word_counts_by_the_name_that_says_it_best():
    """``feed`` is in one of three files and weighs log 4, ``render`` in two and weighs log 2.

    ``feed`` alone is all of a name, and ``render`` alone all of one in b, but in a it is a third of
    ``render_feed``: log 2 / (log 2 + log 4). An issue that has both says all of ``render_feed``.
    """
    assert scores(PLAIN, "Feeds!") == pytest.approx({"r/a.py": log(4)})
    assert scores(PLAIN, "rendering") == pytest.approx({"r/a.py": log(2) * sqrt(1 / 3), "r/b.py": log(2)})
    assert scores(PLAIN, "rendered the feed")["r/a.py"] == pytest.approx(log(2) + log(4))


def test_what_is_said_twice_counts_once():
    assert scores(PLAIN, "feed feed feeds") == scores(PLAIN, "feed")


def test_files_and_directories_are_names_too():
    """``cart`` is in two of two paths: log(3 / 2). A directory's name counts half."""
    files = {"r/cart/x.txt": "", "r/y/cart.txt": ""}
    assert scores(files, "cart") == pytest.approx({"r/cart/x.txt": 0.5 * log(1.5), "r/y/cart.txt": log(1.5)})


def test_uses_comments_and_strings_are_no_names():
    assert scores({"r/a.py": "# pin\nx('pin', pin)", "r/b.py": ""}, "pin") == {}


def test_a_name_that_is_written_out_counts_twice_more():
    """``render_feed`` is in one of three files: 2 log 4 beside its words."""
    words = log(2) + log(4)
    for issue in ("render_feed", "`render_feed`", "call render_feed() twice", "render_feed, render_feed"):
        assert scores(PLAIN, issue)["r/a.py"] == pytest.approx(words + 2 * log(4)), issue
    assert scores(PLAIN, "render feed")["r/a.py"] == pytest.approx(words)


def test_a_plain_word_is_written_out_only_where_it_is_marked():
    assert scores(PLAIN, "Pin")["r/c.py"] == pytest.approx(log(4))
    for issue in ("`Pin`", "Pin()"):
        assert scores(PLAIN, issue)["r/c.py"] == pytest.approx(3 * log(4)), issue


def test_owners_choose_among_definitions_of_one_name():
    files = {"r/a.py": "class Cart:\n def total(self): 1", "r/b.py": "class Tax:\n def total(self): 1"}
    for issue in ("Cart.total", "Cart#total", "Cart::total", "Cart->total()"):
        found = scores(files, issue)
        # Words: cart log 3, total log(3 / 2); written out in one file: 2 log 3.
        assert found == pytest.approx({"r/a.py": log(3) + log(1.5) + 2 * log(3), "r/b.py": log(1.5)}), issue
    elsewhere = scores(files, "Bill.total")
    assert elsewhere == pytest.approx(dict.fromkeys(files, log(1.5) + 2 * log(1.5)))


def test_paths_that_are_written_out():
    files = {"r/app/pins.rb": "", "r/lib/pins.rb": "", "r/lib/x.rb": ""}
    plain = scores(files, "pins rb")
    gained = {path: score - plain.get(path, 0.0) for path, score in scores(files, "see pins.rb").items()}
    assert gained == pytest.approx({"r/app/pins.rb": 2 * log(4 / 2), "r/lib/pins.rb": 2 * log(4 / 2)})
    plain = scores(files, "app pins rb")
    gained = {path: score - plain.get(path, 0.0) for path, score in scores(files, "App/pins.rb:12").items()}
    assert gained == pytest.approx({"r/app/pins.rb": 2 * log(4), "r/lib/pins.rb": 0.0})


@pytest.mark.parametrize("issue", ["", " \n", "...", "the and of", "é", "どこ", "12 34", "`", "$("])
def test_an_issue_without_a_name_has_no_files(issue):
    assert scores(PLAIN, issue) == {}


def test_no_files():
    assert scores({}, "feed") == {}
