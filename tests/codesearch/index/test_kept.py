import pytest

from tellapart.codesearch.index.cache import Kept
from tellapart.codesearch.repositories import Repositories


@pytest.fixture
def repositories(tmp_path):
    for name in ("a", "b"):
        (tmp_path / "code" / name).mkdir(parents=True)
    return Repositories.open(tmp_path / "code", ["a", "b"])


@pytest.fixture
def kept(tmp_path, repositories):
    return Kept(tmp_path / "index", "terms", revision=1, of=repositories)


RECORDS = {"counts": [3, 1, 2], "words": ["naïve", "x"]}


def test_records_come_back(kept):
    assert kept.records() == {}
    kept.keep({"digest": {"défs": [["name", 3]], "none": None}})
    assert kept.records() == {"digest": {"défs": [["name", 3]], "none": None}}


def test_parts_revisions_and_repositories_are_told_apart(kept, tmp_path, repositories):
    kept.keep(RECORDS)
    directory = kept.path.parent
    assert Kept(directory, "symbols", revision=1, of=repositories).records() == {}
    assert Kept(directory, "terms", revision=2, of=repositories).records() == {}
    one = Repositories.open(tmp_path / "code", ["a"])
    assert Kept(directory, "terms", revision=1, of=one).records() == {}
    assert Kept(directory, "terms", revision=1, of=repositories).records() == RECORDS


def test_every_damage_is_noticed(kept):
    kept.keep(RECORDS)
    whole = kept.path.read_bytes()
    damages = [whole[:cut] for cut in (0, 1, 40, len(whole) // 2, len(whole) - 1)]
    damages += [whole + b"\n", b"{}\n", b"\xff\xfe", b"[]\n" + whole, b'{"revision": 2}\n']
    damages += [
        whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        for at in range(whole.index(b"\n") + 1, len(whole), 7)
    ]
    for damaged in damages:
        kept.path.write_bytes(damaged)
        assert kept.records() == {}
    kept.keep(RECORDS)
    assert kept.records() == RECORDS
