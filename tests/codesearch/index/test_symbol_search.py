"""What is worked out for a snapshot is worked out once, and never taken for another's."""

import numpy as np
import pytest

from tellapart.codesearch.index import symbols
from tellapart.codesearch.index.links import link_arrays
from tellapart.codesearch.index.naming import name_arrays
from tellapart.codesearch.index.snapshot import take_snapshot
from tellapart.codesearch.index.symbols import open_search, read_symbols, search_arrays
from tellapart.codesearch.repositories import Repositories

FILES = {
    "a/feed.py": "from store import rows\n\nclass Feed:\n    def show(self): return rows()\n",
    "a/store.py": "def rows(): return 1\n",
    "a-b/page.py": "def page(): return rows()\n",
}


@pytest.fixture
def repositories(tmp_path):
    for path, text in FILES.items():
        place = tmp_path / "code" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return Repositories.open(tmp_path / "code", ["a", "a-b"])


@pytest.fixture
def worked_out(monkeypatch):
    """The paths for which arrays were made."""
    made = []

    def noted(paths, symbols):
        made.append(paths)
        return search_arrays(paths, symbols)

    monkeypatch.setattr(symbols, "search_arrays", noted)
    return made


def opened(repositories, directory):
    return open_search(take_snapshot(repositories), directory, repositories)


def same(one, other):
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


def test_paths_are_sorted_and_each_has_its_own_names(repositories, tmp_path):
    snapshot = take_snapshot(repositories)
    paths, arrays = opened(repositories, tmp_path / "index")
    # A repository's files are listed together; as text, a-b/ stands before a/.
    assert [file.path for file in snapshot.files] == ["a/feed.py", "a/store.py", "a-b/page.py"]
    assert paths == ("a-b/page.py", "a/feed.py", "a/store.py")
    feed, store, page = read_symbols(snapshot)
    assert same(arrays, search_arrays(paths, [page, feed, store]))


def test_it_is_worked_out_once(repositories, tmp_path, worked_out):
    first = opened(repositories, tmp_path / "index")
    again = opened(repositories, tmp_path / "index")
    assert again[0] == first[0]
    assert same(again[1], first[1])
    assert len(worked_out) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "a/store.py").write_text("def sums(): return 1\n"),
        lambda root: (root / "a/store.py").rename(root / "a/shop.py"),
        lambda root: (root / "a/store.py").unlink(),
    ],
)
def test_other_files_are_worked_out_anew(repositories, tmp_path, worked_out, change):
    opened(repositories, tmp_path / "index")
    change(repositories.root)
    paths, arrays = opened(repositories, tmp_path / "index")
    assert len(worked_out) == 2
    fresh_paths, fresh = opened(repositories, tmp_path / "other")
    assert paths == fresh_paths
    assert same(arrays, fresh)


def test_another_revision_is_worked_out_anew(repositories, tmp_path, worked_out, monkeypatch):
    opened(repositories, tmp_path / "index")
    monkeypatch.setattr(symbols, "SEARCH_REVISION", symbols.SEARCH_REVISION + 1)
    opened(repositories, tmp_path / "index")
    assert len(worked_out) == 2


def test_arrays_of_names_and_of_links_are_called_differently(repositories):
    snapshot = take_snapshot(repositories)
    paths, symbols = [file.path for file in snapshot.files], read_symbols(snapshot)
    assert not name_arrays(paths, symbols).keys() & link_arrays(paths, symbols).keys()
