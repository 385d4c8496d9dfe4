"""Files are parsed once for each content, whatever happens to what is kept."""

import pytest

from tellapart.codesearch.index import symbols
from tellapart.codesearch.index.cache import IndexWarning
from tellapart.codesearch.index.snapshot import take_snapshot
from tellapart.codesearch.index.symbols import kept_symbols, read_symbols
from tellapart.codesearch.repositories import Repositories
from tellapart.extraction.references import references

FILES = {
    "a.py": "from b import total\n\ndef cart():\n    return total()\n",
    "b.py": "def total(): return 1\n",
    "copy.py": "def total(): return 1\n",
    "copy.rb": "def total(): return 1\n",
    "bad.py": "größe = 1\n".encode("latin-1"),
    "notes.txt": "total\n",
}


@pytest.fixture
def repositories(tmp_path):
    (tmp_path / "code" / "r").mkdir(parents=True)
    for name, content in FILES.items():
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / "code" / "r" / name).write_bytes(data)
    return Repositories.open(tmp_path / "code", ["r"])


@pytest.fixture
def kept(tmp_path, repositories):
    return kept_symbols(tmp_path / "index", repositories)


@pytest.fixture
def parsed(monkeypatch):
    """The paths of files as they are parsed."""
    paths = []

    def noted(path, data):
        paths.append(path)
        return references(path, data)

    monkeypatch.setattr(symbols, "references", noted)
    return paths


def test_each_file_has_its_references_in_order(repositories):
    snapshot = take_snapshot(repositories)
    found = read_symbols(snapshot)
    assert [file.path for file in snapshot.files] == sorted(f"r/{name}" for name in FILES)
    for file, own in zip(snapshot.files, found, strict=True):
        assert own == references(file.path, file.data()), file.path
    assert found[-1] is None
    assert {own.unusable for own in found[:-1]} == {None, "undecodable"}


def test_what_is_kept_gives_the_same_and_is_not_parsed_again(repositories, kept, parsed):
    snapshot = take_snapshot(repositories)
    fresh = read_symbols(snapshot)
    parsed.clear()
    assert read_symbols(snapshot, kept) == fresh
    assert len(parsed) == 5  # b.py and copy.py have one content; copy.rb is in another language
    written = kept.path.stat()
    parsed.clear()
    assert read_symbols(snapshot, kept) == fresh
    assert parsed == []
    assert kept.path.stat().st_ino == written.st_ino


def test_only_what_changed_is_parsed_and_what_is_gone_is_forgotten(repositories, kept, parsed):
    read_symbols(take_snapshot(repositories), kept)
    parsed.clear()
    (repositories.root / "r" / "b.py").write_text("def sum(): return 1\n")
    (repositories.root / "r" / "a.py").unlink()
    snapshot = take_snapshot(repositories)
    changed = read_symbols(snapshot, kept)
    assert parsed == ["r/b.py"]
    assert changed == read_symbols(snapshot)
    assert len(kept.records()) == len({(file.digest, file.path[-3:]) for file in snapshot.files})


@pytest.mark.parametrize("damage", [lambda data: data[:50], lambda data: b"{}", lambda data: data + b"x"])
def test_damage_costs_time_and_no_result(repositories, kept, damage):
    snapshot = take_snapshot(repositories)
    fresh = read_symbols(snapshot, kept)
    kept.path.write_bytes(damage(kept.path.read_bytes()))
    with pytest.warns(IndexWarning):
        assert read_symbols(snapshot, kept) == fresh
    assert read_symbols(snapshot, kept) == fresh


def test_another_query_makes_it_anew(tmp_path, repositories, parsed, monkeypatch):
    read_symbols(take_snapshot(repositories), kept_symbols(tmp_path / "index", repositories))
    parsed.clear()
    monkeypatch.setattr(symbols, "REVISION", symbols.REVISION + 1)
    read_symbols(take_snapshot(repositories), kept_symbols(tmp_path / "index", repositories))
    assert len(parsed) == 5


def test_bytes_kept_do_not_depend_on_the_order_in_which_files_came(tmp_path, repositories, kept):
    read_symbols(take_snapshot(repositories), kept)
    whole = kept.path.read_bytes()
    kept.path.unlink()
    removed = repositories.root / "r" / "a.py"
    text = removed.read_text()
    removed.unlink()
    read_symbols(take_snapshot(repositories), kept)
    removed.write_text(text)
    read_symbols(take_snapshot(repositories), kept)
    assert kept.path.read_bytes() == whole
