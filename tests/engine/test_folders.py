import hashlib
import pickle
import sys
import time
import urllib.request

import pytest

from object_store import BUCKET, closed_port, environment, names
from tellapart.engine import Folder
from tellapart.errors import InputError, MissingExtra, StorageError, UsageError

CONTENT = bytes(range(256)) * 4


@pytest.fixture(params=["here", "s3"])
def folder(request, tmp_path):
    """Give an empty folder here, or in an object store."""
    if request.param == "here":
        return Folder(str(tmp_path / "some" / "place"))
    request.getfixturevalue("s3")
    return Folder(f"s3://{BUCKET}/some/place")


def listed(folder):
    return [(entry.name, entry.size_bytes) for entry in folder.files()]


def test_a_folder_that_is_not_there_is_empty(folder):
    assert folder.files() == []
    folder.delete()
    folder.remove("a")
    assert not folder.exists("a")


def test_files_are_written_and_listed_by_name_with_those_in_folders(folder):
    for name in ("b.bin", "a/c.bin", "a.bin", "a/b/d.bin"):
        folder.write(name, CONTENT)
    folder.write("empty", b"")
    assert listed(folder) == [
        ("a.bin", 1024),
        ("a/b/d.bin", 1024),
        ("a/c.bin", 1024),
        ("b.bin", 1024),
        ("empty", 0),
    ]
    assert listed(folder.child("a")) == [("b/d.bin", 1024), ("c.bin", 1024)]
    assert folder.read("a/b/d.bin") == folder.child("a/b").read("d.bin") == CONTENT
    assert folder.read("empty") == b""


def test_the_version_of_a_file_changes_with_its_content(folder):
    folder.write("a", b"one")
    folder.write("b", b"one")
    before = {entry.name: entry.version for entry in folder.files()}
    time.sleep(0.02)
    folder.write("a", b"two")
    after = {entry.name: entry.version for entry in folder.files()}
    assert all(before.values()) and before["a"] != after["a"] and before["b"] == after["b"]


def test_a_name_that_begins_alike_is_not_in_the_folder(folder):
    sibling = Folder(f"{folder.address}bo")
    sibling.write("x", b"1")
    folder.write("y", b"2")
    assert listed(folder) == [("y", 1)]
    folder.delete()
    assert folder.files() == [] and listed(sibling) == [("x", 1)]


@pytest.mark.parametrize("start", [0, 1, 1000, 1024, 2000])
@pytest.mark.parametrize("length", [None, 0, 1, 24, 5000])
def test_ranges_are_those_of_the_bytes(folder, start, length):
    folder.write("a", CONTENT)
    assert folder.read("a", start, length) == CONTENT[start : None if length is None else start + length]


def test_files_are_written_again_and_removed(folder):
    folder.write("a/b", b"one")
    folder.write("a/b", b"three")
    folder.write("a/c", b"")
    assert folder.read("a/b") == b"three" and folder.exists("a/b")
    folder.remove("a/b")
    assert not folder.exists("a/b") and listed(folder) == [("a/c", 0)]


def test_all_in_a_folder_is_deleted(folder):
    for number in range(12):
        folder.write(f"a/{number}", b"1")
    folder.child("a").delete()
    assert folder.files() == []


@pytest.mark.parametrize("odd", ["a b", "ü", "a%20b", "a+b", "a#b", "a?b", "a*b", "a[xy]b", "{a}"])
def test_names_are_taken_as_they_are(folder, odd):
    """Also those that would stand for others: ``a*b`` is one folder, and deleting it spares ``axb``."""
    folder.write("axb/f", b"other")
    inner = folder.child(odd)
    inner.write("f*", b"mine")
    inner.write("f", b"mine")
    assert listed(inner) == [("f", 4), ("f*", 4)]
    assert inner.read("f*") == b"mine" and inner.exists("f*")
    inner.remove("f*")
    assert listed(inner) == [("f", 4)]
    inner.delete()
    assert listed(folder) == [("axb/f", 5)]


def test_what_is_written_is_there_whole_or_not_at_all(folder):
    with folder.writing("a/b") as path:
        path.write_bytes(CONTENT)
        assert not folder.exists("a/b")
    assert folder.read("a/b") == CONTENT
    with pytest.raises(KeyError), folder.writing("a/b") as path:
        path.write_bytes(b"half")
        raise KeyError
    assert folder.read("a/b") == CONTENT and listed(folder) == [("a/b", 1024)]


def test_the_digest_is_that_of_all_bytes(folder):
    data = CONTENT * 3000
    folder.write("a", data)
    assert folder.sha256("a") == hashlib.sha256(data).hexdigest()
    folder.write("empty", b"")
    assert folder.sha256("empty") == hashlib.sha256(b"").hexdigest()


def test_a_file_is_one_of_this_machine_for_a_while(folder):
    folder.write("a/b.parquet", CONTENT)
    with folder.local("a/b.parquet") as path:
        assert path.name == "b.parquet" and path.read_bytes() == CONTENT
    assert path.exists() is not folder.is_remote
    assert folder.read("a/b.parquet") == CONTENT


