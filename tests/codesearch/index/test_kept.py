import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tellapart.codesearch.index.cache import IndexWarning, Kept, index_directory
from tellapart.codesearch.repositories import Repositories


@pytest.fixture
def repositories(tmp_path):
    for name in ("a", "b"):
        (tmp_path / "code" / name).mkdir(parents=True)
    return Repositories.open(tmp_path / "code", ["a", "b"])


@pytest.fixture
def kept(tmp_path, repositories):
    return Kept(tmp_path / "index", "terms", revision=1, of=repositories)


ARRAYS = {"counts": np.array([3, 1, 2], dtype=np.int32), "words": np.array(["naïve", "x"])}


def same(left, right):
    return left.keys() == right.keys() and all((left[name] == right[name]).all() for name in left)


def test_arrays_come_back_with_their_types(kept):
    assert kept.arrays() == {}
    kept.keep(ARRAYS)
    assert same(kept.arrays(), ARRAYS)
    assert {name: array.dtype for name, array in kept.arrays().items()} == {
        name: array.dtype for name, array in ARRAYS.items()
    }


def test_records_come_back(kept):
    assert kept.records() == {}
    kept.keep_records({"digest": {"défs": [["name", 3]], "none": None}})
    assert kept.records() == {"digest": {"défs": [["name", 3]], "none": None}}


def test_parts_revisions_and_repositories_are_told_apart(kept, tmp_path, repositories):
    kept.keep(ARRAYS)
    directory = kept.path.parent
    assert Kept(directory, "symbols", revision=1, of=repositories).arrays() == {}
    assert Kept(directory, "terms", revision=2, of=repositories).arrays() == {}
    one = Repositories.open(tmp_path / "code", ["a"])
    assert Kept(directory, "terms", revision=1, of=one).arrays() == {}
    assert same(Kept(directory, "terms", revision=1, of=repositories).arrays(), ARRAYS)


def test_every_damage_is_noticed_and_told(kept):
    kept.keep(ARRAYS)
    whole = kept.path.read_bytes()
    damages = [whole[:cut] for cut in (0, 1, 40, len(whole) // 2, len(whole) - 1)]
    damages += [whole + b"\n", b"{}\n", b"\xff\xfe", b"[]\n" + whole, b'{"revision": 2}\n']
    damages += [
        whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        for at in range(whole.index(b"\n") + 1, len(whole), 7)
    ]
    for damaged in damages:
        kept.path.write_bytes(damaged)
        with pytest.warns(
            IndexWarning, match=r"terms-\w{16}\.index: this is damaged, or no part of an index"
        ):
            assert kept.arrays() == {}
    kept.keep(ARRAYS)
    assert same(kept.arrays(), ARRAYS)


class Trap:
    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return (open, (self.place, "w"))


def test_a_pickle_is_never_opened(kept, tmp_path):
    kept.keep({"trap": np.array([Trap(str(tmp_path / "sprung"))], dtype=object)})
    with pytest.warns(IndexWarning, match="this is damaged"):
        assert kept.arrays() == {}
    assert not (tmp_path / "sprung").exists()


def test_where_nothing_can_be_kept_work_goes_on(tmp_path, repositories):
    (tmp_path / "file").write_text("")
    kept = Kept(tmp_path / "file", "terms", revision=1, of=repositories)
    with pytest.warns(IndexWarning, match="nothing can be kept here .* TELLAPART_INDEX"):
        kept.keep(ARRAYS)
    with pytest.warns(IndexWarning, match="cannot read what was kept"):
        assert kept.arrays() == {}


def test_only_the_file_itself_is_left_behind(kept):
    kept.keep(ARRAYS)
    kept.keep(ARRAYS)
    assert list(kept.path.parent.iterdir()) == [kept.path]
    assert json.loads(kept.path.read_bytes().partition(b"\n")[0])["tellapart index"] == "terms"


WRITER = """
import sys
from pathlib import Path
import numpy as np
from tellapart.codesearch.index.cache import Kept
from tellapart.codesearch.repositories import Repositories

directory, root, value = sys.argv[1:]
kept = Kept(Path(directory), "terms", revision=1, of=Repositories.open(Path(root), ["a", "b"]))
for _ in range(30):
    kept.keep({"value": np.full(20_000, int(value))})
"""


@pytest.mark.slow
@pytest.mark.process
def test_two_processes_never_see_half_a_file(kept, repositories):
    command = [sys.executable, "-c", WRITER, str(kept.path.parent), str(repositories.root)]
    writers = [subprocess.Popen([*command, value]) for value in "12"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        seen |= {tuple(np.unique(array)) for array in kept.arrays().values()}
    assert [writer.returncode for writer in writers] == [0, 0]
    seen |= {tuple(np.unique(array)) for array in kept.arrays().values()}
    assert seen and seen <= {(1,), (2,)}


def test_it_lies_beside_the_cache_of_vectors(monkeypatch, tmp_path):
    monkeypatch.delenv("TELLAPART_INDEX", raising=False)
    monkeypatch.setenv("TELLAPART_CACHE", str(tmp_path / "v.sqlite"))
    assert index_directory() == tmp_path / "codesearch"
    monkeypatch.delenv("TELLAPART_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert index_directory() == tmp_path / "x" / "tellapart" / "codesearch"
    monkeypatch.setenv("TELLAPART_INDEX", "~/mine")
    assert str(index_directory()) == os.path.expanduser("~/mine")  # noqa: PTH111
