"""Links between files, derived by hand."""

from math import log

import pytest

from tellapart.codesearch.index.links import MOST_DEFINERS, MOST_USERS, Links, link_arrays, rarity
from tellapart.extraction.references import references


def links(files, path):
    paths = sorted(files)
    found = Links(link_arrays(paths, [references(path, files[path].encode()) for path in paths]))
    return {paths[to]: closeness for to, closeness in found.of(paths.index(path)).items()}


def test_rarity():
    assert rarity(1, 9) == 1.0
    assert rarity(9, 9) == pytest.approx(log(10 / 9) / log(10))
    assert rarity(1, 1) == 1.0


def test_an_import_is_as_close_as_few_files_import_what_it_means():
    """Four files; two import ``b``: log(5 / 2) / log(5). One imports ``c``: 1."""
    files = {"r/a.py": "import b\nimport c", "r/b.py": "", "r/c.py": "", "r/d.py": "import b"}
    assert links(files, "r/a.py") == pytest.approx({"r/b.py": log(5 / 2) / log(5), "r/c.py": 1.0})
    assert links(files, "r/b.py") == {}


def test_a_name_links_its_definition_with_its_uses_in_both_directions():
    """``total`` stands in three of four files, its definition among them: log(5 / 3) / log(5)."""
    files = {
        "r/a.py": "def total(): 1",
        "r/b.py": "total()",
        "r/c.py": "x.total",
        "r/d.py": "'total'",
    }
    close = log(5 / 3) / log(5)
    assert links(files, "r/b.py") == pytest.approx({"r/a.py": close})
    assert links(files, "r/a.py") == pytest.approx({"r/b.py": close, "r/c.py": close})
    assert links(files, "r/d.py") == {}


def test_a_name_with_several_definitions_is_shared_among_them():
    """Two definers, one more user: three of four files have it, halved."""
    files = {"r/a.py": "def total(): 1", "r/b.py": "def total(): 2", "r/c.py": "total()", "r/d.py": ""}
    close = log(5 / 3) / log(5) / 2
    assert links(files, "r/c.py") == pytest.approx({"r/a.py": close, "r/b.py": close})


def test_the_closest_link_counts():
    """By import 1; by ``total`` log(4 / 2) / log(4) = 1 / 2."""
    files = {"r/a.py": "from b import total", "r/b.py": "def total(): 1", "r/c.py": ""}
    assert links(files, "r/a.py") == {"r/b.py": 1.0}
    assert links(files, "r/b.py") == {"r/a.py": pytest.approx(0.5)}


def test_names_that_many_files_define_link_nothing():
    few = {f"r/d{number}.py": "def get(): 1" for number in range(MOST_DEFINERS)}
    assert len(links({**few, "r/u.py": "get()"}, "r/u.py")) == MOST_DEFINERS
    assert links({**few, "r/e.py": "def get(): 1", "r/u.py": "get()"}, "r/u.py") == {}


def test_names_that_many_files_use_lead_to_their_definition_only():
    users = {f"r/u{number:02}.py": "total()" for number in range(MOST_USERS - 1)}
    files = {"r/a.py": "def total(): 1", **users}
    assert len(links(files, "r/a.py")) == MOST_USERS - 1
    files["r/z.py"] = "total()"
    assert links(files, "r/a.py") == {}
    assert set(links(files, "r/z.py")) == {"r/a.py"}


def test_methods_are_known_by_their_own_name():
    files = {"r/Cart.java": "package p; class Cart { void total() {} }", "r/b.rb": "cart.total", "r/c.py": ""}
    assert set(links(files, "r/b.rb")) == {"r/Cart.java"}


def test_a_file_in_no_known_language_has_no_links():
    assert links({"r/a.py": "def total(): 1", "r/b.md": "total"}, "r/b.md") == {}