def test_a_file_that_is_missing_is_named(folder):
    def local():
        with folder.local("x.jsonl") as path:
            path.read_bytes()

    folder.write("a", b"1")
    reads = [lambda: folder.read("x.jsonl"), lambda: folder.read("x.jsonl", 2, 3)]
    reads += [lambda: folder.sha256("x.jsonl"), *([local] if folder.is_remote else [])]
    for read in reads:
        with pytest.raises(InputError, match=r"some/place/x\.jsonl: "):
            read()


def test_a_folder_that_was_used_can_be_sent_to_workers(folder):
    folder.write("a", b"1")
    again = pickle.loads(pickle.dumps(folder))
    assert again == folder and again.read("a") == b"1"


def test_a_bucket_is_a_folder_and_stays_when_all_in_it_is_deleted(s3):
    for address in (f"s3://{BUCKET}", f"s3://{BUCKET}/"):
        whole = Folder(address)
        assert whole.files() == []
        whole.write("a/b", b"1")
        assert names(s3) == ["a/b"] and listed(whole) == [("a/b", 1)]
        assert whole.address_of("a/b") == f"s3://{BUCKET}/a/b"
        whole.delete()
        assert names(s3) == []
    s3.head_bucket(Bucket=BUCKET)


def test_marks_of_folders_are_no_files(s3):
    """Consoles of object stores make an object ``NAME/`` of each folder."""
    s3.put_object(Bucket=BUCKET, Key="some/place/", Body=b"")
    s3.put_object(Bucket=BUCKET, Key="some/place/a/", Body=b"")
    s3.put_object(Bucket=BUCKET, Key="some/place/a/b", Body=b"1")
    assert listed(Folder(f"s3://{BUCKET}/some/place")) == [("a/b", 1)]


def test_what_others_wrote_a_moment_ago_is_seen(s3):
    folder = Folder(f"s3://{BUCKET}/some/place")
    assert folder.files() == [] and not folder.exists("a")
    s3.put_object(Bucket=BUCKET, Key="some/place/a", Body=b"1")
    assert listed(folder) == [("a", 1)] and folder.exists("a")
    s3.put_object(Bucket=BUCKET, Key="some/place/a", Body=b"22")
    assert listed(folder) == [("a", 2)] and folder.read("a") == b"22"


def test_a_missing_bucket_is_named(s3):
    folder = Folder("s3://nowhere/some/place")
    uses = [
        folder.files,
        lambda: folder.read("a"),
        lambda: folder.sha256("a"),
        lambda: folder.write("a", b""),
    ]
    for use in uses:
        with pytest.raises(InputError, match="s3://nowhere/some/place.* no such file or bucket"):
            use()
    assert not folder.exists("a")
    folder.remove("a")
    folder.delete()


def every_use(folder):
    def local():
        with folder.local("a"):
            pass

    def writing():
        with folder.writing("a") as path:
            path.write_bytes(b"1")

    return [
        folder.files,
        folder.delete,
        *(lambda use=use: use("a") for use in (folder.read, folder.sha256, folder.exists, folder.remove)),
        lambda: folder.write("a", b"1"),
        local,
        writing,
    ]


def test_a_store_that_refuses_is_said_to(s3, s3_port):
    def reset_authentication(allowed):
        address = f"http://127.0.0.1:{s3_port}/moto-api/reset-auth"
        request = urllib.request.Request(address, data=allowed, headers={"Content-Type": "text/plain"})
        urllib.request.urlopen(request).close()

    folder = Folder(f"s3://{BUCKET}/some/place")
    reset_authentication(b"0")
    try:
        for use in every_use(folder):
            with pytest.raises(StorageError, match="(?s)s3://bucket/some/place.*refuses.*credentials"):
                use()
    finally:
        reset_authentication(b"inf")


def test_a_server_that_is_not_there_is_said_not_to_answer(monkeypatch):
    port = closed_port()
    environment(monkeypatch, port)
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    folder = Folder(f"s3://{BUCKET}/some/place")
    start = time.monotonic()
    for use in every_use(folder):
        with pytest.raises(
            StorageError, match=f"(?s)s3://bucket/some/place.*127.0.0.1:{port}.*Check its address"
        ):
            use()
    assert time.monotonic() - start < 20


def test_an_unknown_scheme_is_refused_with_those_that_are_known():
    with pytest.raises(UsageError, match=r"files at 's4://bucket/a' cannot be read.*There are: gs, s3"):
        Folder("s4://bucket/a").files()


def test_a_missing_library_is_named_by_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "s3fs", None)
    monkeypatch.delitem(sys.modules["fsspec.registry"]._registry, "s3", raising=False)
    with pytest.raises(MissingExtra, match=r"reading s3://.*pip install 'tellapart\[s3\]'"):
        Folder("s3://bucket/a").files()
