"""Folders of files, here and in an object store."""

import sys
import time

import pytest

from object_store import BUCKET, closed_port, environment
from tellapart.bundles.parts.folders import Folder
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
    with pytest.raises(InputError):
        folder.read("a")


def test_files_are_written_read_listed_by_name_and_removed(folder):
    for name in ("b.bin", "a/c.bin", "a.bin", "a/b[1]*.bin"):
        folder.write(name, CONTENT)
    folder.write("empty", b"")
    there = [("a.bin", 1024), ("a/b[1]*.bin", 1024), ("a/c.bin", 1024), ("b.bin", 1024), ("empty", 0)]
    assert listed(folder) == there
    assert folder.read("a/c.bin") == folder.child("a").read("c.bin") == CONTENT
    assert folder.sha256("a.bin") == folder.sha256("b.bin")
    with folder.local("a/c.bin") as path:
        assert path.name == "c.bin" and path.read_bytes() == CONTENT
    folder.remove("a.bin")
    assert folder.exists("b.bin") and not folder.exists("a.bin")
    folder.child("a").delete()
    assert listed(folder) == [("b.bin", 1024), ("empty", 0)]


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
    folder.delete()
    assert folder.files() == [] and listed(sibling) == [("x", 1)]


def test_what_fails_before_its_end_is_not_there(folder):
    with pytest.raises(ZeroDivisionError), folder.writing("a") as path:
        path.write_bytes(b"half")
        raise ZeroDivisionError
    assert folder.files() == []


def test_an_object_store_that_is_not_there_is_named(monkeypatch):
    environment(monkeypatch, closed_port())
    with pytest.raises(StorageError, match="the object store does not do what it should"):
        Folder(f"s3://{BUCKET}/x").read("a")


def test_other_schemes_and_missing_extras_are_named(monkeypatch):
    with pytest.raises(UsageError, match="cannot be read"):
        Folder("ftp://host/x").files()
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingExtra, match=r"pip install 'tellapart\[s3\]'"):
        Folder("s3://bucket/x").files()
