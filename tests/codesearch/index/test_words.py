from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tellapart.codesearch.index import snapshot as snapshots
from tellapart.codesearch.index.snapshot import take_snapshot
from tellapart.codesearch.index.terms import WordCounter, count_words, kept_words
from tellapart.codesearch.repositories import Repositories
from tellapart.embed.identifiers import split_identifiers
from tellapart.errors import InputError


def as_counters(counted):
    dense = counted.counts.toarray()
    return [Counter({word: int(n) for word, n in zip(counted.words, row, strict=True) if n}) for row in dense]


@given(st.text(max_size=60))
@example("HTTPServer2 my_var __x__ URLs naïve cafe\u0301 ΣΑΣ İx ß 变量 ١٢")
@example("fooBar fooBar foobar")
def test_words_are_those_of_split_identifiers(text):
    assert as_counters(WordCounter().rows([text])) == [Counter(split_identifiers(text))]


@pytest.fixture
def code(tmp_path):
    root = tmp_path / "code" / "r"
    root.mkdir(parents=True)
    for name, text in {"a.py": "one two", "b.py": "two two", "c.py": "one two", "d.py": ""}.items():
        (root / name).write_text(text)
    return root


@pytest.fixture
def counted(tmp_path, code):
    """Count, and say which files were read for it."""

    def count(monkeypatch):
        repositories = Repositories.open(code.parent, ["r"])
        snapshot = take_snapshot(repositories)
        read = []
        text = snapshots.SnapshotFile.text
        with monkeypatch.context() as patch:
            patch.setattr(snapshots.SnapshotFile, "text", lambda file: read.append(file.path) or text(file))
            words = count_words(snapshot, kept_words(tmp_path / "index", repositories))
        plain = count_words(snapshot)
        assert as_counters(words) == as_counters(plain)
        return as_counters(words), read, sorted(words.words)

    return count


def test_only_what_changed_is_read_and_what_is_gone_is_forgotten(counted, code, monkeypatch):
    counted(monkeypatch)
    (code / "b.py").write_text("three zero")
    (code / "a.py").unlink()
    (code / "c.py").rename(code / "z.py")
    counts, read, words = counted(monkeypatch)
    assert counts == [{"three": 1, "zero": 1}, {}, {"one": 1, "two": 1}]
    assert read == ["r/b.py"]
    (code / "z.py").unlink()
    counts, read, words = counted(monkeypatch)
    assert (counts, read, words) == ([{"three": 1, "zero": 1}, {}], [], ["three", "zero"])


def test_a_file_that_changes_meanwhile_is_an_error_and_nothing_is_kept(tmp_path, code):
    repositories = Repositories.open(code.parent, ["r"])
    snapshot = take_snapshot(repositories)
    (code / "b.py").write_text("four")
    kept = kept_words(tmp_path / "index", repositories)
    with pytest.raises(InputError, match=r"r/b\.py: this file changed"):
        count_words(snapshot, kept)
    assert kept.arrays() == {}
